/* timings_table.h - the runs of a table that stands in memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TIMINGS_TABLE_H
#define TIMINGS_TABLE_H

#include <calibrate/runs/runs.h>
#include <calibrate/runs/timings.h>
#include <tests/test.h>

/* Reads a table. Returns how many runs it has, which runs_free() frees; -1 with an error. */
static inline int read_table(const char *text, size_t length, const struct timings_options *options,
                             const char *kernel, struct run_list *runs, struct message notes,
                             struct message error)
{
    const struct run_filter filter = {.times = true, .kernel = kernel};
    struct csv csv;
    *error.text = *notes.text = '\0';
    if (csv_parse("t.csv", text, length, &csv, error) != 0)
        return -1;
    int status = timings_rename(&csv, options, notes, error);
    if (status == 0)
        status = runs_from_csv(&csv, filter, runs, error);
    csv_free(&csv);
    return status == 0 ? (int)runs->length : -1;
}

#endif
