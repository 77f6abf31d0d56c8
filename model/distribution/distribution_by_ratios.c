/* distribution_by_ratios.c - see distribution.h: terms, tails and probabilities by ratios of
 * neighbouring terms. Derivation: docs/models.md 2.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "distribution_evaluations.h"

/* Keeps a term of 1e-306 clear of the subnormal numbers, which have fewer digits. */
#define SCALE 0x1p400

double distribution_ratio(struct distribution dist, int64_t x)
{
    struct ratios r = ratios_of(dist);
    return ratio_up(&r, (double)x);
}

size_t distribution_terms(struct distribution dist, int64_t start, int64_t high, double least,
                          double *p, int64_t *first)
{
    const int64_t low = distribution_low(dist);
    int64_t begin = start, end = start;
    double down = 1.0, up = 1.0, total = 1.0;
    while (begin > low && down >= least)
        total += down /= distribution_ratio(dist, --begin);
    while (end < high && up >= least)
        total += up *= distribution_ratio(dist, end++);
    const size_t length = (size_t)(end - begin + 1);
    *first = begin;
    if (!p)
        return length;
    p[start - begin] = 1.0 / total;
    for (int64_t x = start; x > begin; x--)
        p[x - 1 - begin] = p[x - begin] / distribution_ratio(dist, x - 1);
    for (int64_t x = start; x < end; x++)
        p[x + 1 - begin] = p[x - begin] * distribution_ratio(dist, x);
    return length;
}

/* With w = x - c >= 1 and q < 1 the next ratio, ratios fall. So the rest of the third sum is at
 * most t sum_{j>=1} (w + j)^2 q^j <= 2 w^2 t / (1 - q)^3. That sum is at most w^2 times the first,
 * so the first has converged too. */
struct tail distribution_relative_tail(const struct ratios *r, int64_t c)
{
    struct tail sum = {1.0, 1.0, 1.0};
    double t = 1.0, w = 1.0;
    for (double x = (double)c + 1.0;; x += 1.0) {
        double q = ratio_up(r, x), margin = 1.0 - q, last = w * w * t;
        if (last <= DISTRIBUTION_EPSILON * sum.square && q < 1.0 &&
            last <= DISTRIBUTION_EPSILON * margin * margin * margin * sum.square)
            return sum;
        t *= q;
        w += 1.0;
        sum.probability += t;
        sum.excess += w * t;
        sum.square += w * w * t;
    }
}

/* The sum over x < from of P(x) / P(from). `from` is at most 2 above the mode: below it the terms
 * fall. With the next ratio q < 1, the rest after t is at most t q / (1 - q). */
static double mass_below(const struct ratios *r, double from)
{
    double mass = 0.0, t = 1.0;
    for (double x = from;; x -= 1.0) {
        double q = ratio_down(r, x);
        if (q < 1.0 && t <= DISTRIBUTION_EPSILON * (1.0 - q) * (1.0 + mass))
            return mass;
        t *= q;
        mass += t;
    }
}

/* t times the ratios from `from` up to `to`. Adds all terms before the last to *mass. Products of
 * two integers that change by one are not rounded at random: without a correction the term drifts
 * by 2e-17 a step, 1e-13 over the longest walk. So the rounding errors of the products are summed
 * separately. */
static double walk_up(const struct ratios *r, double t, double from, double to, double *mass)
{
    double lost = 0.0;
    for (double x = from; x < to && t > 0.0; x += 1.0) {
        struct ratio q = ratio_at(r, x);
        double up = q.up[0] * q.up[1], down = q.down[0] * q.down[1], quotient = up / down;
        if (to - from > 16.0)
            lost += (fma(q.up[0], q.up[1], -up) - quotient * fma(q.down[0], q.down[1], -down)) / up;
        *mass += t;
        t *= quotient;
    }
    return isfinite(t) ? t + t * lost : t;
}

/* One walk up from the mode or c + 1, whichever is less: the terms up to c, then the tail. Then the
 * terms below. The total of all three is the norm. */
struct tail distribution_upper_by_ratios(struct distribution dist, int64_t c)
{
    struct ratios r = ratios_of(dist);
    int64_t mode = distribution_mode(dist), start = mode < c + 1 ? mode : c + 1;
    double mass = 0.0, first = walk_up(&r, SCALE, (double)start, (double)c + 1.0, &mass);
    if (!(first > 0.0))
        return (struct tail){0.0, 0.0, 0.0};
    struct tail sum = distribution_relative_tail(&r, c);
    double total = mass + first * sum.probability + SCALE * mass_below(&r, (double)start);
    return (struct tail){first * sum.probability / total, first * sum.excess / total,
                         first * sum.square / total};
}

double distribution_probability_by_ratios(struct distribution dist, int64_t x)
{
    struct ratios r = ratios_of(dist);
    double mode = (double)distribution_mode(dist), mass = 0.0;
    double total = distribution_relative_tail(&r, distribution_mode(dist) - 1).probability +
                   mass_below(&r, mode);
    if ((double)x < mode)
        return 1.0 / total / walk_up(&r, 1.0, (double)x, mode, &mass);
    return walk_up(&r, SCALE, mode, (double)x, &mass) / total / SCALE;
}
