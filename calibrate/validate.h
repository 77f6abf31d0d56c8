/* validate.h - how well a fit predicts sizes n that it did not see, and what choosing by it costs
 * there, beside the papers' cost models.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef VALIDATE_H
#define VALIDATE_H

#include "fit.h"
#include "regret.h"

/* By what is chosen: the calibrated time, then each cost model. */
#define SCORES 4
const char *score_name(size_t score);

struct validation {
    uint64_t *sizes;          /* the different n, ascending */
    size_t size_count, folds; /* of more sizes than folds every so many-th are left out together */
    struct residuals *left_out; /* for each size, by a fit to the others; all unpredicted where
                                   these are too few */
    struct regret (*left_out_regret)[SCORES];
    struct residuals each, together; /* all sizes, each left out in turn; those left out at once */
    struct regret each_regret[SCORES],
        together_regret[SCORES]; /* of the same cells for each: runs without a prediction take no
                                    part */
    double p05_ratio, p95_ratio, exact_p05_ratio, exact_p95_ratio; /* band_of, of each size left out
                                                                      in turn; 0: unknown */
};

#define VALIDATION_FOLDS 16     /* at most */
#define VALIDATION_FOLDS_MANY 8 /* of more than FIT_RUNS_MOST runs, whose fits take seconds */

/* Sets the sizes. Returns -1 without memory. */
int validation_begin(struct validation *v, const struct run *runs, size_t length);
void validation_free(struct validation *v);

/* Leaves out each size in turn (or each fold), if there are several, then the runs of `together` at
 * once (NULL: none). `like` has kernel and dtype. tick is called after each fit; true stops.
 * Returns 0, 1 if it was stopped, or -1 with a line in `error`: no memory, or no fit without
 * `together`. */
int validate(struct validation *v, const struct run *runs, size_t length,
             const struct rcm_profile *like, const bool *together, bool (*tick)(void *),
             void *context, char error[CSV_ERROR]);

#endif
