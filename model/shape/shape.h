/* shape.h - internal to model/: functions of a shape.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SHAPE_H
#define SHAPE_H

#include <model/recallmodel/shape.h>

uint64_t shape_ceil_divide(uint64_t a, uint64_t b); /* b >= 1 */

/* The number of elements that exist: p.valid, or n where that is 0; with lengths, of the longest
 * row. */
uint64_t shape_valid(struct rcm_topk p);

/* Are the buckets of every row as even as those of a row without padding? */
bool shape_even(struct rcm_topk p);

/* With lengths: p for the rows of length i. Returns false where these come back whole. */
bool shape_of_length(struct rcm_topk p, size_t i, struct rcm_topk *of_length);

/* The share of the rows that have length i. */
double shape_share(struct rcm_topk p, size_t i);

/* With lengths: the mean over the rows of of(p for a row), or of `whole` where a row comes back
 * whole. NaN outside the domain. */
double shape_mean(double (*of)(struct rcm_topk), struct rcm_topk p, double whole);

/* The number of rows: p.m, or 1 where that is 0. */
double shape_rows(struct rcm_topk p);

#endif
