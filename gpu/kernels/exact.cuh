/* exact.cuh - what the exact top-k kernels share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EXACT_CUH
#define RCM_EXACT_CUH

#include "block.cuh"

struct exact_args {
    const unsigned char *x;
    const int32_t *labels; /* with the stride of the rows; NULL: positions are written */
    void *values;
    int32_t *indices;
    uint64_t m, stride;
    uint32_t n, k;
    key_order order;
    bool bfloat;
    uint32_t *reread; /* NULL, or what counts the rows that the sample of `radix` missed */
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

/* Gives places, in the order of positions, to the elements that are taken for sure and to the first
 * `quota` ties. All threads of a block call take() for consecutive groups of elements. */
template <int THREADS> struct ordered_places {
    uint32_t next_place, ties, quota; /* ties: those that came before */

    /* Bit e of `sure` and `tie`: element e < G of this thread. Calls write(e, place) for those that
     * are taken. */
    template <int G, class Write>
    __device__ __forceinline__ void take(uint32_t sure, uint32_t tie, void *temporary, Write write)
    {
        const uint32_t count = (uint32_t)__popc(sure) << 16 | (uint32_t)__popc(tie);
        uint32_t total, before = block_sum_before<THREADS>(count, total, temporary);
        uint32_t place = next_place + (before >> 16), ties_before = ties + (before & 0xffffu);
#pragma unroll
        for (int e = 0; e < G; e++) {
            const bool is_sure = sure >> e & 1, is_tie = tie >> e & 1;
            if (is_sure || (is_tie && ties_before < quota))
                write(e, place + smaller_of(ties_before, quota));
            place += is_sure;
            ties_before += is_tie;
        }
        next_place += total >> 16;
        ties += total & 0xffffu;
        __syncthreads();
    }
};

enum rcm_gpu_status exact_radix(const exact_args &a, int bytes, const exact_options &options,
                                const device_limits &device, rcm_gpu_stream stream);
enum rcm_gpu_status exact_histogram(const exact_args &a, int bytes, const exact_options &options,
                                    rcm_gpu_stream stream);
enum rcm_gpu_status exact_sort_workspace(const exact_args &a, int bytes, size_t *workspace_bytes);
enum rcm_gpu_status exact_sort(const exact_args &a, int bytes, void *workspace,
                               size_t workspace_bytes, rcm_gpu_stream stream);

#endif
