/* literal.c - see literal.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "literal.h"

#include <string.h>

void skip_blanks(struct cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t' || *c->at == '\r'))
        c->at++;
}

bool skip(struct cursor *c, char expected)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at != (unsigned char)expected)
        return false;
    c->at++;
    return true;
}

bool skip_word(struct cursor *c, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0)
        return false;
    c->at += length;
    return true;
}

bool read_string(struct cursor *c, char *text, size_t size)
{
    size_t length = 0;
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return false;
    const unsigned char quote = *c->at++;
    for (; c->at < c->end && *c->at != quote; c->at++) {
        if (*c->at == '\\' && ++c->at == c->end)
            return false;
        if (length + 1 < size)
            text[length++] = *c->at < ' ' || *c->at > '~' ? '?' : (char)*c->at;
    }
    text[length] = '\0';
    return c->at < c->end && c->at++;
}

bool read_whole(struct cursor *c, uint64_t *number)
{
    skip_blanks(c);
    const unsigned char *const start = c->at;
    *number = 0;
    for (; c->at < c->end && *c->at >= '0' && *c->at <= '9' && *number >> 56 == 0; c->at++)
        *number = *number * 10 + (uint64_t)(*c->at - '0');
    return c->at > start && *number >> 56 == 0;
}

int read_shape(struct cursor *c, struct row_file *file, struct message error)
{
    const bool tuple = skip(c, '(');
    const char close = tuple ? ')' : ']';
    unsigned axes = 0;
    file->rows = 1;
    file->row = 1;
    if (!tuple && !skip(c, '['))
        return message_set(error, DAMAGED("its shape is not a tuple or a list"));
    while (!skip(c, close)) {
        uint64_t axis;
        if (skip(c, '-'))
            return message_set(error, DAMAGED("its shape is negative"));
        if (!read_whole(c, &axis))
            return message_set(error, axis >> 56
                                          ? DAMAGED("its shape is too large")
                                          : DAMAGED("its shape is not a tuple or list of numbers"));
        if (__builtin_mul_overflow(file->rows, file->row, &file->rows) || file->rows >> 56)
            return message_set(error, DAMAGED("its shape is too large"));
        if (axes == ROW_FILE_AXES)
            return message_set(error, "has more than %d axes", ROW_FILE_AXES);
        file->row = axis;
        file->axis[axes++] = axis;
        if (!skip(c, ',')) {
            if (axes < (tuple ? 2 : 1) || !skip(c, close)) /* (3) is a number */
                return message_set(error, DAMAGED("its shape is not a tuple or a list"));
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
