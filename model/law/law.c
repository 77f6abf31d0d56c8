/* law.c - see law.h: moments, range, and which evaluation a tail gets.
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

static bool is_wide(struct law law)
{
    return law_variance(law) >= LAW_STIRLING_MIN_SD * LAW_STIRLING_MIN_SD;
}

double law_probability(struct law law, int64_t x)
{
    if (x < law_low(law) || x > law_high(law))
        return 0.0;
    if (law_low(law) == law_high(law))
        return 1.0;
    return is_wide(law) ? law_probability_by_stirling(law, x) : law_probability_by_ratios(law, x);
}

struct tail law_upper(struct law law, int64_t c)
{
    if (c >= law_high(law))
        return (struct tail){0.0, 0.0, 0.0};
    if (law_low(law) == law_high(law)) /* X is certain, and c + 1, for c >= mean - 1 */
        return (struct tail){1.0, 1.0, 1.0};
    return is_wide(law) ? law_upper_by_stirling(law, c) : law_upper_by_ratios(law, c);
}

/* The law of k - X: how many fall outside the bucket. */
static struct law mirror_of(struct law law)
{
    law.s = law.n - law.s;
    return law;
}

struct tail law_far_tail(struct law law, int64_t c, bool *below)
{
    *below = law_scaled_offset(law, c) < 0;
    if (!*below)
        return law_upper(law, c);
    if (c <= law_low(law))
        return (struct tail){0.0, 0.0, 0.0};
    return law_upper(mirror_of(law), law.k - c);
}

double law_excess(struct law law, int64_t c)
{
    bool below;
    struct tail tail = law_far_tail(law, c, &below);
    return below ? tail.excess - law_offset(law, c) : tail.excess;
}

double law_above(struct law law, int64_t c)
{
    if (c < law_low(law))
        return 1.0;
    if (law_scaled_offset(law, c + 1) > 0)
        return law_upper(law, c).probability;
    return 1.0 - law_upper(mirror_of(law), law.k - c - 1).probability;
}

double law_not_above(struct law law, int64_t c)
{
    return law_above(mirror_of(law), law.k - c - 1);
}
