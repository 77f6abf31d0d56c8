/* recallmodel/recall.h - how much of the true top-k survives, and how many buckets a target needs.
 * In every function, the top-k elements lie anywhere in the row with equal probability.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_RECALL_H
#define RECALLMODEL_RECALL_H

#include "shape.h"

RCM_BEGIN

/* ------------------------------------------------------------------------------------------------
 * Mean and standard deviation of the recall
 */

/* Bounds on the relative error. The tests assert them against exact rationals and 80-digit
 * arithmetic. */
#define RCM_LOSS_MAX_RELERR 1e-13     /* loss >= 1e-290, any n, k, b in the domain, any k_b */
#define RCM_SURVIVAL_MAX_RELERR 1e-13 /* survival >= 1e-290 */
#define RCM_SD_MAX_RELERR 1e-8

/* Expected loss: (1/k) times the sum over buckets of E[(X - k_b)+], where X is
 * Hypergeometric(n, k, size of the bucket).
 * Returns   a fraction in [0, 1] (1 by rounding only); exactly 0 if no bucket can overflow. Below
 *           1e-290 it loses digits, and then it underflows to 0.
 * Accuracy  relative error <= RCM_LOSS_MAX_RELERR.
 * Source    [Samaga2025] Theorem 1; uneven buckets and the evaluation: docs/models.md 2. */
double rcm_loss_exact(struct rcm_topk p);

/* Expected recall, 1 - loss.
 * Returns   a fraction in [0, 1]; exactly 1 if no bucket can overflow.
 * Accuracy  absolute error <= 1.2e-16 + the error of the loss. */
double rcm_recall_exact(struct rcm_topk p);

/* The same with X ~ Binomial(k, 1/b) in each of the b buckets. It does not depend on n, and it is
 * at least the exact loss (where that is 1e-290 or more). With assignment RCM_CONTIGUOUS and
 * valid < n, X ~ Binomial(k, size/valid) instead.
 * Accuracy  that of rcm_loss_exact.
 * Source    [Key2024] Eq. (1), summed as (b/k) E[(X - k_b)+]: docs/models.md 3. */
double rcm_loss_binomial(struct rcm_topk p);
double rcm_recall_binomial(struct rcm_topk p);

/* Standard deviation of the recall of one row. The mean over m independent rows has this divided by
 * sqrt(m).
 * Returns   a fraction in [0, 0.5].
 * Accuracy  relative error <= RCM_SD_MAX_RELERR, or absolute 1e-16; compared with single steps up
 *           to k_b = 2^26.
 * Time      microseconds for k_b <= 100, up to 30 ms for large k_b.
 * Source    docs/models.md 5. */
double rcm_recall_sd(struct rcm_topk p);

/* Probability that the rank-th largest element survives stage 1, 1 <= rank <= k. It falls with the
 * rank, and its mean over the ranks 1..k is the recall. It does not depend on k.
 * Accuracy  relative error <= RCM_SURVIVAL_MAX_RELERR.
 * Source    docs/models.md 4. */
double rcm_survival(struct rcm_topk p, uint64_t rank);

/* Recall of the worst placement: all top-k elements in as few buckets as possible. Exact.
 * Source    [Key2024] Eq. (2), with floor in place of ceil, and uneven buckets: docs/models.md 7.
 */
double rcm_recall_worst_case(struct rcm_topk p);

/* The same questions for any bucket sizes.
 * Domain    1 to RCM_MAX_CLASSES classes, each size smaller than the one before it, each
 *           count >= 1; 1 <= k, rank <= n = sum of size times count <= RCM_N_MAX;
 *           1 <= k_b <= RCM_N_MAX. */
double rcm_buckets_loss(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b);
double rcm_buckets_sd(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b);
double rcm_buckets_survival(const struct rcm_buckets *buckets, uint64_t k_b, uint64_t rank);
double rcm_buckets_worst_case(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b);

/* ------------------------------------------------------------------------------------------------
 * The distribution of one row: how many of its top k are lost
 */

/* Probability that a row loses nothing: all its top k survive stage 1.
 * Domain    that of rcm_loss_exact, otherwise NaN. Also NaN where it would take seconds: for a
 *           probability below 1 - 1e-8, if k (1 - k/n), divided by the number of buckets where they
 *           are more than 64, is above 2^28, and more than 2^16 of the places that stage 1 keeps
 *           stay free.
 * Accuracy  relative error <= RCM_PROBABILITY_MAX_RELERR where the probability is above 1e-290,
 *           absolute error <= RCM_PROBABILITY_MAX_ERROR.
 * Time      10 to 500 us, up to 0.2 s at the edge of the domain.
 * Source    docs/models.md 12. */
