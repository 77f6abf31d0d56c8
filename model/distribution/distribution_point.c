/* distribution_point.c - see distribution.h: a probability in a few logarithms, and what lies above
 * it.
 *
 * With D(x, e) = x log(x/e) - (x - e) >= 0 for a cell x of the 2 x 2 table whose expected value is
 * e, the factors m^m e^-m of the factorials add up to exp(-sum of D). Near e each D is computed
 * from x - e, which is exact, and far from it from e, so that nothing cancels. Source of the idea:
 * C. Loader, "Fast and Accurate Computation of Binomial Probabilities", 2000.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "distribution_evaluations.h"

/* D(cell, expected), expected = cell - delta. */
static double deviance(double cell, double expected, double delta)
{
    if (cell == 0.0)
        return expected;
    const double z = delta / (2.0 * cell - delta);
    if (fabs(z) > 0.1)
        return cell * log(cell / expected) - delta;
    const double w = z * z;
    double series = 0.0;
    for (int j = 8; j >= 1; j--)
        series = (series + 1.0 / (2 * j + 1)) * w;
    return delta * z + 2.0 * cell * z * series;
}

double stirling_rest(double m)
{
    static const double small[] = {
        0.0810614667953272582,  0.0413406959554092941,  0.0276779256849983391,
        0.0207906721037650931,  0.0166446911898211922,  0.013876128823070748,
        0.0118967099458917701,  0.0104112652619720965,  0.00925546218271273292,
        0.00833056343336287126, 0.00757367548795184079, 0.00694284010720952987,
        0.00640899418800420707, 0.00595137011275884774, 0.00555473355196280137};
    if (m < 16.0)
        return small[(int)m - 1];
    const double w = 1.0 / (m * m);
    return (1.0 / 12.0 - w * (1.0 / 360.0 - w * (1.0 / 1260.0 - w / 1680.0))) / m;
}

/* The factorials of a fraction: sqrt(2 pi m) exp(stirling_rest(m)) for each, without that of 0. */
struct factorials {
    double square, rest;
};

static void times(struct factorials *f, double m)
{
    if (m > 0.0) {
        f->square *= 6.283185307179586 * m;
        f->rest += stirling_rest(m);
    }
}

static void over(struct factorials *f, double m)
{
    if (m > 0.0) {
        f->square /= 6.283185307179586 * m;
        f->rest -= stirling_rest(m);
    }
}

double distribution_point(struct distribution dist, int64_t x)
{
    if (x < distribution_low(dist) || x > distribution_high(dist))
        return 0.0;
    if (distribution_low(dist) == distribution_high(dist))
        return 1.0;
    const double delta = distribution_offset(dist, x), hit = (double)x,
                 other = (double)(dist.k - x), n = (double)dist.n, k = (double)dist.k,
                 in = (double)dist.s / n, out = (double)(dist.n - dist.s) / n;
    struct factorials f = {1.0, 0.0};
    double exponent = deviance(hit, k * in, delta) + deviance(other, k * out, -delta);
    over(&f, hit);
    times(&f, k);
    over(&f, other);
    if (!dist.binomial) {
        const double free = (double)(dist.s - x), outside = (double)(dist.n - dist.k - dist.s + x);
        exponent += deviance(free, (n - k) * in, -delta) + deviance(outside, (n - k) * out, delta);
        over(&f, free);
        times(&f, (double)dist.s);
        over(&f, n);
        times(&f, n - k);
        over(&f, outside);
        times(&f, (double)(dist.n - dist.s));
    }
    /* in two halves: exp(-exponent) may be subnormal where the product is not */
    const double half = exp(-0.5 * exponent);
    return sqrt(f.square) * exp(f.rest) * half * half;
}

struct tail distribution_tail(struct distribution dist, int64_t c)
{
    if (c >= distribution_high(dist))
        return (struct tail){0.0, 0.0, 0.0};
    if (c < distribution_low(dist) || distribution_scaled_offset(dist, c) < 0 ||
        distribution_variance(dist) >=
            DISTRIBUTION_STIRLING_MIN_SD * DISTRIBUTION_STIRLING_MIN_SD) {
        struct tail tail = {distribution_sf(dist, c), distribution_excess(dist, c), 0.0};
        bool below;
        const struct tail far = distribution_far_tail(dist, c, &below);
        const double offset = distribution_offset(dist, c);
        tail.square =
            below ? distribution_variance(dist) + offset * offset - far.square : far.square;
        return tail;
    }
    const double point = distribution_point(dist, c + 1);
    if (!(point > 0.0))
        return (struct tail){0.0, 0.0, 0.0};
    const struct ratios r = ratios_of(dist);
    const struct tail sum = distribution_relative_tail(&r, c);
    return (struct tail){point * sum.probability, point * sum.excess, point * sum.square};
}
