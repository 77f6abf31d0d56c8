/* configuration.h - what the models say about one shape, and the columns in which it is shown.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFIGURATION_H
#define CONFIGURATION_H

#include <programs/common/table.h>

#include "answer.h"
#include "mass_distribution.h"
#include "query.h"
#include "question.h"

/* Questions about the distribution of the recall of one row. */
struct distribution_question {
    struct fraction quantile; /* the share of rows that may have less recall */
    struct fraction at_least; /* a recall: with which probability does a row reach it? */
};

/* A row of the recall table. */
struct configuration {
    struct query_fields query;
    struct rcm_topk p;
    uint64_t candidates;
    double recall, loss, sd, recall_binomial, loss_binomial, loss_bound, worst_case,
        probability_exact;
    double quantile, quantile_all, at_least, at_least_all; /* ..all: of all m rows at once */
    double lost_mass, attention_error, lost_mass_sd, lost_mass_quantile; /* with weights */
    struct token_change token;                                           /* with a chain */
    const char *rounding;
    double rounding_loss, recall_rounded; /* the latter of vectors */
    double target;
    bool reaches;
    struct rcm_cost cost[RCM_COST_MODELS];
    struct rcm_prediction prediction; /* where there is a profile */
    struct rcm_roofline roofline;
    const char *bound;
};
extern const struct columns configuration_columns;

/* Which of its columns a question has: bits of `when`. */
unsigned configuration_parts(const struct query *query, const struct question *question,
                             const struct distribution_question *asked);

struct configuration evaluate(struct rcm_topk p, const struct query *query,
                              const struct question *question,
                              const struct distribution_question *asked);

/* Do the rows of a query exceed the memory of the device? Prints a line if they do (and returns
 * true); puts true or false into JSON, null where the memory is not known. */
bool print_memory(const struct question *question, const struct rcm_topk *p, enum rcm_dtype dtype);
void put_memory(json_t *object, const struct question *question, const struct rcm_topk *p,
                enum rcm_dtype dtype);

/* The columns of the cost by each model, for an array of RCM_COST_MODELS in a row. */
#define COSTS(row, field) \
    PART(row, field, cost_columns), .times = RCM_COST_MODELS, .name = cost_model_name
extern const struct columns cost_columns;
const char *cost_model_name(size_t i);

#endif
