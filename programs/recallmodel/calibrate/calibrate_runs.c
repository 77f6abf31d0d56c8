/* calibrate_runs.c - calibrate: reads the measured runs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include <base/memory.h>
#include <programs/recallmodel/question/timings.h>

#include "calibrate.h"

int check_kernel_has_times(const struct rcm_kernel *kernel)
{
    return kernel && !kernel->work
               ? usage_error("--kernel %s has no time model; give generic or another", kernel->name)
               : STATUS_OK;
}

/* Do the runs of --exact have only n, k, m and a time? Returns a status. */
static int check_exact(const char *path, const struct csv *csv, const struct run_list *exact)
{
    for (size_t i = 0; i < exact->length; i++)
        if (exact->items[i].kind != RUN_EXACT)
            return usage_error(
                "--exact %s: line %zu is not a run of exact top-k; such runs have n, k, m "
                "and a time, but no b",
                path, csv->lines[exact->items[i].row + 1]);
    return STATUS_OK;
}

/* Appends the runs of one file. Returns a status. */
static int append_runs(const char *path, const struct run_list *more, struct run_list *runs)
{
    if (runs->length > 0 && more->has_dtype && runs->has_dtype && more->dtype != runs->dtype)
        return usage_error(
            "--exact %s has %s values, but the runs have %s; give --dtype to choose one", path,
            rcm_dtype_name(more->dtype), rcm_dtype_name(runs->dtype));
    if (more->has_dtype) {
        runs->has_dtype = true;
        runs->dtype = more->dtype;
    }
    if (runs_append(runs, more) != 0)
        require_memory(NULL);
    return STATUS_OK;
}

/* Are there rows of contiguous buckets? Returns a status. */
static int check_contiguous(const char *path, const struct run_list *contiguous)
{
    return contiguous->length == 0
               ? usage_error("--contiguous %s: no row has contiguous in the column assignment",
                             path)
               : STATUS_OK;
}

/* Which runs of a file: by the option. */
enum which { WHICH_RUNS, WHICH_EXACT, WHICH_CONTIGUOUS };

/* Reads one file, or measured runs by their name, into the list. Returns a status. */
static int read_runs(const char *given, enum which which, const struct calibrate_settings *settings,
                     struct run_list *runs)
{
    char error[CSV_ERROR], notes[TIMINGS_NOTES];
    struct csv csv;
    struct run_list more;
    const struct rcm_kernel *kernel = settings->kernel;
    const struct run_filter filter = {
        .has_dtype = settings->question.dtype.given,
        .dtype = settings->question.dtype.type,
        .times = true,
        .stage1 = !kernel || (kernel->model != RCM_TIME_SHORT && kernel->model != RCM_TIME_CPU),
        .cpu = kernel && kernel->model == RCM_TIME_CPU,
        .kernel = settings->runs_kernel,
        .device =
            settings->question.device.given ? settings->question.device.text.device.name : NULL,
        .contiguous = which == WHICH_CONTIGUOUS,
        .selecting = kernel && kernel->model == RCM_TIME_EXACT};
    if (read_timings(given, &settings->question, &csv, notes) != STATUS_OK)
        return STATUS_USAGE;
    int status = runs_from_csv(&csv, filter, &more, MESSAGE(error)) == 0 ? STATUS_OK
                                                                         : usage_error("%s", error);
    if (status == STATUS_OK && which == WHICH_EXACT)
        status = check_exact(given, &csv, &more);
    if (status == STATUS_OK && which == WHICH_CONTIGUOUS)
        status = check_contiguous(given, &more);
    if (status == STATUS_OK)
        status = append_runs(given, &more, runs);
    if (status == STATUS_OK)
        print_notes(given, notes);
    runs_free(&more);
    csv_free(&csv);
    return status;
}

/* Can the kernel have run these shapes? Returns a status. */
static int check_runnable(const struct run_list *runs, const struct calibrate_settings *settings)
{
    const struct rcm_kernel *kernel = calibration_kernel(settings, "graphcore");
    for (size_t i = 0; i < runs->length && kernel->model != RCM_TIME_EXACT; i++) {
        const struct run *run = &runs->items[i];
        if (run->kind != RUN_EXACT && !rcm_kernel_runs(kernel, run->p))
            return usage_error("%s: the kernel %s does not run n = %" PRIu64 ", k = %" PRIu64
                               ", b = %" PRIu64 ", k_b = %" PRIu64
                               " (it runs %s); give --kernel the "
                               "kernel that ran it, or generic",
                               settings->runs, kernel->name, run->p.n, run->p.k, run->p.b,
                               run->p.k_b, kernel->limits);
    }
    return STATUS_OK;
}

const struct rcm_kernel *calibration_kernel(const struct calibrate_settings *settings,
                                            const char *otherwise)
{
    return settings->kernel ? settings->kernel : rcm_kernel_by_name(otherwise);
}

int calibration_read_runs(const struct calibrate_settings *settings, struct run_list *runs)
{
    return read_runs(settings->runs, WHICH_RUNS, settings, runs);
}

int calibration_read(struct calibration *c, const struct calibrate_settings *settings)
{
    if (!settings->runs)
        return usage_error("calibrate needs measured runs: recallmodel calibrate RUNS.csv, a CSV "
                           "with the columns n, k, b, k_b, m and time_us_median");
    int status = check_kernel_has_times(settings->kernel);
    if (status == STATUS_OK)
        status = read_runs(settings->runs, WHICH_RUNS, settings, &c->runs);
    c->bucketed = c->runs.length;
    if (status == STATUS_OK)
        status = check_runnable(&c->runs, settings);
    if (status == STATUS_OK && settings->exact_runs)
        status = read_runs(settings->exact_runs, WHICH_EXACT, settings, &c->runs);
    if (status == STATUS_OK && settings->contiguous_runs)
        status = read_runs(settings->contiguous_runs, WHICH_CONTIGUOUS, settings, &c->contiguous);
    return status;
}
