/* fused.cuh - stage 1 of products that are never written.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_FUSED_CUH
#define RCM_FUSED_CUH

#include "stage1.cuh"

struct fused_args {
    const unsigned char *queries, *database;
    uint32_t d;
    stage1_args out; /* m, n, b, k_b; where candidates go; of x nothing is used */
};

/* How it is launched. */
struct fused_plan {
    uint32_t replicas; /* v: the kernel sees b v buckets, and each v of them are merged after it */
    uint32_t warps, stages;
    uint32_t query_tiles, strips;
    size_t shared_bytes, workspace_bytes;
};

/* RCM_GPU_BAD_TYPE if a block of this device cannot hold it. */
enum rcm_gpu_status plan_fused(const fused_args &a, const device_limits &device, fused_plan *plan);
enum rcm_gpu_status stage1_fused(const fused_args &a, const fused_plan &plan, void *workspace,
                                 rcm_gpu_stream stream);

#endif
