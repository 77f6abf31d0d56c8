/* reaching.c - how many elements reach the k-th largest candidate: exact top-k by threshold.
 * Derivation: docs/models.md 16.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "reaching.h"

#include <math.h>
#include <stdlib.h>

#include <model/shape/bisect.h>
#include <model/shape/classes.h>

#include "survivors.h"

enum existence { NOWHERE, ALWAYS_K, RANDOM };

/* Does R exist, and is it k for every row? */
static enum existence existence(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b)
{
    if (!classes_legal(buckets, k, k_b) || classes_room(buckets, k_b) < k)
        return NOWHERE;
    return k_b >= k || k_b >= buckets->of[0].size ? ALWAYS_K : RANDOM;
}

/* ---- moments of T, the share of the row that must be seen until k elements survive */

struct moments {
    double mean, square; /* E[T], E[(T - centre)^2] */
    double centre;
};

/* Nodes on either side of u0. */
#define NODES 4096

/* One pass of the trapezoidal rule in u = log(t / (1 - t)). */
struct pass {
    const struct rcm_buckets *buckets;
    uint64_t k, k_b;
    double u0, step, centre;
    double (*below)[NODES]; /* [side][j]: P(S < k) at u0 +- j step, NaN where it is not known yet */
};

/* Half the nodes are those of the pass before. */
static void halve(struct pass *pass)
{
    pass->step *= 0.5;
    for (size_t side = 0; side < 2; side++)
        for (size_t j = NODES; j-- > 0;)
            pass->below[side][j] = j % 2 ? NAN : pass->below[side][j / 2];
}

static double logistic(double u)
{
    return 1.0 / (1.0 + exp(-u));
}

/* dt/du */
static double logistic_slope(double u)
{
    return 1.0 / (2.0 + exp(u) + exp(-u));
}

/* The part of E[T] and E[(T - centre)^2] below u, where P(S < k) = 1: the sum of the rule over
 * all nodes up to u. For small steps by Euler and Maclaurin, whose next term is below 1e-15. */
static struct moments certain_part(const struct pass *pass, double u)
{
    const double h = pass->step, c = pass->centre;
    struct moments m = {.centre = c};
    if (h <= 0.02) {
        const double t = logistic(u), w = logistic_slope(u), a = t - c, turn = 1.0 - 2.0 * t;
        const double w1 = w * turn, w2 = w * (1.0 - 6.0 * w), w3 = w1 * (1.0 - 12.0 * w);
        const double g1 = 2.0 * (w * w + a * w1),
                     g3 = 2.0 * (3.0 * w1 * w1 + 4.0 * w * w2 + a * w3);
        const double h2 = h * h / 12.0, h4 = h * h * h * h / 720.0;
        m.mean = t + 0.5 * h * w + h2 * w1 - h4 * w3;
        m.square = a * a + h * a * w + h2 * g1 - h4 * g3;
        return m;
    }
    const double least = 1e-20 * logistic_slope(pass->u0);
    for (double w; (w = logistic_slope(u)) > least; u -= h) {
        m.mean += h * w;
        m.square += h * 2.0 * (logistic(u) - c) * w;
    }
    m.square += c * c;
    return m;
}

/* E[T] = integral of P(S(t) < k) dt, E[(T - c)^2] = c^2 + integral of 2 (t - c) P(S(t) < k) dt. */
static struct moments one_pass(const struct pass *pass)
{
    struct moments sum = {.centre = pass->centre};
    double u = pass->u0;
    for (int direction = 1; direction >= -1; direction -= 2) {
        unsigned idle = 0;
        for (size_t j = direction < 0; idle < 2 && j < NODES; j++) {
            double *below = &pass->below[direction < 0][j];
            u = pass->u0 + direction * (double)j * pass->step;
            if (isnan(*below))
                *below = survivors_below(pass->buckets, pass->k, pass->k_b, logistic(u));
            const double p = *below, w = pass->step * logistic_slope(u);
            if (isnan(p))
                return (struct moments){NAN, NAN, NAN};
            idle = (direction > 0 ? p : 1.0 - p) < 1e-14 ? idle + 1 : 0;
            sum.mean += p * w;
            sum.square += p * w * 2.0 * (logistic(u) - pass->centre);
        }
    }
    const struct moments rest = certain_part(pass, u - pass->step);
    return (struct moments){sum.mean + rest.mean, sum.square + rest.square, sum.centre};
}

/* Halves the steps until two passes agree. The error of the rule is then about the square of
 * their difference. below: see struct pass. */
static struct moments moments_of_t(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                                   double (*below)[NODES])
{
    const double t0 = survivors_inverse(buckets, k_b, (double)k - 0.5);
    if (isnan(t0))
        return (struct moments){NAN, NAN, NAN};
    const struct survivor_moments at = survivors_moments(buckets, k_b, t0);
    struct pass pass = {.buckets = buckets,
                        .k = k,
                        .k_b = k_b,
                        .u0 = log(t0 / (1.0 - t0)),
                        .centre = t0,
                        .below = below};
    for (size_t j = 0; j < NODES; j++)
        below[0][j] = below[1][j] = NAN;
    const double width = sqrt(at.variance + 0.25) / (at.mean1 * t0 * (1.0 - t0)); /* in u */
    pass.step = fmin(fmax(width, 1e-9), 0.5);
    struct moments before = one_pass(&pass), now = before;
    for (unsigned halvings = 0; halvings < 6; halvings++) {
        halve(&pass);
        now = one_pass(&pass);
        if (isnan(now.mean) || isnan(before.mean))
            return (struct moments){NAN, NAN, NAN};
        const double width_t =
            pass.step * at.mean1 > 0.0 ? sqrt(at.variance + 0.25) / at.mean1 : 0.0;
        if (!(fabs(now.mean - before.mean) > 1e-8 * width_t + 1e-15 * t0) &&
            !(fabs(now.square - before.square) > 1e-8 * width_t * width_t + 1e-16 * t0 * t0))
            break;
        before = now;
    }
    return now;
}

