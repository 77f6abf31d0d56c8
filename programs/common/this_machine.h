/* this_machine.h - where the profile of this machine is kept.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef THIS_MACHINE_H
#define THIS_MACHINE_H

#include <stdbool.h>

#define THIS_MACHINE_PATH 4096

/* The path of a file in $XDG_CONFIG_HOME/recallmodel, or in ~/.config/recallmodel if that variable
 * is not set to an absolute path. False if neither is known, or the path is too long. */
bool this_machine_path(const char *file, char path[THIS_MACHINE_PATH]);

/* Makes its folder. Returns 0, or -1 with errno. */
int this_machine_make_folder(void);

#endif
