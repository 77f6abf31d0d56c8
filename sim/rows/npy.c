/* npy.c - the header of a .npy file: a magic, a version, a length, and a Python dictionary with
 * three entries.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "element.h"
#include "formats.h"
#include "literal.h"

#define NPY_MAGIC "\x93NUMPY"
#define NPY_MAGIC_LENGTH 6

/* What the text of descr says, if it is a type that can be read and the one that is wanted. NumPy
 * has no name for bfloat16 and float8: ml_dtypes saves them as void, but for f8e5m2, and others as
 * integers. */
static int read_type(const char *descr, struct row_file *file, enum sim_dtype wanted,
                     struct message error)
{
    static const enum sim_dtype floats[9] = {
        [1] = SIM_F8E5M2, [2] = SIM_F16, [4] = SIM_F32, [8] = SIM_F64};
    static const enum sim_dtype integers[2][9] = {
        {[1] = SIM_I8, [2] = SIM_I16, [4] = SIM_I32, [8] = SIM_I64},
        {[1] = SIM_U8, [2] = SIM_U16, [4] = SIM_U32, [8] = SIM_U64}};
    const bool plain = strchr("<>|=", descr[0]) && strlen(descr) == 3;
    const unsigned bytes =
        plain && descr[2] >= '1' && descr[2] <= '8' ? (unsigned)descr[2] - '0' : 0;
    const char *whole = descr[1] == 'V' ? "" : "of integers save x.astype(\"f4\"); ";
    char mend[ROW_MEND];
    if (wanted == SIM_I64) {
        file->dtype = bytes && strchr("iu", descr[1]) ? integers[descr[1] == 'u'][bytes] : 0;
        file->swapped = descr[0] == '>';
        return file->dtype != SIM_DTYPE_UNKNOWN
                   ? 0
                   : message_set(error, "holds '%.20s'; give integers, such as int64 ('<i8')",
                                 descr);
    }
    file->dtype = bytes && descr[1] == 'f' ? floats[bytes] : SIM_DTYPE_UNKNOWN;
    file->swapped = descr[0] == '>';
    const bool nameless = bytes && file->dtype == SIM_DTYPE_UNKNOWN && strchr("Viu", descr[1]);
    if (nameless && elements[wanted].bytes == bytes && (bytes == 1 || wanted == SIM_BF16) &&
        wanted != SIM_DTYPE_UNKNOWN)
        file->dtype = wanted;
    else if (nameless && bytes == 2)
        return message_set(
            error,
            "holds '%s'; %sif that is bfloat16, give " MEMBER
            "dtype bf16 to simulate, or make it float32: %s",
            descr, whole,
            row_file_mend(mend, file, "", "(n.load(",
                          file->swapped ? ").astype(\"u2\").astype(\"u4\") << 16).view(\"f4\")"
                                        : ").view(\"u2\").astype(\"u4\") << 16).view(\"f4\")"));
    else if (nameless && bytes == 1)
        return message_set(error,
                           "holds '%s'; %sif that is float8, give " MEMBER
                           "dtype f8e4m3 or f8e5m2 to simulate, or make it float32: %s",
                           descr, whole,
                           row_file_mend(mend, file, ", ml_dtypes", "n.load(",
                                         ").view(ml_dtypes.float8_e4m3fn).astype(\"f4\")"));
    if (file->dtype == SIM_DTYPE_UNKNOWN && descr[1] == 'O')
        return message_set(error,
                           "holds '%.20s', Python objects, which may run code when they are read; "
                           "save numbers where it was made: x.astype(\"f4\")",
                           descr);
    if (file->dtype == SIM_DTYPE_UNKNOWN)
        return message_set(error, "holds '%.20s', no floating-point numbers%s; %s", descr,
                           descr[1] == 'f' ? " of up to 64 bits" : "",
                           row_file_mend(mend, file, "", "n.load(", ").astype(\"f4\")"));
    if (wanted != SIM_DTYPE_UNKNOWN && wanted != file->dtype)
        return message_set(error, "holds %s, not the %s of " MEMBER "dtype",
                           sim_dtype_name(file->dtype), sim_dtype_name(wanted));
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
    return read_type(descr, file, wanted, error);
}

static int read_order(struct cursor *c, struct row_file *file, struct message error)
{
    file->fortran = skip_word(c, "True");
    if (!file->fortran && !skip_word(c, "False"))
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
        return read_order(c, file, error);
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

static bool begins(const unsigned char *bytes, size_t length)
{
    return length >= NPY_MAGIC_LENGTH && memcmp(bytes, NPY_MAGIC, NPY_MAGIC_LENGTH) == 0;
}

static int parse(struct row_file *file, const unsigned char *bytes, size_t length,
                 enum sim_dtype dtype, struct message error)
{
    size_t start = NPY_MAGIC_LENGTH + 2 + 2, text = 0;
    if (length < start || !begins(bytes, length))
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
    .header_most = 1 << 20,
    .begins = begins,
    .parse = parse,
};
