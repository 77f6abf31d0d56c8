/* tie.c - see tie.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tie.h"

#include <math.h>

bool tie_can_break(const struct rcm_selection *s, struct rcm_profile *stand_in)
{
    return search_objective(s)->need == RCM_NEEDS_DEVICE && s->machine.device && !s->machine.d &&
           rcm_stand_in_for(s->machine.device, NULL, NULL, &s->machine.dtype, stand_in);
}

/* The time by the stand-in, whatever its kernel can run: what counts is how many threads there
 * are. */
static double stand_in_us(const struct rcm_selection *s, struct rcm_topk p)
{
    return rcm_predict(s->machine.profile, p).time_us;
}

struct tie tie_break(const struct rcm_selection *selection, const struct rcm_profile *stand_in,
                     struct rcm_point point, double least, const struct rcm_factors *divisors_of)
{
    struct rcm_selection s = *selection;
    struct search f = search_begin(&s, point.p.k_b, divisors_of);
    const bool near = point.objective <= RCM_BOUND_TIE * least;
    const uint64_t high = search_last_within(&f, RCM_BOUND_TIE * (near ? least : point.objective));
    f.high = high > point.p.b ? high : point.p.b;
    s.machine.profile = stand_in;
    f.value = stand_in_us;
    f.motion = RCM_STEPS_WITH_B;
    search_least(&f, point.p.b);
    if (!(f.best.objective < INFINITY))
        return (struct tie){point, INFINITY};
    return (struct tie){{f.best.p, search_bucketed(selection, f.best.p)}, f.best.objective};
}
