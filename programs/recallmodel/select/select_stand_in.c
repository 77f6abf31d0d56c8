/* select_stand_in.c - select: what it says where the profile of another card answers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <programs/common/format.h>
#include <programs/common/wrap.h>

#include "selection.h"

void selection_format_stand_in(char *text, size_t size, const struct selection_answer *answer)
{
    const struct rcm_profile *q = answer->asked.machine.profile;
    if (strcmp(q->name, q->stands_in_for) == 0)
        snprintf(text, size, "its profile of %s, not measured for %s",
                 rcm_dtype_name(q->carried_from), rcm_dtype_name(q->dtype));
    else
        snprintf(text, size, "the profile of %s, not measured on %s", q->name, q->stands_in_for);
}

unsigned selection_print_floor(const struct selection_answer *answer)
{
    char floor[40], warm[WARM_TEXT];
    const struct rcm_device *device = answer->asked.machine.device;
    const double us = selection_floor(answer);
    if (!selection_stands_in(answer) || !(us > 0.0))
        return 0;
    format_us(floor, sizeof floor, us);
    selection_format_warm(warm, sizeof warm, answer);
    return print_wrapped("  floor       %s: the rates of %s allow no less%s%s", floor, device->name,
                         device->shortest_kernel_us > 0.0 ? ", with a launch" : "", warm);
}

void selection_format_warm(char *text, size_t size, const struct selection_answer *answer)
{
    const struct rcm_topk p = answer->query->base;
    const struct rcm_device *device = answer->asked.machine.device;
    const double bytes =
        (double)p.n * (double)(p.m ? p.m : 1) * rcm_dtype_bytes(answer->asked.machine.dtype);
    *text = '\0';
    if (bytes <= device->on_chip_bytes)
        snprintf(text, size,
                 "; if the rows come from memory: they may still lie in its cache of %.3g MB",
                 device->on_chip_bytes / 1e6);
}

void selection_format_beyond(char text[RCM_BEYOND_TEXT], const struct selection_answer *answer,
                             struct rcm_topk p)
{
    *text = '\0';
    if (answer->asked.objective->need == RCM_NEEDS_PROFILE && !answer->settings->d)
        rcm_beyond_text(rcm_predict(answer->asked.machine.profile, p).beyond, text);
}

unsigned selection_print_beyond(const struct selection_answer *answer)
{
    char shape[64], low[40], high[40], beyond[RCM_BEYOND_TEXT];
    const struct rcm_point *point = &answer->choice.beyond;
    if (!(point->objective < INFINITY))
        return 0;
    const struct rcm_prediction r = selection_prediction(answer, point->p);
    selection_format_shape(shape, sizeof shape, point->p);
    selection_format_beyond(beyond, answer, point->p);
    format_us(low, sizeof low, r.low_us);
    format_us(high, sizeof high, r.high_us);
    return print_wrapped("  beyond      %s may take %s to %s; no run of the profile has such %s: "
                         "time it, or --beyond-runs",
                         shape, low, high, beyond);
}

unsigned selection_print_settle(const struct selection_answer *answer)
{
    char target[32], more[60] = "";
    const struct rcm_topk p = answer->query->base;
    const struct select_settings *settings = answer->settings;
    const bool beyond = answer->choice.beyond.objective < INFINITY;
    if (!(beyond || (selection_stands_in(answer) && selection_has_buckets(answer))) ||
        settings->budget > 0.0)
        return 0;
    if (answer->query->target.weights)
        return 0;
    format_decimal(target, sizeof target, answer->query->recall_target);
    if (settings->question.dtype.given)
        snprintf(more, sizeof more, " --dtype %s", rcm_dtype_name(answer->asked.machine.dtype));
    if (beyond)
        strcat(more, " --beyond-runs");
    const enum rcm_dtype dtype = answer->asked.machine.dtype;
    return print_wrapped(
        "  settle      in two minutes: gpu/time_calls.py mine:my_topk --dtype %s --select \"--n "
        "%" PRIu64 " --k %" PRIu64 " --m %" PRIu64 " --recall %s --device %s%s\"",
        dtype == RCM_F32   ? "float32"
        : dtype == RCM_F16 ? "float16"
                           : "bfloat16",
        p.n, p.k, p.m ? p.m : 1, target, settings->question.device.given_as, more);
}
