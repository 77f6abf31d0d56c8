/* validate.h - how well a fit predicts sizes n that it did not see, and the regret of choosing by
 * it there, beside that of the papers' cost models.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef VALIDATE_H
#define VALIDATE_H

#include <base/watch.h>

#include "fit.h"
#include "regret.h"

/* What a choice can go by: the calibrated time (score 0), then each cost model. */
#define SCORES (1 + RCM_COST_MODELS)
const char *score_name(size_t score);

/* One size n, by a fit to the other folds. All unpredicted if these are too few. */
struct validated_size {
    uint64_t n;
    struct residuals left_out;
    struct regret regret[SCORES];
};

struct validation {
    struct validated_size *sizes; /* rising */
    size_t size_count;
    size_t folds; /* sizes i, i + folds, .. are left out together; 0 if there is one size */

    /* All sizes, each left out in turn; and those that are left out at once. */
    struct residuals each, together;
    /* Over the same cells for every score: runs without a prediction take no part. */
    struct regret each_regret[SCORES], together_regret[SCORES];
    /* The same with exact top-k among the configurations; no cells where it was not measured. */
    struct regret each_with_exact[SCORES], together_with_exact[SCORES];

    /* band_of() all sizes, each left out in turn; 0: unknown. */
    double p05_ratio, p95_ratio, exact_p05_ratio, exact_p95_ratio;
};

#define VALIDATION_FOLDS 16     /* at most */
#define VALIDATION_FOLDS_MANY 8 /* for more than FIT_RUNS_MOST runs, whose fits take seconds */

/* Sets the sizes and the folds. Returns 0, or -1 if memory runs out. validation_free() in any
 * case. */
int validation_begin(struct validation *v, const struct run *runs, size_t length);
void validation_free(struct validation *v);

/* Leaves out each fold in turn, if there are several, then the runs of `together` at once (NULL:
 * none). `like` has kernel and dtype. The steps of the watch are folds. Returns 0; 1 if it was
 * stopped; -1 with a line in `error` if memory ran out or there is no fit without `together`. */
int validate(struct validation *v, const struct run *runs, size_t length,
             const struct rcm_profile *like, const bool *together, const struct watch *watch,
             struct message error);

/* The runs of each k predicted by a fit to those of the other k. No run is counted if there is one
 * k. Returns 0, or -1 if memory runs out. */
int validate_by_k(const struct run *runs, size_t length, const struct rcm_profile *like,
                  struct residuals *residuals);

#endif
