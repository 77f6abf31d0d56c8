/* command.h - the subcommands of recallmodel. Each file command_NAME.c defines one, with its
 * settings, its table of options, its rows and columns. commands.c lists them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMAND_H
#define COMMAND_H

#include <programs/common/subcommands.h>

extern const struct command command_recall, command_ranks, command_distribution, command_cost,
    command_bounds, command_select, command_exact, command_simulate, command_count,
    command_calibrate, command_predict, command_attention, command_sparse, command_tensors,
    command_blocks, command_devices, command_bench, command_runs, command_parts, command_topk,
    command_tune, command_completion;

#endif