/* ---- the distribution of R */

double rcm_buckets_reaching_above(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                                  uint64_t r)
{
    if (existence(buckets, k, k_b) == NOWHERE)
        return NAN;
    if (r < k)
        return 1.0;
    if (existence(buckets, k, k_b) == ALWAYS_K || r >= classes_elements(buckets))
        return 0.0;
    struct rcm_lost dist;
    if (rcm_buckets_lost(buckets, r, k_b, &dist) != 0)
        return NAN;
    double above = 0.0; /* more than r - k of the r largest are lost; summed from the far end */
    for (size_t i = dist.length; i > 0 && dist.first + i - 1 > r - k; i--)
        above += dist.probability[i - 1];
    rcm_lost_free(&dist);
    return fmin(above, 1.0);
}

double rcm_reaching_above(struct rcm_topk p, uint64_t r)
{
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    return rcm_buckets_reaching_above(&buckets, p.k, p.k_b, r);
}

#define SMALL_TERMS 4096

/* The variance where it is small compared with k: E[(R - k)^2] and E[R - k] term by term. NaN
 * where rcm_buckets_lost refuses a distribution. */
static double small_variance(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b)
{
    double mean = 0.0, square = 0.0;
    for (uint64_t r = k;; r++) {
        const double above = rcm_buckets_reaching_above(buckets, k, k_b, r);
        if (isnan(above))
            return NAN;
        mean += above;
        square += above * (2.0 * (double)(r - k) + 1.0);
        if (above < 1e-13)
            return fmax(square - mean * mean, 0.0);
        if (r - k > SMALL_TERMS)
            return NAN;
    }
}

struct rcm_reaching rcm_buckets_reaching(const struct rcm_buckets *buckets, uint64_t k,
                                         uint64_t k_b)
{
    const enum existence exists = existence(buckets, k, k_b);
    if (exists != RANDOM)
        return exists == NOWHERE ? (struct rcm_reaching){NAN, NAN}
                                 : (struct rcm_reaching){(double)k, 0.0};
    const double n = (double)classes_elements(buckets);
    double(*below)[NODES] = malloc(2 * sizeof *below);
    const struct moments t =
        below ? moments_of_t(buckets, k, k_b, below) : (struct moments){NAN, NAN, NAN};
    free(below);
    if (isnan(t.mean)) /* fmax would return k */
        return (struct rcm_reaching){NAN, NAN};
    const double mean = fmax((n + 1.0) * t.mean, (double)k), off = t.mean - t.centre;
    const double spread = t.square - off * off; /* Var(T) */
    /* Given R, T is the R-th smallest of n uniform numbers. */
    double variance = (n + 2.0) * (n + 1.0) * spread - mean * (n + 1.0 - mean) / (n + 1.0);
    if (!isnan(variance) && variance < 1e-7 * mean) /* rounding is some 1e-13 of the mean */
        variance = small_variance(buckets, k, k_b);
    return (struct rcm_reaching){mean, isnan(variance) ? NAN : sqrt(fmax(variance, 0.0))};
}

struct rcm_reaching rcm_reaching(struct rcm_topk p)
{
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    return rcm_buckets_reaching(&buckets, p.k, p.k_b);
}

/* A search for the quantile. */
struct quantile_search {
    const struct rcm_buckets *buckets;
    uint64_t k, k_b;
    double share;
};

static enum answer suffices(void *context, uint64_t r)
{
    const struct quantile_search *search = context;
    const double above = rcm_buckets_reaching_above(search->buckets, search->k, search->k_b, r);
    return isnan(above) ? UNKNOWN : above <= search->share ? YES : NO;
}

uint64_t rcm_reaching_quantile(struct rcm_topk p, double share)
{
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    const enum existence exists = existence(&buckets, p.k, p.k_b);
    if (exists == NOWHERE || !(share >= 1e-11 && share < 1.0))
        return 0;
    if (exists == ALWAYS_K)
        return p.k;
    const uint64_t high = classes_elements(&buckets);
    const double estimate = reaching_estimate(p);
    if (isnan(estimate))
        return 0;
    const uint64_t guess = estimate < (double)high ? (uint64_t)estimate : high - 1;
    struct quantile_search search = {&buckets, p.k, p.k_b, share};
    return bisect_from(p.k, high, guess, (uint64_t)(0.05 * (double)(guess - p.k)) + 1, suffices,
                       &search);
}

/* ---- a fast estimate */

/* S crosses k where its mean is k - 1/2, except for second-order terms: docs/models.md 16. */
double reaching_estimate(struct rcm_topk p)
{
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    const enum existence exists = existence(&buckets, p.k, p.k_b);
    if (exists != RANDOM)
        return exists == NOWHERE ? NAN : (double)p.k;
    const double n = (double)classes_elements(&buckets);
    const double t = survivors_inverse(&buckets, p.k_b, (double)p.k - 0.5);
    if (isnan(t))
        return NAN;
    const struct survivor_moments at = survivors_moments(&buckets, p.k_b, t);
    const double bend = 0.5 * at.variance1 / (at.mean1 * at.mean1) -
                        0.5 * at.mean2 * at.variance / (at.mean1 * at.mean1 * at.mean1);
    return fmin(fmax((n + 1.0) * (t + bend), (double)p.k), n);
}
