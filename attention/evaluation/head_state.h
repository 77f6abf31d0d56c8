/* head_state.h - internal to attention/: the numbers of the heads that are evaluated, their logits,
 * and for each query what no method changes.
 *
 * All heads stay in memory if they fit into the part of it that the spec allows; otherwise one
 * does, in the same place for all, and it is read again whenever its turn comes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef HEAD_STATE_H
#define HEAD_STATE_H

#include "evaluate.h"
#include "partial.h"
#include <base/watch.h>

/* Queries times keys of a head from which threads share a pass over it: about 1.5 ms of one thread
 * (exact top-k, d = 64). With two free cores two threads are 1.4 times as fast from 2048 on, so at
 * most 0.4 ms is lost. But where others use the cores, the threads wait for each other: at 65536 a
 * median of 25 ms in place of 2.6, and a small head has many passes, one for each step of a
 * bisection. */
#define WORTH_THREADS 65536

/* One query of one query head. */
struct query_state {
    uint32_t position;
    struct key_range range;
    struct partial dense, full; /* the softmax over the dense part, and over all keys */
    double norm2;               /* |o|^2 with all keys */
    uint32_t *top, tops;        /* the largest logits of the range, by rank */
};

/* Memory for one head, and the arrays in it of the one that it holds. */
struct head_room {
    void *memory;
    struct head_floats floats;
    struct head_floats before;   /* of the layer before, where it is read */
    float *logits;               /* [query_heads][n_q][n] */
    struct query_state *queries; /* [query_heads][n_q] */
    double *sums;                /* of the partials */
    uint32_t *tops;
    size_t holds; /* the head whose numbers are there; SIZE_MAX: none */
};

struct head_states {
    const struct evaluation_spec *spec;
    size_t rooms; /* as many as heads, or 1 */
    struct head_room *room;
    struct key_head *head; /* as the methods see them */
    const struct watch *watch;
};

/* The head as methods see it, but without its numbers and without what was trained. The index comes
 * from the keys before the first query, if they are many enough for the centroids. */
struct key_head head_without_numbers(const struct evaluation_spec *spec, size_t index);

/* Returns 0, or -1 with one line in `error`, which says that memory does not suffice. */
int head_states_new(struct head_states *states, const struct evaluation_spec *spec,
                    struct message error);
void head_states_free(struct head_states *states);

/* The numbers of a head, valid until the next call. NULL with one line in `error` if they cannot be
 * read or if logits overflow; and if the watch stops it. */
const struct head_room *head_states_load(struct head_states *states, size_t index,
                                         struct message error);

/* The query at place `query` of query head `head` of the group, as a method sees it. */
struct attention_query query_of(const struct head_states *states, size_t index,
                                const struct head_room *room, uint32_t head, uint32_t query);

#endif
