/* pairs.c - pairs of a key and a position: a heap of the k best, the k-th key, a stable sort.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels.h"

/* a comes before b. */
static bool is_better(struct pair a, struct pair b)
{
    return a.key > b.key || (a.key == b.key && a.position < b.position);
}

/* Puts `pair` at or below `at`, where the worst of its branch belongs. */
static void sink(struct pair *pairs, uint64_t count, uint64_t at, struct pair pair)
{
    for (uint64_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_better(pairs[child], pairs[child + 1]))
            child++;
        if (!is_better(pair, pairs[child]))
            break;
        pairs[at] = pairs[child];
    }
    pairs[at] = pair;
}

void topk_heap_offer(struct heap *heap, uint64_t key, uint64_t position)
{
    struct pair pair = {key, position};
    if (heap->count == heap->most) {
        if (key > heap->pairs[0].key)
            sink(heap->pairs, heap->count, 0, pair);
        return;
    }
    uint64_t at = heap->count++;
    for (; at > 0 && is_better(heap->pairs[(at - 1) / 2], pair); at = (at - 1) / 2)
        heap->pairs[at] = heap->pairs[(at - 1) / 2];
    heap->pairs[at] = pair;
}

void topk_heap_sort(struct heap *heap)
{
    for (uint64_t left = heap->count; left-- > 1;) {
        struct pair last = heap->pairs[left];
        heap->pairs[left] = heap->pairs[0];
        sink(heap->pairs, left, 0, last);
    }
}

enum { FEW = 32 }; /* pairs that insertion sorts faster */

static void insertion_sort(struct pair *pairs, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++) {
        struct pair pair = pairs[i];
        uint64_t at = i;
        for (; at > 0 && pairs[at - 1].key < pair.key; at--)
            pairs[at] = pairs[at - 1];
        pairs[at] = pair;
    }
}

enum { SORT_BITS = 12, CROWD = 24 };

/* One pass by the highest bits in which keys differ, then insertion: some pairs to a bin. Returns
 * false, with `pairs` as they were, if many crowd into one. */
static bool sort_by_bins(struct pair *pairs, uint64_t count, uint64_t wanted, struct pair *scratch)
{
    uint64_t low = pairs[0].key, high = low;
    for (uint64_t i = 1; i < count; i++) {
        low = pairs[i].key < low ? pairs[i].key : low;
        high = pairs[i].key > high ? pairs[i].key : high;
    }
    if (low == high)
        return true;
    const unsigned width = 64 - (unsigned)__builtin_clzll(high - low);
    const unsigned bits = 64 - (unsigned)__builtin_clzll(count);
    const unsigned shift = width > bits ? width - bits : 0;
    uint32_t begin[1 << SORT_BITS];
    memset(begin, 0, sizeof *begin << bits);
    for (uint64_t i = 0; i < count; i++)
        begin[(high - pairs[i].key) >> shift]++;
    uint32_t before = 0, most = 0;
    for (uint64_t d = 0; d < UINT64_C(1) << bits; d++) {
        uint32_t here = begin[d];
        begin[d] = before;
        before += here;
        most = here > most ? here : most;
    }
    if (shift > 0 && most > CROWD)
        return false;
    for (uint64_t i = 0; i < count; i++)
        scratch[begin[(high - pairs[i].key) >> shift]++] = pairs[i];
    if (shift > 0)
        insertion_sort(scratch, begin[(high - scratch[wanted - 1].key) >> shift]);
    memcpy(pairs, scratch, wanted * sizeof *pairs);
    return true;
}

/* Radix sort, eight bits at a time from the lowest; digits that all keys share are left out. */
void topk_sort_pairs(struct pair *pairs, uint64_t count, uint64_t wanted, unsigned bits,
                     struct pair *scratch)
{
    if (count <= FEW) {
        insertion_sort(pairs, count);
        return;
    }
    if (count < 1 << SORT_BITS && sort_by_bins(pairs, count, wanted, scratch))
        return;
    uint64_t differ = 0;
    for (uint64_t i = 1; i < count; i++)
        differ |= pairs[i].key ^ pairs[0].key;
    struct pair *from = pairs, *to = scratch;
    for (unsigned shift = 0; shift < bits; shift += 8) {
        if ((differ >> shift & 255) == 0)
            continue;
        uint64_t begin[256] = {0};
        for (uint64_t i = 0; i < count; i++)
            begin[~from[i].key >> shift & 255]++;
        for (uint64_t d = 0, before = 0; d < 256; d++) {
            uint64_t here = begin[d];
            begin[d] = before;
            before += here;
        }
        for (uint64_t i = 0; i < count; i++)
            to[begin[~from[i].key >> shift & 255]++] = from[i];
        struct pair *swap = from;
        from = to;
        to = swap;
    }
    if (from != pairs)
        memcpy(pairs, from, count * sizeof *pairs);
}

/* ---- integers of a number of 32 bits, by which they are sorted, and a position that rises */

enum { DIGIT_MOST = 11, PASSES_MOST = 3, ONE_PASS = 1024 };

static void insert_packed(uint64_t *packed, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++) {
        uint64_t one = packed[i], at = i;
        for (; at > 0 && packed[at - 1] > one; at--)
            packed[at] = packed[at - 1];
        packed[at] = one;
    }
}

/* Radix sort by `bits` bits from `shift` on, of what each is above `low`; returns the sorted one of
 * the two. */
