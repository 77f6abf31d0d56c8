/* law.h - internal to model/: the number X of true top-k elements that fall into one bucket. Its
 * law (distribution) and its upper tail.
 *
 * Hypergeometric: the bucket has s of the n positions; k of the n are drawn without replacement.
 * Binomial:       k draws, each of which hits the bucket with probability s/n.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LAW_H
#define LAW_H

#include <model/recallmodel/shape.h>

struct law {
    int64_t n, k, s; /* 0 <= k, 0 <= s <= n <= RCM_N_MAX; hypergeometric: k <= n */
    bool binomial;
};

/* Moments of the part above c: the sums over x > c of P(x), (x - c) P(x), (x - c)^2 P(x). */
struct tail {
    double probability, excess, square;
};

/* The law of the number of top-k elements in a bucket of class c, hypergeometric. */
struct law law_of_class(const struct rcm_buckets *buckets, unsigned c, uint64_t k);

/* Draws each of which counts with this probability, to a relative error of 2^-53; below that it is
 * 0. */
struct law law_of_draws(uint64_t draws, double probability);

double law_mean(struct law law);
double law_variance(struct law law);
double law_offset(struct law law, int64_t x); /* x - mean, without cancellation */

/* P(X = x). Relative error about 1e-14. */
double law_probability(struct law law, int64_t x);

/* P(X > c), P(X <= c) and E[(X - c)+]; 0 <= c < k.
 * Accuracy  relative error <= 1e-13 down to 1e-306, of the third and of the smaller of the first
 *           two. Below 1e-306 they lose digits and fall to 0. */
double law_sf(struct law law, int64_t c);
double law_cdf(struct law law, int64_t c);
double law_excess(struct law law, int64_t c);

/* The tail on the side of c where the mean is not: above c if c >= mean, otherwise that of c - X
 * below c. *below says which. */
struct tail law_far_tail(struct law law, int64_t c, bool *below);

/* The upper tail for c >= mean - 1, by the cheaper of two evaluations, each of which has the
 * accuracy above:
 *   by ratios    of neighbouring terms, normalised by their own total, in O(standard deviation)
 *                steps
 *   by Stirling  his formula in double-double, and quadrature, in O(1) steps, for standard
 *                deviations from LAW_STIRLING_MIN_SD up */
#define LAW_STIRLING_MIN_SD 128.0
struct tail law_upper(struct law law, int64_t c);
struct tail law_upper_by_ratios(struct law law, int64_t c);
struct tail law_upper_by_stirling(struct law law, int64_t c);

/* P(X = x) by each of the two. */
double law_probability_by_ratios(struct law law, int64_t x);
double law_probability_by_stirling(struct law law, int64_t x);

/* The same in the time of a few logarithms, with a relative error of 1e-12 down to 1e-300:
 * P(X = x), and the upper tail for any c >= -1 (below the mean by the others). */
double law_point(struct law law, int64_t x);
struct tail law_tail(struct law law, int64_t c);

/* P(X = x + 1) / P(X = x). */
double law_ratio(struct law law, int64_t x);

/* The terms P(x) from the lowest x up to `high`, outwards from `start` until they are below `least`
 * times P(start) on either side.
 * Returns   how many there are; *first is the x of the first. p, if not NULL, gets them, scaled to
 * a sum of 1. */
size_t law_terms(struct law law, int64_t start, int64_t high, double least, double *p,
                 int64_t *first);

/* Smallest and largest x with P(X = x) > 0, and an x within 2 of the mode. */
int64_t law_low(struct law law);
int64_t law_high(struct law law);
int64_t law_mode(struct law law);

#endif
