/* commands.h - the table of subcommands. main.c knows them by this table alone, so that another
 * program with main.c and a table of its own has other subcommands.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <stddef.h>

#include "command.h"

/* In the order of --help. The first one runs if no subcommand is named. */
extern const struct command *const commands[];
extern const size_t commands_length;

/* Tells the subcommands that measure the state of the sources, from git, before one of them runs.
 * main.c knows it: it is compiled anew when that changes. */
void commands_set_git(const char *state);

#endif
