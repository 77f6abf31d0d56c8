/* cpu_command.h - the command line that times top-k on this CPU: of `recallmodel bench`, and of the
 * library librecallmodel-bench-cpu.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_COMMAND_H
#define CPU_COMMAND_H

#include <programs/common/subcommands.h>

/* What can be timed: names, options and summaries. */
extern const struct command cpu_bench_stage1, cpu_bench_exact, cpu_bench_two_stage, cpu_bench_cells;

/* Those of stage1 and two-stage. */
extern const struct argument cpu_bench_options[];

/* Runs the part that the first argument names. Returns a status. */
int cpu_bench(int count, char **arguments);

#endif
