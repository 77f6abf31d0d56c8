/* command_distribution.c - how many of its top k a row loses: the distribution of its recall.
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
#include <programs/recallmodel/command.h>
#include "distribution_mass.h"
#include "distribution_ranges.h"

#define RANGES_MOST 2000 /* of a distribution in CSV and JSON */
#define LINES_MOST 16    /* of a distribution in text, but for its tails */
#define BOXES_MOST 200   /* of a distribution in the picture */
#define BAR_LENGTH 50

struct settings {
    struct question question;
    struct fraction quantile;
};

static const struct argument distribution_options[] = {
    OPTIONS_REACHING,
    {OPTION_LENGTHS},
    OPTIONS_WEIGHTS("without --b, take the smallest b that loses at most this share of the softmax "
                    "mass on average, in place of --recall"),
    {"--quantile", "Q", BY(read_probability), offsetof(struct settings, quantile),
     "also print the most that a row loses, in all but a share Q of the rows; Q is a fraction such "
     "as 0.02"},
    OPTIONS_RESTRICTION,
    {OPTION_PLOT},
    OPTIONS_FORM,
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
    bool known; /* does the distribution determine it? */
    uint64_t lost;
    double recall;
};

static struct row_quantile quantile_at(const struct rcm_lost *dist, uint64_t k,
                                       struct decimal share)
{
    /* A share so small that the rest rounds to 1 is not 0: not all rows are asked for. */
    const double rest = decimal_complement(share);
    const double recall = rcm_lost_recall_quantile(dist, k, rest < 1.0 ? rest : NAN, 1);
    struct row_quantile q = {.known = !isnan(recall), .recall = recall};
    if (q.known)
        q.lost = rcm_lost_quantile(dist, rest);
    return q;
}

/* ---- CSV and JSON */

struct range_row {
    struct query_fields query;
    uint64_t b, k_b;
    struct lost_range range;
    double recall; /* of a row that loses the most */
};

static const struct column range_items[] = {
    {FIELD(struct range_row, range.from), IN_DATA("lost")},
    {FIELD(struct range_row, range.to), IN_DATA("lost_to")},
    {FIELD(struct range_row, recall), IN_DATA("recall")},
    {FIELD(struct range_row, range.probability), IN_DATA("probability")},
    {FIELD(struct range_row, range.at_most), IN_DATA("at_most")},
};
static const struct columns range_columns = COLUMNS(struct range_row, range_items);

static const struct column distribution_items[] = {
    {PART(struct range_row, query, query_columns)},
    {FIELD(struct range_row, b), IN_DATA("b")},
    {FIELD(struct range_row, k_b), IN_DATA("k_b")},
    {.part = &range_columns},
};
static const struct columns distribution_columns = COLUMNS(struct range_row, distribution_items);

/* Adds a row for each range. */
static void add_ranges(struct table *table, struct range_row row, const struct lost_ranges *ranges)
{
    for (size_t i = 0; i < ranges->length; i++) {
        row.range = ranges->items[i];
        row.recall = (double)(row.query.k - row.range.to) / (double)row.query.k;
        table_add(table, &row, false);
    }
}

/* The rows of CSV; one with nulls for a distribution that is not computed. The other outputs
 * compute one distribution after the other, so that only one of them needs memory. */
static struct table *distribution_rows(const struct query *query, void *state)
{
    const struct settings *settings = state;
    struct table *table = table_of(&distribution_columns, 0);
    for (size_t i = 0; i < query->length && settings->question.output == OUTPUT_CSV; i++) {
        const struct range_row none = {fields_of(query),
                                       query->shapes[i].b,
                                       query->shapes[i].k_b,
                                       {NO_COUNT, NO_COUNT, NAN, NAN},
                                       NAN};
        struct rcm_lost dist;
        rcm_lost(query->shapes[i], &dist);
        struct lost_ranges ranges = distribution_all(&dist, RANGES_MOST);
        if (ranges.length == 0)
            table_add(table, &none, false);
        add_ranges(table, none, &ranges);
        lost_ranges_free(&ranges);
        rcm_lost_free(&dist);
    }
    return table;
}

/* A shape without its distribution, and what all but the shares of rows lose at most. */
struct summary {
    struct rcm_topk p;
    uint64_t candidates;
    double recall, sd, worst_case, none_lost, lost_mean, lost_sd;
    uint64_t quantiles[USUAL + 1];
};

static const struct column summary_items[] = {
    {FIELD(struct summary, p.b), EVERYWHERE("b")},
    {FIELD(struct summary, p.k_b), EVERYWHERE("k_b")},
    {FIELD(struct summary, candidates), IN_DATA("candidates")},
    {FIELD(struct summary, recall), EVERYWHERE("recall"), .style = STYLE_RECALL},
    {FIELD(struct summary, sd), IN_DATA("recall_sd")},
    {FIELD(struct summary, worst_case), IN_DATA("recall_worst_case")},
    {FIELD(struct summary, none_lost), HEADED("probability_exact", "none lost")},
    {FIELD(struct summary, lost_mean), HEADED("lost_mean", "mean lost")},
    {FIELD(struct summary, lost_sd), HEADED("lost_sd", "sd")},
};
#define SUMMARY (sizeof summary_items / sizeof *summary_items)
static const struct columns summary_columns = COLUMNS(struct summary, summary_items);

