/* key.cuh - integers whose order is the order of the values, with NaN at the bottom.
 *
 * Take the bits of a float, and flip all but the sign if the sign is set. The result is a signed
 * integer k in the order of the values, except for NaN. Let INF be the integer of +inf, and MAX the
 * largest integer of the type. NaN with a clear sign are above INF. Adding d = MAX - INF moves +inf
 * to MAX and wraps those NaN round to the bottom. -inf becomes -INF - 1 + d; the NaN with the sign
 * set, which were below it, stay below it, and so do those that were wrapped round. Smallest first
 * is the order of ~k = -k - 1, to which the same applies. So
 *
 *     key = scale * k + offset modulo the type's width
 *
 * with scale 1 and offset d for the largest, scale -1 and offset d - 1 for the smallest. That is
 * one multiply-add, which does not run on the comparison unit. NaN needs no further instruction,
 * and all later steps work on integers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_KEY_CUH
#define RCM_KEY_CUH

#include "cuda.cuh"

struct key_order {
    int32_t scale, offset;
    int32_t lowest; /* the lowest key of a value that is not NaN */
};

inline key_order key_order_of(enum rcm_gpu_dtype dtype, bool smallest)
{
    int32_t infinity = dtype == RCM_GPU_F32 ? 0x7f800000 : dtype == RCM_GPU_BF16 ? 0x7f80 : 0x7c00;
    int32_t d = (dtype == RCM_GPU_F32 ? 0x7fffffff : 0x7fff) - infinity;
    return {smallest ? -1 : 1, smallest ? d - 1 : d, d - 1 - infinity};
}

/* All of this computes modulo 2^32, so it uses unsigned integers. */
__device__ __forceinline__ int32_t multiply_add(int32_t a, int32_t b, int32_t c)
{
    return (int32_t)((uint32_t)a * (uint32_t)b + (uint32_t)c);
}

__device__ __forceinline__ int32_t key_of_32(uint32_t bits, key_order order)
{
    int32_t k = (int32_t)(bits ^ ((uint32_t)((int32_t)bits >> 31) & 0x7fffffffu));
    return multiply_add(k, order.scale, order.offset);
}

__device__ __forceinline__ uint32_t bits_of_key_32(int32_t key, key_order order)
{
    uint32_t k = ((uint32_t)key - (uint32_t)order.offset) * (uint32_t)order.scale;
    return k ^ ((uint32_t)((int32_t)k >> 31) & 0x7fffffffu);
}

/* The two 16-bit elements of a word as signed integers in the order of the values; NaN are not
 * moved yet. */
__device__ __forceinline__ uint32_t signed_pair(uint32_t word)
{
#ifdef __CUDA_ARCH__
    /* `signs` as below, by one instruction, and the rest by one: the compiler would mask each half
     * of C for itself. */
    uint32_t pair;
    asm("{\n\t.reg .b32 signs;\n\tprmt.b32 signs, %1, 0, 0xBB99;\n\t"
        "lop3.b32 %0, %1, signs, 0x7fff7fff, 0x78;\n\t}"
        : "=r"(pair)
        : "r"(word));
    return pair;
#else
    uint32_t signs = (word >> 31) * 0xffff0000u | ((word >> 15) & 1) * 0xffffu;
    return word ^ (signs & 0x7fff7fffu); /* 0xffff in each half whose sign is set */
#endif
}

/* The key of a 16-bit element in the upper half of a word, from the lower or the upper half of a
 * signed_pair. offset_low holds the offset in its upper half and what goes into the lower half. */
__device__ __forceinline__ int32_t packed_key_low(uint32_t pair, int32_t scale_16,
                                                  int32_t offset_low)
{
    /* scale_16 is scale << 16, so the upper half of `pair` is shifted out of the word. */
    return multiply_add((int32_t)pair, scale_16, offset_low);
}
__device__ __forceinline__ int32_t packed_key_high(uint32_t pair, int32_t scale, int32_t offset_low)
{
    return multiply_add((int32_t)(pair & 0xffff0000u), scale, offset_low);
}

__device__ __forceinline__ int32_t key_of_16(uint32_t bits, key_order order)
{
    return packed_key_low(signed_pair(bits), (int32_t)((uint32_t)order.scale << 16),
                          (int32_t)((uint32_t)order.offset << 16)) >>
           16;
}

__device__ __forceinline__ uint32_t bits_of_key_16(int32_t key, key_order order)
{
    uint32_t k = (((uint32_t)key - (uint32_t)order.offset) * (uint32_t)order.scale) & 0xffffu;
    return signed_pair(k) & 0xffffu;
}

/* The key as an unsigned integer of the type's width. */
template <int BYTES> __device__ __forceinline__ uint32_t rank_of_key(int32_t key)
{
    return BYTES == 4 ? (uint32_t)key ^ 0x80000000u : (uint32_t)(key + 32768);
}
template <int BYTES> __device__ __forceinline__ int32_t key_of_rank(uint32_t rank)
{
    return BYTES == 4 ? (int32_t)(rank ^ 0x80000000u) : (int32_t)rank - 32768;
}

template <int BYTES> __device__ __forceinline__ uint32_t read_bits(const void *x, size_t i)
{
    return BYTES == 4 ? ((const uint32_t *)x)[i] : ((const uint16_t *)x)[i];
}
template <int BYTES> __device__ __forceinline__ void write_bits(void *x, size_t i, uint32_t bits)
{
    if (BYTES == 4)
        ((uint32_t *)x)[i] = bits;
    else
        ((uint16_t *)x)[i] = (uint16_t)bits;
}
template <int BYTES> __device__ __forceinline__ int32_t key_of(uint32_t bits, key_order order)
{
    return BYTES == 4 ? key_of_32(bits, order) : key_of_16(bits, order);
}

/* The bits of the element with this key. They follow from the key, except for NaN, whose bits are
 * read again. */
template <int BYTES>
__device__ __forceinline__ uint32_t bits_of_key(int32_t key, key_order order, const void *row,
                                                uint32_t index)
{
    if (key < order.lowest)
        return read_bits<BYTES>(row, index);
    return BYTES == 4 ? bits_of_key_32(key, order) : bits_of_key_16(key, order);
}

/* A candidate: the rank above the complement of the index. The larger integer is the better
 * candidate, and of equal ranks the one with the lower index. 0 is an empty entry, because no
 * element has index 2^32 - 1. */
typedef uint64_t candidate;

__device__ __forceinline__ candidate make_candidate(uint32_t rank, uint32_t index)
{
    return (uint64_t)rank << 32 | (uint32_t)~index;
}
__device__ __forceinline__ uint32_t index_of(candidate c)
{
    return ~(uint32_t)c;
}
__device__ __forceinline__ uint32_t rank_of(candidate c)
{
    return (uint32_t)(c >> 32);
}

#endif
