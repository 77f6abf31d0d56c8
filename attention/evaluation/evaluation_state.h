/* evaluation_state.h - internal to attention/: what the parts of evaluation_run() share.
 *
 * A group is one query head in one layer for one document. A cell is what a row covers: a layer and
 * a query head, or everything. A group of a layer that is read in full belongs to a cell only if
 * rows are per head or if there are no other layers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef EVALUATION_STATE_H
#define EVALUATION_STATE_H

#include <base/files/bytes.h>

#include "head_state.h"

#define CELL_NONE SIZE_MAX

struct query_group {
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

/* Of each budget and cell: the knob `low` does not visit too much, the knob `high` does. */
struct bounds {
    uint32_t low, high;
    double visited, allowed; /* shares of the keys, summed over queries; visited by the middle */
};

/* What is done with a method, one after the other. */
enum phase { PHASE_BUILD, PHASE_SEARCH, PHASE_MEASURE };

struct evaluation_run {
    const struct evaluation_spec *spec;
    const struct watch *caller;
    uint64_t done, total; /* heads in a phase; part: of the one in hand, EVALUATION_STEPS at most */
    uint64_t part;
    bool stopped;
    bool unkept;        /* the keeper failed, with a line in `error` */
    struct watch watch; /* of what takes long within a head */
    struct message error;
    struct head_states states;
    struct query_group *groups; /* those of a head stand together */
    size_t groups_length, cells;
    size_t *first_group; /* of each head */
    /* of the method in hand */
    const struct method *method;
    size_t place; /* of the method in the spec */
    enum phase phase;
    size_t next;                 /* the head that is to be done next in the phase */
    struct bounds *bounds;       /* [budget][cell], of the search; NULL before it */
    struct partition **restored; /* of each head, from an earlier run; or NULL */
    struct bytes kept;           /* the blocks of the methods that are finished (resume.c) */
    void **index;                /* of each head; NULL where there is none */
    uint32_t *knob_max;          /* of each head */
    uint32_t *knob;              /* [budget][cell] */
    struct sums *sums;           /* [budget][group] */
    struct recall_sum *recall;   /* [budget][group][k] */
};

/* Does the method choose once for all query heads of a group? */
static inline bool chooses_together(const struct evaluation_run *run)
{
    return run->spec->share && run->method->together;
}

/* The number of keys of a budget, to the nearest; a half, as of the decimal, goes up. */
uint32_t budget_keys(double budget, uint32_t n);

/* ---- visit_head.c */

/* Visits with the method in hand every query of a head whose numbers are in `room`; knobs[] is by
 * query head. Sets visited[] of each group of the head: the number of keys, summed over queries. */
void count_visited(const struct evaluation_run *run, size_t head, const struct head_room *room,
                   const uint32_t *knobs, double *visited);

/* The same, and measures: sets the sums and recalls of each group of the head. */
void measure_visited(const struct evaluation_run *run, size_t head, const struct head_room *room,
                     const uint32_t *knobs, struct sums *sums, struct recall_sum *recall);

/* ---- budget.c */

/* Finds the knobs of the method in hand for each budget and cell. Returns 0, 1 if it was stopped,
 * or -1 with an error. */
int find_knobs(struct evaluation_run *run);

/* ---- rows.c */

/* Appends the rows of the method in hand. */
void append_rows(const struct evaluation_run *run, size_t method, struct evaluation *evaluation);

/* ---- resume.c */

/* Puts what the method in hand has measured behind the blocks of those that are finished. */
void keep_method(struct evaluation_run *run);

/* Gives the state to the keeper, where there is one and it is time, or if it must be. */
void keep_state(struct evaluation_run *run, bool must);

/* Continues from the state of an earlier run: sets `place`, and what belongs to the method in hand,
 * and appends the rows of those that are finished. Returns 0; or -1 with an error if the state is
 * not one of this spec. */
int restore_state(struct evaluation_run *run, struct evaluation *evaluation);

/* ---- progress.c */

/* Counts one head of a phase, and says whether to stop. */
bool step_done(struct evaluation_run *run);

/* As a watch: how far the head in hand has come, where the total is not 0, and whether to stop. */
watch_stop ask_to_stop;

#endif
