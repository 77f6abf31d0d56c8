/* exact.cuh - what the exact top-k kernels share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EXACT_CUH
#define RCM_EXACT_CUH

#include "key.cuh"

struct exact_args {
    const unsigned char *x;
    const int32_t *labels; /* with the rows' stride; NULL: positions */
    void *values;
    int32_t *indices;
    uint64_t m, stride;
    uint32_t n, k;
    key_order order;
    bool bfloat;
};

struct exact_options {
    unsigned bits, unroll;
    bool binary_search, deterministic;
};

template <int BYTES>
__device__ __forceinline__ void write_result(const exact_args &a, uint64_t row, uint32_t place,
                                             uint32_t bits, uint32_t index)
{
    size_t at = row * a.k + place;
    write_bits<BYTES>(a.values, at, bits);
    a.indices[at] = a.labels ? a.labels[row * a.stride + index] : (int32_t)index;
}

enum rcm_gpu_status exact_radix(const exact_args &a, int bytes, const exact_options &options,
                                const device_limits &device, rcm_gpu_stream stream);
enum rcm_gpu_status exact_histogram(const exact_args &a, int bytes, const exact_options &options,
                                    rcm_gpu_stream stream);
enum rcm_gpu_status exact_sort_workspace(const exact_args &a, int bytes, size_t *workspace_bytes);
enum rcm_gpu_status exact_sort(const exact_args &a, int bytes, void *workspace,
                               size_t workspace_bytes, rcm_gpu_stream stream);

#endif
