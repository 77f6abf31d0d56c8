/* assignment.h - which bucket an element of a row belongs to, from the definitions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSIGNMENT_H
#define ASSIGNMENT_H

#include <stdint.h>

/* Each gives n mod b buckets of ceil(n/b) elements and the others floor(n/b), but the sets differ.
 * Those of the two contiguous ones are the same if b divides n. */
enum sim_assignment {
    SIM_INTERLEAVED,      /* i mod b */
    SIM_CONTIGUOUS,       /* runs, the n mod b longer ones first: the CUDA kernel of [Key2024] */
    SIM_CONTIGUOUS_FLOOR, /* floor(b i / n): [Key2024] A.1 as printed */
    SIM_ASSIGNMENTS
};

const char *sim_assignment_name(enum sim_assignment assignment);

/* The b buckets of a row of n elements. */
struct buckets {
    enum sim_assignment assignment;
    uint64_t n, b;
    uint64_t size, longer; /* floor(n/b); how many buckets have one more: n mod b */
    uint64_t run;          /* how many elements the longer ones have together */
    /* interleaved: so many neighbours at a time; 0 is 1. Above 1, `deal` b divides n, and the row
     * is not padded. */
    uint64_t deal;
};

static inline struct buckets buckets_of(enum sim_assignment assignment, uint64_t n, uint64_t b)
{
    return (struct buckets){assignment, n, b, n / b, n % b, n % b * (n / b + 1), 0};
}

/* Where an element is: in which bucket, and behind how many elements of that bucket. */
struct place {
    uint64_t bucket, slot;
};

/* One function for each assignment, so that a loop over elements decides only once. */
static inline struct place place_interleaved(const struct buckets *s, uint64_t i)
{
    if (s->deal > 1)
        return (struct place){i / s->deal % s->b, i / (s->deal * s->b) * s->deal + i % s->deal};
    return (struct place){i % s->b, i / s->b};
}

static inline struct place place_contiguous(const struct buckets *s, uint64_t i)
{
    if (i < s->run)
        return (struct place){i / (s->size + 1), i % (s->size + 1)};
    return (struct place){s->longer + (i - s->run) / s->size, (i - s->run) % s->size};
}

static inline struct place place_contiguous_floor(const struct buckets *s, uint64_t i)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t bucket = (uint64_t)((wide)s->b * i / s->n);
    uint64_t first = (uint64_t)(((wide)s->n * bucket + s->b - 1) / s->b);
    return (struct place){bucket, i - first};
}

static inline struct place place_of(const struct buckets *s, uint64_t i)
{
    switch (s->assignment) {
    case SIM_CONTIGUOUS:
        return place_contiguous(s, i);
    case SIM_CONTIGUOUS_FLOOR:
        return place_contiguous_floor(s, i);
    default:
        return place_interleaved(s, i);
    }
}

/* The candidates of a row of which only the first `valid` elements exist: the sum over buckets of
 * min(k_b, length). 1 <= k_b. */
uint64_t buckets_candidates(const struct buckets *s, uint64_t valid, uint64_t k_b);

/* The most that such a row can lose of its top-k: they then fill the longest buckets. k <=
 * valid. */
uint64_t buckets_most_lost(const struct buckets *s, uint64_t valid, uint64_t k, uint64_t k_b);

#endif
