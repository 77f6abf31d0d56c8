/* cub.h - what gpu/kernels/block.cuh takes from CUB: scans and sorts by all threads of a block. Its
 * contracts are there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EMULATE_CUB_H
#define RCM_EMULATE_CUB_H

#include <algorithm>
#include <functional>

#include "intrinsics.h"

template <int THREADS, int ITEMS> constexpr size_t block_merge_sort_bytes()
{
    return THREADS * ITEMS * sizeof(uint64_t);
}
template <int THREADS, int ITEMS>
void block_merge_sort_falling(uint64_t (&items)[ITEMS], void *temporary)
{
    uint64_t *all = (uint64_t *)temporary;
    for (int i = 0; i < ITEMS; i++)
        all[threadIdx.x * ITEMS + i] = items[i];
    __syncthreads();
    if (threadIdx.x == 0)
        std::sort(all, all + THREADS * ITEMS, std::greater<uint64_t>());
    __syncthreads();
    for (int i = 0; i < ITEMS; i++)
        items[i] = all[threadIdx.x * ITEMS + i];
}

template <int THREADS, int ITEMS> constexpr size_t block_radix_sort_bytes()
{
    return block_merge_sort_bytes<THREADS, ITEMS>();
}
template <int THREADS, int ITEMS>
void block_radix_sort_falling(uint64_t (&items)[ITEMS], void *temporary)
{
    block_merge_sort_falling<THREADS, ITEMS>(items, temporary);
}

template <int THREADS> constexpr size_t block_scan_bytes()
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
