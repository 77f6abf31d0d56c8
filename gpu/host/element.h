/* element.h - the elements of the rows of inputs.h: one source for kernels, and for C on a CPU. A
 * value depends on (seed, position) only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_GPU_ELEMENT_H
#define RCM_GPU_ELEMENT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "inputs.h"

/* Before each function; inputs.cu makes them functions of the device. */
#ifndef RCM_GPU_ELEMENT
#define RCM_GPU_ELEMENT static inline
#endif

/* NULL past the last. */
static inline const char *rcm_gpu_element_name(unsigned input)
{
    static const char *const names[RCM_GPU_INPUTS] = {
        "normal", "equal", "few", "rising", "falling", "leading-bits", "masked-10", "masked-100"};
    return input < RCM_GPU_INPUTS ? names[input] : NULL;
}

/* The finaliser of splitmix64. */
RCM_GPU_ELEMENT uint64_t rcm_gpu_mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

RCM_GPU_ELEMENT uint64_t rcm_gpu_random_at(uint64_t seed, uint64_t i)
{
    return rcm_gpu_mixed(rcm_gpu_mixed(seed + 0x9e3779b97f4a7c15ull) + i * 0x9e3779b97f4a7c15ull);
}

/* A normal by the method of Box and Muller. */
RCM_GPU_ELEMENT float rcm_gpu_normal_of(uint64_t random)
{
    float u = ((float)(uint32_t)(random >> 32) + 1.0f) * 0x1p-32f,
          v = (float)(uint32_t)random * 0x1p-32f;
    return sqrtf(-2.0f * logf(u)) * cosf(6.2831853f * v);
}

RCM_GPU_ELEMENT uint32_t rcm_gpu_bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The bits of the nearest value of the type, ties to even. Not for NaN. */
RCM_GPU_ELEMENT uint32_t rcm_gpu_rounded(float value, enum rcm_gpu_dtype dtype)
{
    uint32_t bits = rcm_gpu_bits_of_float(value);
    if (dtype == RCM_GPU_F32)
        return bits;
    if (dtype == RCM_GPU_BF16)
        return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude >= 0x477ff000) /* 65520: rounds to infinity */
        return sign | 0x7c00;
    if (magnitude < 0x38800000) { /* below 2^-14: a multiple of 2^-24; the addition rounds */
        float shifted = fabsf(value) + 0.5f;
        return sign | (rcm_gpu_bits_of_float(shifted) - rcm_gpu_bits_of_float(0.5f));
    }
    magnitude += 0xfff + (magnitude >> 13 & 1);
    return sign | ((magnitude >> 13) - (112 << 10));
}

/* Element i of row r of rows of n, at = r n + i, as a float; not for RCM_GPU_INPUT_LEADING_BITS. */
RCM_GPU_ELEMENT float rcm_gpu_element_value(enum rcm_gpu_input input, uint64_t seed, uint64_t at,
                                            uint64_t n)
{
    const uint64_t random = rcm_gpu_random_at(seed, at), i = at % n;
    switch (input) {
    case RCM_GPU_INPUT_EQUAL:
        return 1.5f;
    case RCM_GPU_INPUT_FEW:
        return (float)(random % 16) - 8.0f;
    case RCM_GPU_INPUT_RISING:
        return (float)i / (float)n;
    case RCM_GPU_INPUT_FALLING:
        return (float)(n - i) / (float)n;
    case RCM_GPU_INPUT_MASKED_10:
        return random % 10 == 0 ? -INFINITY : rcm_gpu_normal_of(rcm_gpu_mixed(random));
    case RCM_GPU_INPUT_MASKED_100:
        return -INFINITY;
    default:
        return rcm_gpu_normal_of(random);
    }
}

/* The same as bits of a type of the GPU, for every input. */
RCM_GPU_ELEMENT uint32_t rcm_gpu_element_bits(enum rcm_gpu_dtype dtype, enum rcm_gpu_input input,
                                              uint64_t seed, uint64_t at, uint64_t n)
{
    if (input == RCM_GPU_INPUT_LEADING_BITS)
        return rcm_gpu_rounded(1.0f, dtype) +
               (uint32_t)rcm_gpu_random_at(seed, at) % (dtype == RCM_GPU_F32 ? 256 : 16);
    return rcm_gpu_rounded(rcm_gpu_element_value(input, seed, at, n), dtype);
}

#endif
