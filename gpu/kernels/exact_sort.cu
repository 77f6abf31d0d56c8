/* exact_sort.cu - results, best first: a block sorts those of a row in shared memory, or CUB's
 * segmented radix sort those of all rows. Of all elements it is exact top-k too, the simple
 * baseline. CUB's sort runs on the whole device; under the emulation std::stable_sort replaces it.
 *
 * What is sorted are candidates, whose index is that of the output. The bits of a value follow from
 * the rank, those of NaN too. What is behind a row has rank 0 and stays behind, because it is the
 * last of equals.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "exact.cuh"

#ifdef __CUDACC__
#include <cub/device/device_segmented_radix_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#endif

namespace
{

/* Element i of the row that `a` is of. */
template <int BYTES>
__device__ __forceinline__ candidate candidate_at(const general_args &a, uint64_t row, uint32_t i)
{
    const size_t at = row * a.stride + i;
    return candidate_of<BYTES>(a, read_bits<BYTES>(a.x, at), a.labels ? a.labels[at] : (int32_t)i);
}

/* Writes place `place` of the row that `a` is of. */
template <int BYTES>
__device__ __forceinline__ void write_sorted(const general_args &a, uint64_t row, uint32_t place,
                                             candidate c)
{
    const int32_t key = key_of_rank<BYTES>(rank_of(c));
    if (place < a.k)
        write_element<BYTES>(
            a, row, place, BYTES == 4 ? bits_of_key_32(key, a.order) : bits_of_key_16(key, a.order),
            (int32_t)index_of(c));
    else
        write_output<BYTES>(a, row * a.pitch + place, a.fill_bits, a.fill);
}

/* ---- in blocks */

template <int BYTES, int THREADS, int ITEMS>
__global__ void __launch_bounds__(THREADS) sort_row(general_args of_all)
{
    const uint64_t row = blockIdx.x;
    const general_args a = args_of_row<BYTES>(of_all, row);
    candidate items[ITEMS];
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
        const uint32_t place = j * THREADS + threadIdx.x;
        items[j] = 0;
        if (place < a.k)
            items[j] = a.unordered ? a.unordered[row * a.pitch + place]
                                   : candidate_at<BYTES>(a, row, place);
    }
    block_merge_sort_falling<THREADS, ITEMS>(items, shared_memory());
#pragma unroll
    for (int j = 0; j < ITEMS; j++)
        if (threadIdx.x * ITEMS + j < a.pitch)
            write_sorted<BYTES>(a, row, threadIdx.x * ITEMS + j, items[j]);
}

template <int THREADS, int ITEMS>
enum rcm_gpu_status sort_in_blocks(const general_args &a, int bytes, rcm_gpu_stream stream)
{
    const launch how = {(unsigned)a.m, THREADS, block_merge_sort_bytes<THREADS, ITEMS>(), 1,
                        stream};
    return bytes == 4 ? run(how, sort_row<4, THREADS, ITEMS>, a)
                      : run(how, sort_row<2, THREADS, ITEMS>, a);
}

/* ---- on the whole device */

constexpr unsigned block_threads = 256;

/* Writes the candidates of all elements, row after row. */
template <int BYTES>
__global__ void __launch_bounds__(block_threads) spread(general_args of_all, candidate *to)
{
    const uint64_t at = (uint64_t)blockIdx.x * block_threads + threadIdx.x, row = at / of_all.n;
    if (row >= of_all.m)
        return;
    const general_args a = args_of_row<BYTES>(of_all, row);
    const uint32_t i = (uint32_t)(at - row * of_all.n);
    to[at] = i < a.n ? candidate_at<BYTES>(a, row, i) : 0;
}

/* Writes the first of each `each` sorted candidates. */
template <int BYTES>
__global__ void __launch_bounds__(block_threads)
    take_first(general_args of_all, const candidate *sorted, uint32_t each)
{
    const uint64_t at = (uint64_t)blockIdx.x * block_threads + threadIdx.x, row = at / of_all.pitch;
    if (row >= of_all.m)
        return;
    const uint32_t place = (uint32_t)(at - row * of_all.pitch);
    write_sorted<BYTES>(args_of_row<BYTES>(of_all, row), row, place, sorted[row * each + place]);
}

/* m rows of `each` candidates. */
struct segments {
    candidate *unsorted, *sorted;
    void *temporary;
    size_t temporary_bytes;
    uint64_t m;
    uint32_t each;

    size_t array_bytes() const
    {
        return round_up<size_t>(m * each * sizeof(candidate), 256);
    }
};

/* The bits of a candidate below this one have no part, if any order of equals will do. */
int first_bit(bool by_index)
{
    return by_index ? 0 : 32;
}

#ifdef __CUDACC__

struct row_offset {
    uint32_t each;
    __host__ __device__ int64_t operator()(int64_t row) const
    {
        return row * each;
    }
};

