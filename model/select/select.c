/* select.c - which b and k_b to deploy, and whether to approximate at all: docs/models.md 13.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "answer.h"
#include "contenders.h"
#include "measured.h"
#include "reason.h"
#include "search.h"

/* See `beyond` in struct rcm_choice. */
static struct rcm_point best_beyond(const struct rcm_selection *selection, double least)
{
    const struct rcm_point none = {.objective = INFINITY};
    struct rcm_selection s = *selection;
    if (!search_within_runs(&s))
        return none;
    s.machine.beyond_runs = true;
    const struct rcm_point best = best_of_all(&s, NULL);
    return best.objective < least && !rcm_predict(s.machine.profile, best.p).within_runs ? best
                                                                                         : none;
}

/* Where buckets that reach the target were timed for these very rows, they alone take part. */
static struct rcm_point prefer_measured(const struct rcm_selection *s, struct rcm_point predicted,
                                        struct rcm_point *each)
{
    struct rcm_point best = {.objective = INFINITY};
    for (uint64_t k_b = 1; k_b <= select_k_b_max(s) && s->measured_count > 0; k_b++) {
        const struct rcm_point point = measured_buckets(s, k_b);
        if (each && point.objective < INFINITY)
            each[k_b - 1] = point;
        best = point.objective < best.objective ? point : best;
    }
    return best.objective < INFINITY ? best : predicted;
}

/* The caller's tick; once it has said stop, it is not asked again. */
struct watched {
    const struct rcm_selection *selection;
    bool stopped;
};

static bool watch(void *context, uint64_t done, uint64_t total)
{
    struct watched *w = context;
    w->stopped = w->stopped || w->selection->tick(w->selection->tick_context, done, total);
    return w->stopped;
}

struct rcm_choice rcm_select_each(const struct rcm_selection *selection, struct rcm_point *each)
{
    struct rcm_selection s = *selection;
    struct watched watched = {.selection = selection};
    if (s.tick) {
        s.tick = watch;
        s.tick_context = &watched;
    }
    struct rcm_point best = best_of_all(&s, each);
    if (answer_is_timed(&s))
        best = prefer_measured(&s, best, each);
    struct rcm_choice choice = contenders_choice(&s, best);
    choice.beyond = best_beyond(&s, best.objective);
    choice.reason = reason_of(&s, &choice, watched.stopped);
    return choice;
}

struct rcm_choice rcm_select(const struct rcm_selection *selection)
{
    return rcm_select_each(selection, NULL);
}
