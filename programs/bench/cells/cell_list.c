/* cell_list.c - see cell_list.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cell_list.h"

#include <stdlib.h>

#include <base/memory.h>

#include <programs/bench/backend.h>

void cell_list_add(struct cell_list *list, const struct cell *cell)
{
    const char *refusal = backend->refusal(cell);
    if (refusal) {
        if (list->refusal_count++ == 0)
            list->refusal = refusal;
        return;
    }
    list->items = array_grow(list->items, list->length, &list->capacity, sizeof *list->items);
    list->items[list->length++] = *cell;
}

void cell_list_free(struct cell_list *list)
{
    free(list->items);
    *list = (struct cell_list){0};
}
