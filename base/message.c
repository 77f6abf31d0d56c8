/* message.c - see message.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

int message_set(struct message message, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message.text, message.size, format, arguments);
    va_end(arguments);
    return -1;
}
