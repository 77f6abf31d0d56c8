/* lost_fourier.h - internal to model/: what the two methods for the characteristic function of
 * the distribution of the lost elements share. Derivation: docs/models.md 12.
 *
 * The X of the buckets are independent binomials, conditioned on their sum being k. So
 *     P(lost = e) = sum over theta, psi of Phi(theta, psi) exp(-i theta k - i psi e)
 *                   / (nodes P(sum = k)),
 *     Phi = product over classes of phi^count,    phi = E exp(i theta X + i psi (X - k_b)+).
 * Where buckets usually overflow, (k_b - X)+ = (X - k_b)+ - X + k_b replaces (X - k_b)+; it sums
 * to lost - k + b k_b. Below, `excess` is either of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LOST_FOURIER_H
#define LOST_FOURIER_H

#include <model/shape/classes.h>

#include "fourier.h"
#include <model/distribution/distribution.h>

/* How exact a distribution is, and for that what is left out of it. */
struct lost_precision {
    double negligible;                 /* nodes with |Phi| < exp(-negligible) */
    double least_term;                 /* of a bucket: over its count, of the largest */
    double thetas_sd, thetas_more;     /* thetas: so many standard deviations of sum X, and more */
    double window_sd, window_log;      /* beyond so many, and P(lost >= e) <= exp(-window_log) */
    double mean_error, variance_error; /* that the moments may have, of sd and variance */
    double turning_buckets;            /* up to so many, a term is a rotation of the one before */
    double most_ns;                    /* the most that a distribution may take */
};

/* The distribution of X in a bucket of one class, without negligible terms. */
struct bucket_distribution {
    double count;
    /* near the means of X and of its excess: multiples of a power of two, so that sums of them are
     * exact */
    double mean, excess;
    int64_t first; /* P(X = first + i) = p[i] */
    size_t length;
    double *p;
};

struct lost_sum {
    const struct lost_precision *precision;
    unsigned classes;
    struct bucket_distribution of[RCM_MAX_CLASSES];
    int64_t k_b;
    bool below;              /* the excess is (k_b - X)+ */
    int64_t extra;           /* lost, less the sum of the excesses */
    double shift_x, shift_e; /* sum of count times mean, less k; sum of count times excess */
    /* Cov(sum of losses, sum of X) / Var(sum of X): near 0, Phi is largest along
     * theta = -beta psi */
    double beta;
    double sd_x; /* of the sum of X */
};

static inline int64_t lost_excess(const struct lost_sum *l, int64_t x)
{
    const int64_t excess = l->below ? l->k_b - x : x - l->k_b;
    return excess > 0 ? excess : 0;
}

/* Adds count log phi to a logarithm, given phi - 1. */
static inline void lost_add_log(double count, double cosine, double sine, double *re, double *im)
{
    *re += count * complex_log_modulus(cosine, sine);
    *im += count * atan2(sine, 1.0 + cosine);
}

/* log of Phi with both variables centred. phi - 1 is summed as such. *work counts terms. Returns
 * whether Phi is not negligible. */
bool lost_log_phi(const struct lost_sum *l, double theta, double psi, double *re, double *im,
                  uint64_t *work);

/* The largest t among about 1, 2, .., nodes/2 at which Phi(theta t, psi t) is not negligible, to
 * 5 %. */
double lost_last_node(const struct lost_sum *l, double nodes, double theta, double psi);

/* The characteristic function of the sum of the excesses less shift_e, on psi = 2 pi j / psis, j
 * = 0, .., psis/2, not normalised. Negligible values are 0. psis is a power of two, thetas is
 * odd. Two methods:
 *   by nodes       one node after the other: for many buckets, where few nodes count
 *   by transforms  one transform for each theta: for few buckets, where most psi count
 * Returns   false if memory runs out, or where it takes more than `most` terms or steps. */
bool lost_by_nodes(const struct lost_sum *l, int64_t thetas, size_t psis, struct complex_number *g,
                   double most);
bool lost_by_transforms(const struct lost_sum *l, int64_t thetas, size_t psis,
                        struct complex_number *g, double most);

/* About how many terms or steps each method will take. INFINITY where it is sure to take more than
 * `most`. */
double lost_nodes_terms(const struct lost_sum *l, int64_t thetas, size_t psis, double most);
double lost_transforms_steps(const struct lost_sum *l, int64_t thetas, size_t psis, double most);

#endif