#define RCM_PROBABILITY_MAX_RELERR 1e-13
#define RCM_PROBABILITY_MAX_ERROR 1e-14
double rcm_probability_exact(struct rcm_topk p);
double rcm_buckets_probability_exact(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b);

/* Bound on the absolute error of every P(lost <= e); the tests assert it. */
#define RCM_LOST_MAX_ERROR 1e-12

/* P(lost = first + i) = probability[i] for i < length. Any other number has probability 0, within
 * the bound above. No row can lose more than `most`, the worst case. Recall = 1 - lost/k. */
struct rcm_lost {
    uint64_t first, most;
    size_t length;
    double *probability;
};

/* Computes the distribution of the sum over buckets of (X - k_b)+, where X is multivariate
 * hypergeometric: directly for two buckets, by a two-dimensional Fourier inversion for more.
 * Domain    that of rcm_loss_exact. It refuses distributions wider than 2^22 elements, and
 *           distributions that would take more than some 3 s (few huge buckets: from k = 2^20 in 3
 *           to 50 of them).
 * Returns   0; or -1 outside the domain, where it refuses, or if memory runs out. Then *dist is
 *           empty. rcm_lost_free frees the distribution.
 * Time      docs/models.md 12: tens of microseconds for small shapes, milliseconds for most, up to
 *           3 s for few huge buckets. It nearly always refuses before the work begins.
 * Source    derived in docs/models.md 12; neither paper goes beyond the mean. */
int rcm_lost(struct rcm_topk p, struct rcm_lost *dist);
int rcm_buckets_lost(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                     struct rcm_lost *dist);
void rcm_lost_free(struct rcm_lost *dist);

/* P(lost <= lost). The probability that this holds for all of m independent rows is its power m.
 * Returns   a probability; 0 if `lost` is below dist->first or NaN. An empty distribution counts as
 *           one that loses nothing: 1 for lost >= 0, otherwise 0. */
double rcm_lost_at_most(const struct rcm_lost *dist, double lost);

/* A bound on the probability that m independent rows lose more than `lost` elements together: the
 * least exp(-t (lost + 1)) E[exp(t X)]^m over t >= 0 (Chernoff), and m times the error of the
 * distribution. For m = 1 it is that probability itself. At most 1; also 1 for an empty
 * distribution. */
double rcm_lost_more_of_rows(const struct rcm_lost *dist, uint64_t m, double lost);

/* The smallest e with P(lost <= e) >= probability. The distribution does not resolve a probability
 * above 1 - RCM_LOST_MAX_ERROR: then dist->most, which no row exceeds.
 * Domain    0 < probability. Above 1 it is dist->most, too.
 * Returns   0 for an empty distribution. For NaN it is the largest value of the distribution,
 *           dist->first + dist->length - 1. */
uint64_t rcm_lost_quantile(const struct rcm_lost *dist, double probability);

/* The same for m independent rows: the recall that all of them reach, with this probability; and
 * the probability that each of them loses at most `lost`.
 * Returns   NaN for an empty distribution, and where m times the error of the distribution is more
 *           than 1e-3. The quantile is also NaN for m = 0, for a probability outside (0, 1], and
 *           where the distribution does not resolve it: 1 - probability^(1/m) is below
 *           RCM_LOST_MAX_ERROR. For probability = 1 it is the worst case, whatever m >= 1 is. For
 *           m = 0 the probability is 1. */
double rcm_lost_recall_quantile(const struct rcm_lost *dist, uint64_t k, double probability,
                                uint64_t m);
double rcm_lost_all_at_most(const struct rcm_lost *dist, double lost, uint64_t m);

/* rcm_lost_recall_quantile of rcm_lost(p), the same number in less time: mostly a coarse
 * distribution tells it. p.m is not read. */
double rcm_recall_quantile(struct rcm_topk p, double probability, uint64_t m);

/* ------------------------------------------------------------------------------------------------
 * Exact top-k by threshold: how many elements reach the k-th largest candidate
 *
 * Stage 1 is as always. The k-th largest candidate is a threshold. A second pass over the row
 * collects every element that reaches the threshold, and these contain the exact top-k. R is the
 * rank of that candidate in the row: how many elements the second pass collects if no two are equal
 * (with ties it may collect more). R exists if the sum of min(k_b, bucket size) is at least k; then
 * k <= R <= n. P(R > r) = P(lost(r) > r - k), where lost(r) has the distribution of a row with r in
 * place of k.
 * Source    docs/models.md 16; the scheme is that of Gaihre et al., "Dr. Top-k", SC 2021. */

