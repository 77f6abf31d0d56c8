/* row_file.h - rows of numbers from a .npy, a .safetensors or a raw file, read one at a time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROW_FILE_H
#define ROW_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <base/message.h>

/* F8E4M3 has no infinity, and NaN only where all bits but the sign are set. */
enum sim_dtype {
    SIM_DTYPE_UNKNOWN,
    SIM_F16,
    SIM_BF16,
    SIM_F32,
    SIM_F64,
    SIM_F8E4M3,
    SIM_F8E5M2,
    SIM_DTYPES,           /* of scores; more are those of lengths: */
    SIM_I32 = SIM_DTYPES, /* .. read where SIM_I64 is asked for, as all these */
    SIM_I64,
    SIM_I8,
    SIM_I16,
    SIM_U8,
    SIM_U16,
    SIM_U32,
    SIM_U64
};

const char *sim_dtype_name(enum sim_dtype dtype); /* f16, bf16, f32, .., i64 */

#define ROW_FILE_AXES 8

struct row_file {
    int descriptor;
    enum sim_dtype dtype;
    uint64_t rows, row;              /* `rows` rows of `row` elements each */
    unsigned axes;                   /* of the array, at most ROW_FILE_AXES; 2 for a raw file */
    uint64_t axis[ROW_FILE_AXES];    /* their lengths; the last is `row` */
    uint64_t offset;                 /* of the first row, in bytes */
    const uint64_t *begins;          /* of row_file_cut(); NULL: rows of `row` */
    uint64_t size;                   /* of the file, in bytes */
    uint64_t modified_ns;            /* modulo 2^64 */
    const struct row_format *format; /* NULL: raw numbers */
    bool swapped;                    /* big-endian */
    bool fortran;         /* the first axis is the one whose elements are neighbours .. */
    unsigned char *whole; /* .. and here are all elements; otherwise NULL */
    /* This value and less are read as -inf; of all types but f64 the float that is next to it,
     * because the lowest one is often written as -3.4028235e38. row_file_open() sets -inf. */
    double mask_below;
    const char *path; /* while the file is being opened */
};

/* A format whose files say what they hold. A registry row: row_format(0), .. until NULL. */
struct row_format {
    const char *suffix; /* of the names of its files: ".npy" */
    size_t header_most; /* bytes of a header, at most */
    /* Do the first `length` bytes of a file say that it is one? */
    bool (*begins)(const unsigned char *bytes, size_t length);
    /* From the first `length` bytes of a file: sets dtype, row, rows, axes, axis, offset,
     * swapped and fortran. `dtype` is that of row_file_open(). Returns 0, or -1 with one line in
     * `error`. */
    int (*parse)(struct row_file *file, const unsigned char *bytes, size_t length,
                 enum sim_dtype dtype, struct message error);
};
const struct row_format *row_format(size_t index);

/* Opens a file of rows. It must be a regular file, because rows are read by position, from any
 * number of threads. Its size must be that of its rows. What begins as a format does is of it:
 *   .npy          versions 1 to 3; float16, float32 or float64; bfloat16 and float8 as void or as
 *                 integers if `dtype` says which; either byte order. In Fortran order the file
 *                 must fit into memory
 *   .safetensors  one tensor of F16, BF16, F32, F64, F8_E4M3 or F8_E5M2
 * The last axis is the row, and all others together count the rows; at most 8 axes. `dtype` is
 * SIM_DTYPE_UNKNOWN or what the file says; `row` is 0 or what the file says. Anything else is raw:
 * little-endian; `dtype` and `row` are needed.
 * Returns   0; or -1 with one line in `error`, which does not name the file in front. It has the
 *           line of Python that mends a file of another kind. */
int row_file_open(struct row_file *file, const char *path, enum sim_dtype dtype, uint64_t row,
                  struct message error);

/* Cuts the elements of a file, whatever its rows, into `rows` rows: row i begins at begins[i] and
 * ends before begins[i + 1]. file->row is then the length of the longest; what is read of a shorter
 * row ends with -inf. The caller keeps `begins`, which has rows + 1 items.
 * Returns   0, or -1 with one line in `error`, which does not name the file: they do not rise from
 *           0 to the number of elements, or the file is in Fortran order. */
int row_file_cut(struct row_file *file, const uint64_t *begins, uint64_t rows,
                 struct message error);

/* Reads row `index` as doubles, exactly below 2^53. `buffer` has room for file->row elements of 8
 * bytes. Returns 0, or -1 with errno, which is 0 if the file ends early. */
int row_file_read(const struct row_file *file, uint64_t index, double *x, void *buffer);

/* The same elements as they are in the file, but little-endian, and without mask_below. */
int row_file_bytes(const struct row_file *file, uint64_t index, void *to);

/* row_file_read(). Returns 0, or -1 with one line in `error`, which does not name the file. */
int row_file_get(const struct row_file *file, uint64_t index, double *x, void *buffer,
                 struct message error);

void row_file_close(struct row_file *file);

#endif
