/* error.c - see error.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <base/message.h>

static const char *name = "recallmodel";

void set_program_name(const char *own)
{
    name = own;
}

const char *program_name(void)
{
    return name;
}

/* Writes the line to `shown`, which has twice its size: members as options, control characters,
 * which come from what the user typed, as '?'. */
static void show_line(const char *line, char *shown)
{
    bool member = false;
    for (const char *at = line; *at; at++) {
        if (*at == *MEMBER) {
            member = true;
            *shown++ = '-';
            *shown++ = '-';
        } else if (member && *at == '_') {
            if (at[-1] != 'k' || at[-2] != *MEMBER || at[1] != 'b') /* --kb */
                *shown++ = '-';
        } else {
            member = member && isalnum((unsigned char)*at);
            *shown++ = iscntrl((unsigned char)*at) ? '?' : *at;
        }
    }
    *shown = '\0';
}

static void print_line(const char *format, va_list arguments)
{
    char line[1200], shown[2 * sizeof line];
    vsnprintf(line, sizeof line, format, arguments);
    show_line(line, shown);
    fprintf(stderr, "%s: %s\n", name, shown);
}

int usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
    return STATUS_USAGE;
}

void notice(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
}
