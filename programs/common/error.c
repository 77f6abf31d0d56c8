/* error.c - see error.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "error.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

static const char *name = "recallmodel";

void set_program_name(const char *own)
{
    name = own;
}

const char *program_name(void)
{
    return name;
}

int usage_error(const char *format, ...)
{
    char line[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *at = line; *at; at++)
        if (iscntrl((unsigned char)*at))
            *at = '?';
    fprintf(stderr, "%s: %s\n", name, line);
    return STATUS_USAGE;
}
