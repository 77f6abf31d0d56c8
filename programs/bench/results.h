/* results.h - a CSV file that grows by a row for each measurement. A later run continues it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RESULTS_H
#define RESULTS_H

#include <stdbool.h>
#include <stdio.h>

/* Begins as all zeros: what is added goes nowhere. */
struct results {
    FILE *file;
    const char *path; /* NULL: stdout */
    unsigned key_columns;
    char **keys; /* of what was measured: the first key_columns of each row */
    size_t length, capacity;
    long begun;     /* where the line of results_begin() stands; 0: none is there */
    bool other_git; /* the remarks of some rows name another git= than the remark of this run */
};

/* Opens `path` (NULL: stdout) and reads its rows. Removes an unfinished last line, which a killed
 * run left. `columns` is the first line that is not a remark; `remark` (lines that begin with #) is
 * written before the rows of this run. Returns 0, or -1 with one line in `error`. */
int results_open(struct results *results, const char *path, const char *columns,
                 unsigned key_columns, const char *remark, char *error, size_t error_size);

/* Is there a row with this key? */
bool results_have(const struct results *results, const char *key);

/* Writes a remark that says why a cell has no row. With `again` a later run tries the cell again;
 * otherwise results_have() is then true. Returns 0, or -1 if it could not be written. */
int results_note(struct results *results, const char *key, const char *why, bool again);

/* Says in the file that a cell begins which may end the program: another project's code. If it
 * does, a later run leaves it out, as one that failed. results_end() takes that back, and so does
 * the next row or remark. Return 0, or -1 if it could not be written. */
int results_begin(struct results *results, const char *key);
int results_end(struct results *results);

/* Writes a remark, a line without its # and its end. Returns 0, or -1 if writing fails. */
int results_remark(struct results *results, const char *text);

/* Writes a row, which ends with its newline, at once. Returns 0, or -1 if writing fails. */
int results_add(struct results *results, const char *row);

/* Closes the file. Returns 0, or -1 if something could not be written. */
int results_close(struct results *results);

#endif
