/* predict_report.c - what all answers of predict have: see predict.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include <programs/common/wrap.h>
#include <programs/common/json.h>
#include <programs/recallmodel/question/answer.h>

#include "predict.h"

void print_profile(const struct rcm_profile_answer *a)
{
    const struct rcm_profile *q = &a->profile;
    char held_out[80] = "";
    if (q->held_out_median_error > 0.0)
        snprintf(held_out, sizeof held_out, "; at sizes not seen %.1f and %.1f %%",
                 100.0 * q->held_out_median_error, 100.0 * q->held_out_p95_error);
    if (q->stands_in_for) {
        print_wrapped(
            "By the profile of %s, kernel %s, %s, carried to %s, %s: nothing was measured "
            "there. The ranges are %s; docs/calibrating.md says how to make a profile.",
            q->name, q->kernel->name, rcm_dtype_name(q->carried_from), q->stands_in_for,
            rcm_dtype_name(q->dtype),
            q->own_band ? "those of the profile, or where these are wider those of exact "
                          "kernels that were carried so"
                        : "of times that were carried so");
        return;
    }
    print_wrapped(
        "%s, kernel %s, %s; calibrated %s on %s: median error %.1f %%, 95 %% below %.1f %%%s.",
        q->name, q->kernel->name, rcm_dtype_name(q->dtype), q->date && *q->date ? q->date : "",
        q->runs && *q->runs ? q->runs : "some runs", 100.0 * q->median_error, 100.0 * q->p95_error,
        held_out);
    if (a->other_kernel)
        print_wrapped(
            "Predicted for the kernel %s with the parameters of %s. Where the two differ, no run "
            "shows the error.",
            a->kernel->name, q->kernel->name);
    if (a->other_dtype)
        print_wrapped("Predicted for %s by a profile of %s, whose values have the same width.",
                      rcm_dtype_name(a->dtype), rcm_dtype_name(q->dtype));
}

#define PREDICTED(field) FIELD(struct predicted, field)

static const struct column band_items[] = {
    {PREDICTED(band), .heading = "held out,\n5 to 95 %", .drop = 2},
    {PREDICTED(r.low_us), IN_DATA("low_us")},
    {PREDICTED(r.high_us), IN_DATA("high_us")},
};
const struct columns band_columns = COLUMNS(struct predicted, band_items);

static const struct column beyond_items[] = {
    {PREDICTED(shown_beyond), .heading = "not within\nthe runs"},
    {PREDICTED(r.within_runs), IN_DATA("within_runs")},
    {PREDICTED(beyond), IN_DATA("beyond")},
};
const struct columns beyond_columns = COLUMNS(struct predicted, beyond_items);

/* "79.1 to 92.4", or "unknown". */
static void format_band(char *text, size_t size, const struct rcm_prediction *r)
{
    if (r->high_us < 999.5 || r->high_us >= 1e9)
        snprintf(text, size, "%.3g to %.3g", r->low_us, r->high_us);
    else if (isfinite(r->high_us))
        snprintf(text, size, "%.0f to %.0f", r->low_us, r->high_us);
    else
        snprintf(text, size, "%s", isnan(r->time_us) ? "" : "unknown");
}

struct predicted predicted_of(struct rcm_prediction r)
{
    struct predicted p = {.r = r};
    format_band(p.band, sizeof p.band, &r);
    rcm_beyond_text(r.beyond, p.beyond);
    if (!isnan(r.time_us) || r.beyond == RCM_BEYOND_KERNEL)
        rcm_beyond_text(r.beyond, p.shown_beyond);
    return p;
}

void put_profile_json(json_t *object, const struct rcm_profile_answer *a)
{
    const char *card = a->profile.stands_in_for;
    set_text(object, "device", card ? card : a->profile.name);
    set_truth(object, "calibrated", !card);
    if (card)
        set_text(object, "stand_in", a->profile.name);
    set_text(object, "kernel", a->kernel->name);
    set_text(object, "kernel_of_profile", a->profile.kernel->name);
    set_text(object, "dtype", rcm_dtype_name(a->dtype));
    set_text(object, "dtype_of_profile", rcm_dtype_name(a->profile.dtype));
}

struct rcm_prediction prediction_of(const struct rcm_profile_answer *a, struct rcm_topk p)
{
    struct rcm_prediction r = rcm_predict_as(&a->profile, a->kernel, p);
    if (rcm_check(p) == RCM_OK && !rcm_kernel_runs(a->kernel, p))
        r = (struct rcm_prediction){.time_us = NAN,
                                    .stage1_us = NAN,
                                    .stage2_us = NAN,
                                    .low_us = NAN,
                                    .high_us = NAN,
                                    .beyond = RCM_BEYOND_KERNEL};
    return r;
}
