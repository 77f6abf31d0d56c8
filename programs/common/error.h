/* error.h - how the programs end, and how they report wrong input.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ERROR_H
#define ERROR_H

#include <stdbool.h>

/* Exit statuses. STATUS_HELP is not an exit status: a parser returns it if --help was given. */
enum {
    STATUS_HELP = -1,
    STATUS_OK = 0,
    STATUS_FAILED = 1,    /* output could not be written, or memory ran out */
    STATUS_USAGE = 2,     /* bad input: one line on stderr, nothing on stdout */
    STATUS_NO_DEVICE = 3, /* recallmodel-bench: there is no GPU */
    STATUS_INTERRUPTED = 130,
    STATUS_NO_READER = 141, /* the reader closed the pipe; there is no message */
};

/* The name that every message begins with. Each main() sets it first. */
void set_program_name(const char *name);
const char *program_name(void);

/* Prints "PROGRAM: ..." as one line on stderr and returns STATUS_USAGE. A MEMBER "n_q"
 * (base/message.h) is shown as --n-q, and control characters become '?'. notice() is for what is no
 * error. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void notice(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
