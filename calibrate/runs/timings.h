/* timings.h - a table of times that somebody measured, under the names and in the units that runs.h
 * reads: whatever its columns are called there, in any form that csv.h reads.
 *
 *   n, k, m, b, k_b, dtype, kernel, device    by these names in any case, or by those that others
 *              use (timings.c lists them): vocab, topk, batch_size, method. "KeyT{ct}" of nvbench
 *              and "param:n" of pytest-benchmark are such names.
 *   time_us    of a column whose name has a unit (latency_ms, "GPU Time (sec)"), whose fields have
 *              one (10.2 us), or by time_unit. A median goes before a plain time, and that before a
 *              mean. Without a time, that in which n m values are read at the rate of a column in
 *              GB/s.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TIMINGS_H
#define TIMINGS_H

#include <stdbool.h>

#include <base/csv.h>
#include <model/recallmodel/cost.h>

struct timings_options {
    const char *columns;   /* "m=bs,n=M,k=64,time=Triton,ignore=trial"; NULL: none */
    const char *time_unit; /* us, ms, ns or s; NULL: the table says it */
    bool has_dtype;        /* for rates of tables without a column dtype */
    enum rcm_dtype dtype;
};

#define TIMINGS_NOTES 600

/* Renames the columns of a table that csv_read() has read, in place, and converts its times.
 * Returns   0, with a line in `notes` that says what was guessed ("": nothing); or -1 with one line
 *           in `error`, which names what mends it. The table stays the caller's. */
int timings_rename(struct csv *csv, const struct timings_options *options, struct message notes,
                   struct message error);

/* Is a column a setting that nobody has read: are its fields words or whole numbers, and does its
 * name say neither what was measured (samples, time_us_low) nor which repetition it was? */
bool timings_is_setting(const struct csv *csv, size_t column);

#endif
