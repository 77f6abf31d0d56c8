/* regular_file.h - opens files that have an end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REGULAR_FILE_H
#define REGULAR_FILE_H

#include <sys/stat.h>

/* Opens a regular file to read. It refuses all others, such as pipes and devices, which may make
 * the caller wait or have no end. Links are followed.
 * Returns   a descriptor, and sets *status; or -1 with errno, which is 0 if the file is not a
 *           regular one. */
int regular_file_open(const char *path, struct stat *status);

#endif
