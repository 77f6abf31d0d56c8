/* cell_row.c - see cell_row.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cell_row.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"

void format_cell_columns(char row[CELL_ROW_MAX])
{
    snprintf(row, CELL_ROW_MAX,
             CELL_COLUMNS "%s,samples,stop,dropped,time_us_median,time_us_low,time_us_high,noise,"
                          "bytes,bandwidth_bytes_per_s,roof_us_median,bandwidth_share,roof_kernel,"
                          "flops_per_s,recall,recall_model,z,predicted_us,cost_basic,cost_serial,"
                          "cost_parallel%s",
             backend->key_columns, backend->last_columns);
}

/* A column of a real number: empty if it is not known. */
static void append_real(char row[CELL_ROW_MAX], double value)
{
    const size_t length = strlen(row);
    if (isnan(value))
        snprintf(row + length, CELL_ROW_MAX - length, ",");
    else
        snprintf(row + length, CELL_ROW_MAX - length, ",%.9g", value);
}

/* Floating-point operations of a product a second; NAN: no product. */
static double flops_per_s(const struct cell *c, double time_us)
{
    return c->d ? 2.0 * (double)c->m * (double)c->n * (double)c->d / (1e-6 * time_us) : NAN;
}

void format_cell_row(char row[CELL_ROW_MAX], const struct cell *cell, const struct measurement *m)
{
    const uint64_t bytes = cell_bytes_read(cell) + cell_bytes_written(cell);
    cell_key(cell, row);
    size_t length = strlen(row);
    snprintf(row + length, CELL_ROW_MAX - length, ",%zu,%s,%u,%.6g,%.6g,%.6g,%.4g,%" PRIu64,
             m->time.samples, m->time.stop, m->time.dropped, m->time.median_us, m->time.low_us,
             m->time.high_us, m->time.noise, bytes);
    append_real(row, (double)bytes / (1e-6 * m->time.median_us));
    append_real(row, m->roof.samples ? m->roof.median_us : NAN);
    append_real(row, m->roof.samples ? m->roof.median_us / m->time.median_us : NAN);
    length = strlen(row);
    snprintf(row + length, CELL_ROW_MAX - length, ",%s", m->roof_kernel);
    append_real(row, flops_per_s(cell, m->time.median_us));
    append_real(row, m->recall);
    append_real(row, m->recall_model);
    append_real(row, m->z);
    append_real(row, m->predicted_us);
    for (size_t i = 0; i < sizeof m->cost / sizeof *m->cost; i++)
        append_real(row, m->cost[i]);
    length = strlen(row);
    backend->put_last(cell, &m->time, row + length, CELL_ROW_MAX - length);
    length = strlen(row);
    snprintf(row + length, CELL_ROW_MAX - length, "\n");
}

void print_cell_headings(void)
{
    printf("%-18s %-8s %-11s %-12s %9s %8s %8s %4s %6s%s %12s %8s %6s %9s\n", "kernel", "dtype",
           "assignment", "input", "n", "k", "b", "k_b", "m", backend->has_threads ? " threads" : "",
           "time us", "GB/s", "roof", "recall");
}

void print_cell_line(const struct cell *cell, const struct measurement *m)
{
    printf("%-18s %-8s %-11s %-12s %9" PRIu64 " %8" PRIu64 " %8" PRIu64 " %4" PRIu64 " %6" PRIu64,
           cell->kernel->name, dtype_name(cell->dtype),
           cell->kernel->task == TASK_EXACT ? "-" : bench_assignment_name(cell->assignment),
           backend->input_name(cell->input), cell->n, cell->k, cell->b, cell->k_b, cell->m);
    if (backend->has_threads)
        printf(" %7" PRIu64, cell->threads);
    printf(" %12.2f %8.1f", m->time.median_us,
           1e-9 * (double)(cell_bytes_read(cell) + cell_bytes_written(cell)) /
               (1e-6 * m->time.median_us));
    if (m->roof.samples)
        printf(" %5.1f%%", 100.0 * m->roof.median_us / m->time.median_us);
    else
        printf(" %6s", "-");
    if (isnan(m->recall))
        printf(" %9s\n", "-");
    else
        printf(" %9.6f\n", m->recall);
    fflush(stdout);
}
