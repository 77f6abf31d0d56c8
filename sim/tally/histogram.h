/* histogram.h - how many rows had each value, in integers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A dense window of values, which grows. Starts as all 0. free() its `count`. */
struct histogram {
    uint64_t first; /* the value that count[0] is for */
    size_t length;
    uint64_t *count;
};

/* Both return false if memory runs out. */
bool histogram_add(struct histogram *histogram, uint64_t value, uint64_t count);
bool histogram_merge(struct histogram *into, const struct histogram *from);

/* Of the values in a histogram, each rounded once. */
struct spread {
    uint64_t rows;
    double mean, sd; /* sd with rows - 1; NaN below two rows */
    uint64_t largest;
};
struct spread histogram_spread(const struct histogram *histogram);

/* The largest value that at least `percent` % of the rows reach or exceed; 0 without rows. */
uint64_t histogram_upper(const struct histogram *histogram, unsigned percent);

#endif
