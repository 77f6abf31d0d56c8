/* runs_check.c - see runs_check.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "runs_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <base/text.h>
#include <calibrate/runs/run_checks.h>
#include <calibrate/runs/runs.h>

struct checking {
    const struct csv *csv;
    const char *device;
    enum rcm_dtype dtype;
    FILE *to;
    size_t faults;
};

static void fault(struct checking *c, size_t row, const char *what, const char *value)
{
    if (c->faults++ < RUNS_FAULTS_SHOWN)
        fprintf(c->to, "%s:%zu: %.60s%s\n", c->csv->path, c->csv->lines[row + 1], value, what);
}

static const char *field(const struct checking *c, size_t row, const char *name)
{
    const size_t column = csv_column(c->csv, name);
    return column < c->csv->columns ? csv_field(c->csv, row, column) : "";
}

/* A number of a column; NaN where there is none. */
static double number(const struct checking *c, size_t row, const char *name)
{
    const char *text = field(c, row, name);
    return *text ? text_number(text) : NAN;
}

/* ---- each field */

enum kind { OTHER, COUNT, TIME, PART, SHARE };

/* What a column holds, by its name. A part of a time may be 0: what was not run. */
static enum kind kind_of(const char *name)
{
    static const struct {
        const char *name;
        enum kind kind;
    } kinds[] = {{"n", COUNT},          {"k", COUNT},
                 {"b", COUNT},          {"k_b", COUNT},
                 {"m", COUNT},          {"threads", COUNT},
                 {"samples", COUNT},    {"bucket_size", COUNT},
                 {"time_us", TIME},     {"time_us_median", TIME},
                 {"time_us_mean", TIME}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(name, kinds[i].name) == 0)
            return kinds[i].kind;
    return strstr(name, "recall") == name ? SHARE : strstr(name, "_us") ? PART : OTHER;
}

static void check_field(struct checking *c, size_t row, const char *text, enum kind kind)
{
    const double value = text_number(text);
    if (kind == COUNT && !run_count(text, &(uint64_t){0}))
        fault(c, row, " is not a count", text);
    if (kind == TIME && !(value >= RUN_US_LEAST && value <= RUN_US_MOST))
        fault(c, row, " is not a time of a call in microseconds", text);
    if (kind == PART && !(value >= 0.0 && value <= RUN_US_MOST))
        fault(c, row, " is not a time in microseconds", text);
    if (kind == SHARE && !(value >= 0.0 && value <= 1.0))
        fault(c, row, " is not a recall from 0 to 1", text);
}

/* ---- a row */

/* Stage 1 alone may have fewer candidates than k. */
static void check_shape(struct checking *c, size_t row)
{
    const double n = number(c, row, "n"), k = number(c, row, "k"), b = number(c, row, "b"),
                 k_b = number(c, row, "k_b");
    const bool stages = strcmp(field(c, row, "work"), "stage1") == 0 ||
                        csv_column(c->csv, "concat_us") < c->csv->columns;
    if (k > n || b > n)
        fault(c, row, "k or b is more than n", "");
    else if (!stages && b * k_b < k)
        fault(c, row, "b k_b is less than k", "");
}

/* A name of a card as it is written: "H100 PCIe", "NVIDIA GeForce RTX 3090", "H100-PCIe". */
static const struct rcm_device *device_of(const struct checking *c, size_t row)
{
    const char *name = field(c, row, "device");
    return run_device(*name ? name : c->device ? c->device : "");
}

/* The row's card must be that of the file, if both are known. */
static void check_device(struct checking *c, size_t row)
{
    const char *name = field(c, row, "device");
    const struct rcm_device *its = run_device(name),
                            *whole = run_device(c->device ? c->device : "");
    if (its && whole && its != whole)
        fault(c, row, " is another card than that of the file", name);
}

static void check_rate(struct checking *c, size_t row)
{
    enum rcm_dtype dtype = c->dtype;
    const double n = number(c, row, "n"), k = number(c, row, "k"), m = number(c, row, "m");
    const size_t column = runs_time_column(c->csv);
    char what[RUN_TOO_SHORT];
    if (!(n >= 1.0 && k >= 1.0) || column == c->csv->columns ||
        (*field(c, row, "dtype") && !run_dtype(field(c, row, "dtype"), &dtype)))
        return;
    const struct rcm_topk p = {.n = (uint64_t)n, .k = (uint64_t)k, .m = m >= 1.0 ? (uint64_t)m : 1};
    if (run_is_too_short(device_of(c, row), dtype, p, text_number(csv_field(c->csv, row, column)),
                         false, what))
        fault(c, row, what, "");
}

/* ---- rows that stand twice */

/* Rows are compared by a sort, whose function has no context. */
static const struct csv *compared;
static bool compare_times;
static int compare_rows(const void *a, const void *b)
{
    for (size_t i = 0; i < compared->columns; i++) {
        const enum kind kind = kind_of(compared->fields[i]);
        const int order = strcmp(csv_field(compared, *(const size_t *)a, i),
                                 csv_field(compared, *(const size_t *)b, i));
        if (order != 0 && (compare_times || (kind != TIME && kind != PART)))
            return order;
    }
    return 0;
}

/* Sorts the rows; how many are like the one before them. */
static size_t sort_rows(size_t *rows, size_t count, bool times)
{
    size_t alike = 0;
    compare_times = times;
    qsort(rows, count, sizeof *rows, compare_rows);
    for (size_t i = 1; i < count; i++)
        alike += compare_rows(&rows[i - 1], &rows[i]) == 0;
    return alike;
}

/* Where shapes have several measurements, two of them may be equal. */
static void check_twice(struct checking *c)
{
    const size_t count = c->csv->rows;
    size_t *rows = require_memory(malloc((count + 1) * sizeof *rows));
    for (size_t row = 0; row < count; row++)
        rows[row] = row;
    compared = c->csv;
    const size_t alike = sort_rows(rows, count, false), same = sort_rows(rows, count, true);
    for (size_t i = 1; same == alike && i < count; i++)
        if (compare_rows(&rows[i - 1], &rows[i]) == 0)
            fault(c, rows[i] > rows[i - 1] ? rows[i] : rows[i - 1], "the row occurs twice", "");
    free(rows);
}

size_t runs_faults(const struct csv *csv, const char *device, const char *dtypes, FILE *to)
{
    struct checking c = {.csv = csv, .device = device, .dtype = RCM_F32, .to = to};
    char dtype[16] = "";
    sscanf(dtypes, "%15s", dtype);
    rcm_dtype_by_name(dtype, &c.dtype);
    for (size_t row = 0; row < csv->rows; row++) {
        for (size_t i = 0; i < csv->columns; i++)
            if (*csv_field(csv, row, i))
                check_field(&c, row, csv_field(csv, row, i), kind_of(csv->fields[i]));
        check_shape(&c, row);
        check_device(&c, row);
        check_rate(&c, row);
    }
    check_twice(&c);
    if (c.faults > RUNS_FAULTS_SHOWN)
        fprintf(to, "%s: and %zu more\n", csv->path, c.faults - RUNS_FAULTS_SHOWN);
    return c.faults;
}
