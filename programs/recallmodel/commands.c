/* commands.c - see commands.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <programs/bench/session.h>

const struct command *const commands[] = {
    &command_recall,  &command_ranks,     &command_law,      &command_cost,    &command_bounds,
    &command_select,  &command_exact,     &command_simulate, &command_count,   &command_calibrate,
    &command_predict, &command_attention, &command_sparse,   &command_tensors, &command_blocks,
    &command_devices, &command_bench,     &command_runs,
};

const size_t commands_length = sizeof commands / sizeof *commands;

void commands_set_git(const char *state)
{
    set_sources_git(state);
}
