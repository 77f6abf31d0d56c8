/* check.h - proves a result from the conditions that every correct one satisfies, with no code of
 * topk/.
 *
 * - Its indices are valid and distinct, and (stage 1) belong to their bucket.
 * - Its values are those at its indices, bit for bit.
 * - No element that was left out is better than the worst that was kept of its bucket (of its row).
 * - Stage 1, and exact top-k where it is asked to sort, come out best first.
 * - Bucketed top-k has the values of the top k of the best k_b of each bucket.
 *
 * "Better" is numerical: -0 equals +0, and NaN is worse than every value. m n steps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_CHECK_H
#define CPU_CHECK_H

#include <programs/bench/cells/cell.h>

/* How often each condition fails. The result is correct if all are 0. */
struct verdict {
    uint64_t invalid;   /* indices outside the row */
    uint64_t repeated;  /* indices that occur twice */
    uint64_t misplaced; /* indices of another bucket */
    uint64_t altered;   /* values that differ in a bit from those at their index */
    uint64_t missed;    /* elements left out that are better than one that was kept; for bucketed
                           top-k, values that are not those of the top k of the candidates */
    uint64_t unsorted;  /* values that are better than the one before */
};

/* The verdict on the outputs of a cell: m rows of cell_results() values and indices. Does not
 * return if memory runs out. */
struct verdict check_outputs(const struct cell *cell, bool sorted, const void *x,
                             const void *values, const int32_t *indices);

/* Counts how many values of the true top k of all rows are among those of the outputs. true_keys:
 * m x k keys, each row sorted, the largest first (true_topk). */
void true_topk(const struct cell *cell, const void *x, int64_t *true_keys);
uint64_t count_hits(const struct cell *cell, const int64_t *true_keys, const void *values);

#endif
