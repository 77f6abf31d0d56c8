/* block.cuh - scans and sorts by all threads of a block: CUB's on a GPU, plain twins with the same
 * contract under the emulation.
 *
 * `temporary` is shared memory of ..._bytes<>() bytes; a __syncthreads() must lie between two uses
 * of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_BLOCK_CUH
#define RCM_BLOCK_CUH

#include "key.cuh"

#ifdef __CUDACC__
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>

struct larger_first {
    __device__ __forceinline__ bool operator()(candidate a, candidate b) const
    {
        return a > b;
    }
};

template <int THREADS, int ITEMS> __host__ __device__ constexpr size_t block_merge_sort_bytes()
{
    return sizeof(typename cub::BlockMergeSort<candidate, THREADS, ITEMS>::TempStorage);
}
template <int THREADS, int ITEMS>
__device__ __forceinline__ void block_merge_sort_falling(candidate (&items)[ITEMS], void *temporary)
{
    typedef cub::BlockMergeSort<candidate, THREADS, ITEMS> sort;
    sort(*(typename sort::TempStorage *)temporary).Sort(items, larger_first());
}

template <int THREADS, int ITEMS> __host__ __device__ constexpr size_t block_radix_sort_bytes()
{
    return sizeof(typename cub::BlockRadixSort<candidate, THREADS, ITEMS>::TempStorage);
}
template <int THREADS, int ITEMS>
__device__ __forceinline__ void block_radix_sort_falling(candidate (&items)[ITEMS], void *temporary)
{
    typedef cub::BlockRadixSort<candidate, THREADS, ITEMS> sort;
    sort(*(typename sort::TempStorage *)temporary).SortDescending(items);
}

template <int THREADS> __host__ __device__ constexpr size_t block_scan_bytes()
{
    return sizeof(typename cub::BlockScan<uint32_t, THREADS>::TempStorage);
}
/* Sum of the values of the threads before this one; total: of all. */
template <int THREADS>
__device__ __forceinline__ uint32_t block_sum_before(uint32_t value, uint32_t &total,
                                                     void *temporary)
{
    typedef cub::BlockScan<uint32_t, THREADS> scan;
    uint32_t before;
    scan(*(typename scan::TempStorage *)temporary).ExclusiveSum(value, before, total);
    return before;
}

#else

template <int THREADS, int ITEMS> __host__ __device__ constexpr size_t block_merge_sort_bytes()
{
    return THREADS * ITEMS * sizeof(candidate);
}
template <int THREADS, int ITEMS>
void block_merge_sort_falling(candidate (&items)[ITEMS], void *temporary)
{
    candidate *all = (candidate *)temporary;
    for (int i = 0; i < ITEMS; i++)
        all[threadIdx.x * ITEMS + i] = items[i];
    __syncthreads();
    if (threadIdx.x == 0)
        std::sort(all, all + THREADS * ITEMS, std::greater<candidate>());
    __syncthreads();
    for (int i = 0; i < ITEMS; i++)
        items[i] = all[threadIdx.x * ITEMS + i];
}

template <int THREADS, int ITEMS> __host__ __device__ constexpr size_t block_radix_sort_bytes()
{
    return block_merge_sort_bytes<THREADS, ITEMS>();
}
template <int THREADS, int ITEMS>
void block_radix_sort_falling(candidate (&items)[ITEMS], void *temporary)
{
    block_merge_sort_falling<THREADS, ITEMS>(items, temporary);
}

template <int THREADS> __host__ __device__ constexpr size_t block_scan_bytes()
{
    return THREADS * sizeof(uint32_t);
}
template <int THREADS> uint32_t block_sum_before(uint32_t value, uint32_t &total, void *temporary)
{
    uint32_t *all = (uint32_t *)temporary, before = 0;
    all[threadIdx.x] = value;
    __syncthreads();
    total = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        before += i < threadIdx.x ? all[i] : 0;
        total += all[i];
    }
    return before;
}

#endif

#endif
