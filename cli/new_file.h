/* new_file.h - a file that the command writes: whole or not at all, and nothing but files is
 * replaced.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef NEW_FILE_H
#define NEW_FILE_H

#include <stddef.h>

/* Where the file of an option is written: the path itself, or the file that it links to. It must be
 * a regular file, or not exist yet. Returns a string that the caller frees, or NULL after one line
 * on stderr. */
char *new_file_target(const char *option, const char *path);

/* Writes the bytes under another name in the folder of the target, forces them to the disk, and
 * renames that file. Returns 0; or -1 with errno, and then the target is what it was, and nothing
 * else is left. */
int new_file_write(const char *target, const void *bytes, size_t length);

#endif
