/* count.h - what `recallmodel count` counts, and its tables: command_count.c, count_tables.c,
 * count_trace.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNT_H
#define COUNT_H

#include <programs/common/progress.h>
#include <programs/common/table.h>
#include <sim/selection/operations.h>

#include <programs/recallmodel/question/answer.h>
#include <programs/recallmodel/question/input.h>

#define COUNT_ALGORITHMS 16 /* at most so many in the registry */

struct count_settings {
    struct question question;
    struct input_option input;
    struct decimal_list rho, shift;
    struct count_list digits;
    unsigned algorithms[COUNT_ALGORITHMS], algorithms_length; /* none: all */
    uint64_t repetitions;                                     /* 0: not given */
    uint64_t seed;
    uint64_t places; /* that a kernel has for the threshold bin */
    bool smallest, trace;
    const char *file; /* of a row whose passes are printed */
};

#define QUADRATIC_MAX \
    (UINT64_C(1) << 30) /* n k of an algorithm that takes n k steps to run: a second or two */

/* One algorithm on one kind of keys, over all rows. */
struct subject {
    const struct sim_algorithm *algorithm;
    const char *keys; /* "ranks" or "float32" */
    unsigned digit;
    bool skipped;
    struct operations operations;
    uint64_t over; /* rows of which more elements were left than there are places */
};

/* Stage 1 of one shape, over all rows. */
struct stage1 {
    struct rcm_topk p;
    struct operations operations;
    uint64_t insertions;
};

/* The counts and the progress. A step makes one row, or runs one algorithm on one row. */
struct counting {
    const struct count_settings *settings;
    struct subject *subjects;
    size_t count;
    struct stage1 *stage1;
    size_t shapes;
    uint64_t wanted, rows; /* to be counted, and counted as a whole */
    struct progress progress;
    uint64_t step, steps;
    bool stopped;
};

/* Of the rows of algorithms. */
extern const struct columns count_columns;

/* Prints what has been counted. Returns a status. */
int report_counts(const struct counting *c);

/* Prints the passes of the compacting radix select on the row of a file. Returns a status. */
int trace_count(const struct count_settings *settings);

#endif
