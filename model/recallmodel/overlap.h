/* recallmodel/overlap.h - a selection by other scores: what has the top k by the scores of the step
 * before, of another layer, or of a block's mean, of the top k by one's own?
 *
 * Implemented in the folder mass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_OVERLAP_H
#define RECALLMODEL_OVERLAP_H

#include "shape.h"

RCM_BEGIN

/* The probability that an element which is among the largest `share` of its row by its own scores
 * is among the largest `visited` by the other scores, where both are bivariate normal with this
 * correlation, in a long row: the recall of a selection by the other scores.
 * Domain    0 < share < 1, 0 < visited < 1, -1 <= correlation <= 1; otherwise NaN.
 * Accuracy  absolute error <= RCM_OVERLAP_MAX_ERROR.
 * Source    docs/models.md 26; docs/real-data.md has real rows beside it. */
#define RCM_OVERLAP_MAX_ERROR 1e-10
double rcm_overlap(double share, double visited, double correlation);

/* The recall of bucketed top-k on the other scores: the top k by them of the k_b largest of each
 * bucket, against the exact top k by one's own, in a row of n. What a bucket loses is replaced by
 * the next best, some of which are in the own top k. Exact top-k on the other scores: k_b = k.
 * Domain    that of rcm_loss_exact without lengths, 0 < correlation <= 1; otherwise NaN.
 * Returns   at most rcm_recall_exact(), which it is for correlation 1.
 * Accuracy  k times the loss errs by at most RCM_OVERLAP_BUCKETED_ELEMENTS elements (rows that are
 *           drawn, correlations from .5 on).
 * Time      0.1 to 50 ms; up to 1 s where k is a large part of n, or k_b above 100.
 * Source    docs/models.md, "Quantised products". */
#define RCM_OVERLAP_BUCKETED_ELEMENTS 0.25
double rcm_overlap_bucketed(struct rcm_topk p, double correlation);

RCM_END

#endif
