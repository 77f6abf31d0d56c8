/* runs_folder.h - the measured runs that come with the project, and their names.
 *
 * They lie in a folder with an index, index.csv, whose columns are
 *
 *   name     FOLDER/FILE, of the file FOLDER/FILE.csv: keyetal/two-stage
 *   rows     of this file
 *   what     was measured; device: on what; dtype: the types of the values (blanks between them)
 *   licence  of the source. FOLDER/SOURCE says more.
 *   statistic, cache, launch, lengths
 *            what a time is (median, mean), whether the rows lay in the cache (warm, cold,
 *            several), whether the launch is in it (with, without), and whether the rows of a call
 *            have equal lengths. Empty: not stated. A fit is of one file, so it mixes none of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNS_FOLDER_H
#define RUNS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include <base/csv.h>

#define RUNS_PATH 4096
#define RUNS_FOLDER_VARIABLE "RECALLMODEL_RUNS"

/* The columns of the index, in its order. */
enum {
    RUNS_NAME,
    RUNS_ROWS,
    RUNS_WHAT,
    RUNS_DEVICE,
    RUNS_DTYPE,
    RUNS_LICENCE,
    RUNS_STATISTIC,
    RUNS_CACHE,
    RUNS_LAUNCH,
    RUNS_LENGTHS,
    RUNS_COLUMNS
};
extern const char *const runs_index_columns[RUNS_COLUMNS];

/* The index, and the folder in which it was found. runs_index_free() after success. */
struct runs_index {
    char folder[RUNS_PATH];
    struct csv csv;
};

/* Finds the folder and reads its index. The folder is the first of these with an index.csv:
 *
 *   1. that of the environment variable RECALLMODEL_RUNS. If it is set, no other is tried.
 *   2. runs/ beside the program, or beside the folder build/ in which the program lies (up to
 *      three folders up): a checkout;
 *   3. ../share/recallmodel/runs, seen from the program: what make install has installed. This one
 *      is tried before the folders above that of the program.
 *
 * Returns 0, or -1 with one line in `error`, which says where it looked. */
int runs_index_read(struct runs_index *index, struct message error);
void runs_index_free(struct runs_index *index);

/* A field of the index. */
const char *runs_index_field(const struct runs_index *index, size_t row, unsigned column);

/* The row of the index with that name; index->csv.rows, and in `hint` what to do instead ("did you
 * mean 'keyetal/exact'?"), if there is none. */
#define RUNS_HINT 100
size_t runs_index_find(const struct runs_index *index, const char *name, char hint[RUNS_HINT]);

/* The CSV file of a row of the index, or another file of its folder ("SOURCE"). False if the path
 * is too long. */
bool runs_index_path(const struct runs_index *index, size_t row, const char *other,
                     char path[RUNS_PATH]);

/* Where a file or a name may be given: is a file meant? That is what exists, and what looks like a
 * path: it begins with / or has a point. */
bool runs_is_path(const char *given);

/* The file that is meant: `given` if that is a path, otherwise the file of that name in the index.
 * Returns 0, or -1 with one line in `error`. */
int runs_file(const char *given, char path[RUNS_PATH], struct message error);

#endif
