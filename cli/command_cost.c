/* command_cost.c - exact top-k: each algorithm of each cost model.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"
#include "commands.h"

static struct table *rows(const struct query *query, const struct options *options)
{
    (void)options;
    struct table *table = table_new();
    double n = (double)query->base.n, k = (double)query->base.k, m = (double)query->base.m;
    const struct rcm_cost_model *model;
    for (size_t i = 0; (model = rcm_cost_model(i)); i++) {
        struct rcm_topk exact = query->base;
        exact.b = exact.k_b = 1;
        double least = rcm_cost(model, exact).exact;
        for (unsigned a = 0; a < RCM_MAX_ALGORITHMS && model->algorithms[a].cost; a++) {
            const struct rcm_algorithm *algorithm = &model->algorithms[a];
            double cost = algorithm->cost(n, k, m);
            table_row(table, cost == least);
            put_query(table, query);
            table_text(table, column("model", STYLE_PLAIN), model->name);
            table_text(table, column("algorithm", STYLE_PLAIN), algorithm->name);
            table_real(table, column("cost", STYLE_COST), cost);
            table_text(table, column("unit", STYLE_PLAIN), model->unit);
            table_text(table, column("formula", STYLE_PLAIN), algorithm->formula);
            table_bool(table, (struct column){"cheapest", "cheapest", NULL, STYLE_PLAIN, 0},
                       cost == least);
        }
    }
    return table;
}

static void text(const struct query *query, const struct table *table,
                 const struct options *options, bool colour)
{
    (void)options;
    (void)query;
    table_print(table, stdout, colour);
    puts("* is the cheapest algorithm of its model; the cost of the model is its cost.");
}

int command_cost(const struct options *options)
{
    return answer_queries(options,
                          &(struct answer){SHAPES_NONE, rows, text, NULL, "algorithms", NULL});
}
