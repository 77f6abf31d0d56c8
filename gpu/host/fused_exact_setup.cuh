/* fused_exact_setup.cuh - a call of exact top-k of products, ready to launch.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_FUSED_EXACT_SETUP_CUH
#define RCM_FUSED_EXACT_SETUP_CUH

#include <gpu/products/fused_exact.cuh>

#include "exact_setup.cuh"

struct fused_exact_setup {
    fused_exact_args args;
    fused_exact_plan plan;
    exact_setup of_sample, of_lists;
    size_t workspace_bytes;
};

/* Checks the call, whose vectors and m, n and d were checked before, but not its outputs. */
enum rcm_gpu_status set_up(const struct rcm_gpu_fused *call, fused_exact_setup *to);
enum rcm_gpu_status start(fused_exact_setup s, void *workspace, rcm_gpu_stream stream);

#endif
