/* exact_setup.cuh - a call of exact top-k, ready to launch, alone or as stage 2; and what all calls
 * check of their rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EXACT_SETUP_CUH
#define RCM_EXACT_SETUP_CUH

#include <gpu/kernels/exact.cuh>

constexpr uint64_t n_max = INT32_MAX;

enum rcm_gpu_status check_rows(const struct rcm_gpu_rows &rows);

inline uint64_t stride_of(const struct rcm_gpu_rows &rows)
{
    return rows.stride ? rows.stride : rows.n;
}

inline row_extents extents_of(const int32_t *lengths, const int32_t *starts, uint64_t n)
{
    return {lengths, starts, (uint32_t)n};
}

struct exact_setup {
    general_args args;
    int bytes;
    enum rcm_gpu_exact_kernel kernel;
    exact_options options;
    device_limits device;
    bool orders; /* are the results put into order after the kernel? */
    size_t unordered_bytes, order_bytes, kernel_bytes, workspace_bytes;
};

/* Checks the call, but not its outputs. */
enum rcm_gpu_status set_up(const struct rcm_gpu_exact *call, exact_setup *to);
enum rcm_gpu_status start(const exact_setup &s, void *workspace, rcm_gpu_stream stream);

#endif
