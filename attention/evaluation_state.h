/* evaluation_state.h - internal to attention/: what the parts of evaluation_run() share.
 *
 * A group is one query head in one layer for one document. A cell is what a row covers: a layer and
 * a query head, or everything. A group of a layer that is read in full belongs to a cell only if
 * rows are per head or if there are no other layers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef EVALUATION_STATE_H
#define EVALUATION_STATE_H

#include "head_state.h"

#define CELL_NONE SIZE_MAX

struct group {
    size_t head;         /* among the heads of the spec */
    uint32_t query_head; /* from 0, among those of the head */
    size_t cell;         /* CELL_NONE: of no row */
    size_t knob_cell;    /* whose knob it takes */
};

/* The sums over the queries of a group, for one method and budget. */
struct sums {
    double queries, visited, selectivity, bytes, index_bytes, mass, difference2, norm2;
    double largest_bucket, imbalance;
    double needles, found;
};

/* The share of the top-k that was visited, summed over the queries that have one. */
struct recall_sum {
    double recall, queries;
};

struct run {
    const struct evaluation_spec *spec;
    evaluation_tick *tick;
    void *tick_context;
    uint64_t done, total;
    bool stopped;
    char *error;
    size_t error_size;
    struct head_states states;
    struct group *groups; /* those of a head stand together */
    size_t groups_length, cells;
    size_t *first_group; /* of each head */
    /* of the method in hand */
    const struct method *method;
    void **index;              /* of each head; NULL where there is none */
    uint32_t *knob_max;        /* of each head */
    uint32_t *knob;            /* [budget][cell] */
    struct sums *sums;         /* [budget][group] */
    struct recall_sum *recall; /* [budget][group][k] */
};

/* Does the method choose once for all query heads of a group? */
static inline bool chooses_together(const struct run *run)
{
    return run->spec->share && run->method->together;
}

/* The number of keys of a budget, to the nearest; a half, as of the decimal, goes up. */
uint32_t budget_keys(double budget, uint32_t n);

/* ---- visit_head.c */

/* Visits with the method in hand every query of a head whose numbers are in `room`; knobs[] is by
 * query head. Sets visited[] of each group of the head: the number of keys, summed over queries. */
void count_visited(const struct run *run, size_t head, const struct head_room *room,
                   const uint32_t *knobs, double *visited);

/* The same, and measures: sets the sums and recalls of each group of the head. */
void measure_visited(const struct run *run, size_t head, const struct head_room *room,
                     const uint32_t *knobs, struct sums *sums, struct recall_sum *recall);

/* ---- budget.c */

/* Finds the knobs of the method in hand for each budget and cell. Returns 0, 1 if it was stopped,
 * or -1 with an error. */
int find_knobs(struct run *run);

/* ---- rows.c */

/* Appends the rows of the method in hand. */
void append_rows(const struct run *run, size_t method, struct evaluation *evaluation);

/* ---- evaluate.c */

/* Counts one step, and says whether to stop. */
bool step_done(struct run *run);

#endif
