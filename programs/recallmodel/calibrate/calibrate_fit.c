/* calibrate_fit.c - calibrate: the fit to all runs, and its validation on sizes that it did not
 * see.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <base/memory.h>
#include <programs/common/progress.h>

#include "calibrate.h"

static bool is_listed(const struct count_list *list, uint64_t n)
{
    for (size_t i = 0; i < list->length; i++)
        if (list->items[i] == n)
            return true;
    return false;
}

bool held_out_together(const struct calibration *c, const struct calibrate_settings *settings,
                       size_t size)
{
    return settings->leave_out.length ? is_listed(&settings->leave_out, c->validation.sizes[size].n)
                                      : size % 2 == 1;
}

/* The index of a size in validation.sizes, which are sorted. */
static size_t size_index(const struct validation *v, uint64_t n)
{
    size_t low = 0, high = v->size_count - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (v->sizes[middle].n < n)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The progress bar, and how many fits are done. */
struct ticker {
    struct progress progress;
    uint64_t done, fits;
};

static bool tick(void *context, uint64_t folds, uint64_t all)
{
    struct ticker *ticker = context;
    (void)folds, (void)all;
    return progress_tick(&ticker->progress, ++ticker->done, ticker->fits);
}

/* Which runs are left out together: one value for each run. The caller frees it. */
static bool *runs_left_out(const struct calibration *c, const struct calibrate_settings *settings)
{
    bool *left_out = require_memory(malloc(c->runs.length + 1));
    for (size_t i = 0; i < c->runs.length; i++)
        left_out[i] =
            held_out_together(c, settings, size_index(&c->validation, c->runs.items[i].p.n));
    return left_out;
}

/* The errors at sizes that were left out go into the profile. */
static void set_held_out_errors(struct rcm_profile *profile, const struct validation *validation)
{
    if (!validation->each.runs)
        return;
    profile->held_out_median_error = validation->each.median;
    profile->held_out_p95_error = validation->each.p95;
    profile->held_out_p05_ratio = validation->p05_ratio;
    profile->held_out_p95_ratio = validation->p95_ratio;
    profile->held_out_exact_p05_ratio = validation->exact_p05_ratio;
    profile->held_out_exact_p95_ratio = validation->exact_p95_ratio;
}

/* The same at each k that was left out: of kernels of exact top-k alone. */
static void set_errors_by_k(struct calibration *c)
{
    if (validate_by_k(c->runs.items, c->runs.length, &c->prior, &c->by_k) != 0)
        require_memory(NULL);
    if (!c->by_k.runs)
        return;
    c->profile.held_out_k_median_error = c->by_k.median;
    c->profile.held_out_k_p95_error = c->by_k.p95;
}

static void begin_from_prior(struct calibration *c, const struct question *question)
{
    const struct rcm_time_parameter *parameter;
    c->prior = fit_prior(question->device.given ? &question->device.text.device : NULL,
                         c->profile.kernel, c->profile.dtype);
    c->prior.l2_bytes = c->profile.l2_bytes;
    c->prior.l3_bytes = c->profile.l3_bytes;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        rcm_set_time_value(&c->profile, parameter, rcm_time_value(&c->prior, parameter));
}

/* The fit to all runs, then the validation. Returns a status. STATUS_USAGE comes with a line in
 * `error`. */
static int fit_and_validate(struct calibration *c, const struct calibrate_settings *settings,
                            struct ticker *ticker, struct message error)
{
    const struct run *runs = c->runs.items;
    const size_t length = c->runs.length;
    begin_from_prior(c, &settings->question);
    if (fit_profile(runs, length, &c->profile, &c->fit, error) != 0)
        return STATUS_USAGE;
    for (size_t i = 0; i < length; i++)
        c->predicted[i] = predicted_us(&c->profile, &runs[i]);
    if (tick(ticker, 0, 0))
        return STATUS_INTERRUPTED;
    bool *together = settings->cross_validate ? runs_left_out(c, settings) : NULL;
    const struct watch watch = {tick, ticker};
    const int result = validate(&c->validation, runs, length, &c->prior, together, &watch, error);
    free(together);
    set_held_out_errors(&c->profile, &c->validation);
    if (result == 0 && settings->contiguous_runs &&
        fit_contiguous(c->contiguous.items, c->contiguous.length, &c->profile, &c->fit, error) != 0)
        return STATUS_USAGE;
    if (result == 0 && c->profile.kernel->model == RCM_TIME_EXACT && !settings->no_held_out)
        set_errors_by_k(c);
    return result == 0 ? STATUS_OK : result > 0 ? STATUS_INTERRUPTED : STATUS_USAGE;
}

/* Is there anything to leave out, and does each size of --leave-out have runs? Returns a status. */
static int check_sizes(const struct validation *validation,
                       const struct calibrate_settings *settings)
{
    const struct count_list *wanted = &settings->leave_out;
    if (settings->cross_validate && validation->size_count < 2)
        return usage_error("--cross-validate leaves out whole sizes n, but these runs have %zu; "
                           "give runs of several n",
                           validation->size_count);
    for (size_t i = 0; i < wanted->length; i++)
        if (validation->sizes[size_index(validation, wanted->items[i])].n != wanted->items[i])
            return usage_error("--leave-out %" PRIu64 ": no run has this n; give sizes of the runs",
                               wanted->items[i]);
    return wanted->length == validation->size_count
               ? usage_error(
                     "--leave-out names all sizes, so no run would be left to fit to; give fewer")
               : STATUS_OK;
}

int calibration_fit(struct calibration *c, const struct calibrate_settings *settings)
{
    char error[CSV_ERROR];
    const size_t length = c->runs.length;
    c->predicted = require_memory(malloc((length + 1) * sizeof *c->predicted));
    if (validation_begin(&c->validation, c->runs.items, length) != 0)
        require_memory(NULL);
    if (length == 0)
        return usage_error("%s: there are no runs", settings->runs);
    int status = check_sizes(&c->validation, settings);
    if (status != STATUS_OK)
        return status;
    if (settings->no_held_out)
        c->validation.folds = 0;
    struct ticker ticker = {.fits = 1 + c->validation.folds};
    progress_start(&ticker.progress, "fits");
    status = fit_and_validate(c, settings, &ticker, MESSAGE(error));
    progress_end(&ticker.progress);
    if (status == STATUS_USAGE)
        return usage_error("%s", error);
    if (status == STATUS_INTERRUPTED)
        fputs("recallmodel: stopped; nothing was written\n", stderr);
    return status;
}

void calibration_free(struct calibration *c)
{
    runs_free(&c->runs);
    runs_free(&c->contiguous);
    free(c->predicted);
    validation_free(&c->validation);
}
