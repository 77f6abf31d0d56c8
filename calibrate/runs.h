/* runs.h - measured runs, from a CSV file with columns found by their names.
 *
 *   n, k, b, k_b, m              the shape; b and k_b may be missing where all rows are exact
 * top-k, m where it is 1 time_us_median or time_us    of one call work two-stage, stage1 or exact;
 * without it two-stage, or exact where there is no b. Others are left out kernel, dtype,
 * assignment, input, cache, timing    rows that differ are of different measurements: only one
 * value of each is taken Others are not looked at.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNS_H
#define RUNS_H

#include <stdbool.h>

#include "csv.h"
#include "recallmodel.h"

enum run_kind { RUN_TWO_STAGE, RUN_STAGE1, RUN_EXACT };

struct run {
    struct rcm_topk p; /* exact: b = 1, k_b = k */
    enum run_kind kind;
    double time_us; /* NaN where it was not asked for and is not there */
    size_t row;     /* of the CSV */
};

/* Microseconds that a call may take: from a nanosecond to 28 hours. */
#define RUN_US_LEAST 1e-3
#define RUN_US_MOST 1e11

struct run_list {
    struct run *items;
    size_t length;
    size_t left_out; /* rows of other measurements */
    bool has_dtype;
    enum rcm_dtype dtype; /* of them all, where the CSV says so */
};

/* What to take where rows differ: dtype, if any is wanted; kernel "auto", interleaved, cold, of the
 * rest the first row's. times: a time is needed. Returns 0, or -1 with one line in `error` that
 * names file, line and column. */
struct run_filter {
    bool has_dtype;
    enum rcm_dtype dtype;
    bool times;
};
int runs_from_csv(const struct csv *csv, struct run_filter filter, struct run_list *runs,
                  char error[CSV_ERROR]);
void runs_free(struct run_list *runs);

/* Appends copies of the runs of `more`. Returns -1 without memory. */
int runs_append(struct run_list *runs, const struct run_list *more);

#endif
