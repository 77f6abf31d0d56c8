/* exhaustive.h - the choice of b and k_b by trying every one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef EXHAUSTIVE_H
#define EXHAUSTIVE_H

#include <tests/test.h>

/* The objective of a bucketed shape. */
static inline double objective_of(const struct rcm_selection *s, struct rcm_topk p)
{
    const struct rcm_objective *objective = s->objective ? s->objective : rcm_objective(0);
    return objective->bucketed(objective, &s->machine, p);
}

/* Whether some bucket has more than k_b elements. */
static inline bool drops_elements(struct rcm_topk p)
{
    return rcm_buckets_of(p).of[0].size > p.k_b;
}

static inline bool has_confidence(const struct rcm_selection *s, struct rcm_topk p)
{
    struct rcm_lost dist;
    ck_assert_int_eq(rcm_lost(p, &dist), 0);
    bool enough =
        rcm_lost_at_most(&dist, (double)s->most_lost) >= s->confidence - RCM_LOST_MAX_ERROR;
    rcm_lost_free(&dist);
    return enough;
}

/* Every b, every k_b. */
static inline struct rcm_point exhaustive(const struct rcm_selection *s)
{
    struct rcm_point best = {.objective = INFINITY};
    const struct rcm_kernel *kernel = s->kernel ? s->kernel : rcm_kernel(0);
    struct rcm_factors factors = rcm_factorise(s->p.n);
    struct rcm_restriction r = {s->target.align, s->target.divisors ? &factors : NULL};
    struct rcm_topk p = s->p;
    for (p.k_b = 1; p.k_b <= s->k_b_max && p.k_b <= kernel->k_b_max; p.k_b++)
        for (uint64_t b = 2; b <= p.n; b++) {
            p.b = b;
            if (rcm_check_deployable(p) != RCM_OK || !drops_elements(p) ||
                kernel->next_b(p, b, &r) != b ||
                (s->rope.theta > 0.0 && rcm_rope_resonates(p.n, b, s->rope)) ||
                !(s->confidence > 0.0 ? has_confidence(s, p) : rcm_reaches(p, s->target)))
                continue;
            double objective = objective_of(s, p);
            if (objective < best.objective)
                best = (struct rcm_point){p, objective};
        }
    return best;
}

#endif
