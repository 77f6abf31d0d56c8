/* bucket_walk.h - a walk over the elements of a row, best first: how many better ones share the
 * bucket of each?
 *
 * A bucket that keeps k_b elements keeps an element exactly if it has fewer than k_b better ones.
 * So the number of better ones, `before`, answers for every k_b at once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BUCKET_WALK_H
#define BUCKET_WALK_H

#include <stddef.h>

#include "assignment.h"
#include <sim/rows/random.h>

/* How many elements of each bucket have been walked: count[bucket] - base, or 0 if that is
 * negative. A walk may be continued. walk_end() raises the base, so that no count has to be
 * cleared. */
struct bucket_counts {
    uint64_t *count;
    uint64_t base;
};

/* For j < length, before[j] becomes the number of elements in the bucket of at[j] among at[0 .. j)
 * and those walked earlier, or `cap` if that is less. */
void walk_positions(const struct buckets *buckets, struct bucket_counts *counts, const uint32_t *at,
                    size_t length, uint32_t cap, uint32_t *before);

/* The same for k more elements that are placed at random on the first `valid` places of a row; each
 * k-subset and each order is equally likely. It takes O(k) draws as long as no more than valid/2
 * are placed. A draw gives a place of the row. The elements that a bucket already has are assumed
 * to be on its first places, which does not change the distribution; if the place is one of these,
 * it draws again. */
void walk_placement(const struct buckets *buckets, uint64_t valid, struct bucket_counts *counts,
                    struct random_stream *stream, size_t k, uint32_t cap, uint32_t *before);

/* Ends a walk over `length` elements, all of its calls together. */
void walk_end(struct bucket_counts *counts, uint64_t length);

#endif
