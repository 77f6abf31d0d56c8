/* distribution.c - see distribution.h: which evaluation a probability or a tail gets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "distribution.h"

#include "distribution_evaluations.h"

static bool is_wide(struct distribution dist)
{
    return distribution_variance(dist) >=
           DISTRIBUTION_STIRLING_MIN_SD * DISTRIBUTION_STIRLING_MIN_SD;
}

double distribution_probability(struct distribution dist, int64_t x)
{
    if (x < distribution_low(dist) || x > distribution_high(dist))
        return 0.0;
    if (distribution_low(dist) == distribution_high(dist))
        return 1.0;
    return is_wide(dist) ? distribution_probability_by_stirling(dist, x)
                         : distribution_probability_by_ratios(dist, x);
}

struct tail distribution_upper(struct distribution dist, int64_t c)
{
    if (c >= distribution_high(dist))
        return (struct tail){0.0, 0.0, 0.0};
    if (distribution_low(dist) ==
        distribution_high(dist)) /* X is certain, and c + 1, for c >= mean - 1 */
        return (struct tail){1.0, 1.0, 1.0};
    return is_wide(dist) ? distribution_upper_by_stirling(dist, c)
                         : distribution_upper_by_ratios(dist, c);
}

/* The distribution of k - X: how many fall outside the bucket. */
static struct distribution mirror_of(struct distribution dist)
{
    dist.s = dist.n - dist.s;
    return dist;
}

struct tail distribution_far_tail(struct distribution dist, int64_t c, bool *below)
{
    *below = distribution_scaled_offset(dist, c) < 0;
    if (!*below)
        return distribution_upper(dist, c);
    if (c <= distribution_low(dist))
        return (struct tail){0.0, 0.0, 0.0};
    return distribution_upper(mirror_of(dist), dist.k - c);
}

double distribution_excess(struct distribution dist, int64_t c)
{
    bool below;
    struct tail tail = distribution_far_tail(dist, c, &below);
    return below ? tail.excess - distribution_offset(dist, c) : tail.excess;
}

double distribution_sf(struct distribution dist, int64_t c)
{
    if (c < distribution_low(dist))
        return 1.0;
    if (distribution_scaled_offset(dist, c + 1) > 0)
        return distribution_upper(dist, c).probability;
    return 1.0 - distribution_upper(mirror_of(dist), dist.k - c - 1).probability;
}

double distribution_cdf(struct distribution dist, int64_t c)
{
    return distribution_sf(mirror_of(dist), dist.k - c - 1);
}
