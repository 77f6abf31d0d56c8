/* bench_command.c - see bench_command.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench_command.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/clock.h>
#include <base/memory.h>
#include <base/text.h>
#include <gpu/peers/peer.h>
#include <programs/common/device_file.h>
#include <programs/common/wrap.h>

#include "busy.h"
#include <programs/bench/cells/cell_row.h>
#include <programs/bench/cells/cells_file.h>
#include "measure_cells.h"
#include "peers.h"

const struct backend *backend;

/* ---- options */

static const char *device_at(unsigned i)
{
    return rcm_device(i) ? rcm_device(i)->name : NULL;
}

static int read_known_device(void *to, const char *option, const char *value)
{
    const struct rcm_device **device = to;
    size_t others;
    *device = rcm_device_meant(value, NULL, 0, &others);
    return *device && others == 0 ? STATUS_OK : unknown_device(option, value, "");
}

const struct value_kind kind_of_known_device = {.read = read_known_device, .names = device_at};

/* ---- cells */

/* What must hold between the options. Returns a status. */
static int check_cells(const struct bench_settings *settings)
{
    if (settings->axes.task == TASKS && !settings->file)
        return usage_error("cells needs the cells; give --file CELLS.csv");
    if (settings->rounds > 1 && !settings->session.output)
        return usage_error("--rounds writes a file for each; give -o FILE");
    if (settings->grids.length == 0)
        return STATUS_OK;
    struct axes others = settings->axes;
    const bool exact = others.task == TASK_EXACT && others.kernels.length > 0;
    others.kernels.length = exact ? 0 : others.kernels.length;
    if (axes_are_given(&others) || settings->cache.given || settings->timing.given)
        return usage_error("--grid has its own cells; leave out %s", backend->axis_options);
    if (exact)
        return STATUS_OK;
    for (unsigned i = 0; i < settings->grids.length; i++) {
        const struct grid *grid = &backend->grids[settings->grids.items[i]];
        if (grid->task != settings->axes.task)
            return usage_error("--grid %s is a grid of %s %s", grid->name, backend->command,
                               task_name(grid->task));
    }
    return STATUS_OK;
}

static bool same_rows(const struct cell *a, const struct cell *b)
{
    return a->n == b->n && a->k == b->k && a->m == b->m && a->dtype == b->dtype &&
           a->input == b->input && a->warm == b->warm && a->graph == b->graph;
}

/* The rows of a grid, whatever its task, each once, for the kernels of exact top-k that are given.
 */
static void add_exact_of_grid(struct cell_list *to, const struct axes *axes,
                              const struct grid *grid)
{
    struct cell_list from = {0};
    grid->add_cells(&from, grid);
    for (size_t i = 0; i < from.length; i++) {
        struct cell c = from.items[i];
        size_t before = 0;
        while (before < i && !(from.items[before].d == 0 && same_rows(&from.items[before], &c)))
            before++;
        c.b = 1;
        c.k_b = c.k;
        c.assignment = RCM_INTERLEAVED;
        for (unsigned k = 0; k < axes->kernels.length && before == i && c.d == 0; k++) {
            c.kernel = kernel_of_task(TASK_EXACT, axes->kernels.items[k]);
            cell_list_add(to, &c);
        }
    }
    cell_list_free(&from);
}

/* Returns a status; STATUS_USAGE after one line on stderr where no cell can be run. */
static int build_cells(const struct bench_settings *settings, struct cell_list *cells)
{
    int status = STATUS_OK;
    if (settings->file)
        status = cells_file_read(settings->file, &settings->axes, cells);
    else if (settings->grids.length == 0)
        axes_add_cells(&settings->axes, cells);
    if (status != STATUS_OK)
        return status;
    for (unsigned i = 0; i < settings->grids.length; i++) {
        const struct grid *grid = &backend->grids[settings->grids.items[i]];
        if (settings->axes.kernels.length)
            add_exact_of_grid(cells, &settings->axes, grid);
        else
            grid->add_cells(cells, grid);
    }
    for (size_t i = 0; i < cells->length; i++) {
        cells->items[i].tail = settings->session.load.given;
        cells->items[i].busy = settings->session.load.busy;
    }
    if (cells->length == 0 && !(settings->file && cells->refusal_count == 0))
        return usage_error("no combination can be run: %s",
                           cells->refusal ? cells->refusal : "no cells");
    if (cells->refusal_count)
        fprintf(stderr, "%s: %zu combinations cannot be run (the first one: %s)\n", program_name(),
                cells->refusal_count, cells->refusal);
    return STATUS_OK;
}

static void print_cells(const struct cell_list *cells)
{
    char key[CELL_KEY_MAX];
    printf("%s%s\n", CELL_COLUMNS, backend->key_columns);
    for (size_t i = 0; i < cells->length; i++) {
        cell_key(&cells->items[i], key);
        puts(key);
    }
}

/* A remark for each peer among the cells: its package. Returns a status. */
static int name_packages(struct results *results, const struct cell_list *cells)
{
    const struct kernel *kernel;
    int status = STATUS_OK;
    for (unsigned i = 0; (kernel = peer_kernel(i)) && status == STATUS_OK; i++) {
        size_t cell = 0;
        char text[300];
        while (cell < cells->length && cells->items[cell].kernel != kernel)
            cell++;
        snprintf(text, sizeof text, "peer %s: %s", kernel->name, kernel->peer->package);
        if (cell < cells->length && results_remark(results, text) != 0)
            status = output_failed();
    }
    return status;
}

