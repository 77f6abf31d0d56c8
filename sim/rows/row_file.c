/* row_file.c - see row_file.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "row_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <base/files/regular_file.h>

#include "npy.h"

static const struct row_format *const formats[] = {&npy_format};

const struct row_format *row_format(size_t index)
{
    return index < sizeof formats / sizeof *formats ? formats[index] : NULL;
}

static uint64_t bytes_of(enum sim_dtype dtype)
{
    return dtype == SIM_F64 ? 8 : dtype == SIM_F32 ? 4 : 2;
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

static bool begins_with_magic(const struct row_file *file, const struct row_format *format)
{
    unsigned char magic[16];
    return file->size >= format->magic_length &&
           read_at(file->descriptor, magic, format->magic_length, 0) == 0 &&
           memcmp(magic, format->magic, format->magic_length) == 0;
}

/* The format that the beginning of the file tells; NULL: none. */
static const struct row_format *format_of(const struct row_file *file)
{
    for (size_t i = 0; row_format(i); i++)
        if (begins_with_magic(file, row_format(i)))
            return row_format(i);
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
        return message_set(error, "is not a .npy file; for raw numbers give " MEMBER
                                  "dtype and " MEMBER "row");
    file->dtype = dtype;
    file->row = row;
    file->offset = 0;
    file->rows = file->size / bytes_of(dtype) / row;
    file->axes = 2;
    file->axis[0] = file->rows;
    file->axis[1] = row;
    if (file->rows == 0 || file->size % (bytes_of(dtype) * row) != 0)
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
        __builtin_mul_overflow(length, bytes_of(file->dtype), &length) ||
        __builtin_add_overflow(length, file->offset, &length))
        return message_set(error, "has a damaged header: its shape is too large; write it again");
    if (length != file->size)
        return message_set(error, "has %" PRIu64 " bytes, but its header promises %" PRIu64,
                           file->size, length);
    return 0;
}

/* As row_file_open(), but leaves the file open on failure. */
static int open_rows(struct row_file *file, const char *path, enum sim_dtype dtype, uint64_t row,
                     struct message error)
{
    if (open_file(file, path, error) != 0)
        return -1;
    const struct row_format *promised = format_named(path);
    file->format = format_of(file);
    if (!file->format && promised)
        return message_set(error, "is not a %s file: it does not begin with the magic bytes of one",
                           promised->suffix);
    if ((file->format ? read_header(file, dtype, error) : set_raw_rows(file, dtype, row, error)) !=
        0)
        return -1;
    if (row && row != file->row)
        return message_set(error,
                           "has rows of %" PRIu64 " elements, not the %" PRIu64 " of " MEMBER "row",
                           file->row, row);
    return check_size(file, error);
}

int row_file_open(struct row_file *file, const char *path, enum sim_dtype dtype, uint64_t row,
                  struct message error)
{
    *file = (struct row_file){.descriptor = -1};
    if (open_rows(file, path, dtype, row, error) == 0)
        return 0;
    row_file_close(file);
    return -1;
}

void row_file_close(struct row_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
}

/* ---- elements: each of them is a double exactly */

static double of_half(uint16_t bits)
{
    unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value;
    if (exponent == 31) {
        uint64_t wide = UINT64_C(0x7ff) << 52 | (uint64_t)fraction << 42;
        memcpy(&value, &wide, sizeof value);
    } else if (exponent == 0) {
        value = fraction * 0x1p-24;
    } else {
        uint64_t wide = (uint64_t)(exponent + 1008) << 52 | (uint64_t)fraction << 42;
        memcpy(&value, &wide, sizeof value);
    }
    return bits >> 15 ? -value : value;
}

static double of_bfloat(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

int row_file_read(const struct row_file *file, uint64_t index, double *x, void *buffer)
{
    uint64_t bytes = file->row * bytes_of(file->dtype);
    if (read_at(file->descriptor, buffer, bytes, file->offset + index * bytes) != 0)
        return -1;
    const uint16_t *words = buffer;
    const float *floats = buffer;
    switch (file->dtype) {
    case SIM_F16:
        for (uint64_t i = 0; i < file->row; i++)
            x[i] = of_half(words[i]);
        break;
    case SIM_BF16:
        for (uint64_t i = 0; i < file->row; i++)
            x[i] = of_bfloat(words[i]);
        break;
    case SIM_F32:
        for (uint64_t i = 0; i < file->row; i++)
            x[i] = floats[i];
        break;
    default:
        memcpy(x, buffer, bytes);
    }
    return 0;
}

int row_file_get(const struct row_file *file, uint64_t index, double *x, void *buffer,
                 struct message error)
{
    return row_file_read(file, index, x, buffer) == 0 ? 0 : message_unread(error);
}
