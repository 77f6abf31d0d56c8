/* smallest_b.c - the smallest number of buckets that reaches a target. Why bisection is right:
 * docs/models.md 8.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

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

uint64_t rcm_previous_b(uint64_t n, uint64_t high, uint64_t align,
                        const struct rcm_factors *divisors_of)
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
    return target.loss > 0.0 &&
           rcm_buckets_loss(&buckets, p.k, p.k_b) <= target.loss * (1.0 + RCM_TARGET_SLACK);
}

/* The loss at b; 0 only where no bucket can overflow. */
static double loss_with(struct rcm_topk p, uint64_t b)
{
    p.b = b;
    struct rcm_buckets buckets = rcm_buckets_of(p);
    return p.k_b >= p.k || p.k_b >= buckets.of[0].size
               ? 0.0
               : fmax(rcm_buckets_loss(&buckets, p.k, p.k_b), 0x1p-1074);
}

uint64_t rcm_smallest_b(struct rcm_topk p, struct rcm_target target)
{
    struct rcm_range range = rcm_deployable_b(p);
    if (range.low == 0 || !(target.loss >= 0.0 && target.loss < 1.0))
        return 0;
    /* Invariant: low does not reach the target, high does. The closed form gives a high that is
     * close. */
    const double enough = target.loss * (1.0 + RCM_TARGET_SLACK);
    uint64_t low = range.low, high = rcm_rule_b(rcm_rule(0), p, target.loss);
    double loss_low = loss_with(p, low), loss_high = high ? loss_with(p, high) : INFINITY;
    if (loss_low <= enough) {
        high = low;
    } else if (!(loss_high <= enough)) {
        high = range.high;
        loss_high = loss_with(p, high);
        if (!(loss_high <= enough))
            return 0;
    }
    /* log loss is nearly linear in log b, so a straight line between the ends hits close; it is
     * aimed a little beyond on either side by turns, so that the answer is caught between two that
     * are close. Every third step halves, so that at worst it takes three times as many as
     * bisection. */
    for (unsigned step = 0; low < high && high - low > 1; step++) {
        uint64_t middle = low + (high - low) / 2;
        if (step % 3 < 2 && loss_high > 0.0 && enough > 0.0) {
            const double part = log(loss_low / enough) / log(loss_low / loss_high),
                         width = log1p((double)(high - low) / (double)low);
            const double aimed = (double)low * expm1(part * width) +
                                 (step % 3 == 0 ? 0.6 : -0.4) *
                                     (1.0 + 1e-3 * part * (1.0 - part) * (double)(high - low));
            const double most = (double)(high - low - 1);
            middle = low + (uint64_t)(aimed >= 1.0 ? (aimed <= most ? aimed : most) : 1.0);
        }
        const double loss = loss_with(p, middle);
        if (loss <= enough) {
            high = middle;
            loss_high = loss;
        } else {
            low = middle;
            loss_low = loss;
        }
    }
    struct rcm_factors factors;
    if (target.divisors)
        factors = rcm_factorise(p.n);
    uint64_t b = rcm_next_b(p.n, high, target.align, target.divisors ? &factors : NULL);
    return b <= range.high ? b : 0;
}
