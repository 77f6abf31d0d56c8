/* weights.c - see weights.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <base/memory.h>
#include <programs/common/wrap.h>

/* For fewer elements drawn rows say as much in a twentieth of the time. */
#define DISTRIBUTION_FROM_K 64

int read_score_sd(void *to, const char *option, const char *value)
{
    struct score_sd *sd = to;
    const char *wrong = parse_amount(value, &sd->value);
    sd->given = true;
    return wrong ? usage_error("%s '%.*s' is %s; give the standard deviation of the scores, such "
                               "as 1.5",
                               option, VALUE_SHOWN, value, wrong)
                 : STATUS_OK;
}

int read_temperature(void *to, const char *option, const char *value)
{
    double *const temperature = to;
    return parse_amount(value, temperature) || !(*temperature > 0.0)
               ? usage_error("%s '%.*s' is not a decimal number above 0; give 1 for exp(x), or 0.5",
                             option, VALUE_SHOWN, value)
               : STATUS_OK;
}

int read_chain(void *to, const char *option, const char *value)
{
    struct chain_option *const chain = to;
    char error[200];
    chain->text = value;
    return chain_read(&chain->chain, value, MESSAGE(error)) == 0
               ? STATUS_OK
               : usage_error("%s %.*s %s", option, VALUE_SHOWN, value, error);
}

bool weights_given(const struct weights_question *q)
{
    return q->score_sd.given || q->file;
}

static struct chain chain_of(const struct weights_question *q)
{
    struct chain chain = {.length = 0};
    if (q->chain.text)
        return q->chain.chain;
    if (q->temperature > 0.0)
        chain.of[chain.length++] = (struct chain_step){CHAIN_TEMPERATURE, q->temperature};
    chain.of[chain.length++] = (struct chain_step){CHAIN_TOP_K, 0.0};
    if (q->top_p.given)
        chain.of[chain.length++] = (struct chain_step){CHAIN_TOP_P, decimal_value(q->top_p.value)};
    return chain;
}

static double temperature_of(const struct weights_question *q)
{
    const struct chain chain = chain_of(q);
    return chain_temperature(&chain);
}

int weights_check(const struct weights_question *q)
{
    const double sd = q->score_sd.value / temperature_of(q);
    if (q->score_sd.given && q->file)
        return usage_error("--score-sd and --weights both say what elements weigh; give one");
    if (q->lost_mass.given && !weights_given(q))
        return usage_error("--lost-mass needs to know what elements weigh; give --score-sd S, the "
                           "standard deviation of the scores, or --weights ROWS.npy");
    if (q->temperature > 0.0 && !weights_given(q))
        return usage_error("--temperature divides scores; give --score-sd or --weights, too");
    if (q->top_p.given && !weights_given(q))
        return usage_error("--top-p counts the mass of scores; give --score-sd or --weights, too");
    if (q->chain.text && !weights_given(q))
        return usage_error("--chain weighs tokens by scores; give --score-sd or --weights, too");
    if (q->score_sd.given && !(sd <= RCM_SCORE_SD_MOST))
        return usage_error("--score-sd%s is %g; give at most %g%s",
                           temperature_of(q) == 1.0 ? ""
                           : q->chain.text          ? " over the temperature"
                                                    : " over --temperature",
                           sd, RCM_SCORE_SD_MOST,
                           temperature_of(q) == 1.0 ? "" : ", or a higher temperature");
    return STATUS_OK;
}

static struct rank_scores scores_of(const struct weights_question *q, const struct row_file *file,
                                    uint64_t n)
{
    return (struct rank_scores){.file = file,
                                .n = n,
                                .score_sd = q->score_sd.value,
                                .chain = chain_of(q),
                                .change = q->chain.text || q->top_p.given,
                                .probabilities = q->as.weights == SIM_PROBABILITIES};
}

/* The rows of the file, which must be those of the question. */
static int from_file(const struct weights_question *q, uint64_t n, uint64_t k,
                     struct rank_weights *rows)
{
    struct row_file file;
    char reason[600];
    static bool said; /* once, for the first k that it is true of */
    int status = open_row_file(&file, "--weights", q->file, &q->as);
    if (status != STATUS_OK)
        return status;
    const struct rank_scores scores = scores_of(q, &file, n);
    if (file.row != n)
        status = usage_error("--weights %.150s has rows of %" PRIu64 " elements, not %" PRIu64
                             "; give --n %" PRIu64,
                             q->file, file.row, n, file.row);
    else if (look_at_rows(&file, "--weights", q->file, &q->as, file.rows, n, NULL, k, &said,
                          MESSAGE(reason)) != 0)
        status = usage_error("%s", reason);
    else if (rank_weights(rows, &scores, k, MESSAGE(reason)) != 0)
        status = usage_error("--weights %.150s %s", q->file, reason);
    row_file_close(&file);
    return status;
}

