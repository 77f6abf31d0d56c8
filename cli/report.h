/* report.h - what the models say about one shape, and the columns in which it is shown.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REPORT_H
#define REPORT_H

#include "options.h"
#include "query.h"
#include "table.h"

#define MAX_COST_MODELS 8

struct configuration {
    struct rcm_topk p;
    uint64_t candidates;
    double recall, loss, sd, recall_binomial, loss_binomial, loss_bound, worst_case,
        probability_exact;
    bool has_quantile, has_at_least;
    double quantile, quantile_all, at_least, at_least_all; /* ..all: of all m rows at once */
    struct rcm_cost cost[MAX_COST_MODELS];
    const struct rcm_profile *profile; /* NULL: none */
    bool has_roofline;
    struct rcm_roofline roofline;
};

/* The type of the values: of a profile's file without --dtype its own, otherwise --dtype. */
enum rcm_dtype values_dtype(const struct options *options);

/* Do the rows of a query exceed the memory of the device? Prints a line if they do (and returns
 * true); puts true or false into JSON, null where the memory is not known. */
bool print_memory(const struct options *options, const struct rcm_topk *p, enum rcm_dtype dtype);
void put_memory(json_t *object, const struct options *options, const struct rcm_topk *p,
                enum rcm_dtype dtype);

struct configuration evaluate(struct rcm_topk p, const struct options *options);

/* Cost columns of one model. In the aligned table `drop` falls from the first model to the last; 0:
 * they are not there. */
void put_cost(struct table *table, const struct rcm_cost_model *model, const struct rcm_cost *cost,
              int drop);

/* Puts one configuration as a row of the recall table. */
void put_configuration(struct table *table, const struct configuration *configuration,
                       const struct query *query);

#endif
