/* distribution_ranges.h - the distribution of how many elements a row loses, in ranges of equal
 * width.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DISTRIBUTION_RANGES_H
#define DISTRIBUTION_RANGES_H

#include <model/recallmodel.h>

/* P(from <= lost <= to) and P(lost <= to). */
struct lost_range {
    uint64_t from, to;
    double probability, at_most;
};

struct lost_ranges {
    struct lost_range *items;
    size_t length, capacity;
    uint64_t step; /* the width of all of them, but for the tails and a shorter last one */
};

/* Each returns ranges in rising order that meet without a gap, with at least one for a distribution
 * that is not empty; an empty distribution has none. The caller frees them.
 * Accuracy  at_most: RCM_LOST_MAX_ERROR, as the distribution itself. */

/* All that has a probability: what lies outside, at either end, has RCM_LOST_MAX_ERROR or less in
 * all. The ranges have one element each or, where that is more than `most` ranges, as many as make
 * at most so many. most >= 1. */
struct lost_ranges distribution_all(const struct rcm_lost *dist, size_t most);

/* The same up to tails of `tail` at either end, which are left out. 0 < tail < 0.5. */
struct lost_ranges distribution_bulk(const struct rcm_lost *dist, double tail, size_t most);

/* To read: the bulk in at most `most` ranges of 1, 2, 5, 10, .. elements that begin at multiples of
 * that, and before and behind it a range each for a tail of 1e-3 or less. Tails of 1e-9 are left
 * out. */
struct lost_ranges distribution_to_read(const struct rcm_lost *dist, size_t most);

void lost_ranges_free(struct lost_ranges *ranges);

#endif
