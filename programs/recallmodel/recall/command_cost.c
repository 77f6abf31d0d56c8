/* command_cost.c - exact top-k: each algorithm of each cost model.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/command.h>

static const struct argument cost_options[] = {OPTIONS_ROW, {OPTION_M}, OPTIONS_FORM};

struct cost_row {
    struct query_fields query;
    const char *model, *algorithm, *unit, *formula;
    double cost;
    bool cheapest;
};

static const struct column cost_items[] = {
    {PART(struct cost_row, query, query_columns)},
    {FIELD(struct cost_row, model), EVERYWHERE("model")},
    {FIELD(struct cost_row, algorithm), EVERYWHERE("algorithm")},
    {FIELD(struct cost_row, cost), EVERYWHERE("cost"), .style = STYLE_COST},
    {FIELD(struct cost_row, unit), EVERYWHERE("unit")},
    {FIELD(struct cost_row, formula), EVERYWHERE("formula")},
    {FIELD(struct cost_row, cheapest), IN_DATA("cheapest")},
};
static const struct columns cost_columns = COLUMNS(struct cost_row, cost_items);

static struct table *cost_rows(const struct query *query, void *state)
{
    (void)state;
    struct table *table = table_of(&cost_columns, 0);
    const double n = (double)query->base.n, k = (double)query->base.k, m = (double)query->base.m;
    const struct rcm_cost_model *model;
    for (size_t i = 0; (model = rcm_cost_model(i)); i++) {
        struct rcm_topk exact = query->base;
        exact.b = exact.k_b = 1;
        const double least = rcm_cost(model, exact).exact;
        for (unsigned a = 0; a < RCM_MAX_ALGORITHMS && model->algorithms[a].cost; a++) {
            const struct rcm_algorithm *algorithm = &model->algorithms[a];
            const double cost = algorithm->cost(n, k, m);
            const struct cost_row row = {fields_of(query), model->name,        algorithm->name,
                                         model->unit,      algorithm->formula, cost,
                                         cost == least};
            table_add(table, &row, row.cheapest);
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
    struct question question = QUESTION_DEFAULT;
    return answer_arguments(cost_options, &cost_answer, &question, count, arguments);
}

const struct command command_cost = {
    .name = "cost",
    .group = "How much work, by the cost models?",
    .summary = "the cost of exact top-k by each algorithm of each cost model",
    .example = "recallmodel cost --n 2^20 --k 256",
    .columns = &cost_columns,
    .options = cost_options,
    .run = run_cost,
};
