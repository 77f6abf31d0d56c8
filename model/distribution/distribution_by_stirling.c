/* distribution_by_stirling.c - see distribution.h: probabilities and tails of wide distributions by
 * Stirling's formula in double-double and by quadrature. Derivation: docs/models.md 2.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "gauss_legendre.h"
#include "distribution_evaluations.h"

/* P(x) = factor exp(-exponent). */
struct stirling {
    double factor;
    struct dd exponent;
};

/* cell log(cell/expected) - (cell - expected), where delta = cell - expected is known to full
 * accuracy. With z = delta / (cell + expected) this is
 *     delta z + 2 cell z^3 (1/3 + z^2/5 + z^4/7 + ..).
 * Infinite for |z| > 0.17: there the term alone exceeds 745 if expected >=
 * DISTRIBUTION_STIRLING_MIN_SD^2, so that P underflows. The first two coefficients are
 * double-double. The rest weighs z^4 (3/7) <= 4e-4 of the first, so that a double suffices for a
 * relative error of 1e-19. */
static struct dd deviance(struct dd cell, struct dd delta)
{
    struct dd z = dd_divide(delta, dd_subtract(dd_scale(cell, 2.0), delta));
    if (!(cell.hi > 0.0 && fabs(z.hi) <= 0.17))
        return dd(INFINITY);
    struct dd w = dd_multiply(z, z);
    double series = 0.0;
    for (int j = 14; j >= 2; j--)
        series = series * w.hi + 1.0 / (2 * j + 3);
    const struct dd third = {0x1.5555555555555p-2, 0x1.5555555555555p-56},
                    fifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};
    struct dd sum = dd_add(third, dd_multiply(w, dd_add(fifth, dd_scale(w, series))));
    return dd_add(dd_multiply(delta, z),
                  dd_scale(dd_multiply(dd_multiply(cell, sum), dd_multiply(z, w)), 2.0));
}

/* P at the real number x = c + y, from the 2 x 2 table with the cells x, k - x, s - x and
 * n - k - s + x (binomial: the first two). Each cell differs from its expected value by
 * delta = x - mean or by -delta. */
static struct stirling stirling_at(struct distribution dist, int64_t c, double y)
{
    double n = (double)dist.n, k = (double)dist.k, s = (double)dist.s;
    struct dd delta =
        dd_add(dd_divide(dd_from_int128(distribution_scaled_offset(dist, c)), dd(n)), dd(y));
    struct dd hit = dd_two_sum((double)c, y);
    struct dd other = dd_two_sum((double)(dist.k - c), -y);
    struct stirling at = {0.0, dd_add(deviance(hit, delta), deviance(other, dd_negate(delta)))};
    struct dd free = dd(s), outside = dd(n - s); /* not read where it is binomial */
    if (!dist.binomial) {
        free = dd_two_sum((double)(dist.s - c), -y);
        outside = dd_two_sum((double)(dist.n - dist.k - dist.s + c), y);
        at.exponent =
            dd_add(at.exponent, dd_add(deviance(free, dd_negate(delta)), deviance(outside, delta)));
    }
    if (!isfinite(at.exponent.hi)) /* a cell may be 0, or less, where P underflows */
        return at;
    double square = k / (6.283185307179586 * hit.hi * other.hi);
    double rest = stirling_rest(k) - stirling_rest(hit.hi) - stirling_rest(other.hi);
    if (!dist.binomial) {
        square *= (s / free.hi) * ((n - k) / outside.hi) * ((n - s) / n);
        rest += stirling_rest(n - k) + stirling_rest(s) + stirling_rest(n - s) - stirling_rest(n) -
                stirling_rest(free.hi) - stirling_rest(outside.hi);
    }
    at.factor = sqrt(square) * exp(rest);
    return at;
}

/* x exp(-exponent), in two halves, because exp(-exponent) may be subnormal where the product is
 * not. */
static double times_exponential(double x, struct dd exponent)
{
    double half = exp(-0.5 * exponent.hi) * (1.0 - 0.5 * exponent.lo);
    return x * half * half;
}

double distribution_probability_by_stirling(struct distribution dist, int64_t x)
{
    struct stirling at = stirling_at(dist, x, 0.0);
    return at.factor > 0.0 ? times_exponential(at.factor, at.exponent) : 0.0;
}

/* psi(x + 1) without its logarithm; the next term is below 2e-18 for x >= 2^13. */
static double digamma_rest(double x)
{
    return 1.0 / (2.0 * x) - 1.0 / (12.0 * x * x);
}

