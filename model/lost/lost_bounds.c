/* lost_bounds.c - see lost_bounds.h. Derivation: docs/models.md 12.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lost_bounds.h"

#include <math.h>

#include <model/shape/classes.h>

#include <model/distribution/distribution.h>

#define SLACK 1e-7 /* relative; more than ten times the error of rcm_buckets_sd, squared */

enum { MOST_TERMS = 2048 };

/* The distribution of what one bucket of a class loses, or has free: P((X - c)+ = j) = p[j - 1] for
 * 1 <= j <= length. Further terms fall at least by the factor `ratio`. */
struct excess_distribution {
    double count, ratio;
    unsigned length;
    double p[MOST_TERMS];
};

/* Down to 1e-40 of the sum. False where the distribution is too wide. */
static bool tabulate(struct excess_distribution *excess, struct distribution dist, int64_t c,
                     double count)
{
    double sum = 0.0;
    *excess = (struct excess_distribution){.count = count};
    if (c >= distribution_high(dist))
        return true;
    double p = distribution_probability(dist, c + 1);
    if (!(p > 1e-250) &&
        c < distribution_mode(
                dist)) /* the terms that count cannot be reached from here by ratios */
        return false;
    for (int64_t x = c + 1; excess->length < MOST_TERMS; x++) {
        excess->p[excess->length++] = p;
        sum += p;
        excess->ratio = x < distribution_high(dist) ? distribution_ratio(dist, x) : 0.0;
        p *= excess->ratio;
        if (p <= 1e-40 * sum && excess->ratio < 1.0)
            return true;
    }
    return false;
}

/* log of (an upper bound of) E exp(t (X - c)+); INFINITY where the bound does not hold. */
static double log_moment(const struct excess_distribution *excess, double t)
{
    const double factor = exp(t);
    double power = 1.0, sum = 0.0;
    for (unsigned j = 0; j < excess->length; j++) {
        power *= factor;
        sum += excess->p[j] * (power - 1.0);
    }
    if (excess->length > 0) { /* the further terms: p[length - 1 + i] <= p[length - 1] ratio^i */
        const double q = excess->ratio * factor;
        if (q >= 1.0)
            return INFINITY;
        sum += excess->p[excess->length - 1] * power * q / (1.0 - q);
    }
    return log1p(sum * (1.0 + 1e-9));
}

/* log of a bound on P(sum of the excesses >= a); all of `classes`. */
static double log_chernoff(const struct excess_distribution *excesses, unsigned classes, double a,
                           double t)
{
    double sum = 0.0;
    for (unsigned c = 0; c < classes; c++)
        sum += excesses[c].count * log_moment(&excesses[c], t);
    return sum - t * a + 1e-11 * (sum + t * a); /* and a margin for rounding */
}

/* The least bound over t, by factors of 1.25 from a first guess. Any t gives a bound, and the
 * bound is a convex function of t. */
static double least_chernoff(const struct excess_distribution *excesses, unsigned classes, double a,
                             double guess)
{
    double best = log_chernoff(excesses, classes, a, guess);
    for (double factor = 1.25; factor > 0.5; factor -= 0.45) { /* upwards, then downwards */
        bool better = false;
        for (double t = guess * factor; t > 1e-300 && t < 700.0; t *= factor) {
            const double next = log_chernoff(excesses, classes, a, t);
            if (isfinite(best) && !(next < best))
                break;
            better |= next < best;
            best = fmin(best, next);
        }
        if (better)
            break;
    }
    return exp(fmin(best, 0.0));
}

/* P(lost >= e + 1) by Chernoff's bound. `lost` is the sum of (X - k_b)+. It is also the sum of
 * (k_b - X)+ less a constant, and (k_b - X)+ is (Y - (k - k_b))+ with Y = k - X, the number
 * outside the bucket. The smaller bound of the two counts. */
static double above_by_chernoff(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                                double e, double guess)
{
    double bound = 1.0;
    struct excess_distribution excesses[RCM_MAX_CLASSES];
    for (int missing = 0; missing <= 1; missing++) {
        double a = e + 1.0, room = 0.0;
        bool narrow = true;
        unsigned classes = 0;
        for (unsigned c = 0; c < buckets->classes && narrow; c++) {
            struct distribution dist = distribution_of_class(buckets, c, k);
            if (dist.s == 0)
                continue;
            const double count = (double)buckets->of[c].count;
            room += count * (double)k_b;
            if (missing)
                dist.s = dist.n - dist.s;
            narrow =
                tabulate(&excesses[classes++], dist, (int64_t)(missing ? k - k_b : k_b), count);
        }
        if (missing)
            a -= (double)k - room;
        if (narrow && a > 0.0)
            bound = fmin(bound, least_chernoff(excesses, classes, a, guess));
    }
    return bound;
}

struct lost_bounds lost_bounds(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                               uint64_t e)
{
    struct lost_bounds bounds = {0.0, 1.0};
    if (!classes_legal(buckets, k, k_b))
        return bounds;
    if (k_b >= k || e >= classes_most_lost(buckets, k, k_b))
        return (struct lost_bounds){1.0, 1.0};
    if (e < classes_least_lost(buckets, k, k_b))
        return (struct lost_bounds){0.0, 0.0};
    const double mean = (double)k * rcm_buckets_loss(buckets, k, k_b),
                 sd = (double)k * rcm_buckets_sd(buckets, k, k_b);
    const double sd_most = sd + 2e-16 * (double)k; /* it may have an error of 1e-16 of k */
    const double variance = sd_most * sd_most * (1.0 + SLACK) + 1e-20, rounding = mean * 1e-12;
    const double above = (double)e + 1.0 - mean - rounding, below = mean - rounding - (double)e;
    if (below > 0.0)
        bounds.high = fmin(1.0, variance / (variance + below * below) * (1.0 + 1e-9));
    double rest = fmin(1.0, mean * (1.0 + SLACK) / ((double)e + 1.0));
    if (above > 0.0) {
        rest = fmin(rest, variance / (variance + above * above) * (1.0 + 1e-9));
        if (sd > 0.0)
            rest = fmin(
                rest, above_by_chernoff(buckets, k, k_b, (double)e, fmin(above / variance, 100.0)));
    }
    bounds.low = fmax(0.0, 1.0 - rest - 0x1p-53); /* never 1, for more than e can be lost */
    return bounds;
}

bool lost_certainly_reaches(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b, uint64_t e,
                            double probability)
{
    return lost_bounds(buckets, k, k_b, e).low >= probability;
}

bool lost_certainly_misses(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b, uint64_t e,
                           double probability)
{
    return lost_bounds(buckets, k, k_b, e).high < probability - 3.0 * RCM_LOST_MAX_ERROR;
}
