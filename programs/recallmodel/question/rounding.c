/* rounding.c - see rounding.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rounding.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <programs/common/format.h>
#include <programs/common/wrap.h>

#define OF_VECTORS "qk:"
#define D_DEFAULT 128
#define D_LEAST 16

static const char *format_at(unsigned i)
{
    return rcm_format(i) ? rcm_format(i)->name : NULL;
}

static int read_format(void *to, const char *option, const char *value)
{
    unsigned i;
    const int status = read_name(option, value, format_at, UNTIL_NULL, &i);
    if (status == STATUS_OK)
        *(const struct rcm_format **)to = rcm_format(i);
    return status;
}

const struct value_kind kind_of_format = {.read = read_format, .names = format_at};

/* The names of the formats of scores, then those of vectors. */
static const char *rounded_at(unsigned i)
{
    static char names[16][24];
    unsigned scores = 0;
    while (format_at(scores))
        if (scores++ == i)
            return format_at(i);
    const struct rcm_quantised *vectors = rcm_quantised(i - scores);
    if (!vectors || i - scores >= sizeof names / sizeof *names)
        return NULL;
    snprintf(names[i - scores], sizeof *names, OF_VECTORS "%s", vectors->name);
    return names[i - scores];
}

static int read_rounded(void *to, const char *option, const char *value)
{
    struct rounded rounded = {0};
    char name[24];
    const char *slash = strchr(value, '/');
    const bool vectors = strncmp(value, OF_VECTORS, strlen(OF_VECTORS)) == 0;
    unsigned i;
    int status = STATUS_OK;
    if (vectors && slash && !slash[1])
        return usage_error("%s %.*s has no number behind /; give the elements of a vector, such as "
                           "qk:int8/64",
                           option, VALUE_SHOWN, value);
    if (vectors && slash) {
        struct count_list d = {0};
        status = read_one_count(&d, option, slash + 1);
        rounded.d = status == STATUS_OK ? d.items[0] : 0;
        free(d.items);
    }
    snprintf(name, sizeof name, "%.*s", vectors && slash ? (int)(slash - value) : 23, value);
    if (status == STATUS_OK)
        status = read_name(option, vectors ? name : value, rounded_at, UNTIL_NULL, &i);
    if (status != STATUS_OK)
        return status;
    rounded.name = rounded_at(i);
    rounded.scores = rcm_format_by_name(name);
    rounded.vectors = vectors ? rcm_quantised_by_name(name + strlen(OF_VECTORS)) : NULL;
    *(struct rounded *)to = rounded;
    return STATUS_OK;
}

const struct value_kind kind_of_rounded = {.read = read_rounded, .names = rounded_at};

int read_score_mean(void *to, const char *option, const char *value)
{
    struct score_mean *mean = to;
    char *end;
    mean->value = strtod(value, &end);
    mean->given = true;
    return end == value || *end || !isfinite(mean->value)
               ? usage_error("%s '%.*s' is not a number; give the mean of the scores, such as -2.5",
                             option, VALUE_SHOWN, value)
               : STATUS_OK;
}

int rounding_check(const struct rounding_question *q, const struct weights_question *weights)
{
    if (q->to.vectors && weights->file)
        return usage_error("--rounding %s is of vectors, and --weights has scores; leave one out",
                           q->to.name);
    if (q->mean.given && !q->to.scores)
        return usage_error("--score-mean only matters where scores are rounded; give --rounding");
    if (q->mean.given && weights->file)
        return usage_error("--score-mean is of normal scores, and --weights has its own; leave one "
                           "out");
    return STATUS_OK;
}

struct rounding rounding_of_format(const struct rcm_format *f)
{
    const bool infinite = (f->last & ((UINT32_C(1) << f->fraction_bits) - 1)) == 0;
    return (struct rounding){(int)f->fraction_bits, f->bias,
                             rcm_format_value(f, f->last - infinite), infinite};
}

static int from_file(const struct rounding_question *q, const struct weights_question *weights,
                     uint64_t k, struct query_rounding *found)
{
    struct row_file file;
    struct rounding_means means;
    char reason[400];
    const struct rounding to = rounding_of_format(q->to.scores);
    int status = open_row_file(&file, "--weights", weights->file, &weights->as);
    if (status != STATUS_OK)
        return status;
    if (rounding_means(&file, k, &to, &means, MESSAGE(reason)) != 0)
        status = usage_error("--weights %.150s %s", weights->file, reason);
    row_file_close(&file);
    *found = (struct query_rounding){means.loss, means.loss_worst, means.loss_99, NAN};
    return status;
}

static double score_sd_of(const struct weights_question *weights)
{
    return weights->score_sd.given ? weights->score_sd.value : 1.0;
}

static uint64_t d_of(const struct rounding_question *q)
{
    return q->to.d ? q->to.d : q->d ? q->d : D_DEFAULT;
}

