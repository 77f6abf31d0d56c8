/* state_file.h - the file in which a long run keeps what it has done: read whole, and replaced
 * whole.
 *
 * Without memory these functions return an error, and call no handler.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STATE_FILE_H
#define STATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of a regular file, with a 0 behind them; the caller frees them. NULL with errno, which
 * is 0 if it is not a regular file. */
char *state_file_read(const char *path, size_t *length);

/* As atomic_file_write(), but the other name is PATH.new: here a file is written every few seconds,
 * and kills leave at most one behind.
 * Returns   0; or -1 with errno, and then the file is as before. */
int state_file_write(const char *path, const void *bytes, size_t length);

/* FNV-1a. */
uint64_t state_file_checksum(const void *bytes, size_t length);

/* Does *theirs begin with the lines `ours`? Then it is moved behind them. Otherwise `difference`
 * is "it has 'seed 1', not 'seed 2'", of the first line that differs. */
#define STATE_DIFFERENCE 300
bool state_file_match(const char *ours, const char **theirs, char difference[STATE_DIFFERENCE]);

#endif
