/* results.h - a CSV file that grows by a row for each measurement, and that a second run goes on
 * with.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RESULTS_H
#define RESULTS_H

#include <stdbool.h>
#include <stdio.h>

struct results {
    FILE *file;
    const char *path; /* NULL: stdout */
    unsigned key_columns;
    char **seen; /* what has been measured: the first key_columns of each row */
    size_t length, capacity;
    bool other_git; /* some of it by other sources than `git` of the remark */
};

/* Opens `path` (NULL: stdout). What it has is read; a last line that a killed run left unfinished
 * is cut off. `columns` is its first line that is no remark; `remark` (lines that begin with #) is
 * written before what this run adds. Returns 0, or -1 with what is wrong. */
int results_open(struct results *results, const char *path, const char *columns,
                 unsigned key_columns, const char *remark, char *error, size_t error_size);

/* Is there a row with this key? */
bool results_have(const struct results *results, const char *key);

/* Notes as a remark what went wrong with a cell. `again`: a later run tries it again; otherwise it
 * counts as there. */
int results_note(struct results *results, const char *key, const char *why, bool again);

/* Writes a row (with its newline) at once. Returns 0, or -1: it could not be written. */
int results_add(struct results *results, const char *row);

/* Returns 0, or -1 if something could not be written. */
int results_close(struct results *results);

#endif
