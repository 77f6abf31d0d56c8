/* cell_row.h - a cell that was measured, as a row of the CSV.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CELL_ROW_H
#define CELL_ROW_H

#include <programs/bench/runner.h>

#define CELL_ROW_MAX 1024

/* The names of the columns, without the end of the line. */
void format_cell_columns(char row[CELL_ROW_MAX]);

/* The row, with the end of its line. What is not known is empty. */
void format_cell_row(char row[CELL_ROW_MAX], const struct device *device, const struct cell *cell,
                     const struct measurement *m);

#endif
