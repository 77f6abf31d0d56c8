/* block.cuh - scans and sorts by all threads of a block. On a GPU they are CUB's; under the
 * emulation, gpu/emulate/cub.h has the same contracts.
 *
 * `temporary` is shared memory of ..._bytes<>() bytes. Put a __syncthreads() between two uses of
 * the same memory.
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

template <int THREADS>
using block_scan = cub::BlockScan<uint32_t, THREADS, cub::BLOCK_SCAN_WARP_SCANS>;
template <int THREADS> __host__ __device__ constexpr size_t block_scan_bytes()
{
    return sizeof(typename block_scan<THREADS>::TempStorage);
}
/* The sum of the values of the threads before this one; `total` becomes the sum of all. */
template <int THREADS>
__device__ __forceinline__ uint32_t block_sum_before(uint32_t value, uint32_t &total,
                                                     void *temporary)
{
    uint32_t before;
    block_scan<THREADS>(*(typename block_scan<THREADS>::TempStorage *)temporary)
        .ExclusiveSum(value, before, total);
    return before;
}

#endif

#endif
