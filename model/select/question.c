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

enum rcm_selection_status rcm_selection_check(const struct rcm_selection *s)
{
    const struct rcm_objective *objective = search_objective(s);
    const struct rcm_device *device = s->machine.device;
    const bool timed = objective->measure & RCM_IN_US;
    if (s->kernel && s->kernel->exact_only)
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
    if (s->rope.theta > 0.0 && s->p.assignment != RCM_INTERLEAVED)
        return RCM_SELECTION_ROPE;
    return RCM_SELECTION_OK;
}

struct rcm_profile rcm_compare_exact(struct rcm_selection *s, const struct rcm_profile *kernel)
{
    const struct rcm_device *device = s->machine.device, *from = rcm_device_by_name(kernel->card);
    const bool elsewhere = from && device && strcmp(from->name, device->name) != 0;
    const struct rcm_profile used = elsewhere ? rcm_carry_exact(kernel, from, device) : *kernel;
    const struct rcm_prediction r = rcm_predict_exact_band(&used, s->p);
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

/* The least time of buckets by a profile: within its runs where some are, and beyond them where the
 * other profile has none either. */
static double least_of(struct rcm_selection s, const struct rcm_profile *q, bool beyond_runs)
{
    s.tick = NULL;
    s.machine.profile = q;
    s.machine.beyond_runs |= beyond_runs;
    s.kernel = q->kernel;
    return rcm_best_buckets(&s).objective;
}

struct rcm_profile rcm_faster_profile(const struct rcm_selection *s)
{
    const struct rcm_profile *q = s->machine.profile;
    struct rcm_profile other;
    if (!answer_is_timed(s) || !s->machine.device || (s->kernel && s->kernel != rcm_kernel(0)))
        return *q;
    if (q->stands_in_for && !(q->own_band && is_beyond(q, s->p)))
        return *q;
    const struct rcm_kernel *kernel = rcm_kernel_by_name(q->own_band ? "graphcore" : "ours");
    if (q->kernel->cpu || q->kernel == kernel ||
        !rcm_stand_in_for(s->machine.device, NULL, kernel, &s->machine.dtype, &other))
        return *q;
    for (int beyond = 0; beyond < 2; beyond++) {
        const double of_q = least_of(*s, q, beyond);
        const double of_other = least_of(*s, &other, beyond);
        if (fmin(of_q, of_other) < INFINITY)
            return of_other < of_q ? other : *q;
    }
    return *q;
}
