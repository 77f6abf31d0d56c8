/* calibrate.h - the settings of calibrate, its results, and the steps that compute them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CALIBRATE_H
#define CALIBRATE_H

#include <calibrate/validate.h>
#include <programs/common/table.h>

#include <programs/recallmodel/question/answer.h>

struct calibrate_settings {
    struct question question;
    const char *runs, *exact_runs, *contiguous_runs, *runs_kernel, *name, *source, *card,
        *profile_file;               /* NULL: none */
    const struct rcm_kernel *kernel; /* NULL: not given */
    struct count_list leave_out;     /* sizes n */
    bool cross_validate, plan, no_held_out;
};

/* All results. They are complete before any of them is printed. The profile points into the
 * settings and into `runs_text` and `date`. Begins as {0}; freed by calibration_free(). */
struct calibration {
    struct run_list runs, contiguous;
    size_t bucketed; /* how many of them come from the file of --runs; the others from --exact */
    char runs_text[200], date[40];
    struct rcm_profile profile, prior;
    struct fit fit;
    double *predicted; /* the time of each run, by the fit to all runs */
    struct validation validation;
    struct residuals
        by_k; /* each k left out, of kernels of exact top-k alone; no runs: not tried */
};

/* The steps of calibrate. Each returns a status, after one line on stderr if it is not STATUS_OK.
 *
 * Reads the runs. */
int calibration_read(struct calibration *c, const struct calibrate_settings *settings);

/* Sets what the profile says of itself: name, kernel, dtype, date, source and runs. */
int calibration_describe(struct calibration *c, const struct calibrate_settings *settings);

/* Fits the profile to all runs, then validates it on sizes n that a fit did not see.
 * STATUS_INTERRUPTED after Ctrl-C. */
int calibration_fit(struct calibration *c, const struct calibrate_settings *settings);

/* Writes the profile to the file of -o, whole or not at all. `target` is that file, from
 * atomic_file_target(). */
int calibration_write(const struct calibration *c, const struct calibrate_settings *settings,
                      const char *target);

/* Prints the report, as text, JSON or CSV. */
int calibration_report(const struct calibration *c, const struct calibrate_settings *settings);

void calibration_free(struct calibration *c);

/* The kernel that was given, or the one of that name. */
const struct rcm_kernel *calibration_kernel(const struct calibrate_settings *settings,
                                            const char *otherwise);

/* The runs of --runs alone. Returns a status. */
int calibration_read_runs(const struct calibrate_settings *settings, struct run_list *runs);

/* --plan: prints the shapes to time. Returns a status. */
int calibrate_plan(const struct calibrate_settings *settings);

/* Does the kernel have times, so that it can be calibrated? Returns a status. */
int check_kernel_has_times(const struct rcm_kernel *kernel);

/* Is the size at this index of validation.sizes one of those that are left out together: one of
 * --leave-out, or otherwise every second one? */
bool held_out_together(const struct calibration *c, const struct calibrate_settings *settings,
                       size_t size);

/* ---- the tables of the report; the caller frees them */

struct table *parameter_table(const struct calibration *c);
struct table *regime_table(const struct calibration *c);
struct table *worst_table(const struct calibration *c);

/* One row for each size that was left out: how well a fit to the others predicts it. No rows if
 * the runs have one size. */
struct table *validation_table(const struct calibration *c);

/* The regret of each way to choose (SCORES): over all sizes, and for each size left out.
 * with_exact: also where exact top-k, which is among the configurations, is fastest and chosen. */
struct table *regret_table(const struct regret regrets[SCORES], bool with_exact);
struct table *size_regret_table(const struct calibration *c);

extern const struct columns residual_columns; /* of struct residuals */

#endif
