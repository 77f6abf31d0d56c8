/* commands.c - see commands.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <programs/bench/session.h>

const struct command *const commands[] = {
    &command_recall,  &command_select,       &command_predict,  &command_devices,   &command_ranks,
    &command_parts,   &command_distribution, &command_bounds,   &command_blocks,    &command_cost,
    &command_exact,   &command_count,        &command_simulate, &command_attention, &command_sparse,
    &command_tensors, &command_bench,        &command_tune,     &command_calibrate, &command_runs,
    &command_topk,    &command_completion,
};

const size_t commands_length = sizeof commands / sizeof *commands;

void commands_set_git(const char *state)
{
    set_sources_git(state);
}
