/* network.h - internal to topk: the K best of rows of vectors, lane by lane, K = 1, 2, 4, 8 or 16:
 * each K rows are sorted by a network (Batcher's bitonic one), the largest first, and merged with
 * the K best so far. No two elements of a lane are equal, and none is a NaN.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPK_NETWORK_H
#define TOPK_NETWORK_H

#include <stdbool.h>

#include "lanes.h"

/* exchange: the larger into a, the smaller into b.
 * clean: sorts a block whose halves are sorted, one of them backward.
 * sort: sorts a block of any: its halves, then the first with the second backward. */
#define WRAP_BLOCK(d, count, half) \
    INLINE void clean_##d##_##count(v_##d *v) \
    { \
        _Pragma("GCC unroll 8") for (unsigned i = 0; i < half; i++) \
            exchange_##d(v + i, v + half + i); \
        clean_##d##_##half(v); \
        clean_##d##_##half(v + half); \
    } \
    INLINE void sort_##d##_##count(v_##d *v) \
    { \
        sort_##d##_##half(v); \
        sort_##d##_##half(v + half); \
        _Pragma("GCC unroll 8") for (unsigned i = 0; i < half; i++) \
            exchange_##d(v + i, v + count - 1 - i); \
        clean_##d##_##half(v); \
        clean_##d##_##half(v + half); \
    }

/* `blocks` blocks of rows; unless `fresh`, there are some kept already. */
#define WRAP_KEEP(d, count) \
    static NOINLINE void merge_##d##_##count(const v_##d *rows, uint64_t blocks, bool fresh, \
                                             v_##d *kept) \
    { \
        v_##d mine[count], block[count]; \
        _Pragma("GCC unroll 16") for (unsigned i = 0; i < count; i++) mine[i] = \
            fresh ? rows[i] : kept[i]; \
        if (fresh) { \
            sort_##d##_##count(mine); \
            rows += count; \
            blocks--; \
        } \
        for (; blocks > 0; blocks--, rows += count) { \
            _Pragma("GCC unroll 16") for (unsigned i = 0; i < count; i++) block[i] = rows[i]; \
            sort_##d##_##count(block); \
            _Pragma("GCC unroll 16") for (unsigned i = 0; i < count; i++) mine[i] = \
                max_##d(mine[i], block[count - 1 - i]); \
            clean_##d##_##count(mine); \
        } \
        _Pragma("GCC unroll 16") for (unsigned i = 0; i < count; i++) kept[i] = mine[i]; \
    }

#define WRAP_NETWORK(d) \
    INLINE void exchange_##d(v_##d *a, v_##d *b) \
    { \
        v_##d more = max_##d(*a, *b); \
        *b = min_##d(*a, *b); \
        *a = more; \
    } \
    INLINE void clean_##d##_1(v_##d *v) \
    { \
        (void)v; \
    } \
    INLINE void sort_##d##_1(v_##d *v) \
    { \
        (void)v; \
    } \
    WRAP_BLOCK(d, 2, 1) \
    WRAP_BLOCK(d, 4, 2) \
    WRAP_BLOCK(d, 8, 4) \
    WRAP_BLOCK(d, 16, 8) \
    WRAP_KEEP(d, 1) \
    WRAP_KEEP(d, 2) \
    WRAP_KEEP(d, 4) \
    WRAP_KEEP(d, 8) \
    WRAP_KEEP(d, 16) \
    /* The K best of the rows, K at least. */ \
    static NOINLINE void merge_##d(const v_##d *rows, unsigned K, uint64_t count, bool fresh, \
                                   v_##d *kept) \
    { \
        if (K == 1) \
            merge_##d##_1(rows, count, fresh, kept); \
        else if (K == 2) \
            merge_##d##_2(rows, count / 2, fresh, kept); \
        else if (K == 4) \
            merge_##d##_4(rows, count / 4, fresh, kept); \
        else if (K == 8) \
            merge_##d##_8(rows, count / 8, fresh, kept); \
        else \
            merge_##d##_16(rows, count / 16, fresh, kept); \
    }
WRAP_NETWORK(f32)
WRAP_NETWORK(f64)
WRAP_NETWORK(i16)

#endif
