/* counting.h - what the counted algorithms of operations.h share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COUNTING_H
#define COUNTING_H

#include "operations.h"

/* Counts operations that are always done; and operations behind a branch. */
static inline void always(struct operations *cost, uint64_t operations)
{
    cost->all += operations;
    cost->taken += operations;
}

static inline void branch(struct operations *cost, bool taken, uint64_t operations)
{
    cost->all += operations;
    cost->taken += taken ? operations : 0;
}

/* One pass over the keys of so many elements; and the indices of the results. */
static inline void read_elements(struct operations *cost, uint64_t elements)
{
    cost->passes++;
    cost->bytes += 4 * elements;
}

static inline void write_results(struct operations *cost, uint64_t results)
{
    cost->bytes += 4 * results;
}

/* What the passes find: the elements above `key` belong to the top-k, and so do `needed` of the
 * `equal` ones that are equal to it. */
struct border {
    uint32_t key;
    size_t needed, equal;
};

/* The digit of the border, of `values` of them: scans their counts from above until they reach what
 * is needed. Afterwards border->needed is what it needs of the border->equal that have this
 * digit. */
uint32_t settle_digit(struct border *border, const size_t *count, uint32_t values,
                      struct operations *cost);

/* The run() of two algorithms, in histogram_top_k.c. */
bool compacting_radix(const struct keys *keys, unsigned digit, uint32_t *out,
                      struct operations *cost);
bool histogram_select(const struct keys *keys, unsigned digit, uint32_t *out,
                      struct operations *cost);

#endif
