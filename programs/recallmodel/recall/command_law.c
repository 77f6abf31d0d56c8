/* command_law.c - how many of its top k a row loses: the law (distribution) of its recall.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <programs/common/wrap.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/question/columns.h>
#include <programs/recallmodel/command.h>
#include "law_ranges.h"

#define RANGES_MOST 2000 /* of a law in CSV and JSON */
#define LINES_MOST 16    /* of a law in text, but for its tails */
#define BOXES_MOST 200   /* of a law in the picture */
#define BAR_LENGTH 50

struct settings {
    struct question question;
    struct fraction quantile;
};

static const struct argument law_options[] = {
    {OPTION_N},
    {OPTION_K},
    {OPTION_KB},
    {OPTION_B_REACHING},
    {OPTION_VALID},
    {OPTION_ASSIGNMENT},
    {OPTION_RECALL},
    {"--quantile", "Q", read_probability, offsetof(struct settings, quantile),
     "also print the most that a row loses, in all but a share Q of the rows; Q is a fraction such "
     "as 0.02"},
    {OPTION_ALIGN},
    {OPTION_DIVISORS},
    {OPTION_PLOT},
    {OPTION_JSON},
    {OPTION_CSV},
    {OPTIONS_END},
};

/* ---- quantiles */

static const struct decimal usual_shares[] = {{5, 1}, {5, 2}, {1, 2}, {1, 3}, {1, 6}};
#define USUAL (sizeof usual_shares / sizeof *usual_shares)

/* The shares of rows that may lose more, the largest first. */
struct shares {
    struct decimal items[USUAL + 1];
    size_t length;
};

static struct shares shares_of(const struct settings *settings)
{
    struct shares shares = {.length = 0};
    const double own = settings->quantile.given ? decimal_value(settings->quantile.value) : 0.0;
    double above = 1.0;
    for (size_t i = 0; i <= USUAL; i++) {
        const double usual = i < USUAL ? decimal_value(usual_shares[i]) : 0.0;
        if (own > usual && own < above)
            shares.items[shares.length++] = settings->quantile.value;
        if (i < USUAL)
            shares.items[shares.length++] = usual_shares[i];
        above = usual;
    }
    return shares;
}

/* What all but a share of the rows lose at most, and the recall that they reach. */
struct row_quantile {
    bool known; /* does the law determine it? */
    uint64_t lost;
    double recall;
};

static struct row_quantile quantile_at(const struct rcm_lost *law, uint64_t k, struct decimal share)
{
    /* A share so small that the rest rounds to 1 is not 0: not all rows are asked for. */
    const double rest = decimal_complement(share);
    const double recall = rcm_lost_recall_quantile(law, k, rest < 1.0 ? rest : NAN, 1);
    struct row_quantile q = {.known = !isnan(recall), .recall = recall};
    if (q.known)
        q.lost = rcm_lost_quantile(law, rest);
    return q;
}

/* ---- CSV and JSON */

/* The columns of a range; nulls for NULL. */
static void put_range(struct table *table, uint64_t k, const struct lost_range *range)
{
    const struct lost_range r = range ? *range : (struct lost_range){0, 0, NAN, NAN};
    put_count_if(range, table, in_data("lost"), r.from);
    put_count_if(range, table, in_data("lost_to"), r.to);
    table_real(table, in_data("recall"), range ? (double)(k - r.to) / (double)k : NAN);
    table_real(table, in_data("probability"), r.probability);
    table_real(table, in_data("at_most"), r.at_most);
}

/* A row for each range; one with nulls for a law that is not computed. */
static void put_law_csv(struct table *table, const struct query *query, struct rcm_topk p)
{
    struct rcm_lost law;
    rcm_lost(p, &law);
    struct lost_ranges ranges = law_all(&law, RANGES_MOST);
    for (size_t i = 0; i < ranges.length || i == 0; i++) {
        table_row(table, false);
        put_query(table, query);
        table_count(table, in_data("b"), p.b);
        table_count(table, in_data("k_b"), p.k_b);
        put_range(table, p.k, ranges.length ? &ranges.items[i] : NULL);
    }
    lost_ranges_free(&ranges);
    rcm_lost_free(&law);
}

/* The rows of CSV. The other outputs compute one law after the other, so that only one of them
 * needs memory. */
static struct table *law_rows(const struct query *query, void *state)
{
    const struct settings *settings = state;
    struct table *table = table_new();
    for (size_t i = 0; i < query->length && settings->question.output == OUTPUT_CSV; i++)
        put_law_csv(table, query, query->shapes[i]);
    return table;
}

