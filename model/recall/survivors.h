/* survivors.h - internal to model/: S(t), the number of survivors if each element is a top
 * element with probability t, independently of all others. S is the sum over buckets of min(X,
 * k_b), where X is Binomial(size, t).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SURVIVORS_H
#define SURVIVORS_H

#include <model/recallmodel/recall.h>

/* P(S(t) < k), 0 < t < 1. Absolute error about 1e-14. NaN if memory runs out, and where it would
 * take more than 2^17 terms, some milliseconds. */
double survivors_below(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b, double t);

/* E[S], its derivatives in t, Var(S) and its derivative. NaN where the variance of one bucket is
 * above 2^32. For starting points and estimates: promised errors rest on survivors_below alone. */
struct survivor_moments {
    double mean, mean1, mean2, variance, variance1;
};
struct survivor_moments survivors_moments(const struct rcm_buckets *buckets, uint64_t k_b,
                                          double t);

/* The t in (0, 1) at which E[S] = level, where 0 < level < E[S(1)]. */
double survivors_inverse(const struct rcm_buckets *buckets, uint64_t k_b, double level);

#endif
