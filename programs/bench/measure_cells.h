/* measure_cells.h - the loop over the cells of a list.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MEASURE_CELLS_H
#define MEASURE_CELLS_H

#include <programs/bench/cells/cell_list.h>
#include "results.h"
#include "runner.h"

/* How they are measured. */
struct measuring {
    struct sampling rules;
    double end_s; /* by clock_seconds(): then no other cell is begun; 0: no limit */
    /* print nothing on stdout, and at the end only what went wrong, and what Ctrl-C left to do;
     * otherwise a line a cell, unless CSV goes there */
    bool no_table;
    bool again; /* a later round: what is left out was said in the first */
};

/* Measures each cell that is not bad and that the results do not have, adds its row at once, makes
 * it bad if that fails, and says at the end on stderr how many there were of each kind. Returns a
 * status: STATUS_FAILED if a result was wrong, if the device failed or if a row could not be
 * written, STATUS_INTERRUPTED after Ctrl-C. */
int measure_cells(const struct runner *runner, struct cell_list *cells, struct results *results,
                  const struct measuring *how);

/* Runs each cell once, without proof or timing. Returns a status. */
int run_cells_once(const struct runner *runner, const struct cell_list *cells);

#endif
