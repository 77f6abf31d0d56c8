/* question.c - what may be asked of rcm_select, and what it takes where something is left open.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <model/recallmodel/provider.h>

#include "answer.h"
#include "search.h"

const struct rcm_objective *rcm_usual_objective(const struct rcm_machine *machine)
{
    return rcm_objective_by_name(machine->profile  ? "time"
                                 : machine->device ? "roofline"
                                                   : "candidates");
}

/* Is a time below the floor, of which values of the type are read? */
static bool is_below(const struct rcm_selection *s, enum rcm_dtype dtype, double us)
{
    const struct rcm_device *device = s->machine.device;
    return device && us > 0.0 && us < rcm_least_us(device, dtype, s->p.n, s->p.m);
}

/* Exact top-k, or the fewest buckets, of the profile. */
static bool profile_is_below(const struct rcm_selection *s)
{
    const struct rcm_profile *q = s->machine.profile;
    struct rcm_topk p = s->p;
    p.b = p.k;
    p.k_b = 1;
    return q && (is_below(s, q->dtype, rcm_predict_exact(q, p)) ||
                 is_below(s, q->dtype, rcm_predict(q, p).time_us));
}

enum rcm_selection_status rcm_selection_check(const struct rcm_selection *s)
{
    const struct rcm_objective *objective = search_objective(s);
    const struct rcm_device *device = s->machine.device;
    const bool timed = objective->measure & RCM_IN_US;
    if (s->kernel && s->kernel->model == RCM_TIME_EXACT)
        return RCM_SELECTION_KERNEL;
    if (objective->need == RCM_NEEDS_PROFILE && !s->machine.profile)
        return RCM_SELECTION_NO_PROFILE;
    if (objective->need == RCM_NEEDS_DEVICE && !device)
        return RCM_SELECTION_NO_DEVICE;
    if (objective->need == RCM_NEEDS_DEVICE && !(device->bandwidth_bytes_per_s > 0.0))
        return RCM_SELECTION_NO_RATES;
    if (s->machine.d && !(device && timed))
        return RCM_SELECTION_D;
    if (s->exact_us > 0.0 && !timed)
        return RCM_SELECTION_EXACT_US;
    if (s->exact_profile && s->machine.profile &&
        (s->exact_profile->kernel->model == RCM_TIME_CPU) !=
            (s->machine.profile->kernel->model == RCM_TIME_CPU))
        return RCM_SELECTION_EXACT_CPU;
    if (s->have && s->machine.profile && s->machine.profile->kernel->model == RCM_TIME_CPU &&
        !(s->have & rcm_providers_named("recallmodel")))
        return RCM_SELECTION_HAVE_CPU;
    if (s->rope.theta > 0.0 && s->p.assignment != RCM_INTERLEAVED)
        return RCM_SELECTION_ROPE;
    /* with d values are computed, not read */
    if (!s->machine.d &&
        (is_below(s, s->exact_profile ? s->exact_profile->dtype : s->machine.dtype, s->exact_us) ||
         profile_is_below(s)))
        return RCM_SELECTION_FLOOR;
    return RCM_SELECTION_OK;
}

struct rcm_profile rcm_compare_exact(struct rcm_selection *s, const struct rcm_profile *kernel)
{
    const struct rcm_device *device = s->machine.device, *from = rcm_device_by_name(kernel->card);
    const bool elsewhere = from && device && strcmp(from->name, device->name) != 0;
    const struct rcm_profile used = elsewhere ? rcm_carry_exact(kernel, from, device) : *kernel;
    const struct rcm_prediction r = rcm_predict_exact_padded(&used, s->p, &s->exact_padded_n);
    s->exact_us = r.time_us;
    s->exact_low_us = isnan(r.low_us) ? 0.0 : r.low_us;
    s->exact_high_us = isnan(r.high_us) ? 0.0 : r.high_us;
    s->exact_profile = kernel;
    return used;
}

/* Does the question lie beyond the runs of the profile, whatever the buckets are? */
static bool is_beyond(const struct rcm_profile *q, struct rcm_topk p)
{
    p.b = p.k;
    p.k_b = 1;
    return rcm_predict(q, p).beyond & (RCM_BEYOND_N | RCM_BEYOND_K | RCM_BEYOND_M);
}

/* How good the buckets of a profile are: their time or, with a budget, what they lose. INFINITY:
 * there are none that can be called within its runs, or beyond them. */
static double value_of(struct rcm_selection s, const struct rcm_profile *q, double budget,
                       bool beyond_runs)
{
    s.tick = NULL;
    s.machine.profile = q;
    s.machine.beyond_runs |= beyond_runs;
    s.kernel = q->kernel;
    if (!answer_can_run(&s))
        return INFINITY;
    if (!(budget > 0.0))
        return rcm_best_buckets(&s).objective;
    const struct rcm_choice c = rcm_best_recall(&s, budget, NULL);
    return c.objective < INFINITY ? rcm_loss_exact(c.p) : INFINITY;
}

struct rcm_profile rcm_faster_profile(const struct rcm_selection *s, double budget)
{
    const struct rcm_profile *q = s->machine.profile;
    struct rcm_profile other;
    if (!answer_is_timed(s) || !s->machine.device || (s->kernel && s->kernel != rcm_kernel(0)))
        return *q;
    const bool fits =
        !is_beyond(q, s->p) && answer_can_run(s) && rcm_kernel_ties(q->kernel) >= s->ties;
    if (q->stands_in_for && (!q->own_band || fits))
        return *q;
    const struct rcm_kernel *kernel = rcm_kernel_by_name(q->own_band ? "graphcore" : "ours");
    if (q->kernel->model == RCM_TIME_CPU || q->kernel == kernel ||
        !rcm_stand_in_for(s->machine.device, NULL, kernel, &s->machine.dtype, &other))
        return *q;
    for (int beyond = 0; beyond < 2; beyond++) {
        const double of_q = value_of(*s, q, budget, beyond);
        const double of_other = value_of(*s, &other, budget, beyond);
        if (fmin(of_q, of_other) < INFINITY)
            return of_other < of_q ? other : *q;
    }
    return *q;
}
