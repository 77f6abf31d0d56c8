/* occupancy.h - internal to model/: when the largest elements of a row occupy one block too many.
 * Derivation: docs/models.md 17.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCCUPANCY_H
#define OCCUPANCY_H

#include <model/recallmodel/blocks.h>

#include <model/distribution/dd.h>

/* A row of n keys, and how many blocks of which sizes its largest keys occupy before they occupy
 * one more. There are one or two classes of blocks; a class may have the count 0. */
struct occupancy {
    uint64_t n;
    uint64_t blocks, keys; /* occupied, and the keys in them: the sums over the classes */
    struct {
        uint64_t count, size; /* size 1 .. n */
    } of[2];
    struct dd log_ways; /* to choose the blocks among those of the row */
};

/* Rank r + 1 is the first in a further block, and the r larger ones occupy just such blocks. */
struct exceeded {
    double probability;
    double slope; /* about: the derivative of its logarithm in r, and the width of its peak */
    double width;
    double
        empty; /* how many of the blocks would be empty if none had to be occupied; 0: not known */
};

/* The case of b in which the short block, if there is one, is occupied or not. blocks = 0 where
 * there is no such case. b.kept is less than the number of blocks. */
struct occupancy occupancy_of(struct rcm_blocks b, bool short_one);

/* occupancy->blocks <= r <= occupancy->keys. Relative error of the probability about 1e-14; 0 where
 * the short block is occupied, and the distribution of T has ended but for a share below 1e-17. */
struct exceeded occupancy_exceeded_at(const struct occupancy *occupancy, uint64_t r);

#endif
