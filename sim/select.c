/* select.c - see select.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "select.h"

#include <stdlib.h>
#include <string.h>

#include "key.h"

#define DIGIT 11

/* The k-th largest key: narrow the candidates digit by digit to those that share its upper digits. */
static uint64_t kth_largest(const uint64_t *keys, size_t n, size_t k, uint64_t *scratch)
{
    const uint64_t *candidates = keys;
    for (int top = 64; top > 0; top -= DIGIT) {
        int shift = top > DIGIT ? top - DIGIT : 0;
        uint64_t mask = (UINT64_C(1) << (top - shift)) - 1;
        uint32_t count[1 << DIGIT] = {0};
        for (size_t i = 0; i < n; i++)
            count[candidates[i] >> shift & mask]++;
        uint64_t digit = mask;
        for (; count[digit] < k; digit--)
            k -= count[digit];
        size_t kept = 0;
        uint64_t least = UINT64_MAX;
        for (size_t i = 0; i < n; i++) {
            scratch[kept] = candidates[i];
            kept += (candidates[i] >> shift & mask) == digit;
        }
        if (kept == k) { /* all that are left belong to it: the least of them is the k-th */
            for (size_t i = 0; i < kept; i++)
                least = scratch[i] < least ? scratch[i] : least;
            return least;
        }
        candidates = scratch;
        n = kept;
    }
    return candidates[0];
}

struct selection select_largest(const uint64_t *keys, size_t n, size_t k, uint64_t *scratch, uint32_t *at)
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

struct ranked {
    uint64_t key, index;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

void sort_by_rank(const uint64_t *keys, uint32_t *at, size_t length, uint64_t *scratch)
{
    struct ranked *ranked = (struct ranked *)(void *)scratch;
    for (size_t j = 0; j < length; j++)
        ranked[j] = (struct ranked){keys[at[j]], at[j]};
    qsort(ranked, length, sizeof *ranked, by_rank);
    for (size_t j = 0; j < length; j++)
        at[j] = (uint32_t)ranked[j].index;
}
