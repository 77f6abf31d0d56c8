/* simulation.h - the inside of a simulation: see simulate.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMULATION_H
#define SIMULATION_H

#include "bucket_walk.h"
#include "select.h"
#include "simulate.h"
#include "tally.h"

/* Shapes that share a walk: of one b and assignment. */
struct group {
    struct buckets buckets;
    uint32_t cap;  /* largest k_b */
    uint64_t salt; /* of the placement's random numbers */
    size_t members;
    const size_t *shape; /* indices into the spec's shapes */
};

/* Sums: of each rho, and of each result. */
struct sums {
    struct row_tally *rows;
    struct tally *results;
};

/* The top-k of a row as the walks see it, in the worker's at[0 .. length): the first k are the
 * top-k by rank. Where R is counted, at[k .. ranked) are the next ranks, in their order. */
struct top {
    struct selection selection;
    size_t length;
    bool short_row;     /* the k-th largest is a NaN or -inf: those are not missed */
    double mass, value; /* sums of the weights; NaN where their share has no meaning */
    size_t subset;      /* the largest of the row, in the worker's subset in index order; 0: none */
    size_t ranked;      /* 0: a placement, whose ranks are drawn */
};

/* What one thread needs. NULL where the input does not need it. */
struct worker {
    struct sums sums;
    uint64_t *words;            /* n + 1: random words, then scratch of the selection */
    double *x, *shuffled;       /* n */
    uint64_t *keys;             /* n */
    uint32_t *at, *permutation; /* n */
    uint32_t *subset;           /* n */
    uint64_t *sorting;          /* 2 x sorting_room, grown as needed */
    size_t sorting_room;
    uint64_t reach;    /* ranks that rows needed so far: selected of the next one */
    uint64_t *missing; /* of each member of a group: how many of the top-k it lost */
    uint32_t *before;  /* n, or k in a placement */
    struct bucket_counts counts;
    uint64_t *kept;               /* (largest k_b + 1) x 3 */
    double *weight, *lost_weight; /* k x 2, (largest k_b + 1) x 2 */
    int failed;                   /* errno of a read, ENOMEM, or -1: the file ended early */
};

struct simulation {
    struct sim_spec spec;
    size_t results, groups, threads;
    struct group *group;
    size_t *shape; /* the groups' members */
    bool *has_k;   /* of each shape: it keeps k candidates or more, so that R exists */
    uint32_t largest_k_b;
    uint32_t **permutation; /* for each rho: that of SIM_SHUFFLE_ONCE, or NULL */
    struct worker *worker;
    struct sums total; /* merged */
    uint64_t done;     /* repetitions in the totals and the workers of all ranks */
};

/* Grows worker->sorting for so many elements; returns false, and sets worker->failed, when memory
 * runs out. */
bool make_room_to_sort(struct worker *worker, size_t length);

/* The top-k of worker->keys, into worker->at; with R to be counted also what of the row may be
 * looked at for it. */
struct top select_top(const struct sim_spec *spec, struct worker *worker);

/* Counts the R of each member of a group, for which the walk over the top `top->length` stands, and
 * worker->missing. The walk goes on as far as the R of any of them; returns by how much. */
uint64_t count_reaching(const struct simulation *simulation, const struct group *group,
                        struct worker *worker, struct top *top, struct random_stream *stream,
                        size_t first_result);

/* Counts one repetition into the worker's sums; sets worker->failed on failure. */
void count_repetition(const struct simulation *simulation, struct worker *worker,
                      uint64_t repetition);

/* The sums as text, and adding them to others: false on a text that is none, or when memory runs
 * out. */
void sums_print(FILE *file, const struct simulation *simulation, const struct sums *sums);
bool sums_add_text(const struct simulation *simulation, struct sums *sums, const char **text);

/* Return 0, or -1 with one line in `error`; loading SIM_REFUSED where the file is no checkpoint of
 * this simulation, damaged or cannot be read. A checkpoint that does not exist is no error: nothing
 * is done yet. */
int checkpoint_load(struct simulation *simulation, char *error, size_t size);
int checkpoint_save(const struct simulation *simulation, char *error, size_t size);

#endif
