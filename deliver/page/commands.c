/* commands.c - the subcommands of the page, instead of those in programs/recallmodel/commands.c.
 * Left out is what measures, trains, reads the runs of others or writes files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <programs/recallmodel/commands.h>

const struct command *const commands[] = {
    &command_recall, &command_select,       &command_predict,  &command_devices,
    &command_ranks,  &command_distribution, &command_bounds,   &command_blocks,
    &command_cost,   &command_exact,        &command_simulate,
};

const size_t commands_length = sizeof commands / sizeof *commands;

void commands_set_git(const char *state)
{
    (void)state;
}
