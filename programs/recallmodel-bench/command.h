/* command.h - the subcommands of recallmodel-bench. A command that times the kernels of a task has
 * the name of the task. main.c lists them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMAND_H
#define COMMAND_H

#include <programs/common/subcommands.h>

extern const struct command command_stage1, command_exact, command_two_stage, command_fused,
    command_cells, command_roof, command_device, command_peers;

#endif
