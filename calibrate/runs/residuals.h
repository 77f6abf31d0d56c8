/* residuals.h - how far predicted times are from the measured ones.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RESIDUALS_H
#define RESIDUALS_H

#include "runs.h"

/* The time that the profile predicts for a run; NaN if it cannot. */
double predicted_us(const struct rcm_profile *profile, const struct run *run);

/* Errors |predicted/measured - 1|. */
struct residuals {
    double median, p95, worst; /* NaN if `runs` is 0 */
    size_t runs, unpredicted;  /* with a prediction, and without */
};
/* Of the errors of `runs` runs, which it sorts. */
struct residuals residuals_of_errors(double *errors, size_t runs, size_t unpredicted);

/* Of the runs that are `in` (NULL: of all). Returns 0, or -1 if memory runs out. */
int residuals_of(const struct run *runs, const double *predicted, const bool *in, size_t length,
                 struct residuals *residuals);

/* The band of measured/predicted, of the runs of exact top-k or of the others: 5 % of them are
 * below *p05_ratio, 5 % above *p95_ratio. For fewer than 20 runs these are the least and the
 * largest ratio; for fewer than RCM_BAND_RUNS both are 0. Returns 0, or -1 if memory runs out. */
int band_of(const struct run *runs, const double *predicted, bool exact, size_t length,
            double *p05_ratio, double *p95_ratio);

/* Writes the different n of the runs, rising, to `sizes`, which has room for `length`. Returns how
 * many there are. */
size_t sizes_of(const struct run *runs, size_t length, uint64_t *sizes);

#endif
