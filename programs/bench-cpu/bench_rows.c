/* bench_rows.c - see bench_rows.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

/* The name of the file for the column `input`: without its folder and its ending; what could be
 * taken for another column becomes '_'. */
static void name_of(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
    char *end = strrchr(name, '.');
    for (size_t i = 0; end && end != name && row_format(i); i++)
        if (strcmp(end, row_format(i)->suffix) == 0)
            *end = '\0';
    for (; *name; name++)
        if (*name <= ' ' || *name > '~' || strchr(",\"#", *name))
            *name = '_';
}

static int read_row(const void *from, uint64_t row, double *x)
{
    const struct bench_rows *rows = from;
    return row_file_read(&rows->file, row, x, rows->buffer);
}

/* Do the options go together? Returns a status. */
static int check_axes(const struct bench_settings *settings)
{
    const struct axes *axes = &settings->axes;
    if (settings->grids.length)
        return usage_error("--rows has its own n, and --grid its own cells; leave one out");
    if (axes->inputs.length)
        return usage_error("--rows gives the inputs; leave --input out");
    for (unsigned i = 0; i < axes->dtypes.length; i++)
        if (axes->dtypes.items[i] > DTYPE_F64)
            return usage_error("--rows has real numbers; leave --dtype %s out",
                               dtype_name(axes->dtypes.items[i]));
    return STATUS_OK;
}

/* A list of one count, unless one was given. */
static void set_count(struct count_list *list, uint64_t count)
{
    if (list->length)
        return;
    list->items = require_memory(malloc(sizeof *list->items));
    list->items[0] = count;
    list->length = 1;
}

/* Are n and m those of the file? Sets those that were not given. Returns a status. */
static int take_shape(struct axes *axes, const struct row_file *file)
{
    for (size_t i = 0; i < axes->n.length; i++)
        if (axes->n.items[i] != file->row)
            return usage_error("--n %" PRIu64 " is not the length of a row of --rows, %" PRIu64
                               "; leave --n out",
                               axes->n.items[i], file->row);
    for (size_t i = 0; i < axes->m.length; i++)
        if (axes->m.items[i] > file->rows)
            return usage_error("--m %" PRIu64 " is more than the %" PRIu64
                               " rows of --rows; give at most that",
                               axes->m.items[i], file->rows);
    set_count(&axes->n, file->row);
    set_count(&axes->m, file->rows);
    axes->inputs = (struct places){.items = {INPUT_FILE}, .length = 1};
    return STATUS_OK;
}

int bench_rows_open(struct bench_rows *rows, const char *path, struct bench_settings *settings)
{
    char reason[500];
    const struct places *dtypes = &settings->axes.dtypes;
    const bool bfloat = settings->file || (dtypes->length == 1 && dtypes->items[0] == DTYPE_BF16);
    *rows = (struct bench_rows){.file = {.descriptor = -1}};
    int status = check_axes(settings);
    if (status != STATUS_OK)
        return status;
    /* two bytes without a name are bfloat16 if that was asked for */
    if (row_file_open(&rows->file, path, SIM_DTYPE_UNKNOWN, 0, MESSAGE(reason)) != 0 &&
        (!bfloat || row_file_open(&rows->file, path, SIM_BF16, 0, MESSAGE(reason)) != 0))
        return usage_error("--rows %.150s %s", path, reason);
    status = take_shape(&settings->axes, &rows->file);
    if (status != STATUS_OK)
        return status;
    rows->buffer = require_memory(malloc(rows->file.row * sizeof(double)));
    name_of(path, rows->name, sizeof rows->name);
    rows->source = (struct row_source){.name = rows->name,
                                       .rows = rows->file.rows,
                                       .n = rows->file.row,
                                       .read = read_row,
                                       .from = rows};
    cpu_use_rows(&rows->source);
    return STATUS_OK;
}

void bench_rows_close(struct bench_rows *rows)
{
    row_file_close(&rows->file);
    free(rows->buffer);
    *rows = (struct bench_rows){.file = {.descriptor = -1}};
}