static uint64_t *sort_by_digits(uint64_t *packed, uint64_t count, uint64_t low, unsigned shift,
                                unsigned bits, uint64_t *scratch)
{
    const unsigned passes = (bits + DIGIT_MOST - 1) / DIGIT_MOST;
    const unsigned digit = (bits + passes - 1) / passes, mask = (1U << digit) - 1;
    uint32_t begin[PASSES_MOST][1 << DIGIT_MOST];
    for (unsigned p = 0; p < passes; p++)
        memset(begin[p], 0, sizeof *begin[p] << digit);
    for (uint64_t i = 0; i < count; i++)
        for (unsigned p = 0; p < passes; p++)
            begin[p][(packed[i] - low) >> (shift + p * digit) & mask]++;
    for (unsigned p = 0; p < passes; p++) {
        uint32_t before = 0;
        for (unsigned d = 0; d <= mask; d++) {
            uint32_t here = begin[p][d];
            begin[p][d] = before;
            before += here;
        }
        for (uint64_t i = 0; i < count; i++)
            scratch[begin[p][(packed[i] - low) >> (shift + p * digit) & mask]++] = packed[i];
        uint64_t *swap = packed;
        packed = scratch;
        scratch = swap;
    }
    return packed;
}

/* The highest bits in which they differ put almost all in order, and insertion the rest, unless
 * these are many. */
uint64_t *topk_sort_packed(uint64_t *packed, uint64_t count, uint64_t *scratch)
{
    if (count <= FEW) {
        insert_packed(packed, count);
        return packed;
    }
    uint64_t low = packed[0], high = low;
    for (uint64_t i = 1; i < count; i++) {
        low = packed[i] < low ? packed[i] : low;
        high = packed[i] > high ? packed[i] : high;
    }
    low = low >> 32 << 32;
    const uint64_t range = (high - low) >> 32;
    if (range == 0)
        return packed;
    const unsigned width = 64 - (unsigned)__builtin_clzll(range);
    unsigned bits = 64 - (unsigned)__builtin_clzll(count) + (count < ONE_PASS ? 1 : 4);
    bits = bits < width ? bits : width;
    uint64_t *sorted = sort_by_digits(packed, count, low, 32 + width - bits, bits, scratch);
    uint64_t *other = sorted == packed ? scratch : packed;
    for (uint64_t i = 1, moves = 0; bits < width && i < count; i++) {
        uint64_t one = sorted[i], at = i;
        for (; at > 0 && sorted[at - 1] > one; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = one;
        moves += i - at;
        if (moves > 4 * count + CROWD)
            return sort_by_digits(sorted, count, low, 32, width, other);
    }
    return sorted;
}

/* ---- the key of a rank */

enum { BIN_BITS = 9, MANY_BIN_BITS = 11, MANY = 4096, KEYS_SORTED = 48 };

/* Moves the range [low, high] to that of the bin that holds the rank. */
static uint64_t narrow(const struct pair *pairs, uint64_t count, uint64_t *low, uint64_t *high,
                       uint64_t *rank)
{
    const unsigned bits = count < MANY ? BIN_BITS : MANY_BIN_BITS;
    uint64_t bins[1 << MANY_BIN_BITS];
    memset(bins, 0, sizeof *bins << bits);
    unsigned width = 64 - (unsigned)__builtin_clzll(*high - *low);
    unsigned shift = width > bits ? width - bits : 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = pairs[i].key - *low;
        if (at <= *high - *low)
            bins[at >> shift]++;
    }
    unsigned bin = (1U << bits) - 1;
    for (; bins[bin] < *rank; bin--)
        *rank -= bins[bin];
    /* from the old low end on, so that nothing goes beyond 2^64 */
    uint64_t last = (((uint64_t)bin + 1) << shift) - 1;
    *high = last < *high - *low ? *low + last : *high;
    *low += (uint64_t)bin << shift;
    return bins[bin];
}

uint64_t topk_kth_key(const struct pair *pairs, uint64_t count, uint64_t *rank)
{
    uint64_t low = pairs[0].key, high = low, inside = count;
    for (uint64_t i = 1; i < count; i++) {
        low = pairs[i].key < low ? pairs[i].key : low;
        high = pairs[i].key > high ? pairs[i].key : high;
    }
    while (low != high && inside > KEYS_SORTED)
        inside = narrow(pairs, count, &low, &high, rank);
    if (low == high)
        return low;
    uint64_t keys[KEYS_SORTED], length = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t key = pairs[i].key;
        if (key - low > high - low)
            continue;
        uint64_t at = length++;
        for (; at > 0 && keys[at - 1] < key; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
    uint64_t key = keys[*rank - 1];
    uint64_t before = 0;
    while (keys[before] > key)
        before++;
    *rank -= before;
    return key;
}

void topk_keep_best(struct pair *pairs, uint64_t count, uint64_t k)
{
    uint64_t rank = k, kept = 0;
    if (count == k)
        return;
    uint64_t key = topk_kth_key(pairs, count, &rank);
    for (uint64_t i = 0; kept < k; i++) { /* without branches on what is kept */
        struct pair pair = pairs[i];
        uint64_t equal = (pair.key == key) & (rank > 0);
        rank -= equal;
        pairs[kept] = pair;
        kept += equal | (pair.key > key);
    }
}
