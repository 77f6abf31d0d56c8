/* cell_row.h - a cell that was measured, as a row of the CSV and as a line to read.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CELL_ROW_H
#define CELL_ROW_H

#include "runner.h"

#define CELL_ROW_COLUMNS \
    CELL_COLUMNS ",samples,stop,dropped,time_us_median,time_us_low,time_us_high,noise,bytes," \
                 "bandwidth_bytes_per_s,roof_us_median,bandwidth_share,roof_kernel," \
                 "flops_per_s,recall,recall_model,z,predicted_us,cost_basic,cost_serial," \
                 "cost_parallel,sm_clock_mhz,power_capped"

/* The row, with the end of its line. What is not known is empty. */
#define CELL_ROW_MAX 1024
void format_cell_row(char row[CELL_ROW_MAX], const struct cell *cell, const struct measurement *m);

/* The headings of the lines, and a line, on stdout. */
void print_cell_headings(void);
void print_cell_line(const struct cell *cell, const struct measurement *m);

#endif
