/* inputs.cu - rows to measure on: see inputs.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "inputs.h"

#include <math.h>

#include <gpu/kernels/cuda.cuh>

#define RCM_GPU_ELEMENT static __device__ __forceinline__
#include "element.h"

namespace
{

constexpr unsigned block_threads = 256, blocks_most = 4096;

__global__ void __launch_bounds__(block_threads)
    fill(enum rcm_gpu_dtype dtype, enum rcm_gpu_input input, uint64_t count, uint64_t n,
         uint64_t seed, void *x)
{
    for (uint64_t i = (uint64_t)blockIdx.x * block_threads + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * block_threads) {
        uint32_t bits = rcm_gpu_element_bits(dtype, input, seed, i, n);
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
        float sixteenths = rintf(16.0f * rcm_gpu_normal_of(rcm_gpu_random_at(seed, i)));
        x[i] = (uint16_t)rcm_gpu_rounded(fminf(fmaxf(sixteenths, -128.0f), 128.0f) / 16.0f,
                                         RCM_GPU_BF16);
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
    return rcm_gpu_element_name(input);
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
