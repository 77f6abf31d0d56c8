/* regimes.h - how far off a fit is in each regime, and which runs it predicts worst.
 *
 * A regime is what takes most of a run's time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REGIMES_H
#define REGIMES_H

#include "fit.h"

#define REGIME_NAME 64
struct regime {
    /* Such as "stage 1: memory", "waves; stage 2: split" or "exact top-k, one block". */
    char name[REGIME_NAME];
    double median_ratio; /* predicted/measured */
    struct residuals errors;
};

/* The regime of a run, by the profile. */
void regime_name(const struct rcm_profile *profile, const struct run *run, char name[REGIME_NAME]);

/* The regimes of the runs that have a prediction, sorted by name; the caller frees them. Returns 0,
 * or -1 if memory runs out. */
int regimes_of(const struct rcm_profile *profile, const struct run *runs, const double *predicted,
               size_t length, struct regime **regimes, size_t *count);

/* The indices of the runs with the largest |log(predicted/measured)|, the worst first; of equal
 * ones the first of the list. Returns how many, at most `most`. */
size_t worst_runs(const struct run *runs, const double *predicted, size_t length, size_t most,
                  size_t *worst);

#endif
