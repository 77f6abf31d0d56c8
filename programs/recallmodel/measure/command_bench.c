/* command_bench.c - times top-k on this machine: recallmodel bench stage1|exact|two-stage.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <programs/bench-cpu/cpu.h>
#include <programs/bench/bench_command.h>
#include <sim/team.h>

#include "bench_calibrate.h"
#include "bench_rows.h"
#include <programs/recallmodel/command.h>

struct bench_cpu_settings {
    struct bench_settings bench; /* first: see bench_command.h */
    const char *on, *isa, *rows; /* NULL: not given */
};

/* ---- options */

static const char *on_at(unsigned i)
{
    return i ? NULL : "cpu";
}

static int read_on(void *to, const char *option, const char *value)
{
    if (strcmp(value, "gpu") == 0)
        return usage_error("%s gpu: the program recallmodel-bench times GPUs; give %s cpu", option,
                           option);
    if (strcmp(value, "cpu") != 0)
        return unknown_name(option, value, on_at, UNTIL_NULL);
    *(const char **)to = "cpu";
    return STATUS_OK;
}

#define AT(member) offsetof(struct bench_cpu_settings, member)

#define CPU_MORE \
    {"--threads", "LIST", BY(read_counts), BENCH_AT(axes.threads), \
     "threads of a call (default 1)"}, \
    { \
        OPTION_DTYPE, "float32 (default), float16, bfloat16, float64, int8, int32" \
    }
#define OPTION_ROWS \
    "--rows", "FILE", BY(read_text), AT(rows), \
        "take the rows of a .npy file (its last axis) as inputs: all of them, or\nthe first m"
#define OPTION_ISA \
    { \
        "--isa", "NAME", &kind_of_isa, AT(isa), \
            "instruction set (default: the best of this machine, or RCM_TOP_K_ISA)" \
    }
#define CPU_LAST(kernels) \
    {OPTION_INPUT}, {OPTION_ROWS}, \
        {OPTION_CACHE, "cold (default): other data goes through the caches before each\n" \
                       "call; or warm"}, \
        {OPTION_KERNEL(kernels)}, {OPTION_GRID}, \
        {"--on", "D", KIND(read_on, .names = on_at), AT(on), \
         "what is measured: cpu (default), which is this machine"}, \
        OPTION_ISA, {OPTION_MINUTES}, {OPTION_ONCE}, {OPTION_LIST}, \
        {OPTION_SECONDS(BENCH_AT(session))}, {OPTION_LOAD(BENCH_AT(session))}, \
        {OPTION_SEED(BENCH_AT(session))}, {OPTION_O(BENCH_AT(session))}, \
        {OPTION_OUTPUT(BENCH_AT(session))}, {OPTION_CSV(BENCH_AT(session))}, \
    { \
        OPTIONS_END \
    }

static const struct argument cells_options[] = {
    {OPTION_FILE},
    {OPTION_ROUNDS},
    {OPTION_ROWS},
    OPTION_ISA,
    {OPTION_MINUTES},
    {OPTION_LIST},
    {OPTION_SECONDS(BENCH_AT(session))},
    {OPTION_SEED(BENCH_AT(session))},
    {OPTION_O(BENCH_AT(session))},
    {OPTION_OUTPUT(BENCH_AT(session))},
    {OPTIONS_END},
};

#define BUCKETS \
    {OPTION_N}, {OPTION_K, "elements wanted (default: all candidates)"}, {OPTION_B}, {OPTION_KB}, \
        {OPTION_M, "rows in the batch (default 1)"}, CPU_MORE, \
    { \
        OPTION_ASSIGNMENT \
    }

static const struct argument stage1_options[] = {BUCKETS, CPU_LAST(stage1_kernel_at)};
static const struct argument two_stage_options[] = {BUCKETS, CPU_LAST(two_stage_kernel_at)};

static const struct argument exact_options[] = {
    {OPTION_N},
    {OPTION_K, "elements wanted (default 1024)"},
    {OPTION_M, "rows in the batch (default 1)"},
    CPU_MORE,
    CPU_LAST(exact_kernel_at),
};

