/* bucket_walk.h - stage 1 as seen by the top-k elements: for each, how many better ones share its
 * bucket.
 *
 * An element survives in a bucket that keeps k_b exactly if fewer than k_b better ones are there.
 * So the number of better ones, `before`, answers for every k_b at once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BUCKET_WALK_H
#define BUCKET_WALK_H

#include <stddef.h>

#include "assignment.h"
#include "random.h"

/* One count per bucket, above `base`. A walk may be continued; walk_end() raises the base, so that
 * no count has to be cleared. */
struct bucket_counts {
    uint64_t *count;
    uint64_t base;
};

/* before[j] = min(cap, elements in the bucket of at[j] among at[0 .. j) and those walked before),
 * for j < length. */
void walk_positions(const struct buckets *buckets, struct bucket_counts *counts, const uint32_t *at,
                    size_t length, uint32_t cap, uint32_t *before);

/* The same for k more elements placed at random on the first `valid` places of a row, each k-subset
 * and order equally likely; O(k) draws while no more than valid/2 are placed. A draw names a place
 * of the row; the elements that a bucket already has are taken to stand on its first places, which
 * is as good as anywhere, and a place that is taken is drawn again. */
void walk_placement(const struct buckets *buckets, uint64_t valid, struct bucket_counts *counts,
                    struct random_stream *stream, size_t k, uint32_t cap, uint32_t *before);

/* Ends a walk over `length` elements in all. */
void walk_end(struct bucket_counts *counts, uint64_t length);

#endif
