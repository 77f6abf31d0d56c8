/* cell_list.h - a list of cells to measure.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CELL_LIST_H
#define CELL_LIST_H

#include "cell.h"

/* Begins as all zeros. */
struct cell_list {
    struct cell *items;
    size_t length, capacity;
    size_t refusal_count; /* combinations that cannot be run, and are not in the list */
    const char *refusal;  /* why the first of them cannot be run */
};

/* Adds a cell, or counts it as a refusal. */
void cell_list_add(struct cell_list *list, const struct cell *cell);

void cell_list_free(struct cell_list *list);

#endif
