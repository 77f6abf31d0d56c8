/* query_gradient.h - the divergence of a query model from the targets of a
 * batch, and its gradient.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef QUERY_GRADIENT_H
#define QUERY_GRADIENT_H

#include "query_model.h"

/* Queries of one document and head, with the distribution that each should have. */
struct query_batch {
    uint32_t rows;
    const float *queries; /* [rows][d] */
    const float *targets; /* [rows][clusters]; each row adds up to 1 */
};

/* Room for batches of at most so many rows. */
struct gradient_workspace;
struct gradient_workspace *gradient_workspace_new(const struct query_model *model, uint32_t rows);
void gradient_workspace_free(struct gradient_workspace *workspace);

/* The mean over the rows of sum_c t_c log(t_c / p_c), p by the statistics of the batch, and in
 * `gradient` [length] its derivatives. The statistics are left in batch_mean and batch_variance
 * [width] (the variance divided by the rows).
 * Rows are cut into at most 8 slices, which depend on their number alone, and the sums of the
 * slices are added in order: the same bits for any number of threads. Float32; the loss and sums
 * over rows in double. `rows` >= 1. */
double query_gradient(const struct query_model *model, const struct query_batch *batch,
                      struct gradient_workspace *workspace, float *gradient, float *batch_mean,
                      float *batch_variance);

/* Seconds that the last call spent in products, added up over threads. */
double gradient_product_seconds(const struct gradient_workspace *workspace);

#endif
