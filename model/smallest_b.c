/* smallest_b.c - the smallest number of buckets that reaches a target. Why bisection is right: docs/models.md 8.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "divisors.h"
#include "shape.h"

uint64_t rcm_next_b(uint64_t n, uint64_t low, uint64_t align, const struct rcm_factors *divisors_of)
{
    align = align ? align : 1;
    low = low ? low : 1;
    if (n < 1 || n > RCM_N_MAX || low > n || align > n)
        return 0;
    if (divisors_of) {
        struct divisor_search search = {.low = low, .high = n, .align = align};
        divisor_search(divisors_of, &search);
        return search.least;
    }
    uint64_t multiple = shape_ceil_divide(low, align);
    return multiple <= n / align ? multiple * align : 0;
}

uint64_t rcm_previous_b(uint64_t n, uint64_t high, uint64_t align, const struct rcm_factors *divisors_of)
{
    align = align ? align : 1;
    high = high < n ? high : n;
    if (n < 1 || n > RCM_N_MAX || align > high)
        return 0;
    if (divisors_of) {
        struct divisor_search search = {.low = 1, .high = high, .align = align};
        divisor_search(divisors_of, &search);
        return search.greatest;
    }
    return high / align * align;
}

bool rcm_reaches(struct rcm_topk p, struct rcm_target target)
{
    struct rcm_buckets buckets = rcm_buckets_of(p);
    if (buckets.classes == 0 || !(target.loss >= 0.0 && target.loss < 1.0))
        return false;
    if (p.k_b >= p.k || p.k_b >= buckets.of[0].size)
        return true;
    return target.loss > 0.0 && rcm_buckets_loss(&buckets, p.k, p.k_b) <= target.loss * (1.0 + RCM_TARGET_SLACK);
}

static bool reaches_with(struct rcm_topk p, uint64_t b, struct rcm_target target)
{
    p.b = b;
    return rcm_reaches(p, target);
}

uint64_t rcm_smallest_b(struct rcm_topk p, struct rcm_target target)
{
    struct rcm_range range = rcm_deployable_b(p);
    if (range.low == 0)
        return 0;
    /* Invariant: low - 1 does not reach the target, high does. The closed form gives a high that is close. */
    uint64_t low = range.low, high = rcm_rule_b(rcm_rule(0), p, target.loss);
    if (high == 0 || !reaches_with(p, high, target)) {
        high = range.high;
        if (!reaches_with(p, high, target))
            return 0;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (reaches_with(p, middle, target))
            high = middle;
        else
            low = middle + 1;
    }
    struct rcm_factors factors;
    if (target.divisors)
        factors = rcm_factorise(p.n);
    uint64_t b = rcm_next_b(p.n, high, target.align, target.divisors ? &factors : NULL);
    return b <= range.high ? b : 0;
}
