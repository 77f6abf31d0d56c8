/* row_file.c - see row_file.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "row_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <base/files/regular_file.h>
#include <base/memory.h>

#include "element.h"
#include "formats.h"

static const struct row_format *const formats[] = {&npy_format, &safetensors_format};

const struct row_format *row_format(size_t index)
{
    return index < sizeof formats / sizeof *formats ? formats[index] : NULL;
}

/* ---- files */

/* Reads exactly length bytes. Returns 0, or -1 with errno, which is 0 at the end of the file. */
static int read_at(int descriptor, void *bytes, uint64_t length, uint64_t offset)
{
    unsigned char *at = bytes;
    while (length > 0) {
        ssize_t got =
            pread(descriptor, at, length < (1 << 30) ? (size_t)length : 1 << 30, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got < 0 ? errno : 0;
            return -1;
        }
        at += got;
        offset += (uint64_t)got;
        length -= (uint64_t)got;
    }
    return 0;
}

/* A line that says why reading failed. Returns -1. */
static int message_unread(struct message error)
{
    return message_set(error, "cannot be read: %s", errno ? strerror(errno) : "it ends early");
}

/* Reads the header of file->format. */
static int read_header(struct row_file *file, enum sim_dtype dtype, struct message error)
{
    const size_t most = file->format->header_most;
    uint64_t length = file->size < most ? file->size : most;
    unsigned char *bytes = malloc((size_t)length);
    if (!bytes)
        return message_set(error, "cannot be read: out of memory");
    int failed = read_at(file->descriptor, bytes, length, 0);
    if (failed)
        message_unread(error);
    else
        failed = file->format->parse(file, bytes, (size_t)length, dtype, error);
    free(bytes);
    return failed;
}

/* Opens the file, and sets its size and time. */
static int open_file(struct row_file *file, const char *path, struct message error)
{
    struct stat status;
    file->descriptor = regular_file_open(path, &status);
    if (file->descriptor < 0 && errno != 0)
        return message_set(error, "cannot be opened: %s", strerror(errno));
    if (file->descriptor < 0)
        return message_set(
            error,
            "is not a regular file; rows are read by position, so save a pipe to a file first");
    file->size = (uint64_t)status.st_size;
    file->modified_ns =
        (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
    return file->size > 0 ? 0 : message_set(error, "is empty");
}

/* The format that the beginning of the file tells. NULL: none; and where it is of another kind or
 * cannot be read, with a line in `error`. */
static const struct row_format *format_of(const struct row_file *file, struct message error)
{
    unsigned char bytes[80];
    const size_t length = file->size < sizeof bytes ? (size_t)file->size : sizeof bytes;
    if (read_at(file->descriptor, bytes, length, 0) != 0) {
        message_unread(error);
        return NULL;
    }
    for (size_t i = 0; row_format(i); i++)
        if (row_format(i)->begins(bytes, length))
            return row_format(i);
    row_file_foreign(file, bytes, length, error);
    return NULL;
}

/* The format that the name of a file promises; NULL: none. */
static const struct row_format *format_named(const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; row_format(i); i++) {
        const char *suffix = row_format(i)->suffix;
        if (length > strlen(suffix) && strcmp(path + length - strlen(suffix), suffix) == 0)
            return row_format(i);
    }
    return NULL;
}

static int set_raw_rows(struct row_file *file, enum sim_dtype dtype, uint64_t row,
                        struct message error)
{
    if (dtype == SIM_DTYPE_UNKNOWN || row == 0)
        return message_set(error, "is not a .npy or .safetensors file; simulate reads raw numbers "
                                  "with " MEMBER "dtype and " MEMBER "row");
    file->dtype = dtype;
    file->row = row;
    file->offset = 0;
    file->rows = file->size / elements[dtype].bytes / row;
    file->axes = 2;
    file->axis[0] = file->rows;
    file->axis[1] = row;
    if (file->rows == 0 || file->size % (elements[dtype].bytes * row) != 0)
        return message_set(
            error, "has %" PRIu64 " bytes, which is not a whole number of rows of %" PRIu64 " %s",
            file->size, row, sim_dtype_name(dtype));
    return 0;
}

/* Has the file as many bytes as its rows take? */
static int check_size(const struct row_file *file, struct message error)
{
    uint64_t length;
    if (__builtin_mul_overflow(file->rows, file->row, &length) ||
        __builtin_mul_overflow(length, elements[file->dtype].bytes, &length) ||
        __builtin_add_overflow(length, file->offset, &length))
        return message_set(error, "has a damaged header: its shape is too large; write it again");
    if (length != file->size)
        return message_set(error, "has %" PRIu64 " bytes, but its header promises %" PRIu64,
                           file->size, length);
    return 0;
}

/* In Fortran order the elements of a row are far from each other: reads all of them once. */
static int read_whole_file(struct row_file *file, struct message error)
{
    char mend[ROW_MEND];
    const uint64_t bytes = file->size - file->offset;
    file->whole = (double)bytes < memory_limit_bytes() ? malloc((size_t)bytes) : NULL;
    if (!file->whole)
        return message_set(
            error, "is in Fortran order and does not fit into memory; %s",
            row_file_mend(mend, file, "", "n.ascontiguousarray(n.load(", ", mmap_mode=\"r\"))"));
    return read_at(file->descriptor, file->whole, bytes, file->offset) == 0 ? 0
                                                                            : message_unread(error);
}

