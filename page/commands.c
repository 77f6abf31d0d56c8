/* commands.c - the subcommands of the page, instead of those in programs/recallmodel/commands.c.
 * Left out is what measures, trains, reads the runs of others or writes files.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <programs/recallmodel/commands.h>

