/* row_file.h - rows of numbers from a .npy or a raw file, read one at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROW_FILE_H
#define ROW_FILE_H

#include <stddef.h>
#include <stdint.h>

enum sim_dtype { SIM_DTYPE_UNKNOWN, SIM_F16, SIM_BF16, SIM_F32, SIM_F64 };

const char *sim_dtype_name(enum sim_dtype dtype); /* f16, bf16, f32, f64 */

struct row_file {
    int descriptor;
    enum sim_dtype dtype;
    uint64_t rows, row;   /* rows of `row` elements each */
    uint64_t offset;      /* of the first, in bytes */
    uint64_t size;        /* of the file, in bytes */
    uint64_t modified_ns; /* modulo 2^64 */
};

/* Opens a file of rows.
 *   .npy (by its magic): versions 1 to 3, float16, float32, float64, little-endian, C order;
 * bfloat16 as uint16 or as 2-byte void where `dtype` is SIM_BF16. The last axis is the row; all
 * others are counted through. `dtype` SIM_DTYPE_UNKNOWN or equal to what the file says; `row` 0 or
 * equal. Anything else is raw, little-endian, and needs `dtype` and `row`. The size of the file
 * must be that of its rows. Only regular files: rows are read by position, from any number of
 * threads. Returns 0, or -1 with one line in `error`, which does not name the file. */
int row_file_open(struct row_file *file, const char *path, enum sim_dtype dtype, uint64_t row,
                  char *error, size_t size);

/* Reads row `index`, as double, exactly. `buffer` has room for file->row elements of 8 bytes.
 * Returns 0, or -1 with errno set (0 at an unexpected end). */
int row_file_read(const struct row_file *file, uint64_t index, double *x, void *buffer);

void row_file_close(struct row_file *file);

/* Parses a .npy header of `length` bytes that begins with the magic. Fills dtype, row, rows, and
 * offset. Returns 0, or -1 with one line in `error`. For row_file_open and the fuzzer. */
int npy_parse(struct row_file *file, const unsigned char *bytes, size_t length,
              enum sim_dtype dtype, char *error, size_t size);

#endif
