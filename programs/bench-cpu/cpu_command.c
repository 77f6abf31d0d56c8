/* cpu_command.c - see cpu_command.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_command.h"

#include <stdio.h>
#include <string.h>

#include <programs/bench/bench_command.h>

#include "bench_rows.h"
#include "cpu.h"

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
    OPTIONS_OF_CELLS,
    {OPTION_ROWS},
    OPTION_ISA,
    {OPTIONS_END},
};

#define BUCKETS \
    {OPTION_N}, {OPTION_K, "elements wanted (default: all candidates)"}, {OPTION_B}, {OPTION_KB}, \
        {OPTION_M, "rows in the batch (default 1)"}, CPU_MORE, \
    { \
        OPTION_ASSIGNMENT \
    }

const struct argument cpu_bench_options[] = {BUCKETS, CPU_LAST(stage1_kernel_at)};
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

const struct command cpu_bench_stage1 = {
    .name = "stage1",
    .summary = "times stage 1: the top kb of each bucket",
    .options = cpu_bench_options,
    .begin = begin,
};

const struct command cpu_bench_exact = {
    .name = "exact",
    .summary = "times exact top-k, which has no buckets",
    .options = exact_options,
    .begin = begin,
};

const struct command cpu_bench_two_stage = {
    .name = "two-stage",
    .summary = "times both stages: bucketed top-k",
    .options = two_stage_options,
    .begin = begin,
};

const struct command cpu_bench_cells = {
    .name = "cells",
    .summary = "times the cells of a CSV file, each by itself, in rounds",
    .options = cells_options,
    .begin = begin,
};

/* By task; TASKS: any. */
static const enum task tasks[] = {TASK_STAGE1, TASK_EXACT, TASK_TWO_STAGE, TASKS};
static const struct command *const parts[] = {&cpu_bench_stage1, &cpu_bench_exact,
                                              &cpu_bench_two_stage, &cpu_bench_cells};

static const char *part_at(unsigned i)
{
    return i < sizeof parts / sizeof *parts ? parts[i]->name : NULL;
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

int cpu_bench(int count, char **arguments)
{
    unsigned i = 0;
    begin();
    if (count == 0)
        return usage_error("bench needs the name of what to time: stage1, exact, two-stage or "
                           "cells");
    while (part_at(i) && strcmp(arguments[0], part_at(i)) != 0)
        i++;
    if (!part_at(i))
        return *arguments[0] == '-' ? usage_error("'%.60s' comes before the name of what to time; "
                                                  "begin with stage1, exact, two-stage or cells",
                                                  arguments[0])
                                    : unknown_name("bench", arguments[0], part_at, UNTIL_NULL);
    struct bench_cpu_settings settings = {.bench = {.axes = {.task = tasks[i]}}};
    settings.bench.session.seed = 1;
    const struct argument *options = parts[i]->options;
    const int status = bench_cells(&settings, options, count - 1, arguments + 1);
    return status == STATUS_HELP ? help_of(part_at(i), tasks[i], options) : status;
}
