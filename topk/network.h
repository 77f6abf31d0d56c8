/* network.h - internal to topk: sorts 1, 2, 4, 8 or 16 vectors lane by lane, the largest first, and
 * merges two such blocks. lanes.h has what a vector is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPK_NETWORK_H
#define TOPK_NETWORK_H

#include "lanes.h"

/* The larger into a, the smaller into b. */
#if VECTOR_BYTES == 64
#define WRAP_EXCHANGE(bits) \
    INLINE void exchange_##bits(v_i##bits *a, v_i##bits *b) \
    { \
        v_i##bits more = (v_i##bits)_mm512_max_epi##bits((__m512i)*a, (__m512i)*b); \
        *b = (v_i##bits)_mm512_min_epi##bits((__m512i)*a, (__m512i)*b); \
        *a = more; \
    }
#else
#define WRAP_EXCHANGE(bits) \
    INLINE void exchange_##bits(v_i##bits *a, v_i##bits *b) \
    { \
        v_i##bits mask = *a > *b, more = (v_i##bits)CHOOSE_##bits(mask, *a, *b); \
        *b = (v_i##bits)CHOOSE_##bits(mask, *b, *a); \
        *a = more; \
    }
#endif
WRAP_EXCHANGE(32)
WRAP_EXCHANGE(64)

/* Sorts a block whose halves are sorted, one of them backward. */
#define WRAP_CLEAN(bits, count, half) \
    INLINE void clean_##bits##_##count(v_i##bits *v) \
    { \
        _Pragma("GCC unroll 8") for (unsigned i = 0; i < half; i++) \
            exchange_##bits(v + i, v + half + i); \
        clean_##bits##_##half(v); \
        clean_##bits##_##half(v + half); \
    }
/* Sorts a block of any: its halves, then the first with the second backward. */
#define WRAP_SORT(bits, count, half) \
    INLINE void sort_##bits##_##count(v_i##bits *v) \
    { \
        sort_##bits##_##half(v); \
        sort_##bits##_##half(v + half); \
        _Pragma("GCC unroll 8") for (unsigned i = 0; i < half; i++) \
            exchange_##bits(v + i, v + count - 1 - i); \
        clean_##bits##_##half(v); \
        clean_##bits##_##half(v + half); \
    }
#define WRAP_NETWORK(bits) \
    INLINE void clean_##bits##_1(v_i##bits *v) \
    { \
        (void)v; \
    } \
    WRAP_CLEAN(bits, 2, 1) \
    WRAP_CLEAN(bits, 4, 2) \
    WRAP_CLEAN(bits, 8, 4) \
    WRAP_CLEAN(bits, 16, 8) \
    INLINE void sort_##bits##_1(v_i##bits *v) \
    { \
        (void)v; \
    } \
    WRAP_SORT(bits, 2, 1) \
    WRAP_SORT(bits, 4, 2) \
    WRAP_SORT(bits, 8, 4) \
    WRAP_SORT(bits, 16, 8) \
    INLINE void sort_block_##bits(v_i##bits *v, unsigned count) \
    { \
        if (count == 2) \
            sort_##bits##_2(v); \
        else if (count == 4) \
            sort_##bits##_4(v); \
        else if (count == 8) \
            sort_##bits##_8(v); \
        else if (count == 16) \
            sort_##bits##_16(v); \
    } \
    /* The best of two sorted blocks, in order. */ \
    INLINE void merge_block_##bits(v_i##bits *kept, const v_i##bits *block, unsigned count) \
    { \
        _Pragma("GCC unroll 16") for (unsigned i = 0; i < count; i++) kept[i] = \
            max_i##bits(kept[i], block[count - 1 - i]); \
        if (count == 2) \
            clean_##bits##_2(kept); \
        else if (count == 4) \
            clean_##bits##_4(kept); \
        else if (count == 8) \
            clean_##bits##_8(kept); \
        else if (count == 16) \
            clean_##bits##_16(kept); \
    } \
    /* From lane after lane in each vector to vector after vector in each lane. */ \
    INLINE void deal_##bits(v_i##bits *v, unsigned count) \
    { \
        _Pragma("GCC unroll 4") for (unsigned round = 1; round < count; round *= 2) \
        { \
            v_i##bits next[16]; \
            _Pragma("GCC unroll 8") for (unsigned i = 0; i < count / 2; i++) \
            { \
                v_i##bits a = v[i], b = v[i + count / 2]; \
                next[2 * i] = __builtin_shufflevector(a, b, ZIP_LOW_##bits); \
                next[2 * i + 1] = __builtin_shufflevector(a, b, ZIP_HIGH_##bits); \
            } \
            _Pragma("GCC unroll 16") for (unsigned i = 0; i < count; i++) v[i] = next[i]; \
        } \
    }
WRAP_NETWORK(32)
WRAP_NETWORK(64)

#endif
