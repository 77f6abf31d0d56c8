/* tie.c - see tie.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tie.h"

#include <math.h>

/* The time by the stand-in, whatever its kernel can run: what counts is how many threads there
 * are. */
static double stand_in_us(const struct rcm_selection *s, struct rcm_topk p)
{
    return rcm_predict(s->machine.profile, p).time_us;
}

/* The shape of this k_b that the stand-in of s runs fastest, of those from point->p.b on whose bound
 * is at most `limit`. */
static struct rcm_point fastest_within(const struct rcm_selection *s, const struct rcm_point *point,
                                       double limit, const struct rcm_factors *divisors_of)
{
    struct search f = search_begin(s, point->p.k_b, divisors_of);
    const uint64_t high = search_last_within(&f, limit);
    f.high = high > point->p.b ? high : point->p.b;
    f.value = stand_in_us;
    f.motion = RCM_STEPS_WITH_B;
    search_least(&f, point->p.b);
    return f.best;
}

struct rcm_point tie_fastest(const struct rcm_selection *selection, struct rcm_point *each,
                             uint64_t most, const struct rcm_factors *divisors_of)
{
    struct rcm_profile stand_in;
    struct rcm_selection s = *selection;
    struct rcm_point best = {.objective = INFINITY}, least = best;
    double best_us = INFINITY;
    for (uint64_t i = 0; i < most; i++)
        if (each[i].objective < least.objective)
            least = each[i];
    if (!(least.objective < INFINITY) ||
        !rcm_stand_in_for(s.machine.device, NULL, NULL, &s.machine.dtype, &stand_in))
        return least;
    s.machine.profile = &stand_in;
    for (uint64_t i = 0; i < most; i++) {
        if (!(each[i].objective < INFINITY))
            continue;
        const bool near = each[i].objective <= RCM_BOUND_TIE * least.objective;
        const double limit = RCM_BOUND_TIE * (near ? least.objective : each[i].objective);
        const struct rcm_point fastest = fastest_within(&s, &each[i], limit, divisors_of);
        if (!(fastest.objective < INFINITY))
            continue;
        each[i] = (struct rcm_point){fastest.p, search_bucketed(selection, fastest.p)};
        if (near && fastest.objective < best_us) {
            best_us = fastest.objective;
            best = each[i];
        }
    }
    return best.objective < INFINITY ? best : least;
}
