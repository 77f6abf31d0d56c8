/* simulation.h - the inside of a simulation: see simulate.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMULATION_H
#define SIMULATION_H

#include "bucket_walk.h"
#include "simulate.h"
#include "tally.h"

/* Shapes that share a walk: of one b and assignment. */
struct group {
    struct buckets buckets;
    uint32_t cap;          /* largest k_b */
    uint64_t salt;         /* of the placement's random numbers */
    size_t members;
    const size_t *shape;   /* indices into the spec's shapes */
};

/* Sums: of each rho, and of each result. */
struct sums {
    struct row_tally *rows;
    struct tally *results;
};

/* What one thread needs. NULL where the input does not need it. */
struct worker {
    struct sums sums;
    uint64_t *words;            /* n + 1: random words, then scratch of the selection */
    double *x, *shuffled;       /* n */
    uint64_t *keys;             /* n */
    uint32_t *at, *permutation; /* n */
    uint64_t *ranked;           /* 2 k */
    uint32_t *before;           /* n, or k in a placement */
    struct bucket_counts counts;
    uint64_t *kept;             /* (largest k_b + 1) x 3 */
    double *weight, *lost_weight; /* k x 2, (largest k_b + 1) x 2 */
    int failed;                 /* errno of a read, ENOMEM, or -1: the file ended early */
};

struct simulation {
    struct sim_spec spec;
    size_t results, groups, threads;
    struct group *group;
    size_t *shape;             /* the groups' members */
    uint32_t largest_k_b;
    uint32_t **permutation;    /* for each rho: that of SIM_SHUFFLE_ONCE, or NULL */
    struct worker *worker;
    struct sums total;         /* merged */
    uint64_t done;             /* repetitions in the totals and the workers of all ranks */
};

/* Counts one repetition into the worker's sums; sets worker->failed on failure. */
void count_repetition(const struct simulation *simulation, struct worker *worker, uint64_t repetition);

/* The sums as text, and adding them to others: false on a text that is none, or when memory runs out. */
void sums_print(FILE *file, const struct simulation *simulation, const struct sums *sums);
bool sums_add_text(const struct simulation *simulation, struct sums *sums, const char **text);

/* Return 0, or -1 with one line in `error`. A checkpoint that does not exist is no error: nothing is done yet. */
int checkpoint_load(struct simulation *simulation, char *error, size_t size);
int checkpoint_save(const struct simulation *simulation, char *error, size_t size);

#endif