/* ---- the subcommands of the subcommand */

static void begin(void)
{
    backend = &cpu_backend;
}

static const struct command part_stage1 = {
    .name = "stage1",
    .summary = "times stage 1: the top kb of each bucket",
    .options = stage1_options,
    .begin = begin,
};

static const struct command part_exact = {
    .name = "exact",
    .summary = "times exact top-k, which has no buckets",
    .options = exact_options,
    .begin = begin,
};

static const struct command part_two_stage = {
    .name = "two-stage",
    .summary = "times both stages: bucketed top-k",
    .options = two_stage_options,
    .begin = begin,
};

static const struct command part_cells = {
    .name = "cells",
    .summary = "times the cells of a CSV file, each by itself, in rounds",
    .options = cells_options,
    .begin = begin,
};

/* By task; TASKS: any. --calibrate is run in another way. */
static const enum task tasks[] = {TASK_STAGE1, TASK_EXACT, TASK_TWO_STAGE, TASKS};
static const struct command *const parts[] = {&part_stage1, &part_exact,        &part_two_stage,
                                              &part_cells,  &bench_calibration, NULL};

static const char *part_at(unsigned i)
{
    return i < sizeof tasks / sizeof *tasks ? parts[i]->name : NULL;
}

static int help_of(const char *name, enum task task, const struct argument *options)
{
    printf("usage: recallmodel bench %s [options]\n\nOptions:\n", name);
    arguments_describe(options);
    bench_help(task);
    return STATUS_OK;
}

/* Returns a status. */
static int bench_cells(struct bench_cpu_settings *settings, const struct argument *options,
                       int count, char **arguments)
{
    struct bench_rows rows = {.file = {.descriptor = -1}};
    int status = arguments_read(options, settings, count, arguments);
    if (status == STATUS_OK && settings->rows)
        status = bench_rows_open(&rows, settings->rows, &settings->bench);
    if (status == STATUS_OK)
        status = bench_run(&settings->bench, NULL);
    bench_rows_close(&rows);
    bench_settings_free(&settings->bench);
    return status;
}

static int run_bench(int count, char **arguments)
{
    unsigned i = 0;
    backend = &cpu_backend;
    if (count > 0 && strcmp(arguments[0], "--calibrate") == 0)
        return bench_calibrate(count - 1, arguments + 1, run_bench);
    if (count == 0 || strcmp(arguments[0], "--help") == 0 || strcmp(arguments[0], "-h") == 0)
        return count ? STATUS_HELP
                     : usage_error(
                           "bench needs the name of what to time: stage1, exact, two-stage or "
                           "cells");
    while (part_at(i) && strcmp(arguments[0], part_at(i)) != 0)
        i++;
    if (!part_at(i))
        return *arguments[0] == '-' ? usage_error("'%.60s' comes before the name of what to time; "
                                                  "begin with stage1, exact, two-stage or cells",
                                                  arguments[0])
                                    : unknown_name("bench", arguments[0], part_at, UNTIL_NULL);
    if (team_size() > 1)
        return usage_error("bench runs in one process; leave mpirun out");
    struct bench_cpu_settings settings = {.bench = {.axes = {.task = tasks[i]}}};
    settings.bench.session.seed = 1;
    const struct argument *options = parts[i]->options;
    const int status = bench_cells(&settings, options, count - 1, arguments + 1);
    return status == STATUS_HELP ? help_of(part_at(i), tasks[i], options) : status;
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
        "The first argument names what is timed: stage1, exact or two-stage, or cells for those of "
        "a file. Each has a --help of "
        "its own, with its kernels and grids; the options listed here are those of stage1 and "
        "two-stage. recallmodel-bench measures GPUs in the same way. docs/cpu.md says how.\n"
        "\n"
        "bench --calibrate measures a grid of its own in two minutes and stores a profile of this "
        "machine for select --device this.",
    .options = stage1_options,
    .parts = parts,
    .begin = begin,
    .run = run_bench,
};
