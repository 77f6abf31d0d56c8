/* command_recall.c - the main question: what does every choice of buckets cost in recall and in work?
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"
#include "commands.h"
#include "report.h"

/* The row with the fewest candidates that reaches the target (ties: the first), or none. */
static size_t best_row(const struct query *query)
{
    size_t best = query->length;
    for (size_t i = 0; i < query->length; i++)
        if (rcm_reaches(query->shapes[i], query->target) &&
            (best == query->length || rcm_candidates(query->shapes[i]) < rcm_candidates(query->shapes[best])))
            best = i;
    return best;
}

static struct table *configurations(const struct query *query, const struct options *options)
{
    struct table *table = table_new();
    size_t best = best_row(query);
    for (size_t i = 0; i < query->length; i++) {
        struct configuration c = evaluate(query->shapes[i], options);
        table_row(table, i == best);
        put_query(table, query);
        put_configuration(table, &c, query->target);
    }
    return table;
}

/* For each k_b the smallest b of all that reaches the target; without a row where there is none. */
static struct table *smallest_b(const struct query *query)
{
    struct table *table = table_new();
    struct rcm_topk best = fewest_candidates(query);
    for (size_t i = 0; i < query->k_b.length; i++) {
        struct rcm_topk p = query->base;
        p.k_b = query->k_b.items[i];
        p.b = rcm_smallest_b(p, query->target);
        if (p.b == 0)
            continue;
        table_row(table, p.k_b == best.k_b);
        table_count(table, (struct column){.json = "k_b", .heading = "k_b"}, p.k_b);
        table_count(table, (struct column){.json = "b", .heading = "b"}, p.b);
        table_count(table, (struct column){.json = "candidates", .heading = "candidates"}, rcm_candidates(p));
        table_real(table, (struct column){.json = "recall", .heading = "recall", .style = STYLE_RECALL}, rcm_recall_exact(p));
    }
    return table;
}

static void print_text(const struct query *query, const struct table *rows, bool colour)
{
    double target = decimal_value(query->recall_target);
    struct table *smallest = smallest_b(query);
    table_print(rows, stdout, colour);
    printf("\nThe smallest b of all%s%s that reaches recall %.15g, for each k_b%s:\n",
           query->target.align > 1 ? " (aligned)" : "", query->target.divisors ? " (divisors of n)" : "", target,
           table_rows(smallest) ? "; * has the fewest candidates" : "");
    if (table_rows(smallest))
        table_print(smallest, stdout, colour);
    else
        puts("  none");
    if (target < 0.632)
        puts("Every legal shape has a recall of at least 1 - 1/e = .632, so this target gives b = ceil(k / k_b).");
    table_free(smallest);
}

static void put_json(json_t *object, const struct query *query, const struct table *rows, const struct options *options)
{
    json_t *recommended = json_null();
    struct rcm_topk best = fewest_candidates(query);
    if (options->has_device)
        json_object_set_new(object, "device", json_string(options->device.device.name));
    json_object_set_new(object, "recall_target", json_real(decimal_value(query->recall_target)));
    json_object_set_new(object, "configurations", table_json(rows));
    if (best.b) {
        struct table *table = table_new();
        struct configuration c = evaluate(best, options);
        table_row(table, false);
        put_configuration(table, &c, query->target);
        recommended = table_row_json(table, 0);
        table_free(table);
    }
    json_object_set_new(object, "recommended", recommended);
    struct table *smallest = smallest_b(query);
    json_object_set_new(object, "smallest_b", table_json(smallest));
    table_free(smallest);
}

int command_recall(const struct options *options)
{
    return answer_queries(options, &(struct answer){SHAPES_SWEEP, configurations, print_text, put_json, NULL});
}
