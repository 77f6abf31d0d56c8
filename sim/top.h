/* top.h - the exact top-k of a row, and the ranks behind k as far as they are needed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOP_H
#define TOP_H

#include <sim/selection/quickselect.h>
#include "simulation_state.h"

/* The top-k of a row, in the worker's at[0 .. length): the first k are the top-k by rank. If R is
 * counted, at[k .. ranked) are the next ranks, in their order. */
struct top {
    struct selection selection;
    size_t length;
    bool short_row;     /* the k-th largest is a NaN or -inf: those are not missed */
    double mass, value; /* sums of the weights; NaN if a share of them has no meaning */
    size_t subset;      /* how many of the largest are in worker->subset, by index; 0: none */
    size_t ranked;      /* 0: a placement, whose ranks are drawn */
};

/* Finds the top-k of worker->keys. If R is counted, it may also select the subset of the row in
 * which the ranks behind k are looked for. */
struct top select_top(const struct sim_spec *spec, struct worker *worker);

/* Puts more elements behind at[0 .. length), in the order of their ranks, and raises top->ranked.
 * Returns false, and sets worker->failed, if memory runs out. */
bool rank_more(const struct sim_spec *spec, struct worker *worker, struct top *top);

/* Grows worker->sorting to sort so many elements. Returns false, and sets worker->failed, if memory
 * runs out. */
bool make_room_to_sort(struct worker *worker, size_t length);

#endif
