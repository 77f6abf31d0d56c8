/* text_file.h - text that people and their tools wrote: read whole, without a byte order mark, and
 * with '\n' where it has "\r\n", or '\r' and no '\n' at all.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEXT_FILE_H
#define TEXT_FILE_H

#include <stddef.h>
#include <stdio.h>

/* The text of a stream, or of a regular file, with a 0 behind it; the caller frees it. It is
 * *length bytes, which may have zeros among them.
 * Returns   NULL with errno: EFBIG if there are more than `most` bytes; 0 if the file is not a
 *           regular one; ENOMEM. */
char *text_read(FILE *file, size_t most, size_t *length);
char *text_file_read(const char *path, size_t most, size_t *length);

#endif
