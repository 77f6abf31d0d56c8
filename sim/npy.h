/* npy.h - the header of a .npy file: a magic, a version, a length, and a Python dictionary with
 * three entries.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef NPY_H
#define NPY_H

#include "row_file.h"

#define NPY_MAGIC "\x93NUMPY"
#define NPY_MAGIC_LENGTH 6
#define NPY_HEADER_MAX (1 << 20)

/* Parses a header that begins with the magic, from the first `length` bytes of a file. `dtype` is
 * as in row_file_open(). Sets dtype, row, rows and offset of the file. Returns 0, or -1 with one
 * line in `error`. */
int npy_parse(struct row_file *file, const unsigned char *bytes, size_t length,
              enum sim_dtype dtype, char *error, size_t size);

#endif
