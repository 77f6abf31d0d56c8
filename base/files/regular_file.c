/* regular_file.c - see regular_file.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int regular_file_open(const char *path, struct stat *status)
{
    /* O_NONBLOCK: a pipe would wait for a writer. */
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return -1;
    const int reason = fstat(descriptor, status) == 0 ? 0 : errno;
    if (reason == 0 && S_ISREG(status->st_mode))
        return descriptor;
    close(descriptor);
    errno = reason;
    return -1;
}
