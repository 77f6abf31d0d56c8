/* command_cells.c - the subcommands that time kernels: stage1, exact, two-stage, fused.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <base/text.h>

#include "axis_readers.h"
#include "card.h"
#include "cell_row.h"
#include "command.h"
#include "grid.h"
#include "measure_cells.h"
#include "session.h"

struct settings {
    struct axes axes;
    struct choice cache, timing;
    struct places grids;             /* instead of all of the above */
    const struct rcm_device *device; /* whose roofline predicts; NULL: that of this card */
    double minutes;                  /* 0: no limit */
    bool once, list;
    struct session_options session;
};

/* ---- options */

static int read_minutes(void *to, const char *option, const char *value)
{
    const double minutes = text_number(value);
    if (!(minutes > 0.0) || !isfinite(minutes))
        return usage_error("%s '%.*s' is not a positive number; give minutes, such as 9 or 0.5",
                           option, VALUE_SHOWN, value);
    *(double *)to = minutes;
    return STATUS_OK;
}

static const char *device_at(unsigned i)
{
    return rcm_device(i) ? rcm_device(i)->name : NULL;
}

static int read_device(void *to, const char *option, const char *value)
{
    const struct rcm_device **device = to;
    *device = rcm_device_by_name(value);
    return *device ? STATUS_OK : unknown_name(option, value, device_at, UNTIL_NULL);
}

#define AT(member) offsetof(struct settings, member)

#define OPTION_N "--n", "LIST", read_counts, AT(axes.n), "elements in a row (default 2^18)"
#define OPTION_K "--k", "LIST", read_counts, AT(axes.k)
#define OPTION_B \
    "--b", "LIST", read_counts, AT(axes.b), \
        "buckets (default: the fewest that keep k, k/kb rounded up; without\n--k 1024, or n if " \
        "that is smaller)"
#define OPTION_KB "--kb", "LIST", read_counts, AT(axes.k_b), "kept per bucket (default 1)"
#define OPTION_M "--m", "LIST", read_counts, AT(axes.m)
#define OPTION_DTYPE \
    "--dtype", "LIST", read_dtypes, AT(axes.dtypes), "float32 (default), float16, bfloat16"
#define OPTION_ASSIGNMENT \
    "--assignment", "LIST", read_assignments, AT(axes.assignments), \
        "of elements to buckets: interleaved (default), contiguous"
#define OPTION_INPUT \
    "--input", "LIST", read_inputs, AT(axes.inputs), \
        "normal (default), equal, few, rising, falling, leading-bits,\nmasked-10, masked-100"
#define OPTION_CACHE \
    "--cache", "C", read_cache, AT(cache), \
        "cold (default): other data goes through the cache before each\ncall; or warm"
#define OPTION_TIMING \
    "--timing", "T", read_timing, AT(timing), \
        "events (default): a call between two events; or graph: a CUDA graph\nof 16 calls"
#define OPTION_KERNEL \
    "--kernel", "LIST", read_kernels, AT(axes), \
        "kernels to time; below are their names (default: the first)"
#define OPTION_GRID \
    "--grid", "LIST", read_grids, AT(grids), \
        "measure named grids instead; below are their names. The options\nabove are then left out"
#define OPTION_MINUTES \
    "--minutes", "X", read_minutes, AT(minutes), \
        "begin no measurement after X minutes; with -o, the same command\nmeasures the rest later"
#define OPTION_DEVICE \
    "--device", "NAME", read_device, AT(device), \
        "the device of recallmodel whose roofline predicts (default: the one\nof this card's " \
        "name)"
#define OPTION_ONCE \
    "--once", NULL, read_switch, AT(once), \
        "run each cell once, without proof or timing, for a profiler"
#define OPTION_LIST "--list", NULL, read_switch, AT(list), "print the cells, measure nothing"
#define OPTIONS_OF_EVERY_RUN \
    {OPTION_GRID}, {OPTION_MINUTES}, {OPTION_DEVICE}, {OPTION_ONCE}, {OPTION_LIST}, \
        {OPTION_SINGLE(AT(session))}, {OPTION_SEED(AT(session))}, {OPTION_O(AT(session))}, \
    { \
        OPTION_OUTPUT(AT(session)) \
    }

static const struct argument bucket_options[] = {
    {OPTION_N},
    {OPTION_K, "elements wanted (default: all candidates)"},
    {OPTION_B},
    {OPTION_KB},
    {OPTION_M, "rows in the batch (default 128)"},
    {OPTION_DTYPE},
    {OPTION_ASSIGNMENT},
    {OPTION_INPUT},
    {OPTION_CACHE},
    {OPTION_TIMING},
    {OPTION_KERNEL},
    OPTIONS_OF_EVERY_RUN,
    {OPTIONS_END},
};

static const struct argument exact_options[] = {
    {OPTION_N},
    {OPTION_K, "elements wanted (default 1024)"},
    {OPTION_M, "rows in the batch (default 128)"},
    {OPTION_DTYPE},
    {OPTION_INPUT},
    {OPTION_CACHE},
    {OPTION_TIMING},
    {OPTION_KERNEL},
    OPTIONS_OF_EVERY_RUN,
    {OPTIONS_END},
};

