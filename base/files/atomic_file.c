/* atomic_file.c - see atomic_file.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "atomic_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int atomic_file_name(struct atomic_file *file, const char *target, const char *ending)
{
    const size_t size = strlen(target) + strlen(ending) + 1;
    *file = (struct atomic_file){target, malloc(size), -1};
    if (!file->temporary)
        return -1;
    snprintf(file->temporary, size, "%s%s", target, ending);
    return 0;
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
    if (file->descriptor >= 0) {
        close(file->descriptor);
        unlink(file->temporary);
    }
    free(file->temporary);
    file->temporary = NULL;
    errno = reason;
}

int atomic_file_finish(struct atomic_file *file, const void *bytes, size_t length)
{
    if (file->descriptor >= 0 && atomic_file_append(file, bytes, length) == 0)
        return atomic_file_commit(file);
    atomic_file_abandon(file);
    return -1;
}
