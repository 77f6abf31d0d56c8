/* message.h - the one line that a failed call leaves for its caller.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stddef.h>

/* Where the line goes. */
struct message {
    char *text;
    size_t size;
};

/* Into an array of characters. */
#define MESSAGE(array) ((struct message){array, sizeof(array)})

/* Before the name of a field in a line, as in MEMBER "n_q": each caller then writes that name its
 * own way, the command --n-q, Python n_q. */
#define MEMBER "\1"

/* Writes the line, cut off where it does not fit. Returns -1, so that a caller can return it. */
int message_set(struct message message, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
