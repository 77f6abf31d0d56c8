/* law_range.c - moments and range of a law: see law.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "law.h"

#include <model/shape/classes.h>

#include "law_evaluations.h"

struct law law_of_class(const struct rcm_buckets *buckets, unsigned c, uint64_t k)
{
    return (struct law){(int64_t)classes_elements(buckets), (int64_t)k,
                        (int64_t)buckets->of[c].size, false};
}

struct law law_of_draws(uint64_t draws, double probability)
{
    /* the multiple of 1/all below it, and the number of positions of which that is this share */
    const double all = (double)RCM_N_MAX, s = floor(fmin(fmax(probability, 0.0), 1.0) * all);
    return (struct law){.n = (int64_t)(s > 0.0 ? fmin(nearbyint(s / probability), all) : all),
                        .k = (int64_t)draws,
                        .s = (int64_t)s,
                        .binomial = true};
}

double law_mean(struct law law)
{
    return (double)law.k * (double)law.s / (double)law.n;
}

double law_variance(struct law law)
{
    double n = (double)law.n;
    double binomial = law_mean(law) * ((double)(law.n - law.s) / n);
    if (law.binomial)
        return binomial;
    return law.n == 1 ? 0.0 : binomial * ((double)(law.n - law.k) / (n - 1.0));
}

int128 law_scaled_offset(struct law law, int64_t x)
{
    return (int128)x * law.n - (int128)law.k * law.s;
}

double law_offset(struct law law, int64_t x)
{
    return (double)law_scaled_offset(law, x) / (double)law.n;
}

int64_t law_low(struct law law)
{
    if (law.binomial)
        return law.s == law.n ? law.k : 0;
    int64_t least = law.k + law.s - law.n;
    return least > 0 ? least : 0;
}

int64_t law_high(struct law law)
{
    if (law.binomial)
        return law.s == 0 ? 0 : law.k;
    return law.k < law.s ? law.k : law.s;
}

int64_t law_mode(struct law law)
{
    double n = (double)law.n, k = (double)law.k, s = (double)law.s;
    int64_t mode = (int64_t)(law.binomial ? (k + 1.0) * s / n : (k + 1.0) * (s + 1.0) / (n + 2.0));
    int64_t low = law_low(law), high = law_high(law);
    return mode < low ? low : mode > high ? high : mode;
}
