/* top.c - see top.h.
 *
 * The ranks behind k are those of a part of the row, its worker->reach largest elements. It is
 * selected beforehand, together with the top-k, and sorted only when it is needed. If it does not
 * suffice, a larger part is selected.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "top.h"

#include <errno.h>
#include <stdlib.h>

#include <sim/selection/key.h>

bool make_room_to_sort(struct worker *worker, size_t length)
{
    if (length <= worker->sorting_room)
        return true;
    free(worker->grown);
    worker->sorting = worker->grown = malloc(2 * length * sizeof *worker->sorting);
    worker->sorting_room = worker->sorting ? length : 0;
    if (!worker->sorting)
        worker->failed = ENOMEM;
    return worker->sorting;
}

/* Selects the worker->reach largest elements if they are few, because selecting among them is then
 * fast. Returns how many, or 0 if they are not few. */
static size_t select_subset(const struct sim_spec *spec, struct worker *worker)
{
    size_t valid = (size_t)spec->valid;
    if (!spec->reaching || worker->reach <= spec->k || worker->reach > valid / 2)
        return 0;
    size_t length =
        select_reaching(worker->keys, valid, (size_t)worker->reach, worker->words, worker->subset);
    return length <= valid / 2 ? length : 0;
}

/* The top-k of the subset. Its keys and the scratch of the selection share worker->words. */
static struct selection select_of_subset(struct worker *worker, size_t subset, size_t k)
{
    uint64_t *keys = worker->words;
    for (size_t j = 0; j < subset; j++)
        keys[j] = worker->keys[worker->subset[j]];
    struct selection selection = select_largest(keys, subset, k, keys + subset, worker->at);
    for (size_t j = 0; j < selection.wanted + selection.tied; j++)
        worker->at[j] = worker->subset[worker->at[j]];
    return selection;
}

struct top select_top(const struct sim_spec *spec, struct worker *worker)
{
    size_t valid = (size_t)spec->valid, k = (size_t)spec->k;
    struct top top = {.subset = select_subset(spec, worker)};
    top.selection = top.subset ? select_of_subset(worker, top.subset, k)
                               : select_largest(worker->keys, valid, k, worker->words, worker->at);
    top.short_row = top.selection.threshold == KEY_NOTHING;
    top.length = top.selection.wanted + top.selection.tied;
    if (top.length < k)
        top.length = k;
    top.ranked = top.length;
    return top;
}

/* The elements come from the subset, or from a larger one if it has no more. */
bool rank_more(const struct sim_spec *spec, struct worker *worker, struct top *top)
{
    size_t valid = (size_t)spec->valid, end = top->length;
    if (top->subset == 0 || top->ranked > top->length || top->subset == top->length) {
        size_t reach = 2 * top->ranked > worker->reach ? 2 * top->ranked : (size_t)worker->reach;
        top->subset = valid;
        if (reach <= valid / 2)
            top->subset =
                select_reaching(worker->keys, valid, reach, worker->words, worker->subset);
        else
            for (uint32_t i = 0; i < valid; i++)
                worker->subset[i] = i;
    }
    for (size_t j = 0; j < top->subset; j++)
        if (worker->keys[worker->subset[j]] < top->selection.threshold)
            worker->at[end++] = worker->subset[j];
    if (!make_room_to_sort(worker, end - top->length))
        return false;
    sort_by_rank(worker->keys, worker->at + top->length, end - top->length, worker->sorting);
    top->ranked = end;
    return true;
}
