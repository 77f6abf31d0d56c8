/* npy.c - see npy.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "npy.h"

#include <stdbool.h>
#include <string.h>

#define NPY_MAGIC "\x93NUMPY"
#define NPY_MAGIC_LENGTH 6

/* WHAT is wrong, and the mend. */
#define DAMAGED(WHAT) "has a damaged .npy header: " WHAT "; write it again with numpy.save"

/* What has not been read yet of the dictionary. */
struct cursor {
    const unsigned char *at, *end;
};

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t'))
        c->at++;
}

/* Skips blanks and then the character, if it is there. */
static bool skip(struct cursor *c, char expected)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at != (unsigned char)expected)
        return false;
    c->at++;
    return true;
}

static bool skip_word(struct cursor *c, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

/* A string in single or double quotes, without escapes. */
static bool read_string(struct cursor *c, char *text, size_t size)
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

/* What the text of descr says, if it is a type that can be read and the one that is wanted. */
static int dtype_of_descr(const char *descr, enum sim_dtype wanted, enum sim_dtype *dtype,
                          struct message error)
{
    static const struct {
        const char *descr;
        enum sim_dtype dtype;
    } types[] = {{"<f2", SIM_F16}, {"<f4", SIM_F32}, {"<f8", SIM_F64}};
    *dtype = SIM_DTYPE_UNKNOWN;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(descr, types[i].descr) == 0)
            *dtype = types[i].dtype;
    bool two_bytes =
        strcmp(descr, "<u2") == 0 || strcmp(descr, "<V2") == 0 || strcmp(descr, "|V2") == 0;
    if (two_bytes && wanted == SIM_BF16)
        *dtype = SIM_BF16;
    else if (two_bytes)
        return message_set(error, "holds '%s'; if that is bfloat16, give " MEMBER "dtype bf16",
                           descr);
    if (*dtype == SIM_DTYPE_UNKNOWN && *descr == '>')
        return message_set(
            error, "holds '%s', big-endian; save it as little-endian: x.astype('<f4')", descr);
    if (*dtype == SIM_DTYPE_UNKNOWN)
        return message_set(
            error, "holds '%.20s'; give float16, float32 or float64 ('<f2', '<f4', '<f8')", descr);
    if (wanted != SIM_DTYPE_UNKNOWN && wanted != *dtype)
        return message_set(error, "holds %s, not the %s of " MEMBER "dtype", sim_dtype_name(*dtype),
                           sim_dtype_name(wanted));
    return 0;
}

/* (2, 3, 4): the last is the row, the product of the others the number of rows. */
static int read_shape(struct cursor *c, struct row_file *file, struct message error)
{
    unsigned axes = 0;
    file->rows = 1;
    file->row = 1;
    if (!skip(c, '('))
        return message_set(error, DAMAGED("shape is not a tuple"));
    while (!skip(c, ')')) {
        uint64_t axis = 0;
        skip_blanks(c);
        if (c->at < c->end && *c->at == '-')
            return message_set(error, DAMAGED("a negative shape"));
        if (c->at == c->end || *c->at < '0' || *c->at > '9')
            return message_set(error, DAMAGED("shape is not a tuple of numbers"));
        for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
            axis = axis * 10 + (uint64_t)(*c->at - '0');
            if (axis >> 56)
                return message_set(error, DAMAGED("its shape is too large"));
        }
        if (__builtin_mul_overflow(file->rows, file->row, &file->rows) || file->rows >> 56)
            return message_set(error, DAMAGED("its shape is too large"));
        if (axes == ROW_FILE_AXES)
            return message_set(error, "has more than %d axes", ROW_FILE_AXES);
        file->row = axis;
        file->axis[axes++] = axis;
        if (!skip(c, ',')) {
            if (axes < 2 || !skip(c, ')'))
                return message_set(error, DAMAGED("shape is not a tuple"));
            break;
        }
    }
    file->axes = axes;
    if (axes == 0)
        return message_set(error,
                           "holds a single number; give an array whose last axis is the row");
    if (file->rows == 0 || file->row == 0)
        return message_set(error, "holds no rows: an axis of its shape is 0");
    return 0;
}

