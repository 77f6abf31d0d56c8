/* row_file.c - see row_file.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "row_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {"unknown", "f16", "bf16", "f32", "f64"};

const char *sim_dtype_name(enum sim_dtype dtype)
{
    return names[dtype];
}

static uint64_t bytes_of(enum sim_dtype dtype)
{
    return dtype == SIM_F64 ? 8 : dtype == SIM_F32 ? 4 : 2;
}

struct message {
    char *text;
    size_t size;
};

static int fail(struct message message, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static int fail(struct message message, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message.text, message.size, format, arguments);
    va_end(arguments);
    return -1;
}

/* ---- the header of a .npy file: a magic, a version, a length, and a Python dictionary with three
 * entries */

#define MAGIC "\x93NUMPY"
#define MAGIC_LENGTH 6
#define HEADER_MAX (1 << 20)

/* What is left to read of the dictionary. */
struct cursor {
    const unsigned char *at, *end;
};

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t'))
        c->at++;
}

static bool take(struct cursor *c, char expected)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at != (unsigned char)expected)
        return false;
    c->at++;
    return true;
}

static bool take_word(struct cursor *c, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

/* A string in single or double quotes, without escapes. */
static bool take_string(struct cursor *c, char *text, size_t size)
{
    size_t length = 0;
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return false;
    unsigned char quote = *c->at++;
    for (; c->at < c->end && *c->at != quote; c->at++) {
        if (length + 1 >= size || *c->at < ' ' || *c->at > '~' || *c->at == '\\')
            return false;
        text[length++] = (char)*c->at;
    }
    text[length] = '\0';
    return c->at++ < c->end;
}

static int parse_descr(const char *descr, enum sim_dtype wanted, enum sim_dtype *dtype,
                       struct message message)
{
    static const struct {
        const char *descr;
        enum sim_dtype dtype;
    } known[] = {{"<f2", SIM_F16}, {"<f4", SIM_F32}, {"<f8", SIM_F64}};
    *dtype = SIM_DTYPE_UNKNOWN;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(descr, known[i].descr) == 0)
            *dtype = known[i].dtype;
    bool words =
        strcmp(descr, "<u2") == 0 || strcmp(descr, "<V2") == 0 || strcmp(descr, "|V2") == 0;
    if (words && wanted == SIM_BF16)
        *dtype = SIM_BF16;
    else if (words)
        return fail(message, "holds '%s'; if that is bfloat16, give --dtype bf16", descr);
    if (*dtype == SIM_DTYPE_UNKNOWN && *descr == '>')
        return fail(message, "holds '%s', big-endian; save it as little-endian: x.astype('<f4')",
                    descr);
    if (*dtype == SIM_DTYPE_UNKNOWN)
        return fail(message,
                    "holds '%.20s'; give float16, float32 or float64 ('<f2', '<f4', '<f8')", descr);
    if (wanted != SIM_DTYPE_UNKNOWN && wanted != *dtype)
        return fail(message, "holds %s, not the %s of --dtype", names[*dtype], names[wanted]);
    return 0;
}

/* (2, 3, 4): the last is the row, the product of the others the number of rows. */
static int parse_shape(struct cursor *c, struct row_file *file, struct message message)
{
    unsigned axes = 0;
    file->rows = 1;
    file->row = 1;
    if (!take(c, '('))
        return fail(message, "has a damaged .npy header: shape is not a tuple");
    while (!take(c, ')')) {
        uint64_t axis = 0;
        skip_blanks(c);
        if (c->at < c->end && *c->at == '-')
            return fail(message, "has a damaged .npy header: a negative shape");
        if (c->at == c->end || *c->at < '0' || *c->at > '9')
            return fail(message, "has a damaged .npy header: shape is not a tuple of numbers");
        for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
            axis = axis * 10 + (uint64_t)(*c->at - '0');
            if (axis >> 56)
                return fail(message, "has a damaged .npy header: its shape is too large");
        }
        if (__builtin_mul_overflow(file->rows, file->row, &file->rows) || file->rows >> 56)
            return fail(message, "has a damaged .npy header: its shape is too large");
        file->row = axis;
        axes++;
        if (!take(c, ',')) {
            if (axes < 2 || !take(c, ')'))
                return fail(message, "has a damaged .npy header: shape is not a tuple");
            break;
        }
    }
    if (axes == 0)
        return fail(message, "holds a single number; give an array whose last axis is the row");
    if (file->rows == 0 || file->row == 0)
        return fail(message, "holds no rows: an axis of its shape is 0");
    return 0;
}

