/* formats.h - internal to sim/: the kinds of files that rows are read from, and those that are
 * refused with the line of Python that mends them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FORMATS_H
#define FORMATS_H

#include "row_file.h"

extern const struct row_format npy_format, safetensors_format;

/* The path of a file that is being opened, if it can stand in a line for a shell; else FILE. */
const char *row_file_shown(const struct row_file *file);

/* "python3 -c '..'": saves what Python reads from the file as rows.npy. `before` and `after` stand
 * around the name of the file. Returns `mend`. */
#define ROW_MEND 256
const char *row_file_mend(char mend[ROW_MEND], const struct row_file *file, const char *imports,
                          const char *before, const char *after);

/* Is it of another kind, by its first bytes or its name? Then -1 with one line in `error`, which
 * has the mend; otherwise 0. */
int row_file_foreign(const struct row_file *file, const unsigned char *bytes, size_t length,
                     struct message error);

#endif