/* The columns of a shape without its law. */
static void put_summary(struct table *table, struct rcm_topk p)
{
    const double k = (double)p.k, loss = rcm_loss_exact(p), sd = rcm_recall_sd(p);
    table_count(table, column("b", STYLE_PLAIN), p.b);
    table_count(table, column("k_b", STYLE_PLAIN), p.k_b);
    table_count(table, in_data("candidates"), rcm_candidates(p));
    table_real(table, column("recall", STYLE_RECALL), 1.0 - loss);
    table_real(table, in_data("recall_sd"), sd);
    table_real(table, in_data("recall_worst_case"), rcm_recall_worst_case(p));
    table_real(table, headed("probability_exact", "none lost", STYLE_PLAIN),
               rcm_probability_exact(p));
    table_real(table, headed("lost_mean", "mean lost", STYLE_PLAIN), k * loss);
    table_real(table, headed("lost_sd", "sd", STYLE_PLAIN), k * sd);
}

static json_t *quantiles_json(const struct rcm_lost *law, uint64_t k, const struct shares *shares)
{
    struct table *table = table_new();
    for (size_t i = 0; i < shares->length; i++) {
        const struct row_quantile q = quantile_at(law, k, shares->items[i]);
        table_row(table, false);
        table_real(table, in_data("share"), decimal_value(shares->items[i]));
        put_count_if(q.known, table, in_data("lost"), q.lost);
        table_real(table, in_data("recall"), q.recall);
    }
    return rows_as_json(table);
}

static json_t *ranges_json(const struct rcm_lost *law, uint64_t k)
{
    struct lost_ranges ranges = law_all(law, RANGES_MOST);
    struct table *table = table_new();
    for (size_t i = 0; i < ranges.length; i++) {
        table_row(table, false);
        put_range(table, k, &ranges.items[i]);
    }
    json_t *rows = rows_as_json(table);
    lost_ranges_free(&ranges);
    return rows;
}

static void law_json(json_t *object, const struct query *query, const struct table *rows,
                     void *state)
{
    const struct shares shares = shares_of(state);
    json_t *laws = json_array();
    (void)rows;
    for (size_t i = 0; i < query->length; i++) {
        const struct rcm_topk p = query->shapes[i];
        struct table *summary = table_new();
        struct rcm_lost law;
        rcm_lost(p, &law);
        table_row(summary, false);
        put_summary(summary, p);
        json_t *shape = row_as_json(summary);
        json_object_set_new(shape, "quantiles", quantiles_json(&law, p.k, &shares));
        json_object_set_new(shape, "law", law.length ? ranges_json(&law, p.k) : json_null());
        json_array_append_new(laws, shape);
        rcm_lost_free(&law);
    }
    json_object_set_new(object, "laws", laws);
}

/* ---- text */

static void put_range_text(struct table *table, uint64_t k, const struct lost_range *range,
                           double highest)
{
    char lost[48], bar[BAR_LENGTH + 1] = "";
    const int length = (int)nearbyint(BAR_LENGTH * range->probability / highest);
    memset(bar, '#', (size_t)length);
    bar[length] = '\0';
    snprintf(lost, sizeof lost, range->from == range->to ? "%" PRIu64 : "%" PRIu64 "..%" PRIu64,
             range->from, range->to);
    table_row(table, false);
    table_text(table, in_table("lost", STYLE_PLAIN), lost);
    table_real(table, in_table("recall", STYLE_RECALL), (double)(k - range->to) / (double)k);
    table_real(table, in_table("probability", STYLE_PLAIN), range->probability);
    table_real(table, in_table("at most", STYLE_RECALL), range->at_most);
    table_text(table, in_table("", STYLE_PLAIN), bar);
}

/* The law of a shape in lines; a bar shows each probability beside the highest one. */
static void print_ranges(struct rcm_topk p, const struct lost_ranges *ranges, bool colour)
{
    struct table *table = table_new();
    double highest = 0.0;
    for (size_t i = 0; i < ranges->length; i++)
        highest = fmax(highest, ranges->items[i].probability);
    for (size_t i = 0; i < ranges->length; i++)
        put_range_text(table, p.k, &ranges->items[i], highest);
    if (ranges->length) {
        printf("\nb = %" PRIu64 ", k_b = %" PRIu64 ":\n", p.b, p.k_b);
        table_print(table, stdout, colour);
    }
    table_free(table);
}

static void format_share(char *text, size_t size, struct decimal share)
{
    const double value = decimal_value(share);
    if (value >= 1e-3)
        snprintf(text, size, "%.6g %%", 100.0 * value);
    else
        format_styled(text, size, STYLE_PLAIN, value);
}

/* A quantile in the summary. A wide one leaves out the median, which is close to the mean, and
 * then the 1 %. */
