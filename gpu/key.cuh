/* key.cuh - integers whose order is the order of the values, with NaN at the bottom.
 *
 * Bits of a float, the lower ones flipped where the sign is set, are a signed integer k in the
 * order of the values, but for NaN: those with a clear sign are above +inf (k = INF). Adding d =
 * MAX - INF moves +inf to the largest integer and wraps them round to the bottom, below -inf (INF
 * is the integer of +inf, MAX the largest of the type; -inf comes to -INF - 1 + d, and the NaN with
 * the sign set, which were below it, stay there). Smallest first is the order of ~k = -k - 1,
 * symmetric in all this. So key = scale * k + offset,    largest: scale 1, offset d;    smallest:
 * scale -1, offset d - 1, modulo the type's width: one multiply-add, off the comparison unit. NaN
 * costs nothing, and every other step is an integer's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_KEY_CUH
#define RCM_KEY_CUH

#include "cuda.cuh"

struct key_order {
    int32_t scale, offset;
    int32_t lowest; /* key of the last value that is not NaN */
};

inline key_order key_order_of(enum rcm_gpu_dtype dtype, bool smallest)
{
    int32_t infinity = dtype == RCM_GPU_F32 ? 0x7f800000 : dtype == RCM_GPU_BF16 ? 0x7f80 : 0x7c00;
    int32_t d = (dtype == RCM_GPU_F32 ? 0x7fffffff : 0x7fff) - infinity;
    return {smallest ? -1 : 1, smallest ? d - 1 : d, d - 1 - infinity};
}

/* Everything here computes modulo 2^32, so in unsigned integers. */
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

/* Two 16-bit elements of a word as signed integers in the order of the values, NaN not yet moved.
 */
__device__ __forceinline__ uint32_t signed_pair(uint32_t word)
{
#ifdef __CUDA_ARCH__
    uint32_t signs; /* 0xffff in each half whose sign is set */
    asm("prmt.b32 %0, %1, 0, 0xBB99;" : "=r"(signs) : "r"(word));
#else
    uint32_t signs = (word >> 31) * 0xffff0000u | ((word >> 15) & 1) * 0xffffu;
#endif
    return word ^ (signs & 0x7fff7fffu);
}

/* Key of a 16-bit element in the upper half, `low` (the lower half) below it: from the lower or
 * upper half of a signed_pair. */
__device__ __forceinline__ int32_t packed_key_low(uint32_t pair, int32_t scale_16,
                                                  int32_t offset_low)
{
    return multiply_add((int32_t)pair, scale_16,
                        offset_low); /* scale_16 = scale << 16: the upper half leaves the word */
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

/* The same as an unsigned integer of the type's width. */
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

/* The element behind a key: its bits follow from the key, but a NaN's, which are read again. */
template <int BYTES>
__device__ __forceinline__ uint32_t bits_of_key(int32_t key, key_order order, const void *row,
                                                uint32_t index)
{
    if (key < order.lowest)
        return read_bits<BYTES>(row, index);
    return BYTES == 4 ? bits_of_key_32(key, order) : bits_of_key_16(key, order);
}

/* ---- a candidate: rank above, complement of the index below, so that the larger integer is the
 * better one, ties to the lower index */

typedef uint64_t candidate; /* 0: empty; no element has index 2^32 - 1 */

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
