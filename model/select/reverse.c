/* reverse.c - the question in reverse: the largest k or n, the fewest kept per bucket:
 * docs/models.md 13.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <model/recallmodel/select.h>
#include <model/shape/shape.h>

#include "confidence.h"

/* A search for k or n: the field of p that is searched, and the target. */
struct field_search {
    struct rcm_topk p;
    uint64_t *field;
    struct rcm_target target;
};

static enum answer misses_at(void *context, uint64_t value)
{
    struct field_search *search = context;
    *search->field = value;
    return rcm_reaches(search->p, search->target) ? NO : YES;
}

/* The largest value of the field from low to high that reaches the target, if all up to some value
 * do; low - 1 if none does. */
static uint64_t largest_reaching(struct field_search *search, uint64_t low, uint64_t high)
{
    return bisect(low, high + 1, misses_at, search) - 1;
}

uint64_t rcm_largest_k(struct rcm_topk p, struct rcm_target target)
{
    p.k = 1;
    if (rcm_check(p) != RCM_OK || p.lengths)
        return 0;
    struct field_search search = {.p = p, .field = &search.p.k, .target = target};
    const uint64_t candidates = rcm_candidates(p), valid = shape_valid(p);
    return largest_reaching(&search, 1, valid < candidates ? valid : candidates);
}

uint64_t rcm_largest_n(struct rcm_topk p, struct rcm_target target)
{
    const uint64_t least = p.k > p.b ? p.k : p.b;
    p.valid = 0;
    p.n = least;
    if (rcm_check(p) != RCM_OK || p.lengths)
        return 0;
    struct field_search search = {.p = p, .field = &search.p.n, .target = target};
    const uint64_t largest = largest_reaching(&search, least, RCM_N_MAX);
    return largest < least ? 0 : largest;
}

/* At the largest k_b it asks for no distribution. */
static enum answer reaches_with_k_b(void *context, uint64_t k_b)
{
    struct confidence_search *search = context;
    search->p.k_b = k_b;
    return k_b == search->special ? YES : confidence_reaches(search->selection, search->p);
}

uint64_t rcm_fewest_k_b(const struct rcm_selection *s)
{
    struct rcm_topk p = s->p;
    p.k_b = 1;
    if (rcm_check(p) != RCM_OK || p.lengths ||
        !(s->confidence > 0.0 || (s->target.loss >= 0.0 && s->target.loss < 1.0)))
        return 0;
    const uint64_t longest = rcm_buckets_of(p).of[0].size;
    const uint64_t largest = p.k < longest ? p.k : longest;
    struct confidence_search search = {
        .selection = s, .p = p, .field = &search.p.k_b, .special = largest};
    const uint64_t guess = bisect(1, largest, confidence_seems_to_reach_at, &search);
    if (!(s->confidence > 0.0))
        return guess; /* which is exact for the mean */
    /* Far from the guess, distributions may be too wide to compute. */
    return bisect_from(1, largest, guess, 1, reaches_with_k_b, &search);
}
