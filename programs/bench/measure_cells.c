/* measure_cells.c - see measure_cells.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "measure_cells.h"

#include <stdio.h>

#include <base/clock.h>
#include <programs/common/error.h>
#include <programs/common/progress.h>

#include <programs/bench/cells/cell_lines.h>
#include <programs/bench/cells/cell_row.h>
#include "session.h"

struct loop {
    const struct runner *runner;
    struct results *results;
    const struct measuring *how;
    struct cell_lines lines; /* of the table */
    struct progress progress;
    size_t measured, present, skipped, wrong, failed; /* cells of each kind so far */
};

/* The line of a cell. A reader who has left does not stop what goes to a file. Returns a status. */
static int print_line(const struct loop *loop, const struct cell *cell, const struct measurement *m)
{
    const char *device = backend->name(loop->runner->device);
    if (loop->how->no_table || loop->results->file == stdout) /* CSV is printed there */
        return STATUS_OK;
    const bool printed = (loop->measured > 0 || cell_lines_begin(&loop->lines, device) == 0) &&
                         cell_lines_add(&loop->lines, cell, m) == 0;
    return printed || loop->results->file ? STATUS_OK : output_failed();
}

/* A cell that was measured. Returns a status. */
static int add_row(struct loop *loop, const struct cell *cell, const struct measurement *m)
{
    char row[CELL_ROW_MAX] = "";
    format_cell_row(row, loop->runner->device, cell, m);
    int status = results_add(loop->results, row) != 0 ? output_failed() : STATUS_OK;
    progress_end(&loop->progress);
    if (status == STATUS_OK)
        status = print_line(loop, cell, m);
    loop->measured++;
    return status;
}

/* A cell that was not measured. A later run tries a wrong one again, and not one that failed.
 * Returns a status; STATUS_FAILED also if the device does not work any more. */
static int note_reason(struct loop *loop, enum outcome outcome, const char *key)
{
    static const char *const before[] = {
        [SKIPPED] = "left out ", [WRONG] = "WRONG ", [FAILED] = ""};
    const char *reason = backend->reason(loop->runner->device);
    progress_end(&loop->progress);
    if (outcome != SKIPPED || !loop->how->again) /* the same is left out in each round */
        fprintf(stderr, "%s: %s%s: %s\n", program_name(), before[outcome], key, reason);
    loop->skipped += outcome == SKIPPED;
    loop->wrong += outcome == WRONG;
    loop->failed += outcome == FAILED;
    const int failed = outcome == SKIPPED
                           ? results_end(loop->results)
                           : results_note(loop->results, key, reason, outcome == WRONG);
    if (failed != 0)
        return output_failed();
    return outcome == FAILED && !backend->works(loop->runner->device) ? STATUS_FAILED : STATUS_OK;
}

static int measure_cell(struct loop *loop, const struct cell *cell, const char *key)
{
    struct measurement m;
    if (cell->kernel->peer && results_begin(loop->results, key) != 0)
        return output_failed();
    const enum outcome outcome = runner_measure(loop->runner, cell, &loop->how->rules, &m);
    return outcome == MEASURED ? add_row(loop, cell, &m) : note_reason(loop, outcome, key);
}

static void print_counts(const struct loop *loop, size_t left)
{
    const size_t skipped = loop->how->again ? 0 : loop->skipped;
    if (loop->how->no_table && skipped + loop->wrong + loop->failed + left == 0)
        return;
    fprintf(stderr,
            "%s: %zu measured, %zu measured before, %zu left out, %zu wrong, %zu "
            "failed, %zu left to do%s\n",
            program_name(), loop->measured, loop->present, loop->skipped, loop->wrong, loop->failed,
            left,
            !left                 ? ""
            : loop->results->path ? "; run the same command again to continue"
                                  : "; with -o FILE the same command continues");
}

int measure_cells(const struct runner *runner, struct cell_list *cells, struct results *results,
                  const struct measuring *how)
{
    struct loop loop = {
        .runner = runner, .results = results, .how = how, .lines = cell_lines_of(cells)};
    int status = STATUS_OK;
    size_t i = 0;
    progress_start(&loop.progress, "cells");
    for (; i < cells->length && status == STATUS_OK; i++) {
        char key[CELL_KEY_MAX];
        cell_key(&cells->items[i], key);
        if (cells->items[i].bad)
            continue;
        if (results_have(results, key)) {
            loop.present++;
            continue;
        }
        if (how->end_s > 0.0 && clock_seconds() > how->end_s)
            break;
        if (progress_tick(&loop.progress, i, cells->length)) {
            status = STATUS_INTERRUPTED;
            break;
        }
        const size_t bad = loop.wrong + loop.failed;
        status = measure_cell(&loop, &cells->items[i], key);
        cells->items[i].bad = loop.wrong + loop.failed > bad;
    }
    progress_end(&loop.progress);
    print_counts(&loop, how->end_s > 0.0 && how->no_table ? 0 : cells->length - i);
    return status == STATUS_OK && loop.wrong + loop.failed > 0 ? STATUS_FAILED : status;
}

int run_cells_once(const struct runner *runner, const struct cell_list *cells)
{
    for (size_t i = 0; i < cells->length; i++)
        if (backend->run_once(runner->device, &cells->items[i]) != MEASURED) {
            char key[CELL_KEY_MAX];
            cell_key(&cells->items[i], key);
            fprintf(stderr, "%s: %s: %s\n", program_name(), key, backend->reason(runner->device));
            return STATUS_FAILED;
        }
    return STATUS_OK;
}
