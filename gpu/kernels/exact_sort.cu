/* exact_sort.cu - exact top-k by CUB's segmented radix sort of all elements: the simple baseline.
 * CUB's sort runs on the whole device; under the emulation std::stable_sort replaces it.
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

constexpr unsigned block_threads = 256;

/* Writes the ranks and positions of all elements, row after row. */
template <int BYTES>
__global__ void __launch_bounds__(block_threads)
    spread(exact_args a, uint32_t *ranks, uint32_t *positions)
{
    uint64_t at = (uint64_t)blockIdx.x * block_threads + threadIdx.x;
    if (at >= a.m * a.n)
        return;
    uint64_t row = at / a.n;
    uint32_t i = (uint32_t)(at - row * a.n);
    ranks[at] =
        rank_of_key<BYTES>(key_of<BYTES>(read_bits<BYTES>(a.x, row * a.stride + i), a.order));
    positions[at] = i;
}

template <int BYTES>
__global__ void __launch_bounds__(block_threads) take_first(exact_args a, const uint32_t *positions)
{
    uint64_t at = (uint64_t)blockIdx.x * block_threads + threadIdx.x;
    if (at >= a.m * a.k)
        return;
    uint64_t row = at / a.k;
    uint32_t place = (uint32_t)(at - row * a.k), i = positions[row * a.n + place];
    write_result<BYTES>(a, row, place, read_bits<BYTES>(a.x, row * a.stride + i), i);
}

struct buffers {
    uint32_t *ranks, *sorted_ranks, *positions, *sorted_positions;
    void *temporary;
    size_t temporary_bytes;
};

#ifdef __CUDACC__

struct row_offset {
    uint32_t n;
    __host__ __device__ int64_t operator()(int64_t row) const
    {
        return row * n;
    }
};

cudaError_t sort_rows(buffers &b, uint64_t m, uint32_t n, int bytes, rcm_gpu_stream stream)
{
    auto begin =
        thrust::make_transform_iterator(thrust::make_counting_iterator((int64_t)0), row_offset{n});
    return cub::DeviceSegmentedRadixSort::SortPairsDescending(
        b.temporary, b.temporary_bytes, b.ranks, b.sorted_ranks, b.positions, b.sorted_positions,
        (int64_t)(m * n), (int64_t)m, begin, begin + 1, 0, 8 * bytes, (cudaStream_t)stream);
}

#else

int sort_rows(buffers &b, uint64_t m, uint32_t n, int, rcm_gpu_stream)
{
    if (!b.temporary) {
        b.temporary_bytes = 256;
        return 0;
    }
    for (uint64_t row = 0; row < m; row++) {
        const uint32_t *ranks = b.ranks + row * n;
        std::copy(b.positions + row * n, b.positions + (row + 1) * n, b.sorted_positions + row * n);
        std::stable_sort(b.sorted_positions + row * n, b.sorted_positions + (row + 1) * n,
                         [&](uint32_t i, uint32_t j) { return ranks[i] > ranks[j]; });
    }
    return 0;
}

#endif

size_t array_bytes(const exact_args &a)
{
    return round_up<size_t>(a.m * a.n * sizeof(uint32_t), 256);
}

template <int BYTES>
enum rcm_gpu_status start(const exact_args &a, buffers &b, rcm_gpu_stream stream)
{
    launch how = {(unsigned)ceil_divide<uint64_t>(a.m * a.n, block_threads), block_threads, 0, 1,
                  stream};
    enum rcm_gpu_status status = run(how, spread<BYTES>, a, b.ranks, b.positions);
    if (status == RCM_GPU_OK && sort_rows(b, a.m, a.n, BYTES, stream) != 0)
        status = RCM_GPU_ERROR;
    how.blocks = (unsigned)ceil_divide<uint64_t>(a.m * a.k, block_threads);
    return status == RCM_GPU_OK ? run(how, take_first<BYTES>, a, b.sorted_positions) : status;
}

} // namespace

enum rcm_gpu_status exact_sort_workspace(const exact_args &a, int bytes, size_t *workspace_bytes)
{
    if (a.m * a.n > INT32_MAX) /* more elements than the sort takes */
        return RCM_GPU_BAD_TYPE;
    buffers b = {};
    if (sort_rows(b, a.m, a.n, bytes, nullptr) != 0)
        return RCM_GPU_ERROR;
    *workspace_bytes = 4 * array_bytes(a) + b.temporary_bytes;
    return RCM_GPU_OK;
}

enum rcm_gpu_status exact_sort(const exact_args &a, int bytes, void *workspace,
                               size_t workspace_bytes, rcm_gpu_stream stream)
{
    const size_t each = array_bytes(a);
    unsigned char *at = static_cast<unsigned char *>(workspace);
    buffers b = {};
    b.ranks = reinterpret_cast<uint32_t *>(at);
    b.sorted_ranks = reinterpret_cast<uint32_t *>(at + each);
    b.positions = reinterpret_cast<uint32_t *>(at + 2 * each);
    b.sorted_positions = reinterpret_cast<uint32_t *>(at + 3 * each);
    b.temporary = at + 4 * each;
    b.temporary_bytes = workspace_bytes - 4 * each;
    return bytes == 4 ? start<4>(a, b, stream) : start<2>(a, b, stream);
}
