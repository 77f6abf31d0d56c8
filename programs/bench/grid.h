/* grid.h - a named list of cells.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GRID_H
#define GRID_H

#include "cell_list.h"

struct grid {
    const char *name;
    enum task task;   /* the subcommand that takes it; it may have cells of other tasks too */
    const char *what; /* one line */
    void (*add_cells)(struct cell_list *list, const struct grid *grid);
};

#endif
