/* sample.h - which pieces of a row the sample of exact_radix.cu takes, and which of them is a
 * threshold. It is C too, for tests and for the rows of gpu/host/element.h that mislead the sample.
 * docs/gpu.md 4 derives the bounds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_GPU_SAMPLE_H
#define RCM_GPU_SAMPLE_H

#include <math.h>
#include <stdint.h>

#ifdef __CUDACC__
#define RCM_GPU_SAMPLE static __host__ __device__ __forceinline__
#else
#define RCM_GPU_SAMPLE static inline
#endif

/* ---- places that differ with the row */

/* A bijection of the words of 32 bits, each bit of which depends on all bits of x. */
RCM_GPU_SAMPLE uint32_t rcm_gpu_sample_mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* The seed of a sample. Those of two rows, calls or attempts are as if independent. */
RCM_GPU_SAMPLE uint32_t rcm_gpu_sample_seed(uint32_t call_seed, uint64_t row, uint32_t attempt)
{
    const uint32_t call = rcm_gpu_sample_mixed(call_seed + attempt * 0x9e3779b9u);
    return rcm_gpu_sample_mixed(rcm_gpu_sample_mixed(call ^ (uint32_t)row) ^ (uint32_t)(row >> 32));
}

/* Chunk j of a sample of C = 2^log2_chunks chunks, log2_chunks = 1 .. 31: its place among the
 * whole chunks of the row, 0 .. whole - 1. The row is cut into C equal pieces, at fractions of a
 * chunk where C does not divide `whole`. The chunk with a random point of piece j is taken. So each
 * chunk is expected C/whole times in the sample, but for a relative error of whole / 2^32, and the
 * places are independent. */
RCM_GPU_SAMPLE uint32_t rcm_gpu_sample_place(uint32_t j, uint32_t log2_chunks, uint32_t whole,
                                             uint32_t seed)
{
    const uint32_t in_piece = rcm_gpu_sample_mixed(seed + j * 0x9e3779b9u) >> log2_chunks,
                   point = j << (32 - log2_chunks) | in_piece;
    return (uint32_t)((uint64_t)point * whole >> 32);
}

/* ---- thresholds
 *
 * V elements are a chunk. Of a set of elements of a fixed row, the sample has X, of which X/V has a
 * mean of m or less. Chernoff: X/V reaches y > m with a probability of at most exp(-d(y, m)), and
 * is y < m or less with at most exp(-d(y, m)) if the mean is m or more, with
 *
 *     d(y, m) = m - y + y ln(y/m).
 *
 * d is convex in y and in m, so a step of Newton from the side of the root that it starts on lands
 * behind the root, seen from m: each is a bound. Single precision serves, on the host too. */

/* -ln of the risk that fewer than k elements reach the threshold: one in 30,000. */
#define RCM_GPU_SAMPLE_FEW 10.31f
/* -ln of the risk that more elements lie above it than rcm_gpu_sample_most() says: one in 400. */
#define RCM_GPU_SAMPLE_MANY 6.0f

/* y on the side of `start` of m where d(y, m) is `risk` or, beyond the root, a little more. */
RCM_GPU_SAMPLE float rcm_gpu_sample_bound(float m, float start, float risk)
{
    float y = start;
    for (int step = 0; step < 2; step++)
        y = (y + risk - m) / logf(y / m);
    return y;
}

/* The rank in the sample, from the largest (1), of a threshold that at least k elements of a row
 * of n reach, but for one row in 30,000; 0 if the sample of C chunks is too small for one.
 * 1 <= k <= n, n > 2 V: the 2 (V - 1) elements at the ends may not be in a whole chunk. */
RCM_GPU_SAMPLE uint32_t rcm_gpu_sample_rank(uint32_t n, uint32_t k, uint32_t chunks, uint32_t v)
{
    const float risk = RCM_GPU_SAMPLE_FEW, third = risk / 3.0f,
                m = (float)k * (float)chunks / (float)(n - 2 * v),
                start = m + third + sqrtf(third * third + 2.0f * m * risk),
                rank = ceilf((float)v * rcm_gpu_sample_bound(m, start, risk));
    return rank > (float)(chunks * v) ? 0 : (uint32_t)rank;
}

/* The rank of a threshold that at most k elements reach, but for one row in 30,000: those are
 * among the k largest without a further look. 0 where it would be too low to gain anything. */
RCM_GPU_SAMPLE uint32_t rcm_gpu_sample_rank_inside(uint32_t n, uint32_t k, uint32_t chunks,
                                                   uint32_t v)
{
    const float risk = RCM_GPU_SAMPLE_FEW,
                m = ((float)k - 2.0f * (float)v) * (float)chunks / (float)n,
                start = m - sqrtf(2.0f * fmaxf(m, 0.0f) * risk);
    return start > 0.0f ? (uint32_t)((float)v * rcm_gpu_sample_bound(m, start, risk)) + 1 : 0;
}

/* So many elements of a row of n lie above the threshold of a rank >= 1 at most, but for one row in
 * 400; n or less. */
RCM_GPU_SAMPLE uint32_t rcm_gpu_sample_most(uint32_t n, uint32_t rank, uint32_t chunks, uint32_t v)
{
    const float risk = RCM_GPU_SAMPLE_MANY, y = (float)rank / (float)v,
                start = y + risk + sqrtf(risk * (risk + 2.0f * y)),
                m = start * (y * logf(start / y) + risk) / (start - y),
                most = m / (float)chunks * (float)n + 2.0f * (float)v;
    return most < (float)n ? (uint32_t)most : n;
}

#endif
