/* wrap.c - see wrap.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "wrap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#define NAMES_WIDTH 24 /* the text of an item begins within so many bytes */

/* Where a line goes on if it is broken. */
static int indent_of(const char *line, size_t length)
{
    int indent = 0;
    if (length < 2 || strncmp(line, "  ", 2) != 0)
        return 0;
    for (size_t i = 2; i < length && i <= NAMES_WIDTH; i++)
        if (line[i] != ' ' && line[i - 1] == ' ' && line[i - 2] == ' ')
            indent = (int)i;
    return indent;
}

/* How much of a text of `length` bytes fits on a line of `width`: all, or up to a blank, but not
 * the blank between a number and its %. */
static size_t fitting(const char *text, size_t length, size_t width)
{
    size_t end = width;
    if (length <= width)
        return length;
    while (end > 0 && (text[end] != ' ' || text[end + 1] == '%'))
        end--;
    if (end == 0 || strspn(text, " ") >= end) /* the first word is longer than the line */
        end = strspn(text, " ") + strcspn(text + strspn(text, " "), " ");
    return end < length ? end : length;
}

static unsigned print_line(const char *line, size_t length)
{
    const int indent = indent_of(line, length);
    unsigned lines = 0;
    do {
        const int margin = lines ? indent : 0;
        const size_t taken = fitting(line, length, LINE_WIDTH - (size_t)margin);
        printf("%*s%.*s\n", margin, "", (int)taken, line);
        lines++;
        line += taken;
        length -= taken;
        while (length > 0 && *line == ' ') {
            line++;
            length--;
        }
    } while (length > 0);
    return lines;
}

unsigned print_wrapped(const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const size_t size = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    va_end(arguments);
    char *text = require_memory(malloc(size));
    vsnprintf(text, size, format, again);
    va_end(again);
    unsigned lines = 0;
    const char *line = text;
    do {
        const size_t length = strcspn(line, "\n");
        lines += print_line(line, length);
        line += length + (line[length] == '\n');
    } while (*line);
    free(text);
    return lines;
}
