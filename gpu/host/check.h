/* check.h - proves a result on the device from the conditions that every correct result satisfies.
 *
 * A result of stage 1 or exact top-k is correct if
 * - its indices are valid and distinct, and (stage 1) belong to their bucket;
 * - its values are those at its indices;
 * - no element that was left out is better than the worst that was kept of its bucket (of its row).
 *
 * "Better" is numerical: -0 equals +0, and NaN is worse than every value. This shares no code with
 * the kernels. It takes time proportional to m n.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_GPU_CHECK_H
#define RCM_GPU_CHECK_H

#include <gpu/topk_gpu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How often each condition fails, in device memory, and in how many rows. The result is correct if
 * all are 0. */
struct rcm_gpu_verdict {
    uint64_t invalid;   /* indices outside the row */
    uint64_t repeated;  /* indices that occur twice */
    uint64_t misplaced; /* indices of another bucket */
    uint64_t altered;   /* values that differ in a bit from those at their index */
    uint64_t missed;    /* elements left out that are better than one that was kept */

    uint64_t wrong_rows; /* rows of which a condition fails: each once, however many fail */
};

/* The bytes of workspace for m rows of n elements in b buckets; b = 1 for exact top-k. */
size_t rcm_gpu_check_workspace(uint64_t m, uint64_t n, uint64_t b);
enum rcm_gpu_status rcm_gpu_check_stage1(const struct rcm_gpu_stage1 *call,
                                         struct rcm_gpu_verdict *verdict, void *workspace,
                                         rcm_gpu_stream stream);
enum rcm_gpu_status rcm_gpu_check_exact(const struct rcm_gpu_exact *call,
                                        struct rcm_gpu_verdict *verdict, void *workspace,
                                        rcm_gpu_stream stream);

/* Counts for each row how many of the true top k, `exact` (m x k values), are among `kept` (m x
 * count values). Equal values count as often as they occur in both. hits: m integers in device
 * memory, each at most k. */
enum rcm_gpu_status rcm_gpu_count_hits(enum rcm_gpu_dtype dtype, bool smallest, uint64_t m,
                                       const void *exact, uint64_t k, const void *kept,
                                       uint64_t count, uint32_t *hits, rcm_gpu_stream stream);

/* Computes the m x n products of m queries with n elements of d components (a multiple of 8),
 * bfloat16, and sums one component after the other in float32. It is slow. It proves the results of
 * rcm_gpu_fused, on inputs whose sums are exact (inputs.h). */
enum rcm_gpu_status rcm_gpu_multiply(const void *queries, const void *database, uint64_t m,
                                     uint64_t n, uint64_t d, float *products,
                                     rcm_gpu_stream stream);

/* Sets `different`, in device memory, to the number of words that differ among `count` words of 4
 * bytes. */
enum rcm_gpu_status rcm_gpu_count_different(const void *a, const void *b, uint64_t count,
                                            uint64_t *different, rcm_gpu_stream stream);

/* The values at indices, m x k of each; `values` has the dtype of the rows. An index outside the
 * row gives a value whose bits are all 1, a NaN. m and k are at least 1. For results of libraries
 * that give indices alone. */
enum rcm_gpu_status rcm_gpu_gather(const struct rcm_gpu_rows *rows, uint64_t k,
                                   const int32_t *indices, void *values, rcm_gpu_stream stream);

/* Writes `count` indices of 64 bits as 32 bits, count >= 1. One below 0 or above 2^31 - 1 becomes
 * -1. */
enum rcm_gpu_status rcm_gpu_narrow(const int64_t *from, uint64_t count, int32_t *to,
                                   rcm_gpu_stream stream);

/* Sets `out_of_order`, in device memory, to the number of neighbours in m rows of k values of which
 * the later one is better: 0 if each row is sorted, largest first. m and k are at least 1. */
enum rcm_gpu_status rcm_gpu_in_order(enum rcm_gpu_dtype dtype, uint64_t m, uint64_t k,
                                     const void *values, uint64_t *out_of_order,
                                     rcm_gpu_stream stream);

#ifdef __cplusplus
}
#endif

#endif
