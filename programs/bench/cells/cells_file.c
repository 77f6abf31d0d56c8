/* cells_file.c - see cells_file.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cells_file.h"

#include <string.h>

#include <base/csv.h>

#include "axis_readers.h"
#include <programs/bench/backend.h>

/* What a line says. */
struct line {
    struct axes axes;
    struct choice cache, timing;
};

static const char *work_at(unsigned i)
{
    return i < TASKS && kernel_of_task((enum task)i, 0) ? task_name((enum task)i) : NULL;
}

static int read_work(void *to, const char *option, const char *value)
{
    unsigned task;
    const int status = read_name(option, value, work_at, UNTIL_NULL, &task);
    ((struct axes *)to)->task = (enum task)task;
    return status;
}

/* --list prints d = 0 where there is no product. */
static int read_d(void *to, const char *option, const char *value)
{
    return strcmp(value, "0") == 0 ? STATUS_OK : read_one_count(to, option, value);
}

#define AT(member) offsetof(struct line, member)

/* `work` first: which kernels there are depends on it. */
static const struct argument columns[] = {
    {"work", NULL, BY(read_work), AT(axes), NULL},
    {"kernel", NULL, BY(read_kernels), AT(axes), NULL},
    {"dtype", NULL, &kind_of_dtypes, AT(axes.dtypes), NULL},
    {"assignment", NULL, &kind_of_bench_assignments, AT(axes.assignments), NULL},
    {"input", NULL, &kind_of_inputs, AT(axes.inputs), NULL},
    {"n", NULL, BY(read_one_count), AT(axes.n), NULL},
    {"k", NULL, BY(read_one_count), AT(axes.k), NULL},
    {"b", NULL, BY(read_one_count), AT(axes.b), NULL},
    {"k_b", NULL, BY(read_one_count), AT(axes.k_b), NULL},
    {"m", NULL, BY(read_one_count), AT(axes.m), NULL},
    {"d", NULL, BY(read_d), AT(axes.d), NULL},
    {"cache", NULL, &kind_of_cache, AT(cache), NULL},
    {"timing", NULL, &kind_of_timing, AT(timing), NULL},
    {"threads", NULL, BY(read_one_count), AT(axes.threads), NULL},
};
#define COLUMNS (sizeof columns / sizeof *columns)

/* Those of this back end. */
static const char *column_at(unsigned i)
{
    return i < COLUMNS - !backend->has_threads ? columns[i].option : NULL;
}

static int check_header(const struct csv *csv)
{
    for (size_t i = 0; i < csv->columns; i++) {
        char place[CSV_ERROR];
        unsigned found;
        snprintf(place, sizeof place, "%.150s:%zu, column", csv->path, csv->lines[0]);
        const int status = read_name(place, csv->fields[i], column_at, UNTIL_NULL, &found);
        if (status != STATUS_OK)
            return status;
    }
    return csv_column(csv, "work") < csv->columns
               ? STATUS_OK
               : usage_error("%.150s:%zu: there is no column work; add it, with stage1, exact or "
                             "two-stage",
                             csv->path, csv->lines[0]);
}

/* Reads a field into its part of the line. Returns a status. */
static int read_field(struct line *line, const struct argument *argument, const struct csv *csv,
                      size_t row)
{
    const size_t column = csv_column(csv, argument->option);
    const char *value = column < csv->columns ? csv_field(csv, row, column) : "";
    char place[CSV_ERROR];
    if (*value == '\0' && argument != columns)
        return STATUS_OK;
    csv_place(csv, row, column, place);
    place[strlen(place) - strlen(": ")] = '\0';
    return argument->kind->read((char *)line + argument->at, place, value);
}

/* Reads a line but its kernel if that is `peers`, which is said. Returns a status. */
static int read_line(struct line *line, bool *peers, const struct csv *csv, size_t row)
{
    const size_t kernel = csv_column(csv, "kernel");
    int status = STATUS_OK;
    *peers = kernel < csv->columns && strcmp(csv_field(csv, row, kernel), "peers") == 0;
    for (size_t i = 0; i < COLUMNS && status == STATUS_OK; i++)
        if (!*peers || strcmp(columns[i].option, "kernel") != 0)
            status = read_field(line, &columns[i], csv, row);
    return status;
}

static int add_line(struct cell_list *list, const struct axes *usual, const struct csv *csv,
                    size_t row)
{
    struct line line = {.axes = {.task = TASKS}};
    const struct cell_list before = *list;
    bool peers;
    int status = read_line(&line, &peers, csv, row);
    if (status == STATUS_OK && usual->inputs.length && line.axes.inputs.length)
        status = usage_error("%.150s:%zu: --rows gives the inputs; leave the column input empty",
                             csv->path, csv->lines[row + 1]);
    struct axes axes = line.axes; /* a view of both */
    axes.warm = line.cache.second;
    axes.graph = line.timing.second;
    axes.n = axes.n.length ? axes.n : usual->n;
    axes.m = axes.m.length ? axes.m : usual->m;
    axes.inputs = axes.inputs.length ? axes.inputs : usual->inputs;
    if (peers)
        add_foreign_kernels(&axes);
    if (status == STATUS_OK && (!peers || axes.kernels.length))
        axes_add_cells(&axes, list);
    if (peers) {
        list->refusal_count = before.refusal_count;
        list->refusal = before.refusal;
    }
    axes_free(&line.axes);
    return status;
}

int cells_file_read(const char *path, const struct axes *usual, struct cell_list *list)
{
    struct csv csv;
    char error[CSV_ERROR];
    if (csv_read(path, &csv, MESSAGE(error)) != 0)
        return usage_error("--file: %s", error);
    int status = check_header(&csv);
    for (size_t row = 0; row < csv.rows && status == STATUS_OK; row++)
        status = add_line(list, usual, &csv, row);
    csv_free(&csv);
    return status;
}