cudaError_t sort_segments(segments &s, int bytes, bool by_index, rcm_gpu_stream stream)
{
    auto begin = thrust::make_transform_iterator(thrust::make_counting_iterator((int64_t)0),
                                                 row_offset{s.each});
    return cub::DeviceSegmentedRadixSort::SortKeysDescending(
        s.temporary, s.temporary_bytes, s.unsorted, s.sorted, (int64_t)(s.m * s.each), (int64_t)s.m,
        begin, begin + 1, first_bit(by_index), 32 + 8 * bytes, (cudaStream_t)stream);
}

#else

int sort_segments(segments &s, int, bool by_index, rcm_gpu_stream)
{
    if (!s.temporary) {
        s.temporary_bytes = 256;
        return 0;
    }
    const int ignored = first_bit(by_index);
    std::copy(s.unsorted, s.unsorted + s.m * s.each, s.sorted);
    for (uint64_t row = 0; row < s.m; row++)
        std::stable_sort(s.sorted + row * s.each, s.sorted + (row + 1) * s.each,
                         [&](candidate c, candidate d) { return c >> ignored > d >> ignored; });
    return 0;
}

#endif

/* The workspace: perhaps the unsorted candidates, the sorted ones, and what CUB needs. */
enum rcm_gpu_status workspace_of(segments s, int bytes, bool own, bool by_index,
                                 size_t *workspace_bytes)
{
    if (s.m * s.each > INT32_MAX) /* more than the sort takes */
        return RCM_GPU_BAD_TYPE;
    if (sort_segments(s, bytes, by_index, nullptr) != 0)
        return RCM_GPU_ERROR;
    *workspace_bytes = (own ? 2 : 1) * s.array_bytes() + s.temporary_bytes;
    return RCM_GPU_OK;
}

/* Spreads the elements first, if `own` says so. */
template <int BYTES>
enum rcm_gpu_status start(const general_args &a, segments s, bool own, bool by_index,
                          void *workspace, size_t workspace_bytes, rcm_gpu_stream stream)
{
    unsigned char *at = static_cast<unsigned char *>(workspace);
    enum rcm_gpu_status status = RCM_GPU_OK;
    launch how = {(unsigned)ceil_divide<uint64_t>(s.m * s.each, block_threads), block_threads, 0, 1,
                  stream};
    if (own) {
        s.unsorted = reinterpret_cast<candidate *>(at);
        at += s.array_bytes();
        status = run(how, spread<BYTES>, a, s.unsorted);
    }
    s.sorted = reinterpret_cast<candidate *>(at);
    s.temporary = at + s.array_bytes();
    s.temporary_bytes = workspace_bytes - (own ? 2 : 1) * s.array_bytes();
    if (status == RCM_GPU_OK && sort_segments(s, BYTES, by_index, stream) != 0)
        status = RCM_GPU_ERROR;
    how.blocks = (unsigned)ceil_divide<uint64_t>(a.m * a.pitch, block_threads);
    return status == RCM_GPU_OK ? run(how, take_first<BYTES>, a, s.sorted, s.each) : status;
}

segments segments_of(const general_args &a, uint32_t each)
{
    return {a.unordered, nullptr, nullptr, 0, a.m, each};
}

} // namespace

enum rcm_gpu_status exact_sort_workspace(const general_args &a, int bytes, bool by_index,
                                         size_t *workspace_bytes)
{
    return workspace_of(segments_of(a, a.n), bytes, true, by_index, workspace_bytes);
}

enum rcm_gpu_status exact_sort(const general_args &a, int bytes, bool by_index, void *workspace,
                               size_t workspace_bytes, rcm_gpu_stream stream)
{
    const segments s = segments_of(a, a.n);
    return bytes == 4 ? start<4>(a, s, true, by_index, workspace, workspace_bytes, stream)
                      : start<2>(a, s, true, by_index, workspace, workspace_bytes, stream);
}

enum rcm_gpu_status exact_order_workspace(const general_args &a, int bytes, bool by_index,
                                          size_t *workspace_bytes)
{
    *workspace_bytes = 0;
    return a.pitch <= exact_order_most
               ? RCM_GPU_OK
               : workspace_of(segments_of(a, a.pitch), bytes, false, by_index, workspace_bytes);
}

enum rcm_gpu_status exact_order(const general_args &a, int bytes, bool by_index, void *workspace,
                                size_t workspace_bytes, rcm_gpu_stream stream)
{
    if (a.pitch <= 64)
        return sort_in_blocks<32, 2>(a, bytes, stream);
    if (a.pitch <= 512)
        return sort_in_blocks<128, 4>(a, bytes, stream);
    if (a.pitch <= exact_order_most)
        return sort_in_blocks<512, exact_order_most / 512>(a, bytes, stream);
    const segments s = segments_of(a, a.pitch);
    return bytes == 4 ? start<4>(a, s, false, by_index, workspace, workspace_bytes, stream)
                      : start<2>(a, s, false, by_index, workspace, workspace_bytes, stream);
}
