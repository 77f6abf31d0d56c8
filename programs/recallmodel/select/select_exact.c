/* select_exact.c - select: what it says of exact top-k beside the buckets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include <programs/common/format.h>
#include <programs/common/wrap.h>

#include "selection.h"

/* The exact top-k where the objective is no time of a profile, unless the sentence of the answer
 * says all about it. */
static unsigned print_exact(const struct selection_answer *answer)
{
    char value[64];
    const struct rcm_choice *c = &answer->choice;
    const bool measured = answer->settings->exact_us > 0.0, timed = selection_is_time(answer);
    if (isnan(c->exact_objective) && timed && answer->asked.machine.profile) {
        const double us = rcm_predict_exact(answer->asked.machine.profile, answer->query->base);
        format_us(value, sizeof value, us);
        if (us > 0.0)
            return print_wrapped(
                "  exact       %s, predicted by this profile, with which a bound is "
                "not compared; --objective time compares times",
                value);
        return print_wrapped("  exact       not known by this profile; --exact-us T compares with "
                             "your own, --exact-kernel with a published one");
    }
    if (isnan(c->exact_objective) || (!(answer->settings->budget > 0.0) && (measured || !timed)))
        return 0;
    selection_format_value(value, sizeof value, answer, c->exact_objective);
    printf("  exact       %s%s\n", value,
           !timed     ? ""
           : measured ? ", as you measured"
           : answer->settings->d
               ? ", product and predicted top-k; --exact-us T compares with your own"
               : ", predicted; --exact-us T compares with your own");
    return 1;
}

static unsigned print_threshold(const struct selection_answer *answer)
{
    char value[64], shape[64], elements[40];
    const struct rcm_choice *c = &answer->choice;
    if (!(c->threshold.objective < INFINITY))
        return 0;
    format_elements(elements, sizeof elements, c->reaching);
    selection_format_value(value, sizeof value, answer,
                           selection_least(answer, c->threshold.objective));
    if (selection_is_cpu(answer) && selection_is_time(answer))
        return print_wrapped("  library     %s: the exact top-k of this project's library", value);
    selection_format_shape(shape, sizeof shape, c->threshold.p);
    if (c->deploy == RCM_DEPLOY_THRESHOLD)
        return print_wrapped("  threshold   a second read collects %s; recallmodel exact says how",
                             elements);
    return print_wrapped("  threshold   %s%s: exact top-k, %s; a second read collects %s",
                         selection_is_bound(answer) ? "at least " : "", value, shape, elements);
}

/* The kernel that was named has no run near this shape. */
static unsigned print_beyond_kernel(const struct selection_answer *answer)
{
    char beyond[RCM_BEYOND_TEXT];
    const struct rcm_profile *kernel = answer->asked.exact_profile;
    if (!kernel || !(answer->asked.exact_us > 0.0))
        return 0;
    const struct rcm_prediction r = rcm_predict_exact_band(kernel, answer->query->base);
    rcm_beyond_text(r.beyond, beyond);
    if (r.within_runs)
        return 0;
    return print_wrapped("  exact       %s: beyond its runs in %s, so the error may be larger",
                         kernel->name, beyond);
}

unsigned selection_print_exact(const struct selection_answer *answer)
{
    return answer->decided.count ? print_beyond_kernel(answer)
                                 : print_exact(answer) + print_threshold(answer);
}
