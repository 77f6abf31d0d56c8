/* question.c - what may be asked of rcm_select, and what it takes where something is left open.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

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
    const bool timed = strcmp(objective->unit, "us") == 0;
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

/* Does a profile of the card itself say how long an exact top-k takes that keeps ties so? */
static bool says_exact(const struct rcm_profile *q, struct rcm_topk p, enum rcm_keeps_ties ties)
{
    const bool is_of_the_card = !q->stands_in_for || strcmp(q->stands_in_for, q->name) == 0;
    return is_of_the_card && rcm_exact_ties(q) >= ties && !isnan(rcm_predict_exact(q, p));
}

bool rcm_compare_exact(struct rcm_selection *s, const struct rcm_profile *kernel,
                       struct rcm_profile *used)
{
    const struct rcm_device *device = s->machine.device;
    const struct rcm_profile *q = s->machine.profile;
    if (kernel) {
        const struct rcm_device *from = rcm_device_by_name(kernel->card);
        const bool elsewhere = from && device && strcmp(from->name, device->name) != 0;
        *used = elsewhere ? rcm_carry_exact(kernel, from, device) : *kernel;
    } else if (s->exact_us > 0.0 || !device || !q || says_exact(q, s->p, s->ties) ||
               !rcm_fastest_exact(device, &q->dtype, s->ties, s->p, used)) {
        return false;
    }
    const struct rcm_prediction r = rcm_predict_exact_band(used, s->p);
    s->exact_us = r.time_us;
    s->exact_low_us = isnan(r.low_us) ? 0.0 : r.low_us;
    s->exact_high_us = isnan(r.high_us) ? 0.0 : r.high_us;
    return true;
}