static int draw_rows(const struct weights_question *q, uint64_t n, uint64_t k,
                     struct rank_weights *rows)
{
    const struct rank_scores scores = scores_of(q, NULL, n);
    char reason[400];
    return rank_weights(rows, &scores, k, MESSAGE(reason)) == 0
               ? STATUS_OK
               : usage_error("--k %" PRIu64 " %s", k, reason);
}

/* Mean weights by rows. */
static int from_rows(const struct weights_question *q, uint64_t n, uint64_t k,
                     struct query_weights *w)
{
    const int status = q->file ? from_file(q, n, k, &w->rows) : draw_rows(q, n, k, &w->rows);
    if (status != STATUS_OK)
        return status;
    w->weights.share = w->rows.share;
    w->weights.square = w->rows.square;
    w->weights.measured = true;
    if (q->file)
        w->topk_mass = w->rows.topk_mass;
    return STATUS_OK;
}

int weights_find(const struct weights_question *q, uint64_t n, uint64_t k, struct query_weights *w)
{
    *w = (struct query_weights){
        .topk_mass = NAN, .chain = chain_of(q), .change = q->chain.text || q->top_p.given};
    chain_text(&w->chain, w->chain_text);
    if (!weights_given(q))
        return STATUS_OK;
    if (k > RCM_WEIGHTS_MOST)
        return usage_error("--k %" PRIu64 " is too many to weigh by rank; give at most %" PRIu64, k,
                           RCM_WEIGHTS_MOST);
    const double sd = q->file ? 0.0 : q->score_sd.value / temperature_of(q);
    w->weights = (struct rcm_weights){.k = k, .score_sd = sd};
    if (!q->file)
        w->topk_mass = rcm_topk_mass_normal(n, k, sd);
    if (q->file || chain_cuts(&w->chain))
        return from_rows(q, n, k, w);
    if (w->change || k < DISTRIBUTION_FROM_K || !rcm_lost_mass_distribution_known(k, sd)) {
        const int status = draw_rows(q, n, k, &w->rows);
        if (status != STATUS_OK)
            return status;
    }
    w->room = require_memory(malloc(2 * k * sizeof *w->room));
    w->weights.share = w->room;
    w->weights.square = w->room + k;
    if (rcm_weights_normal(n, k, sd, w->room, w->room + k) != 0)
        return usage_error("--score-sd %g is too much for rows of %" PRIu64
                           " elements; give less, or longer rows",
                           sd, n);
    return STATUS_OK;
}

void weights_free(struct query_weights *weights)
{
    free(weights->room);
    rank_weights_free(&weights->rows);
}

unsigned weights_print(const struct weights_question *q, const struct query_weights *w)
{
    char what[200], whose[100] = "that";
    if (w->weights.k == 0)
        return 0;
    if (q->file)
        snprintf(what, sizeof what, "the rows of %.150s", q->file);
    else
        snprintf(what, sizeof what, "normal scores of standard deviation %.4g",
                 w->weights.score_sd);
    if (q->top_p.given)
        snprintf(whose, sizeof whose, "the nucleus of %.6g%s", decimal_value(q->top_p.value),
                 q->file ? "" : ", by drawn rows");
    else if (chain_cuts(&w->chain))
        snprintf(whose, sizeof whose, "what the chain keeps%s", q->file ? "" : ", by drawn rows");
    return print_wrapped(
        "  mass        by %s; the exact top k has %.3g of its row's, and lost mass "
        "is a share of %s",
        what, w->topk_mass, whose);
}

void weights_json(json_t *object, const struct weights_question *q, const struct query_weights *w)
{
    if (w->weights.k == 0)
        return;
    set_real(object, "lost_mass_target",
             q->lost_mass.given ? decimal_value(q->lost_mass.value) : NAN);
    set_real(object, "score_sd", q->file ? NAN : w->weights.score_sd);
    set_text(object, "weights", q->file);
    set_real(object, "top_p", q->top_p.given ? decimal_value(q->top_p.value) : NAN);
    set_text(object, "chain", w->change ? w->chain_text : NULL);
    set_real(object, "topk_mass", w->topk_mass);
}
