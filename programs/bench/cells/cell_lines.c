/* cell_lines.c - see cell_lines.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cell_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <programs/common/format.h>

#include <programs/bench/backend.h>

#define NAME_MAX_LENGTH 60

/* ---- names */

/* A name of the cell; "" where it has none. */
static void name_of(size_t name, const struct cell *c, char text[NAME_MAX_LENGTH])
{
    const bool buckets = c->kernel->task != TASK_EXACT && !c->kernel->is_product_only;
    const char *const names[CELL_NAMES - 1] = {
        dtype_name(c->dtype), buckets ? bench_assignment_name(c->assignment) : "",
        c->d ? "" : backend->input_name(c->input), c->warm ? "warm" : "cold",
        backend->timings[1] ? backend->timings[c->graph] : ""};
    if (name < CELL_NAMES - 1)
        snprintf(text, NAME_MAX_LENGTH, "%s", names[name]);
    else
        snprintf(text, NAME_MAX_LENGTH, c->d ? "d = %" PRIu64 : "", c->d);
}

/* Finds which names differ, and lists the others. */
static void share_names(struct cell_lines *lines, const struct cell_list *cells)
{
    for (size_t name = 0; name < CELL_NAMES; name++) {
        char first[NAME_MAX_LENGTH] = "", text[NAME_MAX_LENGTH];
        for (size_t i = 0; i < cells->length; i++) {
            name_of(name, &cells->items[i], text);
            lines->differs[name] |= *first && *text && strcmp(first, text) != 0;
            if (!*first)
                strcpy(first, text);
        }
        const size_t length = strlen(lines->shared);
        if (*first && !lines->differs[name])
            snprintf(lines->shared + length, sizeof lines->shared - length, "%s%s",
                     length ? ", " : "", first);
    }
}

/* "two-stage", "exact quickselect", "stage1 float16 contiguous": the work, its kernel unless that
 * is the usual one, and the names that differ. */
static void format_work(const struct cell_lines *lines, const struct cell *c, char *text,
                        size_t size)
{
    const bool usual = c->kernel == kernel_of_task(c->kernel->task, 0);
    char name[NAME_MAX_LENGTH];
    int length = snprintf(text, size, "%s%s%s", task_name(c->kernel->task), usual ? "" : " ",
                          usual ? "" : c->kernel->name);
    for (size_t i = 0; i < CELL_NAMES; i++) {
        name_of(i, c, name);
        if (lines->differs[i] && *name && length > 0 && (size_t)length < size)
            length += snprintf(text + length, size - (size_t)length, " %s", name);
    }
}

/* ---- counts */

static const char *const count_names[CELL_COUNTS] = {"n", "k", "b", "k_b", "m", "threads"};

/* "-" where exact top-k has no buckets. */
static void format_count(size_t count, const struct cell *c, char text[24])
{
    const uint64_t counts[CELL_COUNTS] = {c->n, c->k, c->b, c->k_b, c->m, c->threads};
    const bool none = c->kernel->task == TASK_EXACT && (count == 2 || count == 3);
    if (none)
        strcpy(text, "-");
    else
        snprintf(text, 24, "%" PRIu64, counts[count]);
}

static bool has_count(size_t count)
{
    return count < CELL_COUNTS - 1 || backend->has_threads;
}

/* ---- the lines */

static void widen(int *width, const char *text)
{
    const int length = (int)strlen(text);
    *width = length > *width ? length : *width;
}

struct cell_lines cell_lines_of(const struct cell_list *cells)
{
    struct cell_lines lines = {.work_width = 4};
    char text[200];
    share_names(&lines, cells);
    for (size_t i = 0; i < cells->length; i++) {
        format_work(&lines, &cells->items[i], text, sizeof text);
        widen(&lines.work_width, text);
        lines.has_tail |= cells->items[i].tail;
        lines.has_recall |= cells->items[i].kernel->task != TASK_EXACT;
    }
    for (size_t count = 0; count < CELL_COUNTS; count++) {
        widen(&lines.widths[count], count_names[count]);
        for (size_t i = 0; i < cells->length; i++) {
            format_count(count, &cells->items[i], text);
            widen(&lines.widths[count], text);
        }
    }
    return lines;
}

int cell_lines_begin(const struct cell_lines *lines, const char *device)
{
    printf("%s: %s\n%-*s", device, lines->shared, lines->work_width, "work");
    for (size_t count = 0; count < CELL_COUNTS; count++)
        if (has_count(count))
            printf("  %*s", lines->widths[count], count_names[count]);
    printf("  %10s  %5s  %6s%s%s\n", "time us", "+- %", "x roof",
           lines->has_recall ? "    recall       z" : "",
           lines->has_tail ? "        99 %      99.9 %     slowest" : "");
    return fflush(stdout) == 0 ? 0 : -1;
}

int cell_lines_add(const struct cell_lines *lines, const struct cell *c,
                   const struct measurement *m)
{
    char text[200] = "", roof[40] = "-", recall[40] = "-", z[40] = "-";
    format_work(lines, c, text, sizeof text);
    printf("%-*s", lines->work_width, text);
    for (size_t count = 0; count < CELL_COUNTS; count++) {
        format_count(count, c, text);
        if (has_count(count))
            printf("  %*s", lines->widths[count], text);
    }
    if (m->roof.samples)
        snprintf(roof, sizeof roof, "%.2f", m->time.median_us / m->roof.median_us);
    if (!isnan(m->recall))
        format_recall(recall, sizeof recall, 1.0 - m->recall);
    if (!isnan(m->z))
        snprintf(z, sizeof z, "%.2f", m->z);
    const double half = 0.5 * (m->time.high_us - m->time.low_us); /* of the interval */
    printf("  %10.2f  %5.1f  %6s", m->time.median_us, 100.0 * half / m->time.median_us, roof);
    if (lines->has_recall)
        printf("  %8s  %6s", recall, z);
    if (c->tail)
        printf("  %10.2f  %10.2f  %10.2f", m->time.most_us[0], m->time.most_us[1],
               m->time.most_us[2]);
    putchar('\n');
    return fflush(stdout) == 0 ? 0 : -1;
}
