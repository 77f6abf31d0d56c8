/* grid.h - lists of cells: from axes, or a named grid.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GRID_H
#define GRID_H

#include "cell.h"
#include "cli/number.h"

/* An axis with no items takes its default. */
struct axes {
    enum work work;
    struct count_list n, k, b, k_b, m, d;
    const struct kernel *kernels[32];
    enum rcm_gpu_dtype dtypes[3];
    enum rcm_gpu_assignment assignments[2];
    enum rcm_gpu_input inputs[RCM_GPU_INPUTS];
    unsigned kernel_count, dtype_count, assignment_count, input_count;
    bool warm, graph;
};

struct cell_list {
    struct cell *items;
    size_t length, capacity;
    size_t refused;      /* combinations that cannot be run */
    const char *refusal; /* why the first of them cannot */
};

/* The product of the axes; cells that need the same rows are neighbours. Without k: all candidates.
 * Without b: b k_b = k, rounded up. */
void cells_of_axes(struct cell_list *list, const struct axes *axes);

/* A named grid. */
struct grid {
    const char *name;
    enum work work;
    const char *what; /* one line */
    void (*build)(struct cell_list *list, const struct grid *grid);
};
extern const struct grid grids[];
extern const size_t grid_count;

void cells_free(struct cell_list *list);

#endif
