/* runs.h - measured runs, from a CSV file with columns found by their names:
 *
 *   n, k, b, k_b, m            the shape. b and k_b may be missing if all rows are exact top-k;
 *                              m may be missing if it is 1.
 *   time_us_median, time_us or time_us_mean
 *                              of one call; the first that is there.
 *   work                       two-stage, stage1 or exact; rows with other work are left out.
 *                              Without this column, two-stage if there is a b, otherwise exact.
 *   kernel, dtype, assignment, input, cache, timing, isa, op, device
 *                              rows that differ here belong to different measurements: only one
 *                              value of each is taken. A dtype uint32 or int32 counts as float32:
 *                              time depends on the bytes.
 *
 *   stage1_us                  of stage 1, in a row with both stages: a second run if it is asked
 *                              for, which tells the stages apart.
 *   threads                    of a CPU; 1 if it is missing.
 *   time_us_low, time_us_high  the interval of the median, of a CPU: a wide one weighs less.
 *
 * Of other columns see run_checks.h; timings.h gives the columns of a table these names.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNS_H
#define RUNS_H

#include <stdbool.h>

#include <base/csv.h>
#include <model/recallmodel.h>

enum run_kind { RUN_TWO_STAGE, RUN_STAGE1, RUN_EXACT };

struct run {
    struct rcm_topk p; /* exact: b = 1, k_b = k */
    enum run_kind kind;
    double time_us; /* NaN if it is not needed and not there */
    uint64_t threads;
    double noise; /* half of log(time_us_high/time_us_low); 0: not known */
    size_t row;   /* of the CSV */
};

/* Microseconds that a call may take: from a nanosecond to 28 hours. */
#define RUN_US_LEAST 1e-3
#define RUN_US_MOST 1e11

struct run_list {
    struct run *items;
    size_t length;
    size_t second;   /* runs of stage 1 that share a row with one of both stages */
    size_t left_out; /* rows of other measurements */
    bool has_dtype;
    enum rcm_dtype dtype;      /* of all runs, if the CSV says so */
    double l2_bytes, l3_bytes; /* of a CPU, if the first remark says l2= and l3=; 0: it does not */
};

/* Which rows to take if they differ. */
struct run_filter {
    bool has_dtype; /* only rows of `dtype`; otherwise those of the dtype of the first row */
    enum rcm_dtype dtype;
    bool times;  /* each run needs a time */
    bool stage1; /* also a run of stage 1 of each row that has its time */
    bool cpu;    /* runs of recallmodel bench: see runs_from_csv() */
    /* only rows with this in the column kernel; NULL: see runs_from_csv() */
    const char *kernel;
    const char *device; /* the rows of this card, if the column has it; NULL: of the first row's */
    bool any_time;      /* not of a GPU: no floor of a time is known */
    bool elsewhere;     /* the times may be of another card than that */
    bool contiguous;    /* only rows of contiguous buckets; the runs say that they are */
    bool selecting;     /* only runs with k < n: the others have nothing to select */
};

/* A whole number as a program writes it: also 4096.0 and 2^18, but not 4.096, which may be one with
 * a separator of thousands. */
bool run_count(const char *text, uint64_t *count);

/* The card that a column names, as tools print it; NULL: none. */
const struct rcm_device *run_device(const char *text);

/* The type with this name. Integers of 4 bytes count as float32: time depends on the bytes. */
bool run_dtype(const char *name, enum rcm_dtype *dtype);

/* Does it stand for a call that was not timed: empty, nan, OOM, N/A? */
bool run_is_missing(const char *time);

/* The column with the times: the first of time_us_median, time_us and time_us_mean that the table
 * has; csv->columns: none. */
size_t runs_time_column(const struct csv *csv);

/* Of the other columns, it takes the kernel "auto", interleaved, cold, events and the op "top_k" if
 * a row has them; otherwise all rows must agree, but in the type, which is that of the first row.
 * Of a CPU, warm if a row has it, for exact top-k the kernel "threshold" if a row has it, otherwise
 * that of its first row; rows of types that no profile has are left out, and so are those of calls
 * that were not timed. Returns 0, or -1 with one line in `error` that names the file, the line and
 * the column. runs_free() after success. */
int runs_from_csv(const struct csv *csv, struct run_filter filter, struct run_list *runs,
                  struct message error);
void runs_free(struct run_list *runs);

/* Appends copies of the runs of `more`. Returns 0, or -1 if memory runs out. */
int runs_append(struct run_list *runs, const struct run_list *more);

#endif
