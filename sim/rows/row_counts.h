/* row_counts.h - a file with one number for each row, such as its length.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROW_COUNTS_H
#define ROW_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include <base/message.h>

/* Reads whole numbers from 0 to 2^53 - 1: a .npy file of int32 or int64, or a text file with one a
 * line. The caller frees *counts.
 * Returns   0; or -1 with one line in `error`, which does not name the file, and *counts NULL. */
int row_counts_read(const char *path, uint64_t **counts, size_t *length, struct message error);

#endif
