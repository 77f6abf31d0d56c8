/* kernels.h - internal to topk: what is compiled for each type, and for each instruction set.
 *
 * A row here is contiguous. The key of an element is an unsigned integer of as many bits: the
 * better the element, the larger its key, and all NaNs have the same key, the smallest. Elements
 * are in the order of their keys, the best first, and equal ones in the order of their positions.
 * Every result is a function of that order alone, so that it does not depend on the threads or on
 * the instruction set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPK_KERNELS_H
#define TOPK_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topk.h"

/* Elements of a row: `count` of them, every `step`-th from `first` on. */
struct elements {
    const void *x;
    uint64_t first, step, count;
    bool smallest;
};

struct pair {
    uint64_t key, position;
};

/* Stage 1 of one row. */
struct stage1 {
    const void *x;
    uint64_t n, b, k_b;
    bool contiguous, smallest, wide;
    bool far;               /* the row comes from memory, not from a cache */
    void *values, *indices; /* NULL: not wanted */
};

/* Digits of a key, from the highest. */
enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

struct kernels {
    size_t bytes;  /* of an element */
    unsigned bits; /* of a key */
    /* out[i] = x[i stride] */
    void (*pack)(const void *x, int64_t stride, uint64_t n, void *out);
    /* the largest key of n elements */
    uint64_t (*best)(const void *x, int64_t stride, uint64_t n, bool smallest);
    /* counts[d] += elements whose key has this prefix above bit `high`, and the digit d from bit
     * `low` up to there */
    void (*count_digits)(const struct elements *e, uint64_t prefix, unsigned low, unsigned high,
                         uint64_t *counts);
    /* elements with keys above and equal to `key` */
    void (*count_above)(const struct elements *e, uint64_t key, uint64_t *above, uint64_t *equal);
    /* the elements above the key, and the first `equal` ones of those equal to it, in the order of
     * their positions; returns how many */
    uint64_t (*collect)(const struct elements *e, uint64_t key, uint64_t equal, struct pair *out);
    /* out[i] = x[position of pair i] */
    void (*take)(const void *x, const struct pair *pairs, uint64_t count, void *out);
    /* the element with a key that is not that of NaN */
    void (*value_of)(uint64_t key, bool smallest, void *value);
    /* comparisons of numbers may have missed a better key than this one: it is near 0 or NaN */
    bool (*is_vague)(uint64_t key);
    /* the buckets from `from` up to `to`; scratch: k_b pairs. False: nothing done, exact top-k of
     * each, which are contiguous, takes less time. */
    bool (*stage1)(const struct stage1 *s, uint64_t from, uint64_t to, struct pair *scratch);
    /* exact top-k by threshold: vector.inc */
    unsigned group_bits; /* of the signed key of a group: 32 or 64 */
    void (*group_maxima)(const void *x, uint64_t groups, bool large, bool smallest, bool clean,
                         void *out);
    uint64_t (*count_groups)(const void *maxima, uint64_t groups, int64_t least);
    uint64_t (*list_groups)(const void *maxima, uint64_t groups, uint64_t key, uint32_t *out);
    uint64_t (*collect_groups)(const struct elements *e, const void *maxima, bool large,
                               const uint32_t *list, uint64_t groups, uint64_t key, uint64_t equal,
                               struct pair *out);
    /* the same for a stride of 1 */
    uint64_t (*largest_key)(const void *x, uint64_t n, bool smallest);
    /* exact top-k with a large k, dense.inc: in signed keys, each less the middle of the range */
    int64_t infinite; /* the highest key of a number */
    /* Writes the keys that are `least` or better, and their positions, the first of which is
     * `first`, if wanted; ends early behind so many. Returns how many. */
    uint64_t (*reach)(const struct elements *e, int64_t infinite, int64_t least, uint32_t first,
                      uint64_t limit, void *keys, uint32_t *positions);
    /* from such keys: those in a range; those of a key or a better one, with their positions; how
     * many these are; the index behind the rank-th one equal to the key */
    uint64_t (*between)(const void *from, uint64_t n, int64_t least, int64_t most, void *keys);
    uint64_t (*keep)(const void *keys, const uint32_t *positions, uint64_t n, int64_t least,
                     void *kept, uint32_t *positions_kept);
    uint64_t (*count_keys)(const void *keys, uint64_t n, int64_t least);
    uint64_t (*behind)(const void *keys, uint64_t n, int64_t key, uint64_t rank);
    /* the numbers of which these are the keys */
    void (*restore)(const void *keys, uint64_t n, int64_t infinite, bool smallest, void *out);
    /* copies `count` of n elements from all over the row, each 0.618 n behind the one before, in
     * turns: a regular step would find only the best of each bucket among candidates */
    void (*sample)(const void *x, uint64_t n, uint64_t count, void *out);
};

