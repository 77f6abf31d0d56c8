/* counts.h - the number X of true top-k elements that fall into one bucket: its law, its upper
 * tail. Internal to model/.
 *
 * Hypergeometric: s of the n positions are the bucket's, k of the n are drawn without replacement.
 * Binomial:       k draws, each hits the bucket with probability s/n.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTS_H
#define COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct law {
    int64_t n, k, s; /* 0 <= k, 0 <= s <= n <= RCM_N_MAX; hypergeometric: k <= n */
    bool binomial;
};

/* Moments of what lies above c: the sums over x > c of P(x), (x - c) P(x), (x - c)^2 P(x). */
struct tail {
    double probability, excess, square;
};

double law_mean(struct law law);
double law_variance(struct law law);
double law_offset(struct law law, int64_t x); /* x - mean, without cancellation */

/* P(X = x). Relative error about 1e-14. */
double law_probability(struct law law, int64_t x);

/* P(X > c), P(X <= c) and E[(X - c)+]; 0 <= c < k. The relative error of the smaller one of the
 * first two and of the third is
 * <= 1e-13 down to 1e-306; below that they fade to 0. */
double law_above(struct law law, int64_t c);
double law_not_above(struct law law, int64_t c);
double law_excess(struct law law, int64_t c);

/* The tail on the side of c that the mean is not on: above c if c >= mean, else that of c - X below
 * c. `below` says which. */
struct tail law_far_tail(struct law law, int64_t c, bool *below);

/* The two ways to the upper tail, for c >= mean - 1. Each is exact on its own; law_upper takes the
 * cheaper one. By ratios of neighbouring terms, normalised by their own total: O(standard
 * deviation) steps. By Stirling's formula in double-double and quadrature: O(1), for standard
 * deviations from LAW_STIRLING_MIN_SD up. */
#define LAW_STIRLING_MIN_SD 128.0
struct tail law_upper(struct law law, int64_t c);
struct tail law_upper_by_ratios(struct law law, int64_t c);
struct tail law_upper_by_stirling(struct law law, int64_t c);

/* P(X = x) by each of the two. */
double law_probability_by_ratios(struct law law, int64_t x);
double law_probability_by_stirling(struct law law, int64_t x);

/* P(X = x + 1) / P(X = x). */
double law_ratio(struct law law, int64_t x);

/* The terms P(x), start >= x >= low and start <= x <= high, down to `least` of P(start) on either
 * side: how many, the first at *first. p, if not NULL, takes them, scaled to a sum of 1. */
size_t law_terms(struct law law, int64_t start, int64_t high, double least, double *p,
                 int64_t *first);

/* Smallest and largest x with P(X = x) > 0, and an x within 2 of the mode. */
int64_t law_low(struct law law);
int64_t law_high(struct law law);
int64_t law_mode(struct law law);

#endif
