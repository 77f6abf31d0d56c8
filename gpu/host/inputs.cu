/* inputs.cu - rows to measure on: see inputs.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "inputs.h"

#include <math.h>

#include <gpu/kernels/cuda.cuh>

namespace
{

constexpr unsigned block_threads = 256, blocks_most = 4096;

/* The finaliser of splitmix64. */
__device__ __forceinline__ uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

__device__ __forceinline__ uint64_t random_at(uint64_t seed, uint64_t i)
{
    return mixed(mixed(seed + 0x9e3779b97f4a7c15ull) + i * 0x9e3779b97f4a7c15ull);
}

/* A normal by the method of Box and Muller. */
__device__ __forceinline__ float normal_of(uint64_t random)
{
    float u = ((float)(uint32_t)(random >> 32) + 1.0f) * 0x1p-32f,
          v = (float)(uint32_t)random * 0x1p-32f;
    return sqrtf(-2.0f * logf(u)) * cosf(6.2831853f * v);
}

__device__ __forceinline__ uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The bits of the nearest value of the type, ties to even. Not for NaN. */
__device__ __forceinline__ uint32_t rounded(float value, enum rcm_gpu_dtype dtype)
{
    uint32_t bits = bits_of_float(value);
    if (dtype == RCM_GPU_F32)
        return bits;
    if (dtype == RCM_GPU_BF16)
        return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude >= 0x477ff000) /* 65520: rounds to infinity */
        return sign | 0x7c00;
    if (magnitude < 0x38800000) { /* below 2^-14: a multiple of 2^-24; the addition rounds */
        float shifted = fabsf(value) + 0.5f;
        return sign | (bits_of_float(shifted) - bits_of_float(0.5f));
    }
    magnitude += 0xfff + (magnitude >> 13 & 1);
    return sign | ((magnitude >> 13) - (112 << 10));
}

__device__ __forceinline__ uint32_t element_bits(enum rcm_gpu_dtype dtype, enum rcm_gpu_input input,
                                                 uint64_t seed, uint64_t at, uint64_t n)
{
    const uint64_t random = random_at(seed, at), i = at % n;
    switch (input) {
    case RCM_GPU_INPUT_EQUAL:
        return rounded(1.5f, dtype);
    case RCM_GPU_INPUT_FEW:
        return rounded((float)(random % 16) - 8.0f, dtype);
    case RCM_GPU_INPUT_RISING:
        return rounded((float)i / (float)n, dtype);
    case RCM_GPU_INPUT_FALLING:
        return rounded((float)(n - i) / (float)n, dtype);
    case RCM_GPU_INPUT_LEADING_BITS:
        return rounded(1.0f, dtype) + (uint32_t)random % (dtype == RCM_GPU_F32 ? 256 : 16);
    case RCM_GPU_INPUT_MASKED_10:
        return rounded(random % 10 == 0 ? -INFINITY : normal_of(mixed(random)), dtype);
    case RCM_GPU_INPUT_MASKED_100:
        return rounded(-INFINITY, dtype);
    default:
        return rounded(normal_of(random), dtype);
    }
}

__global__ void __launch_bounds__(block_threads)
    fill(enum rcm_gpu_dtype dtype, enum rcm_gpu_input input, uint64_t count, uint64_t n,
         uint64_t seed, void *x)
{
    for (uint64_t i = (uint64_t)blockIdx.x * block_threads + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * block_threads) {
        uint32_t bits = element_bits(dtype, input, seed, i, n);
        if (dtype == RCM_GPU_F32)
            ((uint32_t *)x)[i] = bits;
        else
            ((uint16_t *)x)[i] = (uint16_t)bits;
    }
}

__global__ void __launch_bounds__(block_threads)
    fill_vectors(uint64_t count, uint64_t seed, uint16_t *x)
{
    for (uint64_t i = (uint64_t)blockIdx.x * block_threads + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * block_threads) {
        float sixteenths = rintf(16.0f * normal_of(random_at(seed, i)));
        x[i] = (uint16_t)rounded(fminf(fmaxf(sixteenths, -128.0f), 128.0f) / 16.0f, RCM_GPU_BF16);
    }
}

launch launch_for(uint64_t count, rcm_gpu_stream stream)
{
    return {
        (unsigned)smaller_of<uint64_t>(ceil_divide<uint64_t>(count, block_threads), blocks_most),
        block_threads, 0, 1, stream};
}

} // namespace

const char *rcm_gpu_input_name(enum rcm_gpu_input input)
{
    static const char *const names[RCM_GPU_INPUTS] = {
        "normal", "equal", "few", "rising", "falling", "leading-bits", "masked-10", "masked-100"};
    return (unsigned)input < RCM_GPU_INPUTS ? names[input] : nullptr;
}

enum rcm_gpu_status rcm_gpu_fill(enum rcm_gpu_dtype dtype, enum rcm_gpu_input input, uint64_t m,
                                 uint64_t n, uint64_t seed, void *x, rcm_gpu_stream stream)
{
    return run(launch_for(m * n, stream), fill, dtype, input, m * n, n, seed, x);
}

enum rcm_gpu_status rcm_gpu_fill_vectors(uint64_t count, uint64_t seed, void *x,
                                         rcm_gpu_stream stream)
{
    return run(launch_for(count, stream), fill_vectors, count, seed, (uint16_t *)x);
}
