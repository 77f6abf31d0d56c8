/* rank_draw.h - internal to sim/: the top k of a row placed at random, or so that it loses
 * something.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RANK_DRAW_H
#define RANK_DRAW_H

#include <stdbool.h>

#include <sim/rows/random.h>

#include "rank_weights.h"

/* How many rows are drawn (RANK_DRAWS), of which this many elements are placed. */
size_t rank_draws(uint64_t k);

/* What the buckets have; those that have any, so that they can be emptied. */
struct filling {
    uint32_t *in; /* elements of each bucket */
    uint64_t *touched;
};

/* A rank is lost if k_b larger ones lie in its bucket: the last of these is of rank h = 1, .., k.
 * Buckets of one size are alike, and there are two sizes. */
struct passing {
    uint64_t size, bucket; /* one of them */
    double share;          /* of all places */
    double *before;        /* k + 1: P(h <= index) for an element in it */
};

struct drawing {
    uint64_t n, k, shown; /* one of k is lost, and up to `shown` >= k are placed .. */
    uint64_t placed;      /* .. until k are not lost */
    bool *lost;           /* shown: of the row that was drawn last; those not placed are */
    struct rank_placement to;
    struct random_key key;
    struct random_stream stream;
    struct filling filling;
    uint64_t drawn;
    struct passing passing[2]; /* of draws by importance */
    double *room, *up_to;      /* up_to: k, the sum of weights times P(lost) up to a rank */
};

/* Returns whether there is memory; drawing_end() after either. */
bool drawing_begin(struct drawing *d, uint64_t n, uint64_t k, uint64_t shown,
                   struct rank_placement to);
void drawing_end(struct drawing *d);

/* The next row, which is of number d->drawn until then: sets d->lost. */
void drawing_next(struct drawing *d);

/* The same of rows that lose something of v, the numbers of k ranks, none negative. Returns what
 * a row loses of v on average, so that one which loses V stands for as many rows as that over V. 0:
 * nothing, and nothing was drawn. */
double drawing_next_losing(struct drawing *d, const double *v);

#endif
