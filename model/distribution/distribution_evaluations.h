/* distribution_evaluations.h - internal to model/distribution/: the two evaluations of a
 * distribution.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DISTRIBUTION_EVALUATIONS_H
#define DISTRIBUTION_EVALUATIONS_H

#include <math.h>

#include "dd.h"
#include "distribution.h"

#define DISTRIBUTION_EPSILON 0x1p-56 /* what a sum may leave out, relative */

/* n x - k s: n times the distance of x from the mean. */
int128 distribution_scaled_offset(struct distribution dist, int64_t x);

/* The numbers from which the ratios of a distribution are computed, as doubles. Sums of them are
 * below 2^53 and therefore exact. */
struct ratios {
    double n_s, k, s, rest; /* n - s, k, s, n - k - s */
    bool binomial;
};

static inline struct ratios ratios_of(struct distribution dist)
{
    return (struct ratios){(double)(dist.n - dist.s), (double)dist.k, (double)dist.s,
                           (double)(dist.n - dist.k - dist.s), dist.binomial};
}

/* P(x + 1) / P(x) = up / down, each a product of two integers. */
struct ratio {
    double up[2], down[2];
};

static inline struct ratio ratio_at(const struct ratios *r, double x)
{
    if (r->binomial)
        return (struct ratio){{r->k - x, r->s}, {x + 1.0, r->n_s}};
    return (struct ratio){{r->k - x, r->s - x}, {x + 1.0, r->rest + x + 1.0}};
}

static inline double ratio_up(const struct ratios *r, double x)
{
    struct ratio q = ratio_at(r, x);
    return q.up[0] * q.up[1] / (q.down[0] * q.down[1]);
}

/* P(x - 1) / P(x). */
static inline double ratio_down(const struct ratios *r, double x)
{
    struct ratio q = ratio_at(r, x - 1.0);
    return q.down[0] * q.down[1] / (q.up[0] * q.up[1]);
}

/* log m! = (m + 1/2) log m - m + log(2 pi)/2 + this, for integers m >= 1 and for any m >= 16. Error
 * below 2e-14, from m = 40 on below 1e-17. */
double stirling_rest(double m);

/* The sums over x > c of P(x), (x - c) P(x), (x - c)^2 P(x), each divided by P(c + 1). The terms
 * must fall from c + 1 or c + 2 on. */
struct tail distribution_relative_tail(const struct ratios *r, int64_t c);

#endif
