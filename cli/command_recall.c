/* command_recall.c - the main question: what does every choice of buckets cost in recall and in
 * work?
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include "answer.h"
#include "commands.h"
#include "report.h"

/* What makes a shape the best: with a device the time that its profile or its roofline says,
 * otherwise candidates. */
static double value_of(struct rcm_topk p, const struct options *options,
                       const struct rcm_objective **objective)
{
    const enum rcm_dtype dtype = values_dtype(options);
    struct rcm_machine machine = {.dtype = dtype};
    const char *name = "candidates";
    if (options->has_device) {
        machine.device = &options->device.device;
        machine.profile = profile_of_type(&options->device, dtype);
        name = machine.profile ? "time" : "roofline";
    }
    *objective = rcm_objective_by_name(name);
    return (*objective)->bucketed(*objective, &machine, p);
}

/* Of the shapes that reach the query's target the one of least value, of equal ones that with the
 * fewest candidates; NULL if none does. */
static const struct rcm_topk *best_shape(const struct query *query, const struct rcm_topk *shapes,
                                         size_t length, const struct options *options)
{
    const struct rcm_topk *best = NULL;
    const struct rcm_objective *objective;
    double least = INFINITY;
    for (size_t i = 0; i < length; i++) {
        const double value = rcm_reaches(shapes[i], query->target)
                                 ? value_of(shapes[i], options, &objective)
                                 : INFINITY;
        if (value < least ||
            (value == least && best && rcm_candidates(shapes[i]) < rcm_candidates(*best))) {
            least = value;
            best = &shapes[i];
        }
    }
    return best;
}

static struct table *configurations(const struct query *query, const struct options *options)
{
    struct table *table = table_new();
    const struct rcm_topk *best = best_shape(query, query->shapes, query->length, options);
    for (size_t i = 0; i < query->length; i++) {
        struct configuration c = evaluate(query->shapes[i], options);
        table_row(table, &query->shapes[i] == best);
        put_query(table, query);
        put_configuration(table, &c, query);
    }
    return table;
}

/* For each k_b the smallest b of all that reaches the target; without a row where there is none. */
static struct table *smallest_b(const struct query *query, const struct options *options)
{
    struct table *table = table_new();
    const struct rcm_topk *best = best_shape(query, query->smallest, query->k_b_count, options);
    for (size_t i = 0; i < query->k_b_count; i++) {
        const struct rcm_topk *p = &query->smallest[i];
        if (p->b == 0)
            continue;
        table_row(table, p == best);
        table_count(table, (struct column){.json = "k_b", .heading = "k_b"}, p->k_b);
        table_count(table, (struct column){.json = "b", .heading = "b"}, p->b);
        table_count(table, (struct column){.json = "candidates", .heading = "candidates"},
                    rcm_candidates(*p));
        table_real(table,
                   (struct column){.json = "recall", .heading = "recall", .style = STYLE_RECALL},
                   rcm_recall_exact(*p));
    }
    return table;
}

/* What the column of microseconds is. */
static void print_roofline(const struct options *options)
{
    const struct rcm_device *device = &options->device.device;
    if (!options->has_device || !(device->bandwidth_bytes_per_s > 0.0))
        return;
    printf("stage 1 us, >=: by the roofline of the %s, a bound, not calibrated\n", device->name);
    if (!(device->vector_rate_per_s > 0.0))
        puts("by bandwidth alone: its vector rate is not known, and so not what bounds it");
}

/* Is there a row without a value in this column, if the column exists? */
static bool has_gap(const struct table *rows, const char *column)
{
    bool gap = false;
    for (size_t i = 0; i < table_rows(rows) && !gap; i++) {
        json_t *row = table_row_json(rows, i);
        const json_t *value = json_object_get(row, column);
        gap = value && json_is_null(value);
        json_decref(row);
    }
    return gap;
}

/* What the columns of --quantile and --at-least are, and why "-" stands in them. */
static void explain_law(const struct query *query, const struct table *rows,
                        const struct options *options)
{
    const double share = decimal_value(options->quantile);
    if (options->has_quantile && share >= 1e-6)
        printf("quantile: the recall that %.6g %% of rows reach\n",
               100.0 * decimal_complement(options->quantile));
    else if (options->has_quantile)
        printf("quantile: the recall that all rows but a share of %.3g reach\n", share);
    const bool small = options->has_quantile && share < RCM_LOST_MAX_ERROR;
    if ((!small && has_gap(rows, "recall_quantile")) || has_gap(rows, "probability"))
        puts("-: not computed, for the distribution of the recall is too wide or would take too "
             "long");
    else if (small)
        printf("-: the distribution of the recall is right to %.0e, which says nothing about a "
               "share of %.3g\n",
               RCM_LOST_MAX_ERROR, share);
    else if (has_gap(rows, "recall_quantile_all") || has_gap(rows, "probability_all"))
        printf("-: the distribution of the recall is right to %.0e, which says nothing about "
               "%" PRIu64 " rows at once\n",
               RCM_LOST_MAX_ERROR, query->base.m);
}