static struct summary summary_of(struct rcm_topk p)
{
    const double k = (double)p.k, loss = rcm_loss_exact(p), sd = rcm_recall_sd(p);
    return (struct summary){.p = p,
                            .candidates = rcm_candidates(p),
                            .recall = 1.0 - loss,
                            .sd = sd,
                            .worst_case = rcm_recall_worst_case(p),
                            .none_lost = rcm_probability_exact(p),
                            .lost_mean = k * loss,
                            .lost_sd = k * sd};
}

static json_t *quantiles_json(const struct rcm_lost *dist, uint64_t k, const struct shares *shares)
{
    json_t *quantiles = json_array();
    for (size_t i = 0; i < shares->length; i++) {
        const struct row_quantile q = quantile_at(dist, k, shares->items[i]);
        json_t *object = json_object();
        set_real(object, "share", decimal_value(shares->items[i]));
        set_count(object, "lost", q.known ? q.lost : NO_COUNT);
        set_real(object, "recall", q.recall);
        json_array_append_new(quantiles, object);
    }
    return quantiles;
}

static json_t *ranges_json(const struct rcm_lost *dist, uint64_t k)
{
    struct lost_ranges ranges = distribution_all(dist, RANGES_MOST);
    struct table *table = table_of(&range_columns, 0);
    add_ranges(table, (struct range_row){.query = {.k = k}}, &ranges);
    lost_ranges_free(&ranges);
    return rows_as_json(table);
}

static void distribution_json(json_t *object, const struct query *query, const struct table *rows,
                              void *state)
{
    const struct shares shares = shares_of(state);
    json_t *dists = json_array();
    (void)rows;
    weights_json(object, &((const struct settings *)state)->question.weights, &query->weights);
    for (size_t i = 0; i < query->length; i++) {
        const struct summary summary = summary_of(query->shapes[i]);
        struct table *table = table_of(&summary_columns, 0);
        struct rcm_lost dist;
        rcm_lost(summary.p, &dist);
        table_add(table, &summary, false);
        json_t *shape = row_as_json(table);
        distribution_mass_json(shape, query, summary.p, shares.items, shares.length);
        json_object_set_new(shape, "quantiles", quantiles_json(&dist, summary.p.k, &shares));
        json_object_set_new(shape, "distribution",
                            dist.length ? ranges_json(&dist, summary.p.k) : json_null());
        json_array_append_new(dists, shape);
        rcm_lost_free(&dist);
    }
    json_object_set_new(object, "distributions", dists);
}

/* ---- text */

struct range_line {
    char lost[48], bar[BAR_LENGTH + 1];
    double recall, probability, at_most;
};

static const struct column line_items[] = {
    {FIELD(struct range_line, lost), .heading = "lost"},
    {FIELD(struct range_line, recall), .heading = "recall", .style = STYLE_RECALL},
    {FIELD(struct range_line, probability), .heading = "probability"},
    {FIELD(struct range_line, at_most), .heading = "at most", .style = STYLE_RECALL},
    {FIELD(struct range_line, bar), .heading = ""},
};
static const struct columns line_columns = COLUMNS(struct range_line, line_items);

static struct range_line line_of(uint64_t k, const struct lost_range *range, double highest)
{
    struct range_line line = {.recall = (double)(k - range->to) / (double)k,
                              .probability = range->probability,
                              .at_most = range->at_most};
    memset(line.bar, '#', (size_t)nearbyint(BAR_LENGTH * range->probability / highest));
    snprintf(line.lost, sizeof line.lost,
             range->from == range->to ? "%" PRIu64 : "%" PRIu64 "..%" PRIu64, range->from,
             range->to);
    return line;
}

