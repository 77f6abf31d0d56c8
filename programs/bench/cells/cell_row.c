/* cell_row.c - see cell_row.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cell_row.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <programs/bench/backend.h>

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

void format_cell_row(char row[CELL_ROW_MAX], const struct device *device, const struct cell *cell,
                     const struct measurement *m)
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
    backend->put_last(device, cell, &m->time, row + length, CELL_ROW_MAX - length);
    length = strlen(row);
    snprintf(row + length, CELL_ROW_MAX - length, "\n");
}
