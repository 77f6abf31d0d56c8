/* command_cost.c - exact top-k: each algorithm of each cost model.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/command.h>

static const struct argument cost_options[] = {{OPTION_N},    {OPTION_K},   {OPTION_M},
                                               {OPTION_JSON}, {OPTION_CSV}, {OPTIONS_END}};

static struct table *cost_rows(const struct query *query, void *state)
{
    (void)state;
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
            table_bool(table, in_data("cheapest"), cost == least);
        }
    }
    return table;
}

static void cost_text(const struct query *query, const struct table *table, void *state,
                      bool colour)
{
    (void)state;
    (void)query;
    table_print(table, stdout, colour);
    puts("* is the cheapest algorithm of its model. Its cost is the cost of the model.");
}

static const struct answer cost_answer = {
    .shapes = SHAPES_NONE, .rows = cost_rows, .text = cost_text, .json_key = "algorithms"};

static int run_cost(int count, char **arguments)
{
    return answer_arguments(cost_options, &cost_answer, count, arguments);
}

const struct command command_cost = {
    .name = "cost",
    .group = "How much work, by the cost models?",
    .summary = "the cost of exact top-k by each algorithm of each cost model",
    .example = "recallmodel cost --n 2^20 --k 256",
    .options = cost_options,
    .run = run_cost,
};
