/* fit.h - the parameters of a profile from measured runs: least squares on the logarithm of time
 * (GSL), robust against outliers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FIT_H
#define FIT_H

#include "runs.h"

/* What a run should take by the profile. */
double predicted_us(const struct rcm_profile *profile, const struct run *run);

#define FIT_PARAMETERS 22 /* of rcm_time_parameter; at most RCM_TIME_PARAMETERS_MOST are used */
struct fit {
    unsigned parameters;          /* that were fitted */
    double error[FIT_PARAMETERS]; /* relative standard error of each; NaN: not fitted, or
                                     (blocks_at_once) searched for */
    unsigned steps;               /* of Levenberg and Marquardt */
    size_t runs; /* that it was fitted to: of more than FIT_RUNS_MOST so many of them */
};

/* Of more runs than this a fixed selection is fitted to (of a kernel of which only the times are
 * known, FIT_SHORT_MOST): as many of each kind and k_b as there is room for, the same whenever the
 * same runs come in the same order. Ranges and errors are those of all runs. */
#define FIT_RUNS_MOST 2400
#define FIT_SHORT_MOST 800

/* A kernel of which only the times are known needs so many runs. */
#define FIT_SHORT_LEAST 8

/* Sets the parameters of the profile, whose kernel and dtype are given: those that the runs say
 * nothing about become 0. Runs as for which no time can be predicted are an error. Of a kernel of
 * which only the times are known, the parameters are those of the short model (docs/models.md 14)
 * that the runs determine, at most one for two runs; such runs may all be of exact top-k. Returns
 * 0, or -1 with a line in `error`. */
int fit_profile(const struct run *runs, size_t length, struct rcm_profile *profile, struct fit *fit,
                char error[CSV_ERROR]);

/* |predicted/measured - 1| of the runs that are in (NULL: all). Returns -1 without memory. */
struct residuals {
    double median, p95, worst; /* NaN where runs is 0 */
    size_t runs, unpredicted;  /* those that have a prediction, and the rest */
};
int residuals_of(const struct run *runs, const double *predicted, const bool *in, size_t length,
                 struct residuals *residuals);

/* measured/predicted of those of exact top-k, or of the rest: 5 % are below, 5 % above; of fewer
 * than 20 the least and the most, of fewer than RCM_BAND_RUNS 0. Returns -1 without memory. */
int band_of(const struct run *runs, const double *predicted, bool exact, size_t length,
            double *p05_ratio, double *p95_ratio);

/* Fits to the runs that are not `out` and predicts those that are; the others' predictions are NaN.
 * `like` has kernel and dtype. */
int predict_held_out(const struct run *runs, size_t length, const struct rcm_profile *like,
                     const bool *out, double *predicted, char error[CSV_ERROR]);

/* The different n of the runs, ascending: returns how many, at most `length`. */
size_t sizes_of(const struct run *runs, size_t length, uint64_t *sizes);

/* The share-th quantile (0.5: the median) of values, which are sorted; linear between them, as
 * NumPy. NaN of none. */
double sorted_quantile(const double *sorted, size_t length, double share);
void sort_values(double *values, size_t length);

#endif
