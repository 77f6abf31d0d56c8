/* select_exact.c - select: what it says of exact top-k beside the buckets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include <programs/common/format.h>
#include <programs/common/wrap.h>

#include "selection.h"

/* What an exact kernel takes. end: of the line. */
static unsigned print_kernel(const struct selection_answer *answer, const char *label,
                             const struct rcm_profile *kernel, const char *end)
{
    char us[40], low[40], high[40], band[160] = "its error is not known", beyond[RCM_BEYOND_TEXT],
                                    text[100] = "", types[60] = "";
    const enum rcm_dtype dtype = answer->asked.machine.dtype;
    const struct rcm_prediction r = rcm_predict_exact_band(kernel, answer->query->base);
    format_us(us, sizeof us, r.time_us);
    format_us(low, sizeof low, r.low_us);
    format_us(high, sizeof high, r.high_us);
    rcm_beyond_text(r.beyond, beyond);
    if (isfinite(r.low_us))
        snprintf(band, sizeof band, "%s to %s by 9 in 10 %s", low, high,
                 kernel->stands_in_for ? "times on another card of the architecture"
                                       : "held-out errors");
    if (!r.within_runs)
        snprintf(text, sizeof text, "; beyond its runs in %s, so the error may be larger", beyond);
    if (rcm_dtype_bytes(dtype) != rcm_dtype_bytes(kernel->dtype))
        snprintf(types, sizeof types, "; it reads %s, the buckets %s",
                 rcm_dtype_name(kernel->dtype), rcm_dtype_name(dtype));
    return print_wrapped("  %-11s %s predicted (%s, %s); %s%s%s%s", label, us, kernel->name,
                         rcm_dtype_name(kernel->dtype), band, text, types, end);
}

/* An exact kernel that makes the answer another one. */
static unsigned print_faster_exact(const struct selection_answer *answer)
{
    char end[80];
    const struct rcm_profile *kernel = answer->faster_exact;
    if (!kernel)
        return 0;
    snprintf(end, sizeof end, "; --exact-kernel %.40s compares", kernel->name);
    return print_kernel(answer, "faster", kernel, end);
}

/* The exact top-k, unless the sentence of the answer says all about it. */
static unsigned print_exact(const struct selection_answer *answer)
{
    char value[64];
    const struct rcm_choice *c = &answer->choice;
    if (answer->exact_kernel)
        return print_kernel(answer, "exact", answer->exact_kernel, "");
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

unsigned selection_print_exact(const struct selection_answer *answer)
{
    return print_exact(answer) + print_faster_exact(answer) + print_threshold(answer);
}
