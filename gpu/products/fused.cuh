/* fused.cuh - stage 1 of products that never reach memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_FUSED_CUH
#define RCM_FUSED_CUH

#include <gpu/kernels/stage1.cuh>

struct fused_args {
    const unsigned char *queries, *database;
    uint32_t d;
    stage1_args out; /* m, n, b, k_b, and where candidates go; x and stride are not used */
};

/* How it is launched. */
struct fused_plan {
    bool wide;         /* do warpgroups multiply? (matrix.cuh) */
    uint32_t replicas; /* v: the kernel works on b v buckets; a second one merges each v of them */
    uint32_t warps, stages;
    uint32_t query_tiles, parts; /* of the queries, of the strips of 8 buckets */
    uint32_t strips;             /* of a part, or less */
    size_t shared_bytes, workspace_bytes;
};

/* RCM_GPU_BAD_TYPE if a block of this device cannot hold the queues and tiles. */
enum rcm_gpu_status plan_fused(const fused_args &a, const device_limits &device, fused_plan *plan);
enum rcm_gpu_status stage1_fused(const fused_args &a, const fused_plan &plan, void *workspace,
                                 rcm_gpu_stream stream);

#endif