/* E[R] and the standard deviation of R.
 * Returns   NaN where R does not exist, outside the domain, and where it would take too long (few
 *           buckets with k_b above some 10^4).
 * Accuracy  mean: relative error <= RCM_REACHING_MAX_RELERR;
 *           sd: error <= RCM_REACHING_SD_MAX_ERROR relative to 1 + sd.
 * Time      0.1 to 10 ms for k_b <= 16. */
#define RCM_REACHING_MAX_RELERR 1e-11
#define RCM_REACHING_SD_MAX_ERROR 1e-6
struct rcm_reaching {
    double mean, sd;
};
struct rcm_reaching rcm_reaching(struct rcm_topk p);
struct rcm_reaching rcm_buckets_reaching(const struct rcm_buckets *buckets, uint64_t k,
                                         uint64_t k_b);

/* P(R > r), for any r. Absolute error <= RCM_LOST_MAX_ERROR. NaN where R does not exist or rcm_lost
 * returns no distribution. */
double rcm_reaching_above(struct rcm_topk p, uint64_t r);
double rcm_buckets_reaching_above(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                                  uint64_t r);

/* The smallest r with P(R > r) <= share: a buffer of this size suffices in all but that share of
 * the rows. 1e-11 <= share < 1.
 * Returns   0 where R does not exist, where a distribution that it needs is not computed, and
 *           outside the domain.
 * Time      that of some ten distributions (rcm_lost). */
uint64_t rcm_reaching_quantile(struct rcm_topk p, double share);

/* ------------------------------------------------------------------------------------------------
 * Bounds in closed form, and the number of buckets for a target
 */

/* The first `terms` terms of the factorial-moment series of the loss, for any k_b. In exact
 * arithmetic an odd number of terms is an upper bound on the loss, an even number a lower bound.
 * Not capped.
 * Domain    that of rcm_loss_exact, and 1 <= terms <= 64. Otherwise NaN.
 * Accuracy  one term: relative error <= 1e-12 down to 1e-290. More terms alternate and may be far
 *           larger than the loss: the absolute error is about 1e-15 times the largest of them.
 *           Infinite, with the sign of the bound, where a term is infinite.
 * Source    docs/models.md 6. */
double rcm_loss_series(struct rcm_topk p, unsigned terms);

/* The first term, capped at 1: loss <= rcm_loss_bound. Relative error <= 1e-12 down to 1e-290. */
double rcm_loss_bound(struct rcm_topk p);

/* The target "recall of at least R" is given as the loss 1 - R that it allows, in [0, 1). A shape
 * reaches it when loss <= (1 - R) (1 + RCM_TARGET_SLACK), so that decimal fractions mean what they
 * say. A shape reaches the target 0 only if no bucket can overflow. b must be a multiple of `align`
 * (0 or 1: any) and, if `divisors` is set, a divisor of n. */
#define RCM_TARGET_SLACK 1e-12
struct rcm_weights; /* recallmodel/lost_mass.h */
struct rcm_target {
    double loss;
    uint64_t align;
    bool divisors;
    /* NULL: the loss is a share of elements. Otherwise it is one of their mass (rcm_lost_mass), for
     * this k alone */
    const struct rcm_weights *weights;
};

/* Does p reach the loss of the target? It does not look at what b must be. */
bool rcm_reaches(struct rcm_topk p, struct rcm_target target);

/* The smallest deployable b that reaches the target (p.b is not read); 0 if there is none. Recall
 * grows with b (docs/models.md 8), so bisection finds it. Every deployable shape has a recall of at
 * least 1 - 1/e = .632, unless the row is padded and contiguous: then there is no such floor. */
uint64_t rcm_smallest_b(struct rcm_topk p, struct rcm_target target);

/* A closed form: the loss that it states at p.b, and the b that it asks for. A registry row:
 * rcm_rule(0), rcm_rule(1), .. until NULL. */
struct rcm_rule {
    const char *name;
    const char *formula; /* the b that it asks for, in words */
    const char *source;
    bool (*applies)(struct rcm_topk); /* does not look at b */
    double (*loss)(struct rcm_topk);  /* the loss that it states at p.b */
    /* the real number that it asks for; may be infinite */
    double (*b)(struct rcm_topk, double target_loss);
};
const struct rcm_rule *rcm_rule(size_t index);

/* The b of the rule, rounded up and clamped to the deployable range; 0 where the rule does not
 * apply, there is no deployable b, or target_loss is outside [0, 1) or NaN. p.b is not read. */
uint64_t rcm_rule_b(const struct rcm_rule *rule, struct rcm_topk p, double target_loss);

RCM_END

#endif
