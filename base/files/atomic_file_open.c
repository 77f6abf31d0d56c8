/* atomic_file_open.c - which file is written, and under which name at first: see atomic_file.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "atomic_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <base/memory.h>

char *atomic_file_target(const char *path, struct message error)
{
    struct stat status;
    if (lstat(path, &status) != 0 && errno == ENOENT)
        return text_copy(path);
    char *target = realpath(path, NULL);
    if (!target && errno == ENOENT)
        message_set(error, "is a link to nothing; give a file, or a new name");
    else if (!target || stat(target, &status) != 0)
        message_set(error, "cannot be written: %s", strerror(errno));
    else if (!S_ISREG(status.st_mode))
        message_set(error, "is not a regular file; give a file, or a new name");
    else
        return target;
    free(target);
    return NULL;
}

int atomic_file_open(struct atomic_file *file, const char *target)
{
    if (atomic_file_name(file, target, ".XXXXXX") != 0)
        return -1;
    file->descriptor = mkstemp(file->temporary);
    const mode_t mask = umask(0);
    umask(mask);
    if (file->descriptor >= 0 && fchmod(file->descriptor, 0666 & ~mask) == 0)
        return 0;
    atomic_file_abandon(file);
    return -1;
}

int atomic_file_write(const char *target, const void *bytes, size_t length)
{
    struct atomic_file file;
    return atomic_file_open(&file, target) == 0 ? atomic_file_finish(&file, bytes, length) : -1;
}