static void put_quantile(struct table *table, const struct rcm_lost *law, uint64_t k,
                         struct decimal share)
{
    char heading[24];
    const struct row_quantile q = quantile_at(law, k, share);
    const double value = decimal_value(share);
    format_share(heading, sizeof heading, share);
    put_count_if(q.known, table,
                 (struct column){.heading = heading,
                                 .drop = value == 0.5    ? 2
                                         : value == 0.01 ? 1
                                                         : 0},
                 q.lost);
}

/* What stands in the summary, and why "-" does. */
static void explain(const struct query *query, const struct shares *shares, bool too_wide)
{
    print_wrapped("none lost: the probability that a row loses nothing; 5 %%, .., 1e-6: all but "
                  "this share of the rows lose at most so many of their top %" PRIu64,
                  query->base.k);
    const double least = decimal_value(shares->items[shares->length - 1]);
    if (too_wide)
        print_wrapped("-: not computed, because the law (distribution) of the recall is too wide "
                      "or would take too long");
    else if (least < RCM_LOST_MAX_ERROR)
        print_wrapped("-: the law (distribution) of the recall is accurate to %.0e, which says "
                      "nothing about a share of %.3g",
                      RCM_LOST_MAX_ERROR, least);
}

static void law_text(const struct query *query, const struct table *rows, void *state, bool colour)
{
    const struct shares shares = shares_of(state);
    struct table *summary = table_new();
    struct lost_ranges *ranges = require_memory(calloc(query->length + 1, sizeof *ranges));
    bool too_wide = false;
    (void)rows;
    for (size_t i = 0; i < query->length; i++) {
        const struct rcm_topk p = query->shapes[i];
        struct rcm_lost law;
        rcm_lost(p, &law);
        ranges[i] = law_to_read(&law, LINES_MOST);
        too_wide = too_wide || law.length == 0;
        table_row(summary, false);
        put_summary(summary, p);
        for (size_t s = 0; s < shares.length; s++)
            put_quantile(summary, &law, p.k, shares.items[s]);
        rcm_lost_free(&law);
    }
    table_print(summary, stdout, colour);
    table_free(summary);
    explain(query, &shares, too_wide);
    for (size_t i = 0; i < query->length; i++) {
        print_ranges(query->shapes[i], &ranges[i], colour);
        lost_ranges_free(&ranges[i]);
    }
    free(ranges);
}

/* ---- the picture */

/* A histogram for each shape: the probability of each number of lost elements. */
static struct plot *law_picture(const struct query *query, void *state)
{
    char title[100];
    (void)state;
    snprintf(title, sizeof title, "n = %" PRIu64 ", k = %" PRIu64, query->base.n, query->base.k);
    struct plot *plot = plot_new(title, "lost of the top k", false);
    plot_histogram(plot, "probability that a row loses so many");
    for (size_t i = 0; i < query->length; i++) {
        const struct rcm_topk p = query->shapes[i];
        struct rcm_lost law;
        rcm_lost(p, &law);
        struct lost_ranges ranges = law_bulk(&law, 1e-6, BOXES_MOST);
        snprintf(title, sizeof title, "b = %" PRIu64 ", kb = %" PRIu64, p.b, p.k_b);
        plot_series(plot, title, false, false, i);
        for (size_t j = 0; j < ranges.length; j++) {
            const struct lost_range *r = &ranges.items[j];
            const double width = (double)(r->to - r->from) + 1.0;
            plot_point(plot, (double)r->from + 0.5 * (width - 1.0), r->probability / width, width);
        }
        lost_ranges_free(&ranges);
        rcm_lost_free(&law);
    }
    return plot;
}

static const struct answer law_answer = {.shapes = SHAPES_SMALLEST_B,
                                         .rows = law_rows,
                                         .text = law_text,
                                         .json = law_json,
                                         .plot = law_picture};

static int run_law(int count, char **arguments)
{
    struct settings settings = {.question = QUESTION_DEFAULT};
    int status = arguments_read(law_options, &settings, count, arguments);
    if (status == STATUS_OK)
        status = question_check(&settings.question);
    if (status == STATUS_OK)
        status = answer_queries(&settings.question, &law_answer, &settings);
    question_free(&settings.question);
    return status;
}

const struct command command_law = {
    .name = "law",
    .summary = "how many of its top k a row loses: the distribution of its recall",
    .example = "recallmodel law --n 262144 --k 1024 --b 512 --kb 4\n"
               "  recallmodel law --n 2^17 --k 64 --recall 0.99 --quantile 1e-4 --json",
    .detail =
        "lost: how many of the top k a row loses, or a range of such numbers; recall: the recall "
        "of a row that loses the largest number of the range; at most: the probability that a row "
        "loses that number or fewer, and so has at least this recall. --csv and --json have every "
        "number whose probability counts; if there are more than 2000, they have equal ranges.",
    .options = law_options,
    .run = run_law,
};
