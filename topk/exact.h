/* exact.h - internal to topk: the run of exact top-k on one row. The row is divided into parts, one
 * or more for each thread; what the parts find is put together in the order of the positions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPK_EXACT_H
#define TOPK_EXACT_H

#include "kernels.h"

struct part {
    struct elements e;
    uint64_t *counts;       /* radix: DIGITS of them */
    uint64_t above, equal;  /* elements; by threshold: groups above the key, and all of them */
    uint64_t group, groups; /* by threshold: the first group of the part, and how many */
    struct pair *out;
    uint64_t found;
    uint64_t room, base; /* dense: where in `keys` its own are, and the position that counts as 0 */
};

struct exact_run {
    const struct exact *job;
    struct part *parts;
    uint64_t count;
    struct pair *pairs, *sorted; /* what was found; scratch of the sort, of the same size */
    uint64_t found;              /* pairs, or keys: the k best are among them */
    uint64_t key;                /* radix: of the k-th largest, down to bit `high` */
    unsigned low, high;
    uint64_t left; /* the rank of the k-th largest among those with the prefix */
    /* dense: signed keys (dense.inc) and their positions, in the order of these; all are `least` or
     * better */
    void *keys, *spare;
    uint32_t *positions;
    int64_t least;
    /* by threshold */
    bool large, clean;
    uint64_t group_size, groups;
    void *maxima;
    uint32_t *list; /* a part's begins at its first group */
};

/* Of some signed keys `reach` are `key` or better, `above` are better. */
struct cut {
    int64_t key;
    uint64_t reach, above;
};

/* A key that `rank` of them reach, up to `slack` more, or the rank-th best. All are `low` or
 * better, none is better than `high`; `count_keys` is that of the kernels. */
struct cut topk_bisect(uint64_t (*count_keys)(const void *keys, uint64_t n, int64_t least),
                       const void *keys, uint64_t count, uint64_t rank, uint64_t slack, int64_t low,
                       int64_t high);

void topk_each_part(struct exact_run *run,
                    void (*visit)(const struct exact_run *run, struct part *part));

/* Leaves the k best and some more in `pairs`, in the order of their positions. */
void topk_by_threshold(struct exact_run *run);

/* Leaves the k best in `keys` and `positions`. */
void topk_dense(struct exact_run *run);

/* Do so many take no more bytes than the row, or than are few? */
bool topk_fits(const struct kernels *kernels, uint64_t n, uint64_t count, size_t bytes);

/* The elements of a group, and whether groups are the larger ones; 0: k is too large for any, or
 * the pairs that they may give would take more than the row. */
uint64_t topk_group_size(const struct kernels *kernels, uint64_t n, uint64_t k, bool *large);

/* The most pairs that topk_by_threshold() finds. */
uint64_t topk_found_most(uint64_t n, uint64_t k, uint64_t group_size, uint64_t parts);

/* The most keys that topk_dense() keeps, and for how many it needs room. Its passes write some
 * more than they keep. */
enum { ROOM_BEHIND = 64 };
uint64_t topk_dense_most(uint64_t n, uint64_t k);
uint64_t topk_dense_room(uint64_t n, uint64_t k, uint64_t parts);

#endif
