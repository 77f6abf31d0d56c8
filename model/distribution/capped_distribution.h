/* capped_distribution.h - internal to model/: distributions of the number of top elements in a
 * bucket that has at most k_b of them, and the odds at which they sum to k. Derivation:
 * docs/models.md 12.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPPED_DISTRIBUTION_H
#define CAPPED_DISTRIBUTION_H

#include <model/recallmodel/recall.h>

#include "dd.h"

/* The distribution of X in the buckets of one class, low <= X <= high, where P(X = x) is
 * proportional to C(size, x) odds^x. */
struct capped_distribution {
    double count, size;
    int64_t low, high;
    int64_t first; /* P(X = first + i) = p[i]; negligible terms are left out */
    size_t length;
    double *p;
    double mean; /* a multiple of a power of two, so that sums of them are exact */
    double variance;
};

struct capped_sum {
    unsigned classes;
    struct capped_distribution of[RCM_MAX_CLASSES];
    double buckets, least; /* terms below `least` of the largest are left out */
    uint64_t k;
    double shift, sd; /* of the sum of the distributions: mean less k, standard deviation */
};

/* The odds at which the mean of the sum is k, to a fiftieth of its standard deviation; n elements
 * in the row. */
double capped_sum_odds(const struct capped_sum *dists, double n);

/* Tabulates a distribution: p, its moments, the mean to a multiple of `quantum`. Terms below
 * `least` of the largest are left out. The caller frees p.
 * Returns   the log of A(odds) = sum of C(size, x) odds^x, or NaN if memory runs out. */
struct dd capped_distribution_tabulate(struct capped_distribution *dist, double odds, double least,
                                       double quantum);

#endif
