/* row_sum.h - internal to model/: means over a row of what its parts lose together, by a Fourier
 * sum. Derivation: docs/models.md 22.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROW_SUM_H
#define ROW_SUM_H

#include <model/recallmodel/parts.h>

/* What is meant by a part that loses: X > limit, where the limit of an entry is its `send`, less
 * `less` where the part keeps something back that may be among the k. */
struct over {
    uint64_t n, k;
    const struct rcm_part *of;
    size_t length;
    unsigned less;
};

static inline uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The largest X that a part of this entry has without losing; INT64_MAX: it cannot lose. */
int64_t over_limit(const struct over *over, size_t i);

/* P(some part loses); sum: the sum over parts of P(X > limit).
 * Returns   *error: about the absolute error. NaN if memory runs out or the sum does not end. */
double over_probability(const struct over *over, double sum, double *error);

/* E[(Y - mean)^2] for Y = sum over parts of Z = (X - limit)+, without E[Z^2] - 2 mean E[Z] of the
 * entry `except`, one part of more than half of the row, or SIZE_MAX. NaN as above.
 * Returns   *error: about the absolute error. */
double over_square(const struct over *over, size_t except, double mean, double *error);

#endif
