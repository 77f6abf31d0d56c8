/* keys.h - the order of the elements as integers, and plain selection of these: for proofs, and to
 * compare with. No code of topk/.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KEYS_H
#define KEYS_H

#include <stddef.h>
#include <stdint.h>

/* The keys of elements first .. first + count of x: larger where the value is, equal for -0 and +0,
 * and INT64_MIN, the smallest, for NaN. */
void keys_of(unsigned dtype, const void *x, uint64_t first, size_t count, int64_t *keys);

/* Moves the k largest of `length` keys to the front, in no order, and returns the k-th largest.
 * 1 <= k <= length. Expected time is linear for every order of the keys. */
int64_t keys_select(int64_t *keys, size_t length, size_t k);

/* Sorts keys, the largest first. */
void keys_sort(int64_t *keys, size_t length);

/* How many of the values of two such sorted lists, counted as often as they occur in both. */
size_t keys_common(const int64_t *a, size_t a_length, const int64_t *b, size_t b_length);

#endif