/* The smallest b of each k_b, and which is the best. */
static void print_smallest(const struct query *query, const struct options *options, bool colour)
{
    const struct rcm_topk *best = best_shape(query, query->smallest, query->k_b_count, options);
    const struct rcm_objective *objective = NULL;
    struct table *smallest = smallest_b(query, options);
    char target[32];
    format_decimal(target, sizeof target, query->recall_target);
    if (best)
        value_of(*best, options, &objective);
    printf("The smallest b for recall %s", target);
    if (query->target.align > 1)
        printf(", multiples of %" PRIu64, query->target.align);
    printf("%s%s%s%s:\n", query->target.divisors ? ", divisors of n" : "",
           best ? "; * has the " : "",
           !best                 ? ""
           : options->has_device ? "least us"
                                 : "fewest candidates",
           best && options->has_device && objective->need == RCM_NEEDS_DEVICE ? " by the roofline"
                                                                              : "");
    if (table_rows(smallest))
        table_print(smallest, stdout, colour);
    else
        puts("  none reaches it");
    if (best && best->b == 1)
        puts("b = 1 is the exact top-k of the whole row: no approximation has fewer candidates "
             "than k.");
    table_free(smallest);
}

/* A question with --recall is answered first; otherwise the table comes first. */
static void print_text(const struct query *query, const struct table *rows,
                       const struct options *options, bool colour)
{
    const bool free_b = query->target.align == 1 && !query->target.divisors;
    const bool even = query->base.assignment == RCM_INTERLEAVED || query->base.valid == 0;
    if (options->targets.length) {
        print_smallest(query, options, colour);
        putchar('\n');
    }
    table_print(rows, stdout, colour);
    print_roofline(options);
    print_memory(options, &query->base, values_dtype(options));
    explain_law(query, rows, options);
    if (!options->targets.length) {
        putchar('\n');
        print_smallest(query, options, colour);
    }
    if (query->target.loss > exp(-1.0) && even && free_b)
        puts("Every legal shape has a recall of at least 1 - 1/e = .632, so this target gives b = "
             "ceil(k / k_b).");
}

static void put_json(json_t *object, const struct query *query, const struct table *rows,
                     const struct options *options)
{
    json_t *recommended = json_null();
    const struct rcm_topk *best = best_shape(query, query->smallest, query->k_b_count, options);
    if (options->has_device)
        json_object_set_new(object, "device", json_string(options->device.device.name));
    if (options->has_device)
        put_memory(object, options, &query->base, values_dtype(options));
    json_object_set_new(object, "recall_target", json_real(decimal_value(query->recall_target)));
    json_object_set_new(object, "align", json_integer((json_int_t)query->target.align));
    json_object_set_new(object, "divisors", json_boolean(query->target.divisors));
    json_object_set_new(object, "configurations", table_json(rows));
    if (best) {
        struct table *table = table_new();
        struct configuration c = evaluate(*best, options);
        table_row(table, false);
        put_configuration(table, &c, query);
        recommended = table_row_json(table, 0);
        table_free(table);
    }
    json_object_set_new(object, "recommended", recommended);
    struct table *smallest = smallest_b(query, options);
    json_object_set_new(object, "smallest_b", table_json(smallest));
    table_free(smallest);
}

/* Error over candidates, a line for each kb; with --quantile also what single rows suffer; the
 * target. */
static struct plot *picture(const struct query *query, const struct options *options)
{
    char title[200];
    snprintf(title, sizeof title, "n = %" PRIu64 ", k = %" PRIu64, query->base.n, query->base.k);
    struct plot *plot = plot_new(title, "candidates, b kb", true);
    size_t colour = 0;
    for (size_t first = 0, end; first < query->length; first = end) {
        const uint64_t k_b = query->shapes[first].k_b;
        for (end = first; end < query->length && query->shapes[end].k_b == k_b; end++)
            ;
        snprintf(title, sizeof title, "kb = %" PRIu64, k_b);
        plot_series(plot, title, true, true, colour++);
        for (size_t i = first; i < end; i++)
            plot_point(plot, (double)rcm_candidates(query->shapes[i]),
                       rcm_loss_exact(query->shapes[i]), 0.0);
        if (!options->has_quantile)
            continue;
        snprintf(title, sizeof title, "kb = %" PRIu64 ", %.6g %% of rows", k_b,
                 100.0 * decimal_complement(options->quantile));
        plot_series(plot, title, false, true, colour - 1);
        for (size_t i = first; i < end; i++)
            plot_point(plot, (double)rcm_candidates(query->shapes[i]),
                       1.0 - evaluate(query->shapes[i], options).quantile, 0.0);
    }
    snprintf(title, sizeof title, "recall %.6g", decimal_value(query->recall_target));
    plot_series(plot, title, true, false, PLOT_BLACK);
    plot_point(plot, (double)query->base.k, query->target.loss, 0.0);
    plot_point(plot, (double)query->base.n, query->target.loss, 0.0);
    return plot;
}

int command_recall(const struct options *options)
{
    return answer_queries(options, &(struct answer){SHAPES_SWEEP, configurations, print_text,
                                                    put_json, NULL, picture});
}
