/* capped_distribution.c - see capped_distribution.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "capped_distribution.h"

#include <math.h>
#include <stdlib.h>

#include "log_choose.h"

/* P(x + 1) / P(x). */
static double ratio(const struct capped_distribution *dist, double odds, int64_t x)
{
    return (dist->size - (double)x) * odds / ((double)x + 1.0);
}

/* An x from which the terms fall on both sides, or nearly. */
static int64_t capped_distribution_start(const struct capped_distribution *dist, double odds)
{
    const double mode = (dist->size + 1.0) * (odds / (1.0 + odds));
    return mode <= (double)dist->low    ? dist->low
           : mode >= (double)dist->high ? dist->high
                                        : (int64_t)mode;
}

/* The terms of a distribution that are not negligible, and their moments: the mean counts from the
 * start. */
struct capped_span {
    int64_t first, last;
    double mean, variance;
};

static struct capped_span capped_distribution_span(const struct capped_distribution *dist,
                                                   double odds, double least)
{
    const int64_t start = capped_distribution_start(dist, odds);
    struct capped_span span = {start, start, 0.0, 0.0};
    double total = 1.0, sum = 0.0, square = 0.0;
    for (double t = 1.0; span.first > dist->low && t >= least;) {
        t /= ratio(dist, odds, --span.first);
        const double d = (double)(span.first - start);
        total += t;
        sum += t * d;
        square += t * d * d;
    }
    for (double t = 1.0; span.last < dist->high && t >= least;) {
        t *= ratio(dist, odds, span.last++);
        const double d = (double)(span.last - start);
        total += t;
        sum += t * d;
        square += t * d * d;
    }
    span.mean = sum / total;
    span.variance = fmax(0.0, square / total - span.mean * span.mean);
    return span;
}

/* The mean of the sum of the distributions, less k; *variance is that of the sum. */
static double excess_mean(const struct capped_sum *dists, double odds, double *variance)
{
    int128 starts = -(int128)dists->k;
    double offsets = 0.0;
    *variance = 0.0;
    for (unsigned c = 0; c < dists->classes; c++) {
        const struct capped_distribution *dist = &dists->of[c];
        const struct capped_span span = capped_distribution_span(dist, odds, dists->least);
        starts += (int128)dist->count * capped_distribution_start(dist, odds);
        offsets += dist->count * span.mean;
        *variance += dist->count * span.variance;
    }
    return (double)starts + offsets;
}

/* By Newton's method in log odds, where the derivative of the mean is the variance, between odds
 * that are too small and odds that are too large. */
double capped_sum_odds(const struct capped_sum *dists, double n)
{
    double low = -INFINITY, high = INFINITY, step = 1.0;
    double at = log((double)dists->k / (n - (double)dists->k));
    for (int i = 0; i < 200; i++) {
        double variance;
        const double off = excess_mean(dists, exp(at), &variance);
        if (fabs(off) <= 0.02 * sqrt(variance))
            break;
        if (off > 0.0)
            high = at;
        else
            low = at;
        double next = at - off / variance;
        if (!(fabs(next - at) <= step)) /* also where the variance is 0 */
            next = off > 0.0 ? at - step : at + step;
        if (isfinite(low) && isfinite(high) && !(next > low && next < high))
            next = 0.5 * (low + high);
        step *= 2.0;
        at = next;
    }
    return exp(at);
}

static struct dd ratio_dd(const struct capped_distribution *dist, double odds, int64_t x)
{
    return dd_divide(dd_two_product(dist->size - (double)x, odds), dd((double)x + 1.0));
}

/* The walk is in double-double, because the count multiplies its error. */
struct dd capped_distribution_tabulate(struct capped_distribution *dist, double odds, double least,
                                       double quantum)
{
    const struct capped_span span = capped_distribution_span(dist, odds, least);
    const int64_t start = capped_distribution_start(dist, odds);
    dist->first = span.first;
    dist->length = (size_t)(span.last - span.first + 1);
    dist->p = malloc(dist->length * sizeof *dist->p);
    if (!dist->p)
        return dd(NAN);
    struct dd total = dd(1.0), t = dd(1.0);
    double *p = dist->p + (start - span.first);
    *p = 1.0;
    for (int64_t x = start; x > span.first;) {
        t = dd_divide(t, ratio_dd(dist, odds, --x));
        total = dd_add(total, t);
        p[x - start] = t.hi;
    }
    t = dd(1.0);
    for (int64_t x = start; x < span.last;) {
        t = dd_multiply(t, ratio_dd(dist, odds, x++));
        total = dd_add(total, t);
        p[x - start] = t.hi;
    }
    for (size_t i = 0; i < dist->length; i++)
        dist->p[i] /= total.hi;
    dist->mean = (double)start + quantum * nearbyint(span.mean / quantum);
    dist->variance = span.variance;
    struct dd log_first = dd_add(log_choose((uint64_t)dist->size, (uint64_t)start),
                                 dd_scale(dd_log(dd(odds)), (double)start));
    return dd_add(log_first, dd_log(total));
}
