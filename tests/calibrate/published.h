/* published.h - the published runs in runs/.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PUBLISHED_H
#define PUBLISHED_H

#include <calibrate/runs/runs.h>
#include <calibrate/runs/timings.h>
#include <tests/test.h>

/* Of runs/drtopk/two-stage.csv: the types are those of no profile; the times hardly depend on the
 * values. */
#define DRTOPK_COLUMNS "ignore=distribution,ignore=variant"

/* Reads the runs of a file. columns: as in timings.h; kernel: NULL if the file has one. */
static inline void read_published(const char *path, const char *columns, const char *kernel,
                                  struct run_list *list)
{
    char error[CSV_ERROR], notes[TIMINGS_NOTES];
    struct csv csv;
    ck_assert_msg(csv_read(path, &csv, MESSAGE(error)) == 0, "%s", error);
    ck_assert_msg(timings_rename(&csv, &(struct timings_options){.columns = columns},
                                 MESSAGE(notes), MESSAGE(error)) == 0,
                  "%s", error);
    const struct run_filter filter = {.times = true, .kernel = kernel};
    ck_assert_msg(runs_from_csv(&csv, filter, list, MESSAGE(error)) == 0, "%s", error);
    csv_free(&csv);
}

#endif
