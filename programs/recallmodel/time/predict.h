/* predict.h - the settings of predict, and what its files share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PREDICT_H
#define PREDICT_H

#include <programs/common/table.h>

#include <programs/recallmodel/question/product.h>
#include <model/recallmodel/provider.h>
#include <programs/recallmodel/question/question.h>

/* A prediction in words: "79.1 to 92.4", or "unknown"; and what lies beyond the runs. */
struct predicted {
    struct rcm_prediction r;
    char band[48], beyond[RCM_BEYOND_TEXT], shown_beyond[RCM_BEYOND_TEXT];
};

struct predict_settings {
    struct question question;
    const char *runs, *runs_kernel;    /* NULL: none */
    const struct rcm_kernel *kernel;   /* NULL: that of the profile */
    uint64_t d;                        /* 0: not given */
    struct device_option carry_to;     /* the profile */
    struct rcm_profile_answer profile; /* that answers; found is false if none does */

    /* What the rows of a query have found: the whole rows, and the product of the first shape. */
    struct predicted exact;             /* by the profile */
    uint64_t exact_padded_n;            /* it is of rows padded to so many elements; 0: not */
    struct rcm_exact_contender fastest; /* exact top-k that one can call; provider NULL: none */
    struct rcm_product product;
};

/* Answers by the profile of a kernel that only finds the exact top-k. Returns a status. */
int predict_exact_kernel(struct predict_settings *settings);

/* Prints the rows of a CSV with their predicted times. Returns a status. */
int predict_runs(const struct predict_settings *settings);

/* ---- what both forms of predict with a profile print */

/* The profile, its errors, and for which kernel and type it answers. */
void print_profile(const struct rcm_profile_answer *a);

/* The device, kernel and types of the answer. */
void put_profile_json(json_t *object, const struct rcm_profile_answer *a);

/* The prediction; NaN where the kernel cannot run the shape. */
struct rcm_prediction prediction_of(const struct rcm_profile_answer *a, struct rcm_topk p);

/* The columns of the band, and of what lies beyond the runs. */
extern const struct columns band_columns, beyond_columns;
struct predicted predicted_of(struct rcm_prediction r);

#endif
