/* budget.c - the most recall for an objective of at most a budget, and the frontier:
 * docs/models.md 13.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <base/array.h>
#include <base/statistics.h>
#include <model/shape/divisors.h>

#include "contenders.h"
#include "search.h"

/* Recall grows with b, so the largest b within the budget has the most recall. Among those that
 * lose as little, it takes the one with the least objective. */
static struct rcm_point within_at_k_b(const struct rcm_selection *s, uint64_t k_b, double budget,
                                      const struct rcm_factors *divisors_of)
{
    struct search f = search_begin(s, k_b, divisors_of);
    f.p.b = f.high ? search_last_within(&f, budget) : 0;
    if (f.p.b == 0)
        return (struct rcm_point){.objective = INFINITY};
    const struct rcm_point largest = {f.p, search_bucketed(s, f.p)};
    struct rcm_selection equal = *s;
    equal.confidence = 0.0;
    equal.target.loss = rcm_loss_exact(f.p);
    const struct rcm_point least = rcm_select_k_b(&equal, k_b);
    return least.objective <= largest.objective && rcm_loss_exact(least.p) <= equal.target.loss
               ? least
               : largest;
}

static struct rcm_point best_within(const struct rcm_selection *s, double budget,
                                    struct rcm_point *each)
{
    struct rcm_point best = {.objective = INFINITY};
    struct rcm_factors factors;
    const struct rcm_factors *divisors_of = factors_if(search_divides(s), s->p.n, &factors);
    double least = INFINITY;
    for (uint64_t k_b = 1; k_b <= select_k_b_max(s); k_b++) {
        const struct rcm_point point = within_at_k_b(s, k_b, budget, divisors_of);
        const double loss = point.objective < INFINITY ? rcm_loss_exact(point.p) : INFINITY;
        if (each)
            each[k_b - 1] = point;
        if (loss < least || (loss == least && point.objective < best.objective)) {
            least = loss;
            best = point;
        }
        if (each && s->tick && s->tick(s->tick_context, k_b, select_k_b_max(s))) {
            for (uint64_t rest = k_b; rest < select_k_b_max(s); rest++)
                each[rest] = (struct rcm_point){.objective = INFINITY};
            break;
        }
    }
    return best;
}

struct rcm_choice rcm_best_recall(const struct rcm_selection *s, double budget,
                                  struct rcm_point *each)
{
    const double left = contenders_budget(s, budget) - rcm_with_launch(s, 0.0);
    const struct rcm_point best = best_within(s, left, each);
    if (best.objective < INFINITY || !(s->rope.theta > 0.0))
        return contenders_within(s, best, budget);
    struct rcm_selection without = *s;
    without.rope.theta = 0.0;
    const struct rcm_point other = best_within(&without, left, each);
    return contenders_within(other.objective < INFINITY ? &without : s, other, budget);
}

/* ---- the frontier */

/* The objectives of all k_b, in steps of 5 % of b. Returns how many there are. The caller frees
 * *values. */
static size_t objectives_of_grid(const struct rcm_selection *s, double **values)
{
    size_t length = 0, capacity = 0;
    struct rcm_factors factors;
    const struct rcm_factors *divisors_of = factors_if(search_divides(s), s->p.n, &factors);
    *values = NULL;
    for (uint64_t k_b = 1; k_b <= select_k_b_max(s); k_b++) {
        const struct search f = search_begin(s, k_b, divisors_of);
        struct rcm_topk p = f.p;
        for (p.b = search_next(&f, 0); p.b != 0; p.b = search_next(&f, p.b + 1 + p.b / 20)) {
            double *larger = array_try_grow(*values, length, &capacity, sizeof **values);
            if (!larger)
                return 0;
            *values = larger;
            const double value = search_bucketed(s, p);
            if (isfinite(value))
                (*values)[length++] = value;
            if (rcm_loss_exact(p) < 1e-6)
                break;
        }
    }
    sort_doubles(*values, length);
    return length;
}

static size_t frontier_of(const struct rcm_selection *s, struct rcm_point *points, size_t most)
{
    double *values;
    size_t count = 0;
    const size_t length = objectives_of_grid(s, &values), tries = length < most ? length : most;
    double least = INFINITY;
    for (size_t i = 0; i < tries; i++) {
        const double budget = values[tries > 1 ? i * (length - 1) / (tries - 1) : 0];
        const struct rcm_point point = best_within(s, budget, NULL);
        const double loss = point.objective < INFINITY ? rcm_loss_exact(point.p) : INFINITY;
        if (!(loss < least))
            continue;
        points[count++] = point;
        least = loss;
        if (loss <= 1e-6)
            break;
    }
    free(values);
    return count;
}

size_t rcm_frontier(const struct rcm_selection *s, struct rcm_point *points, size_t most)
{
    const size_t count = frontier_of(s, points, most);
    struct rcm_selection without = *s;
    without.rope.theta = 0.0;
    return count > 0 || !(s->rope.theta > 0.0) ? count : frontier_of(&without, points, most);
}
