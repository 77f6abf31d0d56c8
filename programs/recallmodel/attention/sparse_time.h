/* sparse_time.h - `recallmodel sparse --time`: how long a step of each row takes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SPARSE_TIME_H
#define SPARSE_TIME_H

#include <attention/evaluation/timing.h>

#include "sparse.h"

/* One for each row of the evaluation. */
struct sparse_timing {
    double index_us; /* NaN: the method builds no index */
    struct step_times step;
};

/* On a device (docs/models.md 15). */
#define STEP_LAUNCHES 3      /* choose, attend, merge */
#define FULL_STEP_LAUNCHES 2 /* attend, merge */
#define STEP_LAUNCH_US 2.2   /* without a profile: launch_us of the H100 PCIe, measured */

#define TIMED_QUERIES 8 /* the last of the head, each of them .. */
#define TIMED_TIMES 3   /* .. so many times */

/* Measures each row on one query head: that of the row, or the first that is not read in full. With
 * --share and a method that can, on all query heads that choose with it, divided among them. Sets
 * time_us of the rows. *timings has the rest, for the rows in their order; the caller frees it.
 * Returns a status, after a line on stderr if it is a fault; STATUS_INTERRUPTED after Ctrl-C: then
 * the rows that follow have no time. */
int sparse_time(const struct sparse_settings *settings, const struct evaluation_spec *spec,
                const struct evaluation *evaluation, struct sparse_timing **timings);

extern const struct columns sparse_timing_columns; /* without time_us, which the row has */

/* The predicted times of a row: of a step, and of one of full attention, of all heads of a layer
 * for a batch. */
struct sparse_device_times {
    double step_us, full_us;
};
extern const struct columns sparse_device_columns;
struct sparse_device_times sparse_device_times(const struct sparse_answer *answer,
                                               const struct evaluation_row *row);

extern const struct value_kind kind_of_time; /* enum sparse_cache: cold or warm */
argument_reader read_launch;                 /* double, microseconds, from 0 on */

#endif
