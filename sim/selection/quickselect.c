/* quickselect.c - see quickselect.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "quickselect.h"

#include <stdlib.h>
#include <string.h>

#include "key.h"

#define DIGIT 11

/* The k-th largest key. Digit by digit, only the keys that share its upper digits are left. */
static uint64_t kth_largest(const uint64_t *keys, size_t n, size_t k, uint64_t *scratch)
{
    const uint64_t *left = keys;
    for (int top = 64; top > 0; top -= DIGIT) {
        int shift = top > DIGIT ? top - DIGIT : 0;
        uint64_t mask = (UINT64_C(1) << (top - shift)) - 1;
        uint32_t count[1 << DIGIT] = {0};
        for (size_t i = 0; i < n; i++)
            count[left[i] >> shift & mask]++;
        uint64_t digit = mask;
        for (; count[digit] < k; digit--)
            k -= count[digit];
        size_t kept = 0;
        uint64_t least = UINT64_MAX;
        for (size_t i = 0; i < n; i++) {
            scratch[kept] = left[i];
            kept += (left[i] >> shift & mask) == digit;
        }
        if (kept == k) { /* all that are left belong to the top-k: the least is the k-th */
            for (size_t i = 0; i < kept; i++)
                least = scratch[i] < least ? scratch[i] : least;
            return least;
        }
        left = scratch;
        n = kept;
    }
    return left[0];
}

struct selection select_largest(const uint64_t *keys, size_t n, size_t k, uint64_t *scratch,
                                uint32_t *at)
{
    struct selection s = {.threshold = kth_largest(keys, n, k, scratch)};
    size_t length = 0;
    for (uint32_t i = 0; i < n; i++) {
        at[length] = i; /* length <= i */
        length += keys[i] >= s.threshold;
    }
    s.wanted = k;
    if (length == k && s.threshold != KEY_NAN)
        return s;
    uint32_t *tied = (uint32_t *)scratch;
    s.wanted = 0;
    for (size_t j = 0; j < length; j++)
        if (keys[at[j]] > s.threshold)
            at[s.wanted++] = at[j];
        else
            tied[s.tied++] = at[j];
    memcpy(at + s.wanted, tied, s.tied * sizeof *tied);
    return s;
}

size_t select_reaching(const uint64_t *keys, size_t n, size_t reach, uint64_t *scratch,
                       uint32_t *at)
{
    uint64_t threshold = kth_largest(keys, n, reach, scratch);
    size_t length = 0;
    for (uint32_t i = 0; i < n; i++) {
        at[length] = i; /* length <= i */
        length += keys[i] >= threshold;
    }
    return length;
}

/* The keys for by_rank(), because qsort() takes no context. Each thread has its own. */
static _Thread_local const uint64_t *keys_to_sort;

static int by_rank(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (keys_to_sort[x] != keys_to_sort[y])
        return keys_to_sort[x] < keys_to_sort[y] ? 1 : -1;
    return (x > y) - (x < y);
}

/* Sorts by insertion if the run is short or nearly sorted, otherwise by qsort(). */
static void sort_run(const uint64_t *keys, uint32_t *at, size_t length)
{
    size_t moves = 16 * length;
    for (size_t j = 1; j < length; j++) {
        uint32_t index = at[j];
        size_t to = j;
        for (; to > 0 && keys[at[to - 1]] < keys[index] && moves > 0; to--, moves--)
            at[to] = at[to - 1];
        at[to] = index;
    }
    if (moves > 0)
        return;
    keys_to_sort = keys;
    qsort(at, length, sizeof *at, by_rank);
}

/* Radix sort, the least significant digit first, so that equal ones keep their order. */
uint64_t *sort_by_upper(uint64_t *from, uint64_t *to, size_t length)
{
    enum { DIGITS = 3, VALUES = 1 << DIGIT };
    uint32_t count[DIGITS][VALUES] = {{0}};
    for (size_t j = 0; j < length; j++)
        for (int d = 0; d < DIGITS; d++)
            count[d][from[j] >> (32 + d * DIGIT) & (VALUES - 1)]++;
    for (int d = 0; d < DIGITS; d++) {
        int shift = 32 + d * DIGIT;
        uint32_t sum = 0;
        if (length > 0 && count[d][from[0] >> shift & (VALUES - 1)] == length)
            continue; /* all have the same digit */
        for (int value = 0; value < VALUES; value++) {
            uint32_t here = count[d][value];
            count[d][value] = sum;
            sum += here;
        }
        for (size_t j = 0; j < length; j++)
            to[count[d][from[j] >> shift & (VALUES - 1)]++] = from[j];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* By the upper 32 bits of the keys, then runs of equal ones by the rest. */
void sort_by_rank(const uint64_t *keys, uint32_t *at, size_t length, uint64_t *scratch)
{
    for (size_t j = 0; j < length; j++) /* larger keys first */
        scratch[j] = (uint64_t) ~(uint32_t)(keys[at[j]] >> 32) << 32 | at[j];
    const uint64_t *from = sort_by_upper(scratch, scratch + length, length);
    for (size_t j = 0, first = 0; j < length; j++) {
        at[j] = (uint32_t)from[j];
        if (j + 1 == length || from[j] >> 32 != from[j + 1] >> 32) {
            sort_run(keys, at + first, j + 1 - first);
            first = j + 1;
        }
    }
}