/* The entries of the dictionary that have been read. */
struct entries {
    bool descr, fortran_order, shape;
};

static int read_descr(struct cursor *c, struct row_file *file, enum sim_dtype wanted,
                      struct message error)
{
    char descr[64];
    if (!read_string(c, descr, sizeof descr))
        return message_set(error, "holds records, not numbers; give float16, float32 or float64");
    return dtype_of_descr(descr, wanted, &file->dtype, error);
}

static int read_order(struct cursor *c, struct message error)
{
    if (skip_word(c, "True"))
        return message_set(error, "is in Fortran order; save it in C order: "
                                  "numpy.ascontiguousarray(x)");
    if (!skip_word(c, "False"))
        return message_set(error, DAMAGED("fortran_order is neither True nor False"));
    return 0;
}

/* Reads one entry, its name and its value. */
static int read_entry(struct cursor *c, struct row_file *file, enum sim_dtype wanted,
                      struct entries *entries, struct message error)
{
    char name[32];
    if (!read_string(c, name, sizeof name) || !skip(c, ':'))
        return message_set(error, DAMAGED("an entry has no name or no colon"));
    if (strcmp(name, "descr") == 0 && !entries->descr) {
        entries->descr = true;
        return read_descr(c, file, wanted, error);
    }
    if (strcmp(name, "fortran_order") == 0 && !entries->fortran_order) {
        entries->fortran_order = true;
        return read_order(c, error);
    }
    if (strcmp(name, "shape") == 0 && !entries->shape) {
        entries->shape = true;
        return read_shape(c, file, error);
    }
    return message_set(error, DAMAGED("an unknown or repeated entry '%s'"), name);
}

/* Reads the dictionary: all three entries, in any order, and nothing behind it. */
static int read_dictionary(struct cursor *c, struct row_file *file, enum sim_dtype wanted,
                           struct message error)
{
    struct entries entries = {0};
    if (!skip(c, '{'))
        return message_set(error, DAMAGED("no dictionary"));
    while (!skip(c, '}')) {
        if (read_entry(c, file, wanted, &entries, error) != 0)
            return -1;
        if (!skip(c, ',')) {
            if (!skip(c, '}'))
                return message_set(error, DAMAGED("no comma and no brace after an entry"));
            break;
        }
    }
    skip_blanks(c);
    if (c->at < c->end)
        return message_set(error, DAMAGED("there is something after its dictionary"));
    if (!entries.descr || !entries.fortran_order || !entries.shape)
        return message_set(error, DAMAGED("%s is missing"),
                           !entries.descr           ? "descr"
                           : !entries.fortran_order ? "fortran_order"
                                                    : "shape");
    return 0;
}

static int parse(struct row_file *file, const unsigned char *bytes, size_t length,
                 enum sim_dtype dtype, struct message error)
{
    size_t start = NPY_MAGIC_LENGTH + 2 + 2, text = 0;
    if (length < start || memcmp(bytes, NPY_MAGIC, NPY_MAGIC_LENGTH) != 0)
        return message_set(error, "is not a .npy file");
    unsigned version = bytes[NPY_MAGIC_LENGTH];
    if (version < 1 || version > 3)
        return message_set(error, "is a .npy file of version %u; only 1 to 3 can be read", version);
    if (version > 1)
        start += 2;
    /* The length of the dictionary, little-endian, in the bytes before `start`. */
    for (size_t i = start; i > (size_t)NPY_MAGIC_LENGTH + 2 && i <= length; i--)
        text = text << 8 | bytes[i - 1];
    if (length < start || text > length - start)
        return message_set(error, DAMAGED("it is cut off, or longer than 1 MiB"));
    struct cursor c = {bytes + start, bytes + start + text};
    if (read_dictionary(&c, file, dtype, error) != 0)
        return -1;
    file->offset = start + text;
    return 0;
}

const struct row_format npy_format = {
    .suffix = ".npy",
    .magic = NPY_MAGIC,
    .magic_length = NPY_MAGIC_LENGTH,
    .header_most = 1 << 20,
    .parse = parse,
};
