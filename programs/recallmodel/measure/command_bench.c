/* command_bench.c - times top-k on this machine: recallmodel bench stage1|exact|two-stage|cells.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <programs/bench-cpu/cpu.h>
#include <programs/bench-cpu/cpu_command.h>
#include <sim/team.h>

#include "bench_calibrate.h"
#include <programs/recallmodel/command.h>

static const struct command *const parts[] = {&cpu_bench_stage1,    &cpu_bench_exact,
                                              &cpu_bench_two_stage, &cpu_bench_cells,
                                              &bench_calibration,   NULL};

static int run_bench(int count, char **arguments)
{
    const char *first = count ? arguments[0] : "";
    if (strcmp(first, "--calibrate") == 0)
        return bench_calibrate(count - 1, arguments + 1, run_bench);
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
        return STATUS_HELP;
    if (team_size() > 1)
        return usage_error("bench runs in one process; leave mpirun out");
    return cpu_bench(count, arguments);
}

static void begin(void)
{
    backend = &cpu_backend;
}

const struct command command_bench = {
    .name = "bench",
    .group = "How long does it take on my machine?",
    .summary = "times stage 1, exact and bucketed top-k on this machine, and verifies each result",
    .example = "recallmodel bench stage1 --on cpu --n 2^20 --b 1024 --kb 1..4 --cache warm\n"
               "recallmodel bench exact --on cpu --n 2^20 --k 1024 --threads 1,2\n"
               "recallmodel bench two-stage --on cpu --grid cpu-small -o runs.csv\n"
               "recallmodel bench --calibrate",
    .detail =
        "The first argument names what is timed: stage1, exact or two-stage; or cells, for those "
        "of "
        "a file. Each has a --help of its own, with its kernels and grids; the options listed here "
        "are those of stage1 and two-stage. recallmodel-bench measures GPUs in the same way. "
        "docs/cpu.md says how.\n"
        "\n"
        "bench --calibrate measures a grid of its own in two minutes and stores a profile of this "
        "machine for select --device this.",
    .options = cpu_bench_options,
    .parts = parts,
    .begin = begin,
    .run = run_bench,
};