static int measure_all(const struct session_options *session, struct cell_list *cells,
                       const struct runner *runner, const struct measuring *how)
{
    struct results results = {0};
    char columns[CELL_ROW_MAX];
    if (session->output) /* a reader of the table that leaves does not stop it */
        signal(SIGPIPE, SIG_IGN);
    format_cell_columns(columns);
    int status = session_open_results(&results, runner->device, session, columns,
                                      CELL_KEY_COLUMNS + backend->key_column_count);
    if (status != STATUS_OK)
        return status;
    status = name_packages(&results, cells);
    if (status == STATUS_OK)
        status = measure_cells(runner, cells, &results, how);
    if (results_close(&results) != 0 && status == STATUS_OK)
        status = output_failed();
    return status;
}

static size_t count_bad(const struct cell_list *cells)
{
    size_t count = 0;
    for (size_t i = 0; i < cells->length; i++)
        count += cells->items[i].bad;
    return count;
}

/* All cells, so many times, each time into a file of its own. A bad cell does not stop others. */
static int measure_rounds(const struct bench_settings *settings, struct cell_list *cells,
                          const struct runner *runner)
{
    struct session_options session = settings->session;
    struct measuring how = {.rules = session_rules(&session),
                            .no_table = settings->file && session.output};
    char *path = NULL;
    int status = STATUS_OK;
    how.rules.alone = settings->file;
    if (settings->minutes > 0.0)
        how.end_s = clock_seconds() + 60.0 * settings->minutes;
    for (uint64_t round = 1;; round++) {
        const size_t bad = count_bad(cells);
        status = measure_all(&session, cells, runner, &how);
        if (status == STATUS_FAILED && count_bad(cells) > bad && backend->works(runner->device))
            status = STATUS_OK;
        if (status != STATUS_OK || round >= settings->rounds ||
            (how.end_s > 0.0 && clock_seconds() > how.end_s))
            break;
        how.again = true;
        const size_t size = strlen(settings->session.output) + 24;
        path = require_memory(path ? path : malloc(size));
        snprintf(path, size, "%s.%" PRIu64, settings->session.output, round + 1);
        session.output = path;
    }
    free(path);
    return status == STATUS_OK && count_bad(cells) > 0 ? STATUS_FAILED : status;
}

static int use_cells(const struct bench_settings *settings, struct cell_list *cells,
                     const struct rcm_device *(*usual_device)(const char *name))
{
    struct runner runner = {.predicts = settings->device};
    if (settings->list) {
        print_cells(cells);
        return STATUS_OK;
    }
    int status = backend->open(&runner.device, settings->session.seed);
    if (status != STATUS_OK)
        return status;
    if (!runner.predicts && usual_device)
        runner.predicts = usual_device(backend->name(runner.device));
    status = busy_begin(settings->session.load.busy);
    if (status == STATUS_OK)
        status = settings->once ? run_cells_once(&runner, cells)
                                : measure_rounds(settings, cells, &runner);
    busy_end();
    backend->close(runner.device);
    return status;
}

int bench_run(struct bench_settings *settings,
              const struct rcm_device *(*usual_device)(const char *name))
{
    struct cell_list cells = {0};
    settings->axes.warm = settings->cache.second;
    settings->axes.graph = settings->timing.second;
    int status = session_check(&settings->session);
    if (status == STATUS_OK)
        status = check_cells(settings);
    if (status == STATUS_OK)
        status = build_cells(settings, &cells);
    if (status == STATUS_OK)
        status = use_cells(settings, &cells, usual_device);
    cell_list_free(&cells);
    return status;
}

void bench_settings_free(struct bench_settings *settings)
{
    axes_free(&settings->axes);
}

/* ---- help */

static void print_kernels(enum task task, bool of_all)
{
    const struct kernel *kernel;
    char names[1200] = "";
    for (unsigned i = 0; (kernel = kernel_of_task(task, i)); i++)
        append_name(names, sizeof names, kernel->name);
    if (*names)
        print_wrapped("\nKernels%s%s:\n  %s", of_all ? " of " : "", of_all ? task_name(task) : "",
                      names);
}

static void print_inputs(void)
{
    const char *name;
    char names[1200] = "";
    for (unsigned i = 0; (name = backend->input_name(i)); i++)
        append_name(names, sizeof names, name);
    print_wrapped("\nInputs:\n  %s", names);
}

static void print_grids(enum task task)
{
    puts("\nGrids:");
    for (const struct grid *grid = backend->grids; grid->name; grid++)
        if (grid->task == task)
            printf("  %-18s %s\n", grid->name, grid->what);
}

void bench_help(enum task task)
{
    const bool all = task == TASKS;
    for (unsigned i = all ? 0 : task; i < TASKS && (all || i == (unsigned)task); i++)
        print_kernels((enum task)i, all);
    if (task != TASK_FUSED) /* which has vectors, of one kind */
        print_inputs();
    if (!all)
        print_grids(task);
}
