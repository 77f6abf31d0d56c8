/* law.c - see law.h: which evaluation a probability or a tail gets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "law.h"

#include "law_evaluations.h"

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

double law_sf(struct law law, int64_t c)
{
    if (c < law_low(law))
        return 1.0;
    if (law_scaled_offset(law, c + 1) > 0)
        return law_upper(law, c).probability;
    return 1.0 - law_upper(mirror_of(law), law.k - c - 1).probability;
}

double law_cdf(struct law law, int64_t c)
{
    return law_sf(mirror_of(law), law.k - c - 1);
}
