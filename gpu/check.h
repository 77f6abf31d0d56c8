/* check.h - proves a result on the device, by other means than it was made with: by what a result
 * must satisfy.
 *
 * A stage 1 or exact top-k result is right if its indices are valid, distinct and (stage 1) of
 * their bucket, its values are those at its indices, and no element that was left out is better
 * than the worst that was kept of its bucket (of its row). Better is numerical: -0 equals +0, NaN
 * is worse than everything. Nothing here shares code with the kernels; it takes time proportional
 * to m n.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_GPU_CHECK_H
#define RCM_GPU_CHECK_H

#include "topk_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How often each thing was found wrong; all 0 is the proof. On the device. */
struct rcm_gpu_verdict {
    uint64_t invalid;   /* indices outside the row */
    uint64_t repeated;  /* indices that came before */
    uint64_t misplaced; /* indices of another bucket */
    uint64_t altered;   /* values that are not those at their index, bit for bit */
    uint64_t missed;    /* elements left out that are better than one kept */
};

/* Bytes of workspace to check m rows of n elements in b buckets; b = 1 for exact top-k. */
size_t rcm_gpu_check_workspace(uint64_t m, uint64_t n, uint64_t b);
enum rcm_gpu_status rcm_gpu_check_stage1(const struct rcm_gpu_stage1 *call,
                                         struct rcm_gpu_verdict *verdict, void *workspace,
                                         rcm_gpu_stream stream);
enum rcm_gpu_status rcm_gpu_check_exact(const struct rcm_gpu_exact *call,
                                        struct rcm_gpu_verdict *verdict, void *workspace,
                                        rcm_gpu_stream stream);

/* Recall by value of each row: how many of the true top k, `exact` (m x k values), are among `kept`
 * (m x count values), counting equal values as often as they occur. hits: m integers of the device,
 * each at most k. */
enum rcm_gpu_status rcm_gpu_count_hits(enum rcm_gpu_dtype dtype, bool smallest, uint64_t m,
                                       const void *exact, uint64_t k, const void *kept,
                                       uint64_t count, uint32_t *hits, rcm_gpu_stream stream);

/* The products of m queries with n elements of d components (a multiple of 8), bfloat16, one after
 * the other in float32: m x n. Slow; for the proof of what is fused, on inputs whose sums are exact
 * (inputs.h). */
enum rcm_gpu_status rcm_gpu_multiply(const void *queries, const void *database, uint64_t m,
                                     uint64_t n, uint64_t d, float *products,
                                     rcm_gpu_stream stream);

/* How many of `count` 4-byte words differ; to the device. */
enum rcm_gpu_status rcm_gpu_count_different(const void *a, const void *b, uint64_t count,
                                            uint64_t *different, rcm_gpu_stream stream);

#ifdef __cplusplus
}
#endif

#endif
