/* sample.h - which pieces of a row the sample of exact_radix.cu takes. It is C too, for the rows of
 * gpu/host/element.h that mislead the sample.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_GPU_SAMPLE_H
#define RCM_GPU_SAMPLE_H

#include <stdint.h>

#ifdef __CUDACC__
#define RCM_GPU_SAMPLE static __host__ __device__ __forceinline__
#else
#define RCM_GPU_SAMPLE static inline
#endif

/* A row is chunks of 16 bytes at multiples of 16, of which the first and the last may not be whole.
 * The others are as many equal runs as the sample has chunks, and perhaps some that are left over:
 * so long is a run, 1 or more. */
RCM_GPU_SAMPLE uint32_t rcm_gpu_sample_run(uint32_t chunks_of_row, uint32_t chunks_of_sample)
{
    return (chunks_of_row - 2) / chunks_of_sample;
}

/* The chunk of the row that is chunk j of the sample: one of run j. */
RCM_GPU_SAMPLE uint32_t rcm_gpu_sample_chunk(uint32_t j, uint32_t run)
{
    const uint32_t hash = j * 2654435769u;
    return 1 + j * run + (uint32_t)((uint64_t)hash * run >> 32);
}

#endif
