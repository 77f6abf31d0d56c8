/* this_machine.c - see this_machine.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "this_machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool this_machine_path(const char *file, char path[THIS_MACHINE_PATH])
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    const bool given = config && *config == '/';
    if (!given && !(home && *home == '/'))
        return false;
    const int length = snprintf(path, THIS_MACHINE_PATH, "%s%s/recallmodel/%s",
                                given ? config : home, given ? "" : "/.config", file);
    return length > 0 && length < THIS_MACHINE_PATH;
}

int this_machine_make_folder(void)
{
    char path[THIS_MACHINE_PATH];
    if (!this_machine_path("", path)) {
        errno = ENOENT;
        return -1;
    }
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return -1;
        *slash = '/';
    }
    return 0;
}