static int of_vectors(const struct rounding_question *q, uint64_t n, uint64_t k,
                      struct query_rounding *found)
{
    const uint64_t d = d_of(q);
    if (d < D_LEAST || d > UINT32_MAX)
        return usage_error("--rounding %s is for vectors of %d to 2^32 - 1 elements, not %" PRIu64,
                           q->to.name, D_LEAST, d);
    found->correlation =
        k == n ? 1.0 : rcm_quantised_correlation(q->to.vectors, d, (double)k / (double)n);
    found->loss = 1.0 - rounding_recall(found, (struct rcm_topk){.n = n, .k = k, .b = 1, .k_b = k});
    return STATUS_OK;
}

int rounding_find(const struct rounding_question *q, const struct weights_question *weights,
                  uint64_t n, uint64_t k, struct query_rounding *found)
{
    *found = (struct query_rounding){NAN, NAN, NAN, NAN};
    if (q->to.vectors)
        return of_vectors(q, n, k, found);
    if (!q->to.scores)
        return STATUS_OK;
    if (weights->file)
        return from_file(q, weights, k, found);
    if (n > RCM_ROUNDING_N_MOST)
        return usage_error("--rounding is for rows of at most 2^44 elements, not %" PRIu64, n);
    const struct rcm_values scores = {rcm_values_distribution_by_name("normal"), q->mean.value,
                                      score_sd_of(weights)};
    const struct rcm_format *format = q->to.scores;
    found->loss = rcm_rounding_loss(n, k, format, scores, RCM_TIES_POSITION);
    found->worst = rcm_rounding_loss(n, k, format, scores, RCM_TIES_WORST);
    if (!isnan(found->loss))
        found->loss_99 =
            (double)rcm_rounding_quantile(n, k, format, scores, RCM_TIES_POSITION, 0.01) /
            (double)k;
    return STATUS_OK;
}

double rounding_recall(const struct query_rounding *found, struct rcm_topk p)
{
    return rcm_overlap_bucketed(p, found->correlation);
}

/* Whether these buckets lose more. */
static unsigned print_vectors(const struct rounding_question *q, const struct query_rounding *found,
                              const struct rcm_topk *buckets)
{
    char most[40], text[200];
    format_recall(most, sizeof most, found->loss);
    if (!buckets)
        snprintf(text, sizeof text, "a recall above %s is not worth asking for", most);
    else
        snprintf(text, sizeof text,
                 "these buckets, which lose %.3g of exact scores, make it %.3g: ",
                 rcm_loss_exact(*buckets), 1.0 - rounding_recall(found, *buckets));
    if (buckets && rcm_loss_exact(*buckets) >= found->loss)
        strcat(text, "the buckets lose more");
    else if (buckets)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "a recall above %s is not worth asking for", most);
    return print_wrapped("  rounding    Q and K in %s (normal, d %" PRIu64
                         ") alone make exact top-k lose %.3g; %s",
                         q->to.vectors->name, d_of(q), found->loss, text);
}

unsigned rounding_print(const struct rounding_question *q, const struct weights_question *weights,
                        const struct query_rounding *found, const struct rcm_topk *buckets)
{
    char most[40], text[200] = "", scores[120] = "of those rows";
    const double loss = buckets ? rcm_loss_exact(*buckets) : NAN;
    if (q->to.vectors)
        return print_vectors(q, found, buckets);
    if (!q->to.scores)
        return 0;
    if (!weights->file)
        snprintf(scores, sizeof scores, "normal, mean %.4g, standard deviation %.4g", q->mean.value,
                 score_sd_of(weights));
    format_recall(most, sizeof most, found->loss);
    if (loss < found->loss)
        snprintf(text, sizeof text,
                 ", more than these buckets do (%.3g): a recall above %s is not "
                 "worth asking for",
                 loss, most);
    else
        snprintf(text, sizeof text, "; a recall above %s is not worth asking for", most);
    return print_wrapped(
        "  rounding    exact top-k of %s scores (%s) loses %.3g, ties by position%s. 99 %% "
        "of rows lose at most %.3g; the worst ties lose %.3g in the mean",
        q->to.scores->name, scores, found->loss, text, found->loss_99, found->worst);
}

void rounding_json(json_t *object, const struct rounding_question *q,
                   const struct query_rounding *found)
{
    if (!q->to.name)
        return;
    set_text(object, "rounding", q->to.name);
    set_real(object, "rounding_loss", found->loss);
    if (q->to.vectors) {
        set_count(object, "rounding_d", d_of(q));
        set_real(object, "rounding_correlation", found->correlation);
        return;
    }
    set_real(object, "rounding_loss_99", found->loss_99);
    set_real(object, "rounding_loss_worst", found->worst);
}
