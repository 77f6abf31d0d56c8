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
    return fsync(descriptor);
}

int atomic_file_write(const char *target, const void *bytes, size_t length)
{
    const size_t size = strlen(target) + 8;
    char *temporary = require_memory(malloc(size));
    snprintf(temporary, size, "%s.XXXXXX", target);
    const int descriptor = mkstemp(temporary);
    int reason = errno;
    if (descriptor >= 0) {
        const mode_t mask = umask(0);
        umask(mask);
        int failed =
            fchmod(descriptor, 0666 & ~mask) != 0 || write_all(descriptor, bytes, length) != 0;
        reason = failed ? errno : 0;
        if (close(descriptor) != 0 && !failed)
            reason = errno;
        if (reason == 0 && rename(temporary, target) != 0)
            reason = errno;
        if (reason != 0)
            unlink(temporary);
    }
    free(temporary);
    errno = reason;
    return reason == 0 ? 0 : -1;
}
