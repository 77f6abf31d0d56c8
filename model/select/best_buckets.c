/* best_buckets.c - the buckets that are best by the objective, of each k_b and of all.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <model/shape/shape.h>

#include "confidence.h"
#include "contenders.h"
#include "search.h"
#include "tie.h"

/* ---- divisors of n, where b must be one */

/* The divisors of n that b may be, listed where they are few. Then the search is among them. */
#define DIVISORS_LISTED 128
struct divisor_list {
    bool wanted;
    struct rcm_factors factors;
    size_t count; /* 0: not listed */
    uint64_t b[DIVISORS_LISTED];
};

static void list_divisors(const struct rcm_selection *s, struct divisor_list *list)
{
    list->wanted = search_divides(s);
    list->count = 0;
    if (!list->wanted)
        return;
    list->factors = rcm_factorise(s->p.n);
    const bool avoids = s->rope.theta > 0.0 && s->p.assignment == RCM_INTERLEAVED;
    for (uint64_t b = 2; (b = rcm_next_b(s->p.n, b, s->target.align, &list->factors)) != 0; b++) {
        if (avoids && rcm_rope_resonates(shape_valid(s->p), b, s->rope))
            continue;
        if (list->count == DIVISORS_LISTED) {
            list->count = 0;
            return;
        }
        list->b[list->count++] = b;
    }
}

/* A search among the listed divisors. */
struct listed_search {
    const struct divisor_list *list;
    struct rcm_topk p;
    struct rcm_target target;
};

/* Places are counted from 1. */
static enum answer listed_reaches(void *context, uint64_t place)
{
    struct listed_search *search = context;
    search->p.b = search->list->b[place - 1];
    return rcm_reaches(search->p, search->target) ? YES : NO;
}

/* Recall grows with b, so the first listed divisor that reaches the target has the least
 * objective if that grows; 0: none. */
static uint64_t first_listed(const struct search *f, const struct divisor_list *list)
{
    size_t begin = 0, end = list->count;
    while (begin < end && list->b[begin] < f->low)
        begin++;
    while (end > begin && list->b[end - 1] > f->high)
        end--;
    struct listed_search search = {list, f->p, f->selection->target};
    const uint64_t place = bisect(begin + 1, end + 1, listed_reaches, &search);
    return place <= end ? list->b[place - 1] : 0;
}

/* ---- one k_b */

static struct rcm_point best_of_k_b(const struct rcm_selection *s, uint64_t k_b,
                                    const struct divisor_list *divisors)
{
    struct search f = search_begin(s, k_b, divisors->wanted ? &divisors->factors : NULL);
    if (f.high == 0)
        return f.best;
    if (divisors->count && f.motion == RCM_GROWS_WITH_B && !(s->confidence > 0.0) &&
        f.kernel->any_b) {
        const uint64_t b = first_listed(&f, divisors);
        if (b)
            search_look_at(&f, b);
        return f.best;
    }
    const uint64_t low = confidence_smallest_b(s, f.p);
    if (low != 0)
        search_least(&f, low);
    return f.best;
}

struct rcm_point rcm_select_k_b(const struct rcm_selection *s, uint64_t k_b)
{
    struct divisor_list divisors;
    list_divisors(s, &divisors);
    return best_of_k_b(s, k_b, &divisors);
}

/* ---- all k_b */

/* Can no b of this k_b reach the target with an objective of at most `least`? The answer takes
 * one distribution in place of ten. It is certain, because the objective grows with b, and if a b
 * misses the target so do all smaller ones. */
static bool cannot_beat(const struct rcm_selection *s, uint64_t k_b, double least,
                        const struct divisor_list *divisors)
{
    if (!(s->confidence > 0.0) || !(least < INFINITY) ||
        search_objective(s)->motion != RCM_GROWS_WITH_B)
        return false;
    struct search f = search_begin(s, k_b, divisors->wanted ? &divisors->factors : NULL);
    const uint64_t b = search_last_within(&f, least);
    if (b == 0)
        return true;
    f.p.b = b;
    return confidence_reaches(s, f.p) == NO;
}

/* Of two shapes with the same objective, the one with the smaller k_b first: do its candidates not
 * outnumber the other's? */
static bool fewer_candidates(struct rcm_topk p, struct rcm_topk other)
{
    return rcm_candidates(p) <= rcm_candidates(other);
}

/* Where bounds decide: the best of each k_b, and of all, with ties broken by the stand-in. The
 * bounds are found twice, which takes microseconds, because the least of all says which of them are
 * ties. */
static struct rcm_point best_by_bound(const struct rcm_selection *s, struct rcm_point *each,
                                      const struct rcm_profile *stand_in,
                                      const struct divisor_list *divisors)
{
    const uint64_t most = select_k_b_max(s);
    struct rcm_point best = {.objective = INFINITY};
    double least = INFINITY, fastest = INFINITY;
    for (uint64_t k_b = 1; k_b <= most; k_b++)
        least = fmin(least, best_of_k_b(s, k_b, divisors).objective);
    for (uint64_t k_b = 1; k_b <= most; k_b++) {
        struct tie tie = {best_of_k_b(s, k_b, divisors), INFINITY};
        const bool near = tie.point.objective <= RCM_BOUND_TIE * least;
        if (tie.point.objective < INFINITY)
            tie = tie_break(s, stand_in, tie.point, least,
                            divisors->wanted ? &divisors->factors : NULL);
        if (each)
            each[k_b - 1] = tie.point;
        if (near && (!(best.objective < INFINITY) || tie.us < fastest)) {
            fastest = tie.us;
            best = tie.point;
        }
    }
    return best;
}

/* From large k_b down: they have few candidates, so that the others soon cannot beat them. */
static struct rcm_point best_of_each(const struct rcm_selection *s, struct rcm_point *each)
{
    struct rcm_point best = {.objective = INFINITY};
    struct divisor_list divisors; /* listed once, because that takes longer than all the rest */
    list_divisors(s, &divisors);
    struct rcm_profile stand_in;
    if (tie_can_break(s, &stand_in))
        return best_by_bound(s, each, &stand_in, &divisors);
    const uint64_t most = select_k_b_max(s);
    for (uint64_t k_b = most; k_b >= 1; k_b--) {
        if (!each && cannot_beat(s, k_b, best.objective, &divisors))
            continue;
        const struct rcm_point point = best_of_k_b(s, k_b, &divisors);
        if (each)
            each[k_b - 1] = point;
        if (point.objective < INFINITY &&
            (point.objective < best.objective ||
             (point.objective == best.objective && fewer_candidates(point.p, best.p))))
            best = point;
        if (s->tick && s->tick(s->tick_context, most - k_b + 1, most)) {
            for (uint64_t rest = 1; each && rest < k_b; rest++)
                each[rest - 1] = (struct rcm_point){.objective = INFINITY};
            break;
        }
    }
    return best;
}

struct rcm_point best_of_all(struct rcm_selection *s, struct rcm_point *each)
{
    const struct rcm_point best = best_of_each(s, each);
    if (best.objective < INFINITY || !(s->rope.theta > 0.0))
        return best;
    struct rcm_selection without = *s;
    without.rope.theta = 0.0;
    const struct rcm_point other = best_of_each(&without, each);
    if (other.objective < INFINITY)
        *s = without;
    return other;
}

struct rcm_point rcm_best_buckets(const struct rcm_selection *selection)
{
    struct rcm_selection s = *selection;
    return best_of_all(&s, NULL);
}
