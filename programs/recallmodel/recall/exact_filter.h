/* exact_filter.h - exact: exact top-k by a running threshold, and by that of a sample.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef EXACT_FILTER_H
#define EXACT_FILTER_H

#include <model/recallmodel.h>
#include <programs/common/json.h>

/* What was asked; 0: not given. */
struct filter_question {
    uint64_t block, more, room, sample;
    bool quantiles; /* also those */
};

struct filter_answer {
    struct rcm_filter filter; /* block = 0: none has room */
    struct rcm_filter_work work;
    struct rcm_filter_quantiles quantiles; /* 0: not asked for, or not computed */
    struct rcm_sample sample;              /* rank = 0: no rank suffices */
    struct rcm_survivors survivors;
    uint64_t room; /* for the survivors */
    double share;  /* of rows that may need another way */
    bool asked;    /* for quantiles */
};

/* Answers for one n and k. */
struct filter_answer filter_answer(const struct filter_question *question, uint64_t n, uint64_t k,
                                   double share);

void filter_print(const struct filter_answer *answer, const char *rows);
void filter_json(json_t *object, const struct filter_answer *answer);

#endif