/* The distribution of a shape in lines; a bar shows each probability beside the highest one. */
static void print_ranges(struct rcm_topk p, const struct lost_ranges *ranges, bool colour)
{
    struct table *table = table_of(&line_columns, 0);
    double highest = 0.0;
    for (size_t i = 0; i < ranges->length; i++)
        highest = fmax(highest, ranges->items[i].probability);
    for (size_t i = 0; i < ranges->length; i++) {
        const struct range_line line = line_of(p.k, &ranges->items[i], highest);
        table_add(table, &line, false);
    }
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

/* The table of the summaries, with a column for each share. A wide one leaves out the median, which
 * is close to the mean, and then the 1 %. */
static struct table *summary_table(const struct shares *shares)
{
    char headings[USUAL + 1][24];
    struct column items[SUMMARY + USUAL + 1];
    memcpy(items, summary_items, sizeof summary_items);
    for (size_t i = 0; i < shares->length; i++) {
        const double share = decimal_value(shares->items[i]);
        format_share(headings[i], sizeof headings[i], shares->items[i]);
        items[SUMMARY + i] =
            (struct column){FIELD(struct summary, quantiles[i]), .heading = headings[i],
                            .drop = share == 0.5    ? 2
                                    : share == 0.01 ? 1
                                                    : 0};
    }
    const struct columns columns = {items, SUMMARY + shares->length, sizeof(struct summary)};
    return table_of(&columns, 0);
}

/* What stands in the summary, and why "-" does. */
static void explain(const struct query *query, const struct shares *shares, bool too_wide)
{
    print_wrapped("none lost: the probability that a row loses nothing; 5 %%, .., 1e-6: all but "
                  "this share of the rows lose at most so many of their top %" PRIu64,
                  query->base.k);
    const double least = decimal_value(shares->items[shares->length - 1]);
    if (too_wide)
        print_wrapped("-: not computed, because the distribution of the recall is too wide "
                      "or would take too long");
    else if (least < RCM_LOST_MAX_ERROR)
        print_wrapped("-: the distribution of the recall is accurate to %.0e, which says "
                      "nothing about a share of %.3g",
                      RCM_LOST_MAX_ERROR, least);
}

static void distribution_text(const struct query *query, const struct table *rows, void *state,
                              bool colour)
{
    const struct shares shares = shares_of(state);
    struct table *summary = summary_table(&shares);
    struct lost_ranges *ranges = require_memory(calloc(query->length + 1, sizeof *ranges));
    bool too_wide = false;
    (void)rows;
    for (size_t i = 0; i < query->length; i++) {
        struct summary row = summary_of(query->shapes[i]);
        struct rcm_lost dist;
        rcm_lost(row.p, &dist);
        ranges[i] = distribution_to_read(&dist, LINES_MOST);
        too_wide = too_wide || dist.length == 0;
        for (size_t s = 0; s < shares.length; s++) {
            const struct row_quantile q = quantile_at(&dist, row.p.k, shares.items[s]);
            row.quantiles[s] = q.known ? q.lost : NO_COUNT;
        }
        table_add(summary, &row, false);
        rcm_lost_free(&dist);
    }
    table_print(summary, stdout, colour);
    table_free(summary);
    explain(query, &shares, too_wide);
    distribution_mass_print(query, &((const struct settings *)state)->question, shares.items,
                            shares.length, colour);
    for (size_t i = 0; i < query->length; i++) {
        print_ranges(query->shapes[i], &ranges[i], colour);
        lost_ranges_free(&ranges[i]);
    }
    free(ranges);
}

/* ---- the picture */

/* A histogram for each shape: the probability of each number of lost elements. */
static struct plot *distribution_picture(const struct query *query, void *state)
{
    char title[100];
    (void)state;
    snprintf(title, sizeof title, "n = %" PRIu64 ", k = %" PRIu64, query->base.n, query->base.k);
    struct plot *plot = plot_new(title, "lost of the top k", false);
    plot_histogram(plot, "probability that a row loses so many");
    for (size_t i = 0; i < query->length; i++) {
        const struct rcm_topk p = query->shapes[i];
        struct rcm_lost dist;
        rcm_lost(p, &dist);
        struct lost_ranges ranges = distribution_bulk(&dist, 1e-6, BOXES_MOST);
        snprintf(title, sizeof title, "b = %" PRIu64 ", kb = %" PRIu64, p.b, p.k_b);
        plot_series(plot, title, false, false, i);
        for (size_t j = 0; j < ranges.length; j++) {
            const struct lost_range *r = &ranges.items[j];
            const double width = (double)(r->to - r->from) + 1.0;
            plot_point(plot, (double)r->from + 0.5 * (width - 1.0), r->probability / width, width);
        }
        lost_ranges_free(&ranges);
        rcm_lost_free(&dist);
    }
    return plot;
}

static const struct argument_rule distribution_rules[] = {
    WEIGHTS_RULES, LENGTHS_RULE(LENGTHS_NO_WEIGHTS), {0}};

static const struct answer distribution_answer = {.rules = distribution_rules,
                                                  .shapes = SHAPES_SMALLEST_B,
                                                  .rows = distribution_rows,
                                                  .text = distribution_text,
                                                  .json = distribution_json,
                                                  .plot = distribution_picture};

static int run_distribution(int count, char **arguments)
{
    struct settings settings = {.question = QUESTION_DEFAULT};
    return answer_arguments(distribution_options, &distribution_answer, &settings.question, count,
                            arguments);
}

const struct command command_distribution = {
    .name = "distribution",
    .second_name = "law",
    .summary = "how many of its top k a row loses: the distribution of its recall",
    .example = "recallmodel distribution --n 262144 --k 1024 --b 512 --kb 4\n"
               "  recallmodel distribution --n 2^17 --k 64 --recall 0.99 --quantile 1e-4 --json",
    .detail =
        "lost: how many of the top k a row loses, or a range of such numbers; recall: the recall "
        "of a row that loses the largest number of the range; at most: the probability that a row "
        "loses that number or fewer, and so has at least this recall. --csv and --json have every "
        "number whose probability counts; if there are more than 2000, they have equal ranges.",
    .columns = &distribution_columns,
    .options = distribution_options,
    .run = run_distribution,
};