static const struct argument fused_options[] = {
    {OPTION_N},
    {OPTION_K, "elements wanted (default: all candidates)"},
    {OPTION_B},
    {OPTION_KB},
    {OPTION_M, "rows in the batch, the queries (default 1024)"},
    {"--d", "LIST", read_counts, AT(axes.d), "components of a vector, 64 or 128 (default 128)"},
    {OPTION_KERNEL},
    OPTIONS_OF_EVERY_RUN,
    {OPTIONS_END},
};

/* ---- cells */

/* What must hold between the options. Returns a status. */
static int check_cells(const struct settings *settings)
{
    if (settings->grids.length == 0)
        return STATUS_OK;
    if (axes_are_given(&settings->axes) || settings->cache.given || settings->timing.given)
        return usage_error("--grid has its own cells; leave out --n, --k, --b, --kb, --m, --d, "
                           "--dtype, --assignment, --input, --cache, --timing and --kernel");
    for (unsigned i = 0; i < settings->grids.length; i++) {
        const struct grid *grid = &grids[settings->grids.items[i]];
        if (grid->task != settings->axes.task)
            return usage_error("--grid %s is a grid of recallmodel-bench %s", grid->name,
                               task_name(grid->task));
    }
    return STATUS_OK;
}

/* Returns a status; STATUS_USAGE after one line on stderr where no cell can be run. */
static int build_cells(const struct settings *settings, struct cell_list *cells)
{
    if (settings->grids.length == 0)
        axes_add_cells(&settings->axes, cells);
    for (unsigned i = 0; i < settings->grids.length; i++) {
        const struct grid *grid = &grids[settings->grids.items[i]];
        grid->add_cells(cells, grid);
    }
    if (cells->length == 0)
        return usage_error("no combination can be run: %s",
                           cells->refusal ? cells->refusal : "no cells");
    if (cells->refusal_count)
        fprintf(stderr, "recallmodel-bench: %zu combinations cannot be run (the first one: %s)\n",
                cells->refusal_count, cells->refusal);
    return STATUS_OK;
}

static void print_cells(const struct cell_list *cells)
{
    char key[CELL_KEY_MAX];
    puts(CELL_COLUMNS);
    for (size_t i = 0; i < cells->length; i++) {
        cell_key(&cells->items[i], key);
        puts(key);
    }
}

static int measure_all(const struct settings *settings, const struct cell_list *cells,
                       struct runner *runner)
{
    struct results results = {0};
    const struct rcm_device *device = settings->device;
    runner_predict_for(runner, device ? device : device_of_card(runner_facts(runner)->name));
    int status = session_open_results(&results, runner, &settings->session, CELL_ROW_COLUMNS,
                                      CELL_KEY_COLUMNS);
    if (status != STATUS_OK)
        return status;
    status = measure_cells(runner, cells, &results, session_rules(&settings->session),
                           settings->minutes);
    if (results_close(&results) != 0 && status == STATUS_OK)
        status = output_failed();
    return status;
}

static int use_cells(const struct settings *settings, const struct cell_list *cells)
{
    struct runner *runner;
    if (settings->list) {
        print_cells(cells);
        return STATUS_OK;
    }
    int status = session_open_runner(&runner, settings->session.seed);
    if (status == STATUS_OK)
        status =
            settings->once ? run_cells_once(runner, cells) : measure_all(settings, cells, runner);
    runner_close(runner);
    return status;
}

static int run_cells(enum task task, const struct argument *options, int count, char **arguments)
{
    struct settings settings = {.axes = {.task = task}, .session = {.seed = 1}};
    struct cell_list cells = {0};
    int status = arguments_read(options, &settings, count, arguments);
    settings.axes.warm = settings.cache.second;
    settings.axes.graph = settings.timing.second;
    if (status == STATUS_OK)
        status = check_cells(&settings);
    if (status == STATUS_OK)
        status = build_cells(&settings, &cells);
    if (status == STATUS_OK)
        status = use_cells(&settings, &cells);
    cell_list_free(&cells);
    axes_free(&settings.axes);
    return status;
}

/* ---- the subcommands */

static int run_stage1(int count, char **arguments)
{
    return run_cells(TASK_STAGE1, bucket_options, count, arguments);
}

const struct command command_stage1 = {
    .name = "stage1",
    .summary = "times stage 1: the top kb of each bucket",
    .example = "recallmodel-bench stage1 --n 2^18 --b 1024 --kb 1..4 --m 1024",
    .options = bucket_options,
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
    return run_cells(TASK_TWO_STAGE, bucket_options, count, arguments);
}

const struct command command_two_stage = {
    .name = "two-stage",
    .summary = "times both stages: bucketed top-k",
    .example = "recallmodel-bench two-stage --grid key-17 -o runs.csv",
    .options = bucket_options,
    .run = run_two_stage,
};

static int run_fused(int count, char **arguments)
{
    return run_cells(TASK_FUSED, fused_options, count, arguments);
}

const struct command command_fused = {
    .name = "fused",
    .summary = "times products of vectors and their bucketed top-k, fused and not",
    .detail =
        "The vectors are normal and bfloat16, the buckets interleaved. The cache is cold, and "
        "each call is timed between two events.",
    .example = "recallmodel-bench fused --n 2^20 --k 1024 --b 1024 --kb 4",
    .options = fused_options,
    .run = run_fused,
};
