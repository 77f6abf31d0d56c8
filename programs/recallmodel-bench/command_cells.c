/* command_cells.c - the subcommands that time kernels: stage1, exact, two-stage, fused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <programs/bench/bench_command.h>

#include "card.h"
#include "command.h"

#define CUDA_DTYPE \
    { \
        OPTION_DTYPE, "float32 (default), float16, bfloat16" \
    }
#define CUDA_CACHE \
    { \
        OPTION_CACHE, \
            "cold (default): other data goes through the cache before each\ncall; or warm" \
    }
#define CUDA_TIMING \
    { \
        OPTION_TIMING, \
            "events (default): a call between two events; or graph: a CUDA graph\nof 16 calls" \
    }
#define OPTIONS_OF_EVERY_RUN \
    {OPTION_GRID}, {OPTION_MINUTES}, \
        {OPTION_DEVICE, \
         "the device, of recallmodel devices, whose roofline predicts (default: the one\n" \
         "of this card's name)"}, \
        {OPTION_ONCE}, {OPTION_LIST}, {OPTION_SECONDS(BENCH_AT(session))}, \
        {OPTION_SEED(BENCH_AT(session))}, {OPTION_O(BENCH_AT(session))}, \
        {OPTION_OUTPUT(BENCH_AT(session))}, \
    { \
        OPTION_CSV(BENCH_AT(session)) \
    }

#define BUCKET_OPTIONS(kernels) \
    {OPTION_N}, {OPTION_K, "elements wanted (default: all candidates)"}, {OPTION_B}, {OPTION_KB}, \
        {OPTION_M, "rows in the batch (default 128)"}, CUDA_DTYPE, {OPTION_ASSIGNMENT}, \
        {OPTION_INPUT}, CUDA_CACHE, CUDA_TIMING, {OPTION_KERNEL(kernels)}, OPTIONS_OF_EVERY_RUN, \
    { \
        OPTIONS_END \
    }

static const struct argument stage1_options[] = {BUCKET_OPTIONS(stage1_kernel_at)};
static const struct argument two_stage_options[] = {BUCKET_OPTIONS(two_stage_kernel_at)};

static const struct argument exact_options[] = {
    {OPTION_N},
    {OPTION_K, "elements wanted (default 1024)"},
    {OPTION_M, "rows in the batch (default 128)"},
    CUDA_DTYPE,
    {OPTION_INPUT},
    CUDA_CACHE,
    CUDA_TIMING,
    {OPTION_KERNEL(exact_kernel_at)},
    OPTIONS_OF_EVERY_RUN,
    {OPTIONS_END},
};

static const struct argument fused_options[] = {
    {OPTION_N},
    {OPTION_K, "elements wanted (default: all candidates)"},
    {OPTION_B},
    {OPTION_KB},
    {OPTION_M, "rows in the batch, the queries (default 1024)"},
    {"--d", "LIST", BY(read_counts), BENCH_AT(axes.d),
     "components of a vector, 64 or 128 (default 128)"},
    {OPTION_KERNEL(fused_kernel_at)},
    OPTIONS_OF_EVERY_RUN,
    {OPTIONS_END},
};

static const struct argument cells_options[] = {
    OPTIONS_OF_CELLS,
    {OPTIONS_END},
};

static int run_cells(enum task task, const struct argument *options, int count, char **arguments)
{
    struct bench_settings settings = {.axes = {.task = task}, .session = {.seed = 1}};
    int status = arguments_read(options, &settings, count, arguments);
    if (status == STATUS_OK)
        status = bench_run(&settings, device_of_card);
    bench_settings_free(&settings);
    return status;
}

/* ---- the subcommands */

static int run_stage1(int count, char **arguments)
{
    return run_cells(TASK_STAGE1, stage1_options, count, arguments);
}

const struct command command_stage1 = {
    .name = "stage1",
    .summary = "times stage 1: the top kb of each bucket",
    .example = "recallmodel-bench stage1 --n 2^18 --b 1024 --kb 1..4 --m 1024",
    .options = stage1_options,
    .run = run_stage1,
};

static int run_exact(int count, char **arguments)
{
    return run_cells(TASK_EXACT, exact_options, count, arguments);
}

const struct command command_exact = {
    .name = "exact",
    .summary = "times exact top-k, which has no buckets",
    .example = "recallmodel-bench exact --n 50000 --k 2048 --m 1024 --kernel radix,histogram",
    .options = exact_options,
    .run = run_exact,
};

static int run_two_stage(int count, char **arguments)
{
    return run_cells(TASK_TWO_STAGE, two_stage_options, count, arguments);
}

const struct command command_two_stage = {
    .name = "two-stage",
    .summary = "times both stages: bucketed top-k",
    .example = "recallmodel-bench two-stage --grid key-17 -o runs.csv",
    .options = two_stage_options,
    .run = run_two_stage,
};

static int run_fused(int count, char **arguments)
{
    return run_cells(TASK_FUSED, fused_options, count, arguments);
}

static int run_file(int count, char **arguments)
{
    return run_cells(TASKS, cells_options, count, arguments);
}

const struct command command_cells = {
    .name = "cells",
    .summary = "times the cells of a CSV file, each by itself, in rounds",
    .example = "recallmodel-bench cells --file cells.csv -o runs.csv --rounds 3",
    .options = cells_options,
    .run = run_file,
};

const struct command command_fused = {
    .name = "fused",
    .summary = "times inner products of vectors and their bucketed top-k, fused and not fused",
    .detail = "The vectors are normal and of type bfloat16, and the buckets are interleaved. The "
              "cache is cold, and each call is timed between two events.",
    .example = "recallmodel-bench fused --n 2^20 --k 1024 --b 1024 --kb 4",
    .options = fused_options,
    .run = run_fused,
};