int npy_parse(struct row_file *file, const unsigned char *bytes, size_t length,
              enum sim_dtype dtype, char *error, size_t size)
{
    struct message message = {error, size};
    size_t start = MAGIC_LENGTH + 2 + 2, text = 0;
    if (length < start || memcmp(bytes, MAGIC, MAGIC_LENGTH) != 0)
        return fail(message, "is not a .npy file");
    unsigned version = bytes[6];
    if (version < 1 || version > 3)
        return fail(message, "is a .npy file of version %u; 1 to 3 are known", version);
    if (version > 1)
        start += 2;
    for (size_t i = start; i > (size_t)MAGIC_LENGTH + 2 && i <= length; i--)
        text = text << 8 | bytes[i - 1];
    if (length < start || text > length - start)
        return fail(message, "has a damaged .npy header: it is cut off, or longer than 1 MiB");
    struct cursor c = {bytes + start, bytes + start + text};
    bool has_descr = false, has_order = false, has_shape = false;
    if (!take(&c, '{'))
        return fail(message, "has a damaged .npy header: no dictionary");
    while (!take(&c, '}')) {
        char name[32], descr[64];
        if (!take_string(&c, name, sizeof name) || !take(&c, ':'))
            return fail(message, "has a damaged .npy header");
        if (strcmp(name, "descr") == 0 && !has_descr) {
            has_descr = true;
            if (!take_string(&c, descr, sizeof descr))
                return fail(message,
                            "holds records, not numbers; give float16, float32 or float64");
            if (parse_descr(descr, dtype, &file->dtype, message) != 0)
                return -1;
        } else if (strcmp(name, "fortran_order") == 0 && !has_order) {
            has_order = true;
            if (take_word(&c, "True"))
                return fail(message,
                            "is in Fortran order; save it in C order: numpy.ascontiguousarray(x)");
            if (!take_word(&c, "False"))
                return fail(message,
                            "has a damaged .npy header: fortran_order is neither True nor False");
        } else if (strcmp(name, "shape") == 0 && !has_shape) {
            has_shape = true;
            if (parse_shape(&c, file, message) != 0)
                return -1;
        } else {
            return fail(message, "has a damaged .npy header: an unknown or repeated entry '%s'",
                        name);
        }
        if (!take(&c, ',')) {
            if (!take(&c, '}'))
                return fail(message, "has a damaged .npy header");
            break;
        }
    }
    skip_blanks(&c);
    if (c.at < c.end)
        return fail(message, "has a damaged .npy header: something stands behind its dictionary");
    if (!has_descr || !has_order || !has_shape)
        return fail(message, "has a damaged .npy header: %s is missing",
                    !has_descr   ? "descr"
                    : !has_order ? "fortran_order"
                                 : "shape");
    file->offset = start + text;
    return 0;
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

/* Reads the header, at most HEADER_MAX bytes of it. */
static int read_header(struct row_file *file, enum sim_dtype dtype, struct message message)
{
    uint64_t length = file->size < HEADER_MAX ? file->size : HEADER_MAX;
    unsigned char *bytes = malloc((size_t)length);
    if (!bytes)
        return fail(message, "cannot be read: out of memory");
    int failed = read_at(file->descriptor, bytes, length, 0);
    if (failed)
        fail(message, "cannot be read: %s", errno ? strerror(errno) : "it ends early");
    else
        failed = npy_parse(file, bytes, (size_t)length, dtype, message.text, message.size);
    free(bytes);
    return failed;
}

static int open_checked(struct row_file *file, const char *path, enum sim_dtype dtype, uint64_t row,
                        struct message message)
{
    struct stat status;
    unsigned char magic[MAGIC_LENGTH];
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->descriptor < 0)
        return fail(message, "cannot be opened: %s", strerror(errno));
    if (fstat(file->descriptor, &status) != 0)
        return fail(message, "cannot be read: %s", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return fail(
            message,
            "is not a regular file; rows are read by position, so save a pipe to a file first");
    file->size = (uint64_t)status.st_size;
    file->modified_ns =
        (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
    if (file->size == 0)
        return fail(message, "is empty");
    bool npy = file->size >= MAGIC_LENGTH &&
               read_at(file->descriptor, magic, MAGIC_LENGTH, 0) == 0 &&
               memcmp(magic, MAGIC, MAGIC_LENGTH) == 0;
    size_t path_length = strlen(path);
    if (!npy && path_length > 4 && strcmp(path + path_length - 4, ".npy") == 0)
        return fail(message, "is not a .npy file: it does not begin with the magic of one");
    if (npy && read_header(file, dtype, message) != 0)
        return -1;
    if (npy && row && row != file->row)
        return fail(message, "has rows of %" PRIu64 " elements, not the %" PRIu64 " of --row",
                    file->row, row);
    if (!npy && (dtype == SIM_DTYPE_UNKNOWN || row == 0))
        return fail(message, "is not a .npy file; for raw numbers give --dtype and --row");
    if (!npy) {
        file->dtype = dtype;
        file->row = row;
        file->offset = 0;
        file->rows = file->size / bytes_of(dtype) / row;
        if (file->rows == 0 || file->size % (bytes_of(dtype) * row) != 0)
            return fail(message,
                        "has %" PRIu64 " bytes, which is no whole number of rows of %" PRIu64 " %s",
                        file->size, row, names[dtype]);
    }
    uint64_t length;
    if (__builtin_mul_overflow(file->rows, file->row, &length) ||
        __builtin_mul_overflow(length, bytes_of(file->dtype), &length) ||
        __builtin_add_overflow(length, file->offset, &length))
        return fail(message, "has a damaged .npy header: its shape is too large");
    if (length != file->size)
        return fail(message, "has %" PRIu64 " bytes where its header promises %" PRIu64, file->size,
                    length);
    return 0;
}

int row_file_open(struct row_file *file, const char *path, enum sim_dtype dtype, uint64_t row,
                  char *error, size_t size)
{
    *file = (struct row_file){.descriptor = -1};
    if (open_checked(file, path, dtype, row, (struct message){error, size}) == 0)
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

/* ---- elements, all of them exactly as double */

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
