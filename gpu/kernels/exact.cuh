/* exact.cuh - what the exact top-k kernels share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EXACT_CUH
#define RCM_EXACT_CUH

#include "block.cuh"
#include "extent.cuh"

struct exact_args {
    const unsigned char *x;
    const int32_t *labels; /* with the stride of the rows; NULL: positions are written */
    void *values;
    void *indices;
    uint64_t m, stride;
    uint32_t n, k;
    key_order order;
    bool bfloat;
    uint32_t *reread; /* NULL, or what counts the rows that the sample of `radix` missed */
};

/* All that a call may want. Kernels for exact_args alone are compiled apart, so that a plain call
 * pays for none of it. */
struct general_args : exact_args {
    bool general;         /* is any of this asked for? */
    bool overlaps;        /* may the kernel begin before the last one has ended? Not all do. */
    uint32_t pitch;       /* results of a row in the output: the k of the call */
    candidate *unordered; /* NULL, or where results are left for exact_order() */
    bool wide;            /* an index has 8 bytes, not 4 */
    row_extents extents;
    bool of_candidates; /* do rows begin at 0, whatever their extents say? */
    int64_t fill;
    uint32_t fill_bits;   /* of the value behind the last element of a short row */
    const int32_t *pages; /* NULL, or the page table of each row, `pages_stride` apart */
    uint64_t pages_stride;
    unsigned page_bits; /* a page has 1 << page_bits positions */
};

/* The call as the blocks of a row of a general call see it: n and k are those of the row. */
template <int BYTES>
__device__ __forceinline__ general_args args_of_row(const general_args &of_all, uint64_t row)
{
    general_args a = of_all;
    const extent e = a.extents.of(row);
    a.n = smaller_of(e.length, a.n);
    a.k = smaller_of(a.k, a.n);
    if (!a.of_candidates) {
        a.x += (size_t)e.start * BYTES;
        a.labels += a.labels ? e.start : 0;
    }
    return a;
}

struct exact_options {
    unsigned bits, unroll;
    uint32_t seed;
    bool binary_search, deterministic;
};

template <int BYTES>
__device__ __forceinline__ candidate candidate_of(const exact_args &a, uint32_t bits, int32_t label)
{
    return make_candidate(rank_of_key<BYTES>(key_of<BYTES>(bits, a.order)), (uint32_t)label);
}

/* Writes a result of a general call, or what stands behind the last one, into the output. */
template <int BYTES>
__device__ __forceinline__ void write_output(const general_args &a, size_t at, uint32_t bits,
                                             int64_t index)
{
    if (a.values)
        write_bits<BYTES>(a.values, at, bits);
    if (a.wide)
        ((int64_t *)a.indices)[at] = index;
    else
        ((int32_t *)a.indices)[at] = (int32_t)index;
}

/* Writes the element with this position or label, which goes through the page table of its row. */
template <int BYTES>
__device__ __forceinline__ void write_element(const general_args &a, uint64_t row, uint32_t place,
                                              uint32_t bits, int32_t label)
{
    int64_t index = label;
    if (a.pages) {
        const int32_t page = a.pages[row * a.pages_stride + ((uint32_t)label >> a.page_bits)];
        index = page * ((int64_t)1 << a.page_bits) + (label & ((1 << a.page_bits) - 1));
    }
    write_output<BYTES>(a, row * a.pitch + place, bits, index);
}
/* Writes a result whose index, or label, is known. */
template <int BYTES>
__device__ __forceinline__ void write_labelled(const general_args &a, uint64_t row, uint32_t place,
                                               uint32_t bits, int32_t label)
{
    if (a.unordered)
        a.unordered[row * a.pitch + place] = candidate_of<BYTES>(a, bits, label);
    else
        write_element<BYTES>(a, row, place, bits, label);
}
template <int BYTES>
__device__ __forceinline__ void write_labelled(const exact_args &a, uint64_t row, uint32_t place,
                                               uint32_t bits, int32_t label)
{
    const size_t at = row * a.k + place;
    write_bits<BYTES>(a.values, at, bits);
    ((int32_t *)a.indices)[at] = label;
}
template <int BYTES, class Args>
__device__ __forceinline__ void write_result(const Args &a, uint64_t row, uint32_t place,
                                             uint32_t bits, uint32_t index)
{
    write_labelled<BYTES>(a, row, place, bits,
                          a.labels ? a.labels[row * a.stride + index] : (int32_t)index);
}

/* Writes what stands behind the last element of a row that has fewer than k. All threads of a block
 * call it. */
template <int BYTES> __device__ __forceinline__ void write_rest(const general_args &a, uint64_t row)
{
    for (uint32_t place = a.k + threadIdx.x; place < a.pitch; place += blockDim.x)
        if (a.unordered)
            a.unordered[row * a.pitch + place] = 0;
        else
            write_output<BYTES>(a, row * a.pitch + place, a.fill_bits, a.fill);
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

enum rcm_gpu_status exact_radix_workspace(const general_args &a, int bytes,
                                          const exact_options &options, const device_limits &device,
                                          size_t *workspace_bytes);
enum rcm_gpu_status exact_radix(const general_args &a, int bytes, const exact_options &options,
                                const device_limits &device, void *workspace,
                                rcm_gpu_stream stream);
/* Rows of up to exact_short_most elements. It writes in the order of positions. */
constexpr uint32_t exact_short_most = 4096;
enum rcm_gpu_status exact_short(const general_args &a, int bytes, rcm_gpu_stream stream);
enum rcm_gpu_status exact_histogram(const general_args &a, int bytes, const exact_options &options,
                                    rcm_gpu_stream stream);
/* These write results best first, and of equal ones the lower index first if `by_index` is set: of
 * all elements; of what an exact kernel has left in a.unordered, or where that is NULL of all
 * elements, if k = n <= exact_order_most. */
constexpr uint32_t exact_order_most = 4096;
enum rcm_gpu_status exact_sort_workspace(const general_args &a, int bytes, bool by_index,
                                         size_t *workspace_bytes);
enum rcm_gpu_status exact_sort(const general_args &a, int bytes, bool by_index, void *workspace,
                               size_t workspace_bytes, rcm_gpu_stream stream);
enum rcm_gpu_status exact_order_workspace(const general_args &a, int bytes, bool by_index,
                                          size_t *workspace_bytes);
enum rcm_gpu_status exact_order(const general_args &a, int bytes, bool by_index, void *workspace,
                                size_t workspace_bytes, rcm_gpu_stream stream);

#endif
