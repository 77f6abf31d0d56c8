/* literal.h - internal to sim/: the few literals of Python and JSON that headers of files have.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LITERAL_H
#define LITERAL_H

#include <stdbool.h>

#include "row_file.h"

/* WHAT is wrong, and the mend. */
#define DAMAGED(WHAT) "has a damaged header: " WHAT "; write it again"

/* What has not been read yet of a header. */
struct cursor {
    const unsigned char *at, *end;
};

void skip_blanks(struct cursor *c);

/* Skip blanks and then the character, or the word, if it is there. */
bool skip(struct cursor *c, char expected);
bool skip_word(struct cursor *c, const char *word);

/* A string in single or double quotes. Of a long one only the beginning is kept; what is not
 * printable ASCII becomes '?', and an escape loses its backslash. */
bool read_string(struct cursor *c, char *text, size_t size);

/* A whole number below 2^56. */
bool read_whole(struct cursor *c, uint64_t *number);

/* The shape of an array, (2, 3, 4) or [2, 3, 4]: the last axis is the row, and the product of the
 * others is the number of rows. Sets axes, axis, rows and row. Returns 0, or -1 with one line in
 * `error`. */
int read_shape(struct cursor *c, struct row_file *file, struct message error);

#endif
