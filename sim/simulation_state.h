/* simulation_state.h - the state of a simulation, which simulate.h keeps opaque.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMULATION_STATE_H
#define SIMULATION_STATE_H

#include <sim/selection/bucket_walk.h>
#include "simulate.h"
#include <sim/tally/tallies.h>

/* Shapes of one b and one assignment: a walk over a row serves them all. */
struct shape_group {
    struct buckets buckets;
    uint32_t cap;  /* the largest k_b, or k if that is less */
    uint64_t salt; /* of the random numbers of a placement */
    size_t members;
    const size_t *shape; /* indices into the spec's shapes; k_b rises */
};

/* What one thread needs. A pointer is NULL if the input does not need it. */
struct worker {
    void *memory; /* of all but what grows */
    struct tallies tallies;
    uint64_t *words;            /* n + 1: random words, then scratch of the selection */
    double *x, *shuffled;       /* n */
    uint64_t *keys;             /* n */
    uint32_t *at, *permutation; /* n */
    uint32_t *subset;           /* n */
    uint64_t *sorting, *grown;  /* 2 sorting_room; NULL: it is where it was first */
    size_t sorting_room;
    uint64_t length;   /* of the row that is counted, if the spec has lengths */
    size_t row_group;  /* of the row that is counted, if the spec has groups */
    uint64_t reach;    /* the most ranks that a row needed so far: the next row selects as many */
    uint64_t *missing; /* for each member of a group: how many of the top-k it lost */
    uint32_t *before;  /* n; k for a placement */
    struct bucket_counts counts;
    uint64_t *kept;               /* 3 (largest k_b + 1) */
    double *weight, *lost_weight; /* 2 k; largest k_b + 1 */
    int failed;                   /* errno of a read, ENOMEM, or -1: the file ended early */
};

struct simulation {
    struct sim_spec spec;
    size_t results, groups, threads;
    struct shape_group *group;
    size_t *shape; /* the members of the groups, one group after the other */
    bool *has_k;   /* for each shape: it keeps k candidates or more, so that R exists */
    uint32_t largest_k_b;
    uint32_t **permutation; /* for each rho: that of SIM_SHUFFLE_ONCE, or NULL */
    struct worker *worker;
    struct tallies total; /* what has been merged */
    uint64_t done;        /* repetitions in the totals and the workers of all ranks */
};

#endif
