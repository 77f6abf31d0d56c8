/* exact_short.cuh - the elements of a short row, in the registers of the threads of a block.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EXACT_SHORT_CUH
#define RCM_EXACT_SHORT_CUH

#include "exact.cuh"

/* The value of a float16, which is exact as a float32. */
__device__ __forceinline__ uint32_t float_bits_of_half(uint32_t bits)
{
#ifdef __CUDA_ARCH__
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"((unsigned short)bits));
    return __float_as_uint(value);
#else
    const uint32_t sign = (bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
    if (magnitude >= 0x7c00u)
        return sign | 0x7f800000u | (magnitude & 0x3ffu) << 13;
    return sign | __float_as_uint(ldexpf(__uint_as_float(magnitude << 13), 112));
#endif
}

/* The order of float32, with NaN where their bits are. */
constexpr key_order order_of_bits = {1, 0, 0};

/* The row of a block: ROUNDS vectors of 16 bytes a thread. */
template <int BYTES, int THREADS, int ROUNDS, class Args> struct short_elements {
    static constexpr uint32_t V = 16 / BYTES, E = ROUNDS * V;

    const Args a;
    const uint32_t row, warp, lane, rounds; /* that the row needs */
    uint32_t words[ROUNDS][4];

    __device__ __forceinline__ explicit short_elements(const Args &args)
        : a(args), row(blockIdx.x), warp(threadIdx.x / 32), lane(threadIdx.x % 32),
          rounds(ceil_divide(a.n, V * THREADS))
    {
    }

    /* Element e of this thread. Vectors are in the order of (warp, round, lane). */
    __device__ __forceinline__ uint32_t position(uint32_t e) const
    {
        return ((warp * rounds + e / V) * 32 + lane) * V + e % V;
    }
    __device__ __forceinline__ uint32_t bits(uint32_t e) const
    {
        return BYTES == 4 ? words[e / V][e % V] : words[e / V][e % V / 2] >> (e % 2 * 16) & 0xffffu;
    }
    __device__ __forceinline__ int32_t key(uint32_t e) const
    {
        return key_of<BYTES>(bits(e), a.order);
    }
    __device__ __forceinline__ float value(uint32_t e) const
    {
        return __uint_as_float(BYTES == 4 ? bits(e)
                               : a.bfloat ? bits(e) << 16
                                          : float_bits_of_half(bits(e)));
    }

    /* Returns a bit for each element that the row has. */
    __device__ __forceinline__ uint32_t load()
    {
        const unsigned char *x = a.x + row * a.stride * BYTES;
        const bool aligned = (uintptr_t)x % 16 == 0;
        uint32_t found = 0;
#pragma unroll
        for (uint32_t r = 0; r < ROUNDS; r++) {
            const uint32_t first = position(r * V);
            const uint32_t count = r < rounds && first < a.n ? smaller_of(a.n - first, V) : 0;
            found |= ((1u << count) - 1) << r * V;
            if (aligned && count == V) {
                load_16(x + (size_t)first * BYTES, words[r]);
            } else {
#pragma unroll
                for (uint32_t w = 0; w < 4; w++)
                    words[r][w] = 0;
#pragma unroll
                for (uint32_t e = 0; e < V; e++)
                    if (e < count)
                        words[r][e * BYTES / 4] |= read_bits<BYTES>(x, first + e)
                                                   << (e * BYTES % 4 * 8);
            }
        }
        return found;
    }
};

#endif