/* As row_file_open(), but leaves the file open on failure. */
static int open_rows(struct row_file *file, enum sim_dtype dtype, uint64_t row,
                     struct message error)
{
    if (open_file(file, file->path, error) != 0)
        return -1;
    const struct row_format *promised = format_named(file->path);
    *error.text = '\0';
    file->format = format_of(file, error);
    if (*error.text)
        return -1;
    if (!file->format && promised)
        return message_set(error, "is not a %s file, by its first bytes", promised->suffix);
    if ((file->format ? read_header(file, dtype, error) : set_raw_rows(file, dtype, row, error)) !=
        0)
        return -1;
    if (row && row != file->row)
        return message_set(error,
                           "has rows of %" PRIu64 " elements, not the %" PRIu64 " of " MEMBER "row",
                           file->row, row);
    if (check_size(file, error) != 0)
        return -1;
    file->fortran = file->fortran && file->rows > 1;
    return file->fortran ? read_whole_file(file, error) : 0;
}

int row_file_open(struct row_file *file, const char *path, enum sim_dtype dtype, uint64_t row,
                  struct message error)
{
    *file = (struct row_file){.descriptor = -1, .mask_below = -INFINITY, .path = path};
    const int failed = open_rows(file, dtype, row, error);
    file->path = NULL;
    if (failed)
        row_file_close(file);
    return failed;
}

void row_file_close(struct row_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
    free(file->whole);
    file->whole = NULL;
}

/* ---- elements: each of them is a double exactly */

/* The elements of a row in Fortran order. The last axis is the one whose elements are farthest
 * apart, by the number of rows; the other indices, of which the first moves by one element, say
 * where the row begins. */
static void gather(const struct row_file *file, uint64_t index, unsigned char *to)
{
    const uint64_t bytes = elements[file->dtype].bytes;
    uint64_t from = 0, step = file->rows;
    for (unsigned i = file->axes - 1; i-- > 0;) {
        step /= file->axis[i];
        from += step * (index % file->axis[i]);
        index /= file->axis[i];
    }
    for (uint64_t i = 0; i < file->row; i++)
        memcpy(to + i * bytes, file->whole + (from + i * file->rows) * bytes, (size_t)bytes);
}

static void swap_bytes(unsigned char *at, uint64_t count, uint64_t bytes)
{
    for (; count-- > 0; at += bytes)
        for (uint64_t i = 0; i < bytes / 2; i++) {
            const unsigned char byte = at[i];
            at[i] = at[bytes - 1 - i];
            at[bytes - 1 - i] = byte;
        }
}

int row_file_cut(struct row_file *file, const uint64_t *begins, uint64_t rows, struct message error)
{
    const uint64_t all = file->rows * file->row;
    uint64_t longest = 0;
    if (file->whole)
        return message_set(error, "do not cut a file in Fortran order; save numpy.ravel(x)");
    for (uint64_t i = 0; i < rows; i++) {
        if (begins[i + 1] < begins[i])
            return message_set(error, "falls from row %" PRIu64 " to the next", i);
        longest = begins[i + 1] - begins[i] > longest ? begins[i + 1] - begins[i] : longest;
    }
    if (rows == 0 || begins[0] != 0 || begins[rows] != all)
        return message_set(error,
                           "does not begin with 0 and end with %" PRIu64
                           ", the number of elements; give the end of the last row, too",
                           all);
    if (longest == 0)
        return message_set(error, "has no row with an element");
    file->begins = begins;
    file->rows = rows;
    file->row = longest;
    file->axes = 2;
    file->axis[0] = rows;
    file->axis[1] = longest;
    return 0;
}

static uint64_t first_of(const struct row_file *file, uint64_t index)
{
    return file->begins ? file->begins[index] : index * file->row;
}

static uint64_t length_of(const struct row_file *file, uint64_t index)
{
    return file->begins ? file->begins[index + 1] - file->begins[index] : file->row;
}

int row_file_bytes(const struct row_file *file, uint64_t index, void *to)
{
    const uint64_t each = elements[file->dtype].bytes, length = length_of(file, index);
    if (file->whole && index < file->rows)
        gather(file, index, to);
    else if (read_at(file->descriptor, to, length * each,
                     file->offset + first_of(file, index) * each) != 0)
        return -1;
    if (file->swapped)
        swap_bytes(to, length, each);
    return 0;
}

int row_file_read(const struct row_file *file, uint64_t index, double *x, void *buffer)
{
    if (row_file_bytes(file, index, buffer) != 0)
        return -1;
    const uint64_t length = length_of(file, index);
    elements[file->dtype].widen(buffer, x, length);
    for (uint64_t i = length; i < file->row; i++)
        x[i] = -INFINITY;
    const double mask = file->dtype == SIM_F64 ? file->mask_below : (double)(float)file->mask_below;
    for (uint64_t i = 0; i < file->row && mask > -INFINITY; i++)
        x[i] = x[i] <= mask ? -INFINITY : x[i];
    return 0;
}

int row_file_get(const struct row_file *file, uint64_t index, double *x, void *buffer,
                 struct message error)
{
    return row_file_read(file, index, x, buffer) == 0 ? 0 : message_unread(error);
}
