/* recallmodel/lost_mass.h - what the lost elements weigh: which share of the softmax mass of its
 * top k does a row lose?
 *
 * The lost elements are the small ones of the top k, so that a row loses a smaller share of mass
 * than of elements. What that does to the token that a sampler draws stands at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_LOST_MASS_H
#define RECALLMODEL_LOST_MASS_H

#include "recall.h"

RCM_BEGIN

/* ------------------------------------------------------------------------------------------------
 * Weights by rank
 */

/* Mean weights by rank, the largest element first: share[r - 1] is the mean over rows of the share
 * of the mass of the exact top k that the element of rank r has. They add up to 1. From normal
 * scores, or from rows that were measured; rcm_target takes them. */
struct rcm_weights {
    uint64_t k;
    const double *share;  /* k of them, none negative */
    const double *square; /* the means of their squares; NULL: not known */
    double score_sd;      /* of the normal scores that have these weights, where not `measured` */
    bool measured;        /* they are means over rows, of a file or drawn */
    /* P(a row loses more than this share with the shape p), or a bound that is not below it; where
     * that is above `rest`, any number above `rest`. NULL: rcm_lost_mass_above(), and of
     * measured rows not known, so that rcm_select() finds no buckets for a confidence. */
    double (*loses_more)(const struct rcm_weights *weights, struct rcm_topk p, double share,
                         double rest);
    const void *rows; /* for loses_more() */
};

/* Weights exp(score) of a row of n independent normal scores of this standard deviation (a
 * temperature divides it; the mean does not matter), in share[0], .., share[k - 1]; the means of
 * their squares in `square`, if it is not NULL.
 * Domain    1 <= k <= n <= RCM_N_MAX, k <= RCM_WEIGHTS_MOST, 0 <= score_sd <= RCM_SCORE_SD_MOST.
 * Returns   0; or -1 outside the domain or if memory runs out. Then they are NaN, if k <=
 *           RCM_WEIGHTS_MOST.
 * Accuracy  relative error <= RCM_WEIGHTS_MAX_RELERR for shares above 1e-12 where n >= 1000 or
 *           score_sd <= 8; otherwise 1e-4. Of the squares five times that.
 * Time      some 30 ms for each of the two.
 * Source    docs/models.md 23. */
#define RCM_WEIGHTS_MOST (UINT64_C(1) << 22)
#define RCM_SCORE_SD_MOST 16.0
#define RCM_WEIGHTS_MAX_RELERR 1e-6
int rcm_weights_normal(uint64_t n, uint64_t k, double score_sd, double *share, double *square);

/* The mean share of the mass of a whole row that its exact top k has. NaN outside the domain, which
 * has any k, or if memory runs out. Accuracy as above. */
double rcm_topk_mass_normal(uint64_t n, uint64_t k, double score_sd);

/* ------------------------------------------------------------------------------------------------
 * The lost mass of one row
 */

/* The mean lost mass: the sum over the ranks of their share times the probability that they are
 * lost (1 - rcm_survival). Exact for any rows whose mean shares these are, wherever the top k lie
 * with equal probability.
 * Domain    that of rcm_loss_exact, and weights->k = p.k. Otherwise NaN.
 * Accuracy  relative error <= RCM_LOST_MASS_MAX_RELERR above 1e-280.
 * Time      some 5 ns for each rank. */
#define RCM_LOST_MASS_MAX_RELERR 1e-11
double rcm_lost_mass(struct rcm_topk p, const struct rcm_weights *weights);

/* The error of an attention output that the lost mass L makes: the root of its mean square, over
 * that of the spread of the exact output, where the values are independent of the scores and of
 * each other and have one mean and covariance. To the first order of L: the root of E[L]^2 and of
 * the share that the lost elements have of the sum of squares.
 * Domain    that of rcm_lost_mass, and weights->square. Otherwise NaN. */
double rcm_attention_error(struct rcm_topk p, const struct rcm_weights *weights);

/* Mean and standard deviation over rows of normal scores, by another way: the distribution of each
 * bucket's top elements and quadrature over the scores.
 * Domain    that of rcm_weights_normal, of any k, and of rcm_loss_exact. NaN where the distribution
 *           of one bucket has more than 512 likely numbers, or if memory runs out.
 * Accuracy  relative error <= RCM_LOST_MASS_SD_MAX_RELERR where the mean is above 1e-12; of a
 *           standard deviation below 1e-6 of the mean 5e-2.
 * Time      10 to 300 ms. */
#define RCM_LOST_MASS_SD_MAX_RELERR 1e-4
struct rcm_mass {
    double mean, sd;
};
struct rcm_mass rcm_lost_mass_normal(struct rcm_topk p, double score_sd);

/* P(the lost mass of a row is above `mass`), rows of normal scores.
 * Domain    that of rcm_lost_mass_normal where rcm_lost_mass_distribution_known(); 0 <= mass.
 *           Otherwise NaN.
 * Accuracy  absolute error <= RCM_LOST_MASS_DISTRIBUTION_MAX_ERROR; of what is below that, <=
 *           RCM_LOST_MASS_TAIL_MAX_ERROR times the probability that a row loses anything.
 * Time      0.05 to 0.5 s, up to 2 s for k below 64. */
#define RCM_LOST_MASS_DISTRIBUTION_MAX_ERROR 2e-3
#define RCM_LOST_MASS_TAIL_MAX_ERROR 5e-5
double rcm_lost_mass_above(struct rcm_topk p, double score_sd, double mass);

/* Is score_sd 0, or from RCM_LOST_MASS_DISTRIBUTION_SD to RCM_LOST_MASS_DISTRIBUTION_SD_MOST and k
 * >= RCM_LOST_MASS_DISTRIBUTION_K? Below, the mass is nearly a number of elements, and the
 * distribution has steps; above, the weights differ by more than the integral has digits. */
#define RCM_LOST_MASS_DISTRIBUTION_K 16
#define RCM_LOST_MASS_DISTRIBUTION_SD 1.5
#define RCM_LOST_MASS_DISTRIBUTION_SD_MOST 4.0
bool rcm_lost_mass_distribution_known(uint64_t k, double score_sd);

/* The mass that all but a share `rest` of the rows lose at most, 1e-3 <= rest < 1: to 1e-3 of
 * itself, and to the error above in the probability; exact for score_sd 0. NaN outside the domain.
 * Time      some five times that of rcm_lost_mass_above. */
double rcm_lost_mass_quantile(struct rcm_topk p, double score_sd, double rest);

/* ------------------------------------------------------------------------------------------------
 * The token that a sampler draws
 */

/* How the distribution of the token of one row changes, where a sampler draws in proportion to the
 * weights of the tokens that it has left: behind the exact top k, or behind the buckets. */
struct rcm_token_change {
    double total_variation; /* half the sum over the tokens of |p - q| */
    double differs; /* P(another token is drawn with the same noise for each token): the largest
                       weight/E is drawn, E exponential; or the largest score + Gumbel noise */
    double kl; /* the mean log(q/p) of a token of q, the distribution behind the buckets: INFINITY
                  where p lacks one. That of log(p/q) is INFINITY where common < exact. */
};

/* From what the tokens weigh that are left in either case, and those in both.
 * Domain    0 <= common <= exact, approximate, which are above 0. Otherwise NaN.
 * Accuracy  relative error <= RCM_TOKEN_CHANGE_MAX_RELERR, of that of the differences of the three.
 * Source    docs/models.md, "The token that a sampler draws". */
#define RCM_TOKEN_CHANGE_MAX_RELERR 1e-15
struct rcm_token_change rcm_token_change(double exact, double approximate, double common);

RCM_END

#endif
