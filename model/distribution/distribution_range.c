/* distribution_range.c - moments and range of a distribution: see distribution.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "distribution.h"

#include <model/shape/classes.h>

#include "distribution_evaluations.h"

struct distribution distribution_of_class(const struct rcm_buckets *buckets, unsigned c, uint64_t k)
{
    return (struct distribution){(int64_t)classes_elements(buckets), (int64_t)k,
                                 (int64_t)buckets->of[c].size, false};
}

struct distribution distribution_of_draws(uint64_t draws, double probability)
{
    /* the multiple of 1/all below it, and the number of positions of which that is this share */
    const double all = (double)RCM_N_MAX, s = floor(fmin(fmax(probability, 0.0), 1.0) * all);
    return (struct distribution){
        .n = (int64_t)(s > 0.0 ? fmin(nearbyint(s / probability), all) : all),
        .k = (int64_t)draws,
        .s = (int64_t)s,
        .binomial = true};
}

double distribution_mean(struct distribution dist)
{
    return (double)dist.k * (double)dist.s / (double)dist.n;
}

double distribution_variance(struct distribution dist)
{
    double n = (double)dist.n;
    double binomial = distribution_mean(dist) * ((double)(dist.n - dist.s) / n);
    if (dist.binomial)
        return binomial;
    return dist.n == 1 ? 0.0 : binomial * ((double)(dist.n - dist.k) / (n - 1.0));
}

int128 distribution_scaled_offset(struct distribution dist, int64_t x)
{
    return (int128)x * dist.n - (int128)dist.k * dist.s;
}

double distribution_offset(struct distribution dist, int64_t x)
{
    return (double)distribution_scaled_offset(dist, x) / (double)dist.n;
}

int64_t distribution_low(struct distribution dist)
{
    if (dist.binomial)
        return dist.s == dist.n ? dist.k : 0;
    int64_t least = dist.k + dist.s - dist.n;
    return least > 0 ? least : 0;
}

int64_t distribution_high(struct distribution dist)
{
    if (dist.binomial)
        return dist.s == 0 ? 0 : dist.k;
    return dist.k < dist.s ? dist.k : dist.s;
}

int64_t distribution_mode(struct distribution dist)
{
    double n = (double)dist.n, k = (double)dist.k, s = (double)dist.s;
    int64_t mode = (int64_t)(dist.binomial ? (k + 1.0) * s / n : (k + 1.0) * (s + 1.0) / (n + 2.0));
    int64_t low = distribution_low(dist), high = distribution_high(dist);
    return mode < low ? low : mode > high ? high : mode;
}