/* By type. */
extern const struct kernels topk_generic[RCM_TOP_K_TYPES];
#if defined __x86_64__
extern const struct kernels topk_avx2[RCM_TOP_K_TYPES], topk_avx512[RCM_TOP_K_TYPES];
#endif

/* The candidates of the buckets before bucket j. */
static inline uint64_t topk_candidates_before(uint64_t n, uint64_t b, uint64_t k_b, uint64_t j)
{
    uint64_t longer = n % b, floor = n / b, fewer = k_b < floor ? k_b : floor;
    return j < longer ? j * k_b : longer * k_b + (j - longer) * fewer;
}

/* Piece i of `pieces` of 0 .. count - 1: from where, and up to where. The first ones are longer. */
static inline uint64_t topk_cut(uint64_t count, uint64_t pieces, uint64_t i)
{
    return count / pieces * i + (i < count % pieces ? i : count % pieces);
}

/* The elements of bucket j. */
static inline struct elements topk_bucket(const struct stage1 *s, uint64_t j)
{
    uint64_t longer = s->n % s->b, floor = s->n / s->b;
    struct elements e = {.x = s->x, .smallest = s->smallest, .count = floor + (j < longer)};
    e.first = s->contiguous ? j * floor + (j < longer ? j : longer) : j;
    e.step = s->contiguous ? 1 : s->b;
    return e;
}

/* The best `wanted` of `count` pairs in order, the best first, of equal ones the first first.
 * `scratch` has room for as many as `pairs`. Keys have `bits` bits. */
void topk_sort_pairs(struct pair *pairs, uint64_t count, uint64_t wanted, unsigned bits,
                     struct pair *scratch);

/* Sorts integers by their highest 32 bits, of equal ones the first first; the others rise.
 * `scratch` has room for as many, fewer than 2^32. Returns which of the two has the result. */
uint64_t *topk_sort_packed(uint64_t *packed, uint64_t count, uint64_t *scratch);

/* The key of the rank-th best pair, 1 <= rank <= count. Sets `rank` to that among the equal ones.
 */
uint64_t topk_kth_key(const struct pair *pairs, uint64_t count, uint64_t *rank);

/* Moves the k best of `count` pairs, which are in the order of their positions, to the front, in
 * this order. */
void topk_keep_best(struct pair *pairs, uint64_t count, uint64_t k);

/* The k best of a heap of pairs: offered one after the other in the order of their positions. */
struct heap {
    struct pair *pairs;
    uint64_t count, most;
};
void topk_heap_offer(struct heap *heap, uint64_t key, uint64_t position);
void topk_heap_sort(struct heap *heap); /* the best first */

/* Exact top-k of one row. */
struct exact {
    const struct kernels *kernels;
    const void *x;
    uint64_t n, k;
    bool smallest, sorted, wide;
    uint64_t first;  /* the index of element 0 */
    const void *map; /* NULL, or the index of each element, in the width of map_wide */
    bool map_wide;
    void *values, *indices; /* NULL: not wanted */
    unsigned threads;
    char *scratch; /* topk_exact_scratch() bytes, at a multiple of 64 */
};
size_t topk_exact_scratch(const struct kernels *kernels, uint64_t n, uint64_t k, bool sorted,
                          unsigned threads);
void topk_exact(const struct exact *job);

/* indices[at + i] = the position of pair i */
static inline void topk_put_positions(void *indices, uint64_t at, bool wide,
                                      const struct pair *pairs, uint64_t count)
{
    if (!indices)
        return;
    for (uint64_t i = 0; i < count; i++)
        if (wide)
            ((int64_t *)indices)[at + i] = (int64_t)pairs[i].position;
        else
            ((int32_t *)indices)[at + i] = (int32_t)pairs[i].position;
}

/* a * b + c, or SIZE_MAX if that is too large. */
static inline size_t topk_size(uint64_t a, uint64_t b, uint64_t c)
{
    size_t product, sum;
    if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(product, c, &sum))
        return SIZE_MAX;
    return sum;
}

/* The next multiple of 64, or SIZE_MAX. */
static inline size_t topk_align(size_t bytes)
{
    return bytes > SIZE_MAX - 63 ? SIZE_MAX : (bytes + 63) / 64 * 64;
}

#endif
