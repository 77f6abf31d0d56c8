/* axes.h - what is varied, and the cells of all combinations.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AXES_H
#define AXES_H

#include <base/number.h>

#include "cell_list.h"

/* Places among the names of a registry, each once, in the order in which they were given. */
#define PLACES_MAX 64
struct places {
    unsigned items[PLACES_MAX], length;
};

/* An axis without items has its default as the only one. */
struct axes {
    enum task task;
    struct count_list n, k, b, k_b, m, d, threads;
    struct places kernels;     /* kernel_of_task(task, ..); by default the first */
    struct places dtypes;      /* enum dtype */
    struct places assignments; /* enum rcm_assignment, its first two */
    struct places inputs;      /* of the back end */
    bool warm, graph;
};

/* Adds the cells of all combinations. Cells that need the same rows are neighbours. Defaults:
 *   n   2^18
 *   k   all candidates; for exact top-k 1024
 *   b   k/k_b, rounded up; without k 1024, or n if that is smaller
 *   k_b 1
 *   m   what the back end says; for products 1024
 *   d   128
 *   threads 1; 0 where they are no axis */
void axes_add_cells(const struct axes *axes, struct cell_list *list);

/* Was an item given on any axis? `warm` and `graph` do not count. */
bool axes_are_given(const struct axes *axes);

/* Frees the lists of counts. */
void axes_free(struct axes *axes);

#endif
