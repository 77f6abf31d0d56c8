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

/* The fewest buckets for n, k and k_b of `c` that reach the recall; `power`: rounded up to a power
 * of two. 0: there are none, or buckets of one element. */
uint64_t grid_b_for(const struct cell *c, double recall, bool power);

/* Samaga et al., Table 2: n = 262144, k = 1024, 8 rows. Both stages, stage 1, exact top-k, and
 * stage 2 alone, which is exact top-k of as many elements as there are candidates. The rest of a
 * cell is that of `c`; `exact` is the kernel of exact top-k. */
void grid_samaga_2(struct cell_list *list, struct cell c, const char *exact);

#endif
