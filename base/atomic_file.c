/* atomic_file.c - see atomic_file.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "atomic_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"

char *atomic_file_target(const char *path, char *error, size_t size)
{
    struct stat status;
    if (lstat(path, &status) != 0 && errno == ENOENT)
        return text_copy(path);
    char *target = realpath(path, NULL);
    if (!target && errno == ENOENT)
        snprintf(error, size, "is a link to nothing; give a file, or a new name");
    else if (!target || stat(target, &status) != 0)
        snprintf(error, size, "cannot be written: %s", strerror(errno));
    else if (!S_ISREG(status.st_mode))
        snprintf(error, size, "is not a regular file; give a file, or a new name");
    else
        return target;
    free(target);
    return NULL;
}

static int write_all(int descriptor, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno != EINTR)
            return -1;
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return 0;
}

int atomic_file_open(struct atomic_file *file, const char *target)
{
    const size_t size = strlen(target) + 8;
    *file = (struct atomic_file){.target = target, .temporary = require_memory(malloc(size))};
    snprintf(file->temporary, size, "%s.XXXXXX", target);
    file->descriptor = mkstemp(file->temporary);
    if (file->descriptor < 0) {
        const int reason = errno;
        free(file->temporary);
        file->temporary = NULL;
        errno = reason;
        return -1;
    }
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(file->descriptor, 0666 & ~mask) == 0)
        return 0;
    atomic_file_abandon(file);
    return -1;
}

int atomic_file_append(struct atomic_file *file, const void *bytes, size_t length)
{
    return write_all(file->descriptor, bytes, length);
}

int atomic_file_commit(struct atomic_file *file)
{
    int reason = fsync(file->descriptor) != 0 ? errno : 0;
    if (close(file->descriptor) != 0 && reason == 0)
        reason = errno;
    if (reason == 0 && rename(file->temporary, file->target) != 0)
        reason = errno;
    if (reason != 0)
        unlink(file->temporary);
    free(file->temporary);
    file->temporary = NULL;
    errno = reason;
    return reason == 0 ? 0 : -1;
}

void atomic_file_abandon(struct atomic_file *file)
{
    const int reason = errno;
    if (!file->temporary)
        return;
    close(file->descriptor);
    unlink(file->temporary);
    free(file->temporary);
    file->temporary = NULL;
    errno = reason;
}

int atomic_file_write(const char *target, const void *bytes, size_t length)
{
    struct atomic_file file;
    if (atomic_file_open(&file, target) != 0)
        return -1;
    if (atomic_file_append(&file, bytes, length) == 0)
        return atomic_file_commit(&file);
    atomic_file_abandon(&file);
    return -1;
}
