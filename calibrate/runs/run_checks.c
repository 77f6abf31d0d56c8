/* run_checks.c - see run_checks.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "run_checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timings.h"

/* Times of equal shapes that are further apart are of different kernels: alone, and where a column
 * says that something differs. Repeated runs of one kernel in runs/ are a few percent apart, and
 * the tables of two kernels that were tried 15 percent and more. */
#define TIMES_APART 2.0
#define TIMES_APART_SAID 1.1

bool run_is_too_short(const struct rcm_device *device, enum rcm_dtype dtype, struct rcm_topk p,
                      double time_us, bool gpu, char what[RUN_TOO_SHORT])
{
    const double least = device ? rcm_least_us(device, dtype, p.k < p.n ? p.n : 1, p.m)
                         : gpu  ? RCM_KERNEL_LEAST_US
                                : 0.0;
    if (!(time_us < least))
        return false;
    snprintf(what, RUN_TOO_SHORT,
             "%.4g us are less than the %.4g us that any kernel needs%s%s: are the times in "
             "microseconds, and of one call? --time-unit says another unit",
             time_us, least, device ? " on " : "", device ? device->name : "");
    return true;
}

/* ---- columns that nobody read */

static bool differs(const struct csv *csv, size_t column, size_t a, size_t b)
{
    return strcmp(csv_field(csv, a, column), csv_field(csv, b, column)) != 0;
}

static bool is_copy(const struct csv *csv, const struct run_list *runs, size_t a, size_t b)
{
    for (size_t i = 0; i < runs->length; i++)
        if (strcmp(csv_field(csv, runs->items[i].row, a), csv_field(csv, runs->items[i].row, b)))
            return false;
    return true;
}

/* Without a column m, whole numbers that vary may be it. */
static int check_rows_of_call(const struct csv *csv, const struct run_list *runs, const bool *read,
                              struct message error)
{
    for (size_t column = 0; column < csv->columns; column++) {
        bool varies = false, passed = read[column] || !timings_is_setting(csv, column);
        for (size_t other = 0; other < csv->columns && !passed; other++)
            passed = read[other] && is_copy(csv, runs, column, other);
        for (size_t i = 0; i < runs->length && !passed; i++) {
            const size_t row = runs->items[i].row;
            uint64_t count;
            passed = !run_count(csv_field(csv, row, column), &count);
            varies |= differs(csv, column, row, runs->items[0].row);
        }
        if (varies && !passed)
            return message_set(error,
                               "%.150s:%zu, column %zu (%.40s): no column says m, the rows of a "
                               "call, and nobody reads this one; give --columns m=%.40s or "
                               "ignore=%.40s",
                               csv->path, csv->lines[0], column + 1, csv->fields[column],
                               csv->fields[column], csv->fields[column]);
    }
    return 0;
}

/* ---- equal shapes */

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_shapes(const struct run *a, const struct run *b)
{
    const uint64_t x[] = {a->kind, a->p.n, a->p.k, a->p.b, a->p.k_b, a->p.m, a->threads},
                   y[] = {b->kind, b->p.n, b->p.k, b->p.b, b->p.k_b, b->p.m, b->threads};
    int order = 0;
    for (size_t i = 0; i < sizeof x / sizeof *x && order == 0; i++)
        order = compare(x[i], y[i]);
    return order;
}

static int compare_runs(const void *a, const void *b)
{
    const struct run *x = *(const struct run *const *)a, *y = *(const struct run *const *)b;
    const int order = compare_shapes(x, y);
    return order ? order : compare(x->row, y->row);
}

/* Two runs of one shape. */
static int check_pair(const struct csv *csv, const struct run *a, const struct run *b,
                      const bool *read, struct message error)
{
    const double ratio = fmax(a->time_us, b->time_us) / fmin(a->time_us, b->time_us);
    for (size_t column = 0; column < csv->columns && ratio > TIMES_APART_SAID; column++)
        if (!read[column] && timings_is_setting(csv, column) &&
            differs(csv, column, a->row, b->row))
            return message_set(error,
                               "%.150s: the lines %zu and %zu have equal shapes, take %.4g and "
                               "%.4g us, and differ in %.40s (%.20s, %.20s), which nobody reads; "
                               "give --columns "
                               "kernel=%.40s and --runs-kernel, or --columns ignore=%.40s",
                               csv->path, csv->lines[a->row + 1], csv->lines[b->row + 1],
                               a->time_us, b->time_us, csv->fields[column],
                               csv_field(csv, a->row, column), csv_field(csv, b->row, column),
                               csv->fields[column], csv->fields[column]);
    if (ratio > TIMES_APART)
        return message_set(error,
                           "%.150s: the lines %zu and %zu have equal shapes, and take %.4g and "
                           "%.4g us; give rows of one kernel, timed in one way",
                           csv->path, csv->lines[a->row + 1], csv->lines[b->row + 1], a->time_us,
                           b->time_us);
    return 0;
}

static int check_equal_shapes(const struct csv *csv, const struct run_list *runs, const bool *read,
                              struct message error)
{
    const struct run **sorted = malloc((runs->length + 1) * sizeof *sorted);
    size_t count = 0;
    int status = sorted ? 0 : message_set(error, "%.150s: not enough memory", csv->path);
    for (size_t i = 0; status == 0 && i < runs->length; i++)
        if (isfinite(runs->items[i].time_us))
            sorted[count++] = &runs->items[i];
    if (status == 0)
        qsort(sorted, count, sizeof *sorted, compare_runs);
    for (size_t i = 1, first = 0; status == 0 && i < count; i++) {
        first = compare_shapes(sorted[first], sorted[i]) == 0 ? first : i;
        if (first < i)
            status = check_pair(csv, sorted[first], sorted[i], read, error);
    }
    free(sorted);
    return status;
}

/* ---- times */

static int check_times(const struct csv *csv, const struct run_list *runs,
                       const struct run_filter *filter, struct message error)
{
    const size_t column = csv_column(csv, "device");
    for (size_t i = 0; i < runs->length; i++) {
        const struct run *run = &runs->items[i];
        const struct rcm_device *device =
            run_device(column < csv->columns ? csv_field(csv, run->row, column) : "");
        if (!device && filter->device && !filter->elsewhere)
            device = run_device(filter->device);
        char what[RUN_TOO_SHORT];
        if (run_is_too_short(device, runs->has_dtype ? runs->dtype : filter->dtype, run->p,
                             run->time_us, !filter->cpu && !filter->any_time, what))
            return message_set(error, "%.150s:%zu: %s", csv->path, csv->lines[run->row + 1], what);
    }
    return 0;
}

int runs_check(const struct csv *csv, const struct run_list *runs, const bool *read, bool has_m,
               const struct run_filter *filter, struct message error)
{
    const int status = has_m ? 0 : check_rows_of_call(csv, runs, read, error);
    /* a fit pools equal shapes; a prediction does not */
    const bool pooled = status == 0 && filter->times;
    return status != 0 || (pooled && check_equal_shapes(csv, runs, read, error) != 0)
               ? -1
               : check_times(csv, runs, filter, error);
}
