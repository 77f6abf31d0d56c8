/* filter_walk.h - internal to model/recall/: what the buffer of a running threshold holds, from
 * block to block. Derivation: docs/models.md 25.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FILTER_WALK_H
#define FILTER_WALK_H

#include <stddef.h>

#include <model/recallmodel/filter.h>

struct filter_blocks {
    uint64_t count; /* 0: the filter is outside the domain of rcm_filter() */
    uint64_t first; /* the block that ends with the first compaction; 0: the buffer takes the row */
};
struct filter_blocks filter_blocks(struct rcm_filter filter);

/* Elements read after so many blocks. */
uint64_t filter_read(struct rcm_filter filter, uint64_t blocks);

/* rcm_filter() where probabilities below `never` are left out. */
struct rcm_filter_work filter_work(struct rcm_filter filter, double never);

/* What is asked of a walk through the blocks of a filter whose buffer does not take the whole row:
 * - waves: the means of exp(i t S), S all that is appended, for the angles t = j step of the waves
 *   j = first_wave, ..;
 * - limits: the probabilities that the buffer never holds more than low, low + apart, .. */
struct filter_walk {
    struct rcm_filter f;
    struct filter_blocks blocks;
    size_t first_wave, waves, limits;
    double step;
    uint64_t low, apart;
    double sums; /* numbers that were added up; not more than RCM_FILTER_DISTRIBUTION_SUMS */
};

/* wave: the real and the imaginary part of each; limit: one number each.
 * Returns whether it could: not too many numbers and sums, and memory. */
bool filter_walk(struct filter_walk *walk, double *wave, double *limit);

#endif
