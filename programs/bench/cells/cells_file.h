/* cells_file.h - the cells of a CSV file, one a line.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CELLS_FILE_H
#define CELLS_FILE_H

#include "axes.h"

/* Adds the cell of each line to a list, in order. The header has `work` and any of the columns that
 * --list prints but isa and busy; an empty field, and a column that is not there, is the default of
 * axes.h. The kernel `peers` stands for each of another project that takes the cell, and there may
 * be none. n, m and the input of `usual` are used where a line has none. Returns a status, after
 * one line on stderr that names the line if that is not STATUS_OK. */
int cells_file_read(const char *path, const struct axes *usual, struct cell_list *list);

#endif
