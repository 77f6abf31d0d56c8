/* commands.h - the table of subcommands.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "command.h"

/* In the order of --help. The first one runs if no subcommand is named. */
extern const struct command *const commands[];
extern const size_t commands_count;

#endif
