/* row_file.h - rows of numbers from a .npy or a raw file, read one at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROW_FILE_H
#define ROW_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <base/message.h>

enum sim_dtype { SIM_DTYPE_UNKNOWN, SIM_F16, SIM_BF16, SIM_F32, SIM_F64 };

const char *sim_dtype_name(enum sim_dtype dtype); /* f16, bf16, f32, f64 */

#define ROW_FILE_AXES 8

struct row_file {
    int descriptor;
    enum sim_dtype dtype;
    uint64_t rows, row;              /* `rows` rows of `row` elements each */
    unsigned axes;                   /* of the array, at most ROW_FILE_AXES; 2 for a raw file */
    uint64_t axis[ROW_FILE_AXES];    /* their lengths; the last is `row` */
    uint64_t offset;                 /* of the first row, in bytes */
    uint64_t size;                   /* of the file, in bytes */
    uint64_t modified_ns;            /* modulo 2^64 */
    const struct row_format *format; /* NULL: raw numbers */
};

/* A format whose files say what they hold. A registry row: row_format(0), .. until NULL. */
struct row_format {
    const char *suffix; /* of the names of its files: ".npy" */
    const char *magic;  /* with which a file begins */
    size_t magic_length;
    size_t header_most; /* bytes of a header, at most */
    /* From the first `length` bytes of a file: sets dtype, row, rows, axes, axis and offset.
     * `dtype` is that of row_file_open(). Returns 0, or -1 with one line in `error`. */
    int (*parse)(struct row_file *file, const unsigned char *bytes, size_t length,
                 enum sim_dtype dtype, struct message error);
};
const struct row_format *row_format(size_t index);

/* Opens a file of rows. It must be a regular file, because rows are read by position, from any
 * number of threads. Its size must be that of its rows. What begins with the magic of a format is
 * of that format:
 *   .npy  versions 1 to 3; float16, float32 or float64; bfloat16 as uint16 or as 2-byte void if
 *         `dtype` is SIM_BF16; little-endian, C order. The last axis is the row, and all others
 *         together count the rows; at most 8 axes. `dtype` is SIM_DTYPE_UNKNOWN or what the file
 *         says; `row` is 0 or what the file says
 * Anything else is raw: little-endian; `dtype` and `row` are needed.
 * Returns   0; or -1 with one line in `error`, which does not name the file. file->format is then
 *           set, too. */
int row_file_open(struct row_file *file, const char *path, enum sim_dtype dtype, uint64_t row,
                  struct message error);

/* Reads row `index` as doubles, exactly. `buffer` has room for file->row elements of 8 bytes.
 * Returns 0, or -1 with errno, which is 0 if the file ends early. */
int row_file_read(const struct row_file *file, uint64_t index, double *x, void *buffer);

/* The same. Returns 0, or -1 with one line in `error`, which does not name the file. */
int row_file_get(const struct row_file *file, uint64_t index, double *x, void *buffer,
                 struct message error);

void row_file_close(struct row_file *file);

#endif