/* Derivatives of log P at c: the first in full, the second and third to leading order in 1/x,
 * because they only enter terms that weigh less than 1e-6 and 1e-12 of the sum. */
struct slopes {
    double first, second, third;
};

static struct slopes slopes_at(struct distribution dist, int64_t c)
{
    double hit = (double)c, other = (double)(dist.k - c),
           shift = (double)distribution_scaled_offset(dist, c);
    struct slopes d = {
        .first = digamma_rest(other) - digamma_rest(hit),
        .second = -1.0 / hit - 1.0 / other,
        .third = 1.0 / (hit * hit) - 1.0 / (other * other),
    };
    if (dist.binomial) {
        d.first += log1p(-shift / (hit * (double)(dist.n - dist.s)));
    } else {
        double free = (double)(dist.s - c), outside = (double)(dist.n - dist.k - dist.s + c);
        d.first += digamma_rest(free) - digamma_rest(outside) + log1p(-shift / (hit * outside));
        d.second += -1.0 / free - 1.0 / outside;
        d.third += 1.0 / (outside * outside) - 1.0 / (free * free);
    }
    return d;
}

/* The sums over x > c, each divided by P(c), by Euler and Maclaurin: with f(y) = y^p P(c + y),
 *   sum_{j>=1} f(j) = integral_0^inf f - f(0)/2 - f'(0)/12 + f'''(0)/720 - f'''''(0)/30240 + ..,
 * the derivatives of P at 0 from those of log P. The rest is below 1e-15 of the sum for slope and
 * 1/sd <= 0.05. The integral runs to where P has fallen by e^-45, by one 48-point rule: P(c + y) is
 * the exponential of a smooth concave function there (the tests compare it with
 * sums). */
static struct tail tail_by_quadrature(struct distribution dist, int64_t c, struct slopes d,
                                      struct stirling base)
{
    const double slope = -d.first, curvature = -d.second;
    const double end = 90.0 / (slope + sqrt(slope * slope + 81.0 * curvature));
    struct tail sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < 2 * GAUSS_LEGENDRE_PAIRS; i++) {
        const int pair = i / 2;
        const double x = gauss_legendre[pair].x, y = end * (i % 2 ? 1.0 - x : x);
        const struct stirling at = stirling_at(dist, c, y);
        if (!(at.factor > 0.0))
            continue;
        const double fall = dd_subtract(at.exponent, base.exponent).hi;
        const double term =
            end * gauss_legendre[pair].weight * (at.factor / base.factor) * exp(-fall);
        sum.probability += term;
        sum.excess += y * term;
        sum.square += y * y * term;
    }
    /* P', P'', .. over P (Faa di Bruno). In the fourth and fifth the third derivative of log P no
     * longer counts. */
    const double p1 = d.first, u = d.first * d.first, v = d.second;
    const double p2 = u + v, p3 = p1 * (u + 3.0 * v) + d.third;
    const double p4 = u * (u + 6.0 * v) + 3.0 * v * v;
    const double p5 = p1 * (u * (u + 10.0 * v) + 15.0 * v * v);
    sum.probability += -0.5 - p1 / 12.0 + p3 / 720.0 - p5 / 30240.0;
    sum.excess += -1.0 / 12.0 + 3.0 * p2 / 720.0 - 5.0 * p4 / 30240.0;
    sum.square += 6.0 * p1 / 720.0 - 20.0 * p3 / 30240.0;
    return sum;
}

/* A tail too steep for the quadrature has at most a thousand terms, which are summed. */
struct tail distribution_upper_by_stirling(struct distribution dist, int64_t c)
{
    const struct slopes d = slopes_at(dist, c);
    const bool steep = !(hypot(-d.first, sqrt(-d.second)) <= 0.05);
    const struct stirling base = stirling_at(dist, steep ? c + 1 : c, 0.0);
    if (!(base.factor > 0.0))
        return (struct tail){0.0, 0.0, 0.0};
    const struct ratios r = ratios_of(dist);
    const struct tail sum =
        steep ? distribution_relative_tail(&r, c) : tail_by_quadrature(dist, c, d, base);
    return (struct tail){times_exponential(base.factor * sum.probability, base.exponent),
                         times_exponential(base.factor * sum.excess, base.exponent),
                         times_exponential(base.factor * sum.square, base.exponent)};
}
