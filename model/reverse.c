/* reverse.c - the questions asked in reverse: the largest k or n, the fewest kept per bucket:
 * docs/models.md 13.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "confidence.h"
#include "shape.h"

/* The largest value of *field, of p, from low to high that reaches the target, if all up to some
 * value do; low - 1 if none does. */
static uint64_t largest_reaching(const struct rcm_topk *p, uint64_t *field, uint64_t low,
                                 uint64_t high, struct rcm_target target)
{
    low--;
    while (low < high) {
        *field = low + (high - low + 1) / 2;
        if (rcm_reaches(*p, target))
            low = *field;
        else
            high = *field - 1;
    }
    return low;
}

uint64_t rcm_largest_k(struct rcm_topk p, struct rcm_target target)
{
    p.k = 1;
    if (rcm_check(p) != RCM_OK)
        return 0;
    return largest_reaching(&p, &p.k, 1,
                            shape_valid(p) < rcm_candidates(p) ? shape_valid(p) : rcm_candidates(p),
                            target);
}

uint64_t rcm_largest_n(struct rcm_topk p, struct rcm_target target)
{
    const uint64_t least = p.k > p.b ? p.k : p.b;
    p.valid = 0;
    p.n = least;
    if (rcm_check(p) != RCM_OK)
        return 0;
    const uint64_t largest = largest_reaching(&p, &p.n, least, RCM_N_MAX, target);
    return largest < least ? 0 : largest;
}

/* Does it hold with this k_b? */
typedef enum verdict judge(const struct rcm_selection *s, struct rcm_topk p);

static enum verdict seems(const struct rcm_selection *s, struct rcm_topk p)
{
    return confidence_seems(s, p) ? REACHES : MISSES;
}

/* The smallest k_b in [low, high] for which it holds, if it holds from some k_b on, and at high; 0:
 * a verdict is unknown. */
static uint64_t first_k_b(const struct rcm_selection *s, struct rcm_topk p, judge *judge,
                          uint64_t low, uint64_t high)
{
    while (low < high) {
        p.k_b = low + (high - low) / 2;
        const enum verdict verdict = judge(s, p);
        if (verdict == UNKNOWN)
            return 0;
        if (verdict == REACHES)
            high = p.k_b;
        else
            low = p.k_b + 1;
    }
    return low;
}

/* At the largest k_b nothing is lost, and no law is asked for. */
static enum verdict verdict_at(const struct rcm_selection *s, struct rcm_topk p, uint64_t k_b,
                               uint64_t largest)
{
    p.k_b = k_b;
    return k_b == largest ? REACHES : confidence_verdict(s, p);
}

/* With a confidence: outwards from where the normal law points in steps that double, then by
 * bisection. Far from there, laws may be too wide to compute. */
static uint64_t first_k_b_in_a_row(const struct rcm_selection *s, struct rcm_topk p, uint64_t low,
                                   uint64_t high)
{
    const uint64_t largest = high, guess = first_k_b(s, p, seems, low, high);
    enum verdict verdict = verdict_at(s, p, guess, largest);
    const bool enough = verdict == REACHES;
    for (uint64_t step = 1; verdict != UNKNOWN; step *= 2) {
        const uint64_t k_b = enough ? (guess - low > step ? guess - step : low)
                                    : (high - guess > step ? guess + step : high);
        verdict = verdict_at(s, p, k_b, largest);
        if (enough && (verdict == MISSES || k_b == low)) {
            low = verdict == REACHES ? low : k_b + 1;
            high = verdict == REACHES ? low : guess;
            break;
        }
        if (!enough && verdict == REACHES) {
            low = guess + 1;
            high = k_b;
            break;
        }
    }
    return verdict == UNKNOWN ? 0 : first_k_b(s, p, confidence_verdict, low, high);
}

uint64_t rcm_fewest_k_b(const struct rcm_selection *s)
{
    struct rcm_topk p = s->p;
    p.k_b = 1;
    if (rcm_check(p) != RCM_OK ||
        !(s->confidence > 0.0 || (s->target.loss >= 0.0 && s->target.loss < 1.0)))
        return 0;
    const uint64_t longest = rcm_buckets_of(p).of[0].size;
    const uint64_t low = shape_ceil_divide(p.k, p.b),
                   high = p.k < longest ? p.k : longest; /* at high nothing is lost */
    return s->confidence > 0.0 ? first_k_b_in_a_row(s, p, low, high)
                               : first_k_b(s, p, seems, low, high);
}
