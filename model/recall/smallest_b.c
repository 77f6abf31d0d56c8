/* smallest_b.c - the smallest number of buckets that reaches a target. Why bisection is right:
 * docs/models.md 8.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/recallmodel/lost_mass.h>
#include <model/recallmodel/recall.h>
#include <model/shape/divisors.h>
#include <model/shape/shape.h>

/* The loss of elements, or of their mass; 0 only where no bucket can overflow. NAN outside the
 * domain. */
static double loss_of(struct rcm_topk p, struct rcm_target target)
{
    struct rcm_topk longest = p; /* whose buckets are the largest */
    if (p.lengths && rcm_check(p) == RCM_OK && !shape_of_length(p, p.lengths->count - 1, &longest))
        return 0.0;
    const struct rcm_buckets buckets = rcm_buckets_of(longest);
    if (buckets.classes == 0)
        return NAN;
    if (p.k_b >= p.k || p.k_b >= buckets.of[0].size)
        return 0.0;
    const double loss = target.weights ? rcm_lost_mass(p, target.weights)
                        : p.lengths    ? rcm_loss_exact(p)
                                       : rcm_buckets_loss(&buckets, p.k, p.k_b);
    return loss < 0x1p-1074 ? 0x1p-1074 : loss;
}

bool rcm_reaches(struct rcm_topk p, struct rcm_target target)
{
    return target.loss >= 0.0 && target.loss < 1.0 &&
           loss_of(p, target) <= target.loss * (1.0 + RCM_TARGET_SLACK);
}

static double loss_with(struct rcm_topk p, uint64_t b, struct rcm_target target)
{
    p.b = b;
    return loss_of(p, target);
}

uint64_t rcm_smallest_b(struct rcm_topk p, struct rcm_target target)
{
    struct rcm_range range = rcm_deployable_b(p);
    if (range.low == 0 || !(target.loss >= 0.0 && target.loss < 1.0))
        return 0;
    /* Invariant: low does not reach the target, high does. The closed form gives a high end that
     * is close (of the mass, no larger share is lost than of the elements). */
    const double enough = target.loss * (1.0 + RCM_TARGET_SLACK);
    uint64_t low = range.low, high = rcm_rule_b(rcm_rule(0), p, target.loss);
    double loss_low = loss_with(p, low, target),
           loss_high = high ? loss_with(p, high, target) : INFINITY;
    if (loss_low <= enough) {
        high = low;
    } else if (!(loss_high <= enough)) {
        high = range.high;
        loss_high = loss_with(p, high, target);
        if (!(loss_high <= enough))
            return 0;
    }
    /* log loss is nearly linear in log b, so a straight line between the ends comes close. By
     * turns it is aimed a little too high and a little too low, so that both ends close in. Every
     * third step halves the range, so that at worst it takes three times as many steps as
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
        const double loss = loss_with(p, middle, target);
        if (loss <= enough) {
            high = middle;
            loss_high = loss;
        } else {
            low = middle;
            loss_low = loss;
        }
    }
    struct rcm_factors factors;
    const struct rcm_factors *divisors_of = factors_if(target.divisors, p.n, &factors);
    const uint64_t b = rcm_next_b(p.n, high, target.align, divisors_of);
    return b <= range.high ? b : 0;
}
