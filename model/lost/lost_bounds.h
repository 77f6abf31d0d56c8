/* lost_bounds.h - internal to model/: bounds on P(lost <= e) of one row that need no distribution,
 * or but a coarse one. Derivation: docs/models.md 12.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LOST_BOUNDS_H
#define LOST_BOUNDS_H

#include <model/recallmodel/recall.h>

/* low <= P(lost <= e) <= high. */
struct lost_bounds {
    double low, high;
};

/* Proved bounds, widened by more than the rounding of the numbers they use, so that they always
 * hold (tests/model/lost/test_lost_bounds.c).
 *   Support   low = 1 where e is at least the worst case,
 *             high = 0 where more than e must be lost
 *   Markov    P(lost > e) <= mean / (e + 1)
 *   Cantelli  P(lost > e) <= sd^2 / (sd^2 + (e + 1 - mean)^2),
 *             P(lost <= e) <= sd^2 / (sd^2 + (mean - e)^2) for e < mean
 *   Chernoff  P(lost > e) <= exp(-t (e + 1)) product of E exp(t (X - k_b)+)^count, any t > 0: the
 *             losses of the buckets are negatively associated
 * Domain    that of rcm_buckets_loss; outside it {0, 1}.
 * Sharpness for a distribution that is nearly normal, with z = (e - mean)/sd: high < .99 for z
 *           below -.1, high < .9 for z below -.33, but high = 1 for e >= mean. low >= .99 for z
 *           above 3.5 (k_b well above k/b) to 5.3 (k_b = k/b); the distribution itself reaches it
 *           from 2.33 on. Where the distributions of the buckets are wider than some 250 elements
 *           Chernoff's bound is left out, and low >= .99 for z above 9.95. For a mean far below 1
 *           both sides are sharp: 1 - mean at e = 0.
 * Time      that of rcm_buckets_sd, and 3 to 70 us where e is above the mean. */
struct lost_bounds lost_bounds(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                               uint64_t e);

/* Do the bounds prove that P(lost <= e) is at least `probability`? Do they prove that it is
 * below, by so much that no distribution with an error of RCM_LOST_MAX_ERROR could reach it within
 * that error? Both may be false, but both are never true. */
bool lost_certainly_reaches(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b, uint64_t e,
                            double probability);
bool lost_certainly_misses(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b, uint64_t e,
                           double probability);

/* P(lost <= e) by a coarse distribution, less than LOST_COARSE_ERROR off (test_lost_limits). NaN
 * where the coarse distribution is refused; rcm_lost may have one even there. */
#define LOST_COARSE_ERROR 1e-5
double lost_coarsely_at_most(struct rcm_topk p, uint64_t e);

#endif
