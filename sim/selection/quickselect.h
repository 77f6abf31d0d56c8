/* quickselect.h - the exact top-k of a row in O(n), by radix selection, the most significant digit
 * first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef QUICKSELECT_H
#define QUICKSELECT_H

#include <stddef.h>
#include <stdint.h>

/* The top-k by rank are the k largest elements; of equal ones those with the smallest index come
 * first. at[0 .. wanted) belong to it in any case. at[wanted .. wanted + tied) are all elements
 * equal to the k-th largest, and the first k - wanted of them belong to it. Both parts are in the
 * order of the indices. If no tie crosses the border, tied = 0 and wanted = k; but NaN are always
 * in the second part. */
struct selection {
    uint64_t threshold; /* the k-th largest key */
    size_t wanted, tied;
};

/* 1 <= k <= n < 2^32. `scratch` and `at` have room for n each. */
struct selection select_largest(const uint64_t *keys, size_t n, size_t k, uint64_t *scratch,
                                uint32_t *at);

/* All elements that are at least as large as the one of rank `reach`, in the order of their
 * indices. Returns how many: at least `reach`. 1 <= reach <= n; room as above. */
size_t select_reaching(const uint64_t *keys, size_t n, size_t reach, uint64_t *scratch,
                       uint32_t *at);

/* Sorts `from` by the upper 32 bits, smaller ones first; equal ones keep their order. `to` has the
 * same length. Returns which of the two has the result. */
uint64_t *sort_by_upper(uint64_t *from, uint64_t *to, size_t length);

/* Sorts at[0 .. length) by rank, larger keys first. Equal ones must be in the order of their
 * indices already. `scratch` has room for 2 length. */
void sort_by_rank(const uint64_t *keys, uint32_t *at, size_t length, uint64_t *scratch);

#endif
