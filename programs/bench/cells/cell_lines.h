/* cell_lines.h - the cells that were measured as a table to read, a line as soon as each is known.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CELL_LINES_H
#define CELL_LINES_H

#include "cell_list.h"
#include <programs/bench/runner.h>

/* What cells have that is a name: dtype, assignment, input, cache, timing, components. What all
 * cells share stands once above the lines; the others stand in each line, behind its work. */
#define CELL_NAMES 6
/* n, k, b, k_b, m, threads. */
#define CELL_COUNTS 6

struct cell_lines {
    char shared[200]; /* the names that all cells share, "float32, interleaved, .." */
    bool differs[CELL_NAMES];
    int work_width, widths[CELL_COUNTS];
    bool has_recall, has_tail;
};

/* The form that the lines of these cells have. */
struct cell_lines cell_lines_of(const struct cell_list *cells);

/* Prints, on stdout, what stands above the lines, and a line. Returns 0, or -1 if that could not be
 * written. `device`: the name of what is measured. */
int cell_lines_begin(const struct cell_lines *lines, const char *device);
int cell_lines_add(const struct cell_lines *lines, const struct cell *cell,
                   const struct measurement *m);

#endif
