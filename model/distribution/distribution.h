/* distribution.h - internal to model/: the number X of true top-k elements that fall into one
 * bucket. Its distribution and its upper tail.
 *
 * Hypergeometric: the bucket has s of the n positions; k of the n are drawn without replacement.
 * Binomial:       k draws, each of which hits the bucket with probability s/n.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DISTRIBUTION_H
#define DISTRIBUTION_H

#include <model/recallmodel/shape.h>

struct distribution {
    int64_t n, k, s; /* 0 <= k, 0 <= s <= n <= RCM_N_MAX; hypergeometric: k <= n */
    bool binomial;
};

/* Moments of the part above c: the sums over x > c of P(x), (x - c) P(x), (x - c)^2 P(x). */
struct tail {
    double probability, excess, square;
};

/* The distribution of the number of top-k elements in a bucket of class c, hypergeometric. */
struct distribution distribution_of_class(const struct rcm_buckets *buckets, unsigned c,
                                          uint64_t k);

/* Draws each of which counts with this probability, to a relative error of 2^-53; below that it is
 * 0. */
struct distribution distribution_of_draws(uint64_t draws, double probability);

double distribution_mean(struct distribution dist);
double distribution_variance(struct distribution dist);
double distribution_offset(struct distribution dist,
                           int64_t x); /* x - mean, without cancellation */

/* P(X = x). Relative error about 1e-14. */
double distribution_probability(struct distribution dist, int64_t x);

/* P(X > c), P(X <= c) and E[(X - c)+]; 0 <= c < k.
 * Accuracy  relative error <= 1e-13 down to 1e-306, of the third and of the smaller of the first
 *           two. Below 1e-306 they lose digits and fall to 0. */
double distribution_sf(struct distribution dist, int64_t c);
double distribution_cdf(struct distribution dist, int64_t c);
double distribution_excess(struct distribution dist, int64_t c);

/* The tail on the side of c where the mean is not: above c if c >= mean, otherwise that of c - X
 * below c. *below says which. */
struct tail distribution_far_tail(struct distribution dist, int64_t c, bool *below);

/* The upper tail for c >= mean - 1, by the cheaper of two evaluations, each of which has the
 * accuracy above:
 *   by ratios    of neighbouring terms, normalised by their own total, in O(standard deviation)
 *                steps
 *   by Stirling  his formula in double-double, and quadrature, in O(1) steps, for standard
 *                deviations from DISTRIBUTION_STIRLING_MIN_SD up */
#define DISTRIBUTION_STIRLING_MIN_SD 128.0
struct tail distribution_upper(struct distribution dist, int64_t c);
struct tail distribution_upper_by_ratios(struct distribution dist, int64_t c);
struct tail distribution_upper_by_stirling(struct distribution dist, int64_t c);

/* P(X = x) by each of the two. */
double distribution_probability_by_ratios(struct distribution dist, int64_t x);
double distribution_probability_by_stirling(struct distribution dist, int64_t x);

/* The same in the time of a few logarithms, with a relative error of 1e-12 down to 1e-300:
 * P(X = x), and the upper tail for any c >= -1 (below the mean by the others). */
double distribution_point(struct distribution dist, int64_t x);
struct tail distribution_tail(struct distribution dist, int64_t c);

/* P(X = x + 1) / P(X = x). */
double distribution_ratio(struct distribution dist, int64_t x);

/* The terms P(x) from the lowest x up to `high`, outwards from `start` until they are below `least`
 * times P(start) on either side.
 * Returns   how many there are; *first is the x of the first. p, if not NULL, gets them, scaled to
 * a sum of 1. */
size_t distribution_terms(struct distribution dist, int64_t start, int64_t high, double least,
                          double *p, int64_t *first);

/* Smallest and largest x with P(X = x) > 0, and an x within 2 of the mode. */
int64_t distribution_low(struct distribution dist);
int64_t distribution_high(struct distribution dist);
int64_t distribution_mode(struct distribution dist);

#endif
