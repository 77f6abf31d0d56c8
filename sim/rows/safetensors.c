/* safetensors.c - the header of a .safetensors file: its length in 8 bytes, and a JSON object with
 * the type, the shape and the place of each tensor.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "element.h"
#include "formats.h"
#include "literal.h"

static bool begins(const unsigned char *bytes, size_t length)
{
    /* Below 2^40. As the beginning of raw numbers these bytes would be next to 0. */
    return length > 9 && bytes[5] == 0 && bytes[6] == 0 && bytes[7] == 0 && bytes[8] == '{';
}

/* The strings of __metadata__, which say nothing of the rows. */
static bool skip_metadata(struct cursor *c)
{
    char text[2];
    if (!skip(c, '{'))
        return false;
    while (!skip(c, '}'))
        if (!read_string(c, text, sizeof text) || !skip(c, ':') ||
            !read_string(c, text, sizeof text))
            return false;
        else
            skip(c, ',');
    return true;
}

static int read_type(struct cursor *c, struct row_file *file, enum sim_dtype wanted,
                     struct message error)
{
    char name[16];
    if (!read_string(c, name, sizeof name))
        return message_set(error, DAMAGED("a dtype is not a string"));
    file->dtype = SIM_DTYPES;
    while (--file->dtype != SIM_DTYPE_UNKNOWN && strcmp(name, elements[file->dtype].safetensors))
        ;
    if (wanted != SIM_DTYPE_UNKNOWN && wanted != file->dtype)
        return message_set(error, "holds %s, not the %s of " MEMBER "dtype", name,
                           sim_dtype_name(wanted));
    return file->dtype != SIM_DTYPE_UNKNOWN
               ? 0
               : message_set(error, "holds %s, no floating-point numbers; save floats", name);
}

/* The type, the shape and the place of a tensor, in any order. */
static int read_tensor(struct cursor *c, struct row_file *file, enum sim_dtype wanted,
                       struct message error)
{
    uint64_t from = 1, to;
    char key[16];
    file->dtype = SIM_DTYPE_UNKNOWN;
    file->axes = 0;
    if (!skip(c, '{'))
        return message_set(error, DAMAGED("a tensor is not an object"));
    while (!skip(c, '}')) {
        if (!read_string(c, key, sizeof key) || !skip(c, ':'))
            return message_set(error, DAMAGED("an entry has no name or no colon"));
        int failed = 0;
        if (strcmp(key, "dtype") == 0)
            failed = read_type(c, file, wanted, error);
        else if (strcmp(key, "shape") == 0)
            failed = read_shape(c, file, error);
        else if (strcmp(key, "data_offsets") != 0 || !skip(c, '[') || !read_whole(c, &from) ||
                 !skip(c, ',') || !read_whole(c, &to) || !skip(c, ']'))
            failed = message_set(error, DAMAGED("its entry %s cannot be read"), key);
        if (failed)
            return -1;
        skip(c, ',');
    }
    if (file->dtype == SIM_DTYPE_UNKNOWN || file->axes == 0 || from != 0)
        return message_set(error, DAMAGED("dtype, shape or data_offsets is missing or wrong"));
    return 0;
}

/* How many tensors the header names: each has one place. */
static unsigned count_tensors(const struct cursor *c)
{
    static const char key[] = "\"data_offsets\"";
    unsigned count = 0;
    for (const unsigned char *at = c->at; (size_t)(c->end - at) >= sizeof key - 1; at++)
        count += memcmp(at, key, sizeof key - 1) == 0;
    return count;
}

static int parse(struct row_file *file, const unsigned char *bytes, size_t length,
                 enum sim_dtype dtype, struct message error)
{
    char name[64];
    uint64_t text = 0;
    bool found = false;
    for (size_t i = 8; i-- > 0 && length >= 8;)
        text = text << 8 | bytes[i];
    if (length < 8 || text > length - 8)
        return message_set(error, DAMAGED("it is cut off, or longer than 16 MiB"));
    struct cursor c = {bytes + 8, bytes + 8 + text};
    const unsigned tensors = count_tensors(&c);
    if (!skip(&c, '{'))
        return message_set(error, DAMAGED("no object"));
    while (!skip(&c, '}')) {
        if (!read_string(&c, name, sizeof name) || !skip(&c, ':'))
            return message_set(error, DAMAGED("an entry has no name or no colon"));
        if (strcmp(name, "__metadata__") == 0) {
            if (!skip_metadata(&c))
                return message_set(error, DAMAGED("its __metadata__ cannot be read"));
        } else if (tensors > 1 || found) {
            return message_set(error,
                               "holds %u tensors; save one: python3 -c 'from safetensors.torch "
                               "import *; save_file({\"rows\": load_file(\"%s\")[\"%s\"]}, "
                               "\"rows.safetensors\")'",
                               tensors, row_file_shown(file),
                               strpbrk(name, "'\"\\?") ? "NAME" : name);
        } else if (read_tensor(&c, file, dtype, error) != 0) {
            return -1;
        } else {
            found = true;
        }
        skip(&c, ',');
    }
    file->offset = 8 + text;
    return found ? 0 : message_set(error, "holds no tensor");
}

const struct row_format safetensors_format = {
    .suffix = ".safetensors",
    .header_most = 1 << 24,
    .begins = begins,
    .parse = parse,
};
