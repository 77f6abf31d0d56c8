/* published.h - the published runs in runs/.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PUBLISHED_H
#define PUBLISHED_H

#include <calibrate/runs/runs.h>
#include <tests/test.h>

/* Reads the runs of a file. `any_type`: the column dtype names types that no profile has, and is
 * not read. */
static inline void read_published(const char *path, bool any_type, struct run_list *list)
{
    char error[CSV_ERROR];
    struct csv csv;
    ck_assert_msg(csv_read(path, &csv, MESSAGE(error)) == 0, "%s", error);
    if (any_type)
        csv.fields[csv_column(&csv, "dtype")][0] = '-';
    ck_assert_msg(runs_from_csv(&csv, (struct run_filter){.times = true}, list, MESSAGE(error)) ==
                      0,
                  "%s", error);
    csv_free(&csv);
}

#endif
