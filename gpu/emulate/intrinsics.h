/* intrinsics.h - the names that CUDA gives a kernel: its indices, barriers, shuffles, votes and
 * atomic operations.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EMULATE_INTRINSICS_H
#define RCM_EMULATE_INTRINSICS_H

#include <cstring>

#include "state.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define OUT_OF_LINE
#define GRID_CONSTANT
#define __launch_bounds__(...)
#define __restrict__ __restrict

#define threadIdx (emulate::self->index)
#define blockIdx (emulate::self->block->index)
#define blockDim (emulate::block_size)
#define gridDim (emulate::grid_size)

namespace emulate
{

inline unsigned lane_index()
{
    return self->linear % warp_size;
}

/* The values of all lanes, for operations of the whole warp. They stay until this warp's next
 * operation but one. */
inline const uint64_t *gather(uint64_t value)
{
    warp_state &warp = self->block->warps[self->linear / warp_size];
    uint64_t *slots = warp.slots[self->warp_operations++ % 2];
    slots[lane_index()] = value;
    sync(wait::warp);
    return slots;
}

/* The value of lane `from`. */
template <class T> T exchange(T value, unsigned from)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    const uint64_t *slots = gather(bits);
    std::memcpy(&value, &slots[from % warp_size], sizeof value);
    return value;
}

inline void require_whole_warp(unsigned mask)
{
    if (mask != ~0u)
        fail("partial warp masks are not emulated");
}

} // namespace emulate

inline void __syncthreads()
{
    emulate::sync(emulate::wait::block);
}
inline void __syncwarp()
{
    emulate::sync(emulate::wait::warp);
}
inline void __threadfence()
{
}

template <class T> T __shfl_sync(unsigned mask, T value, int from)
{
    emulate::require_whole_warp(mask);
    return emulate::exchange(value, (unsigned)from);
}
template <class T> T __shfl_xor_sync(unsigned mask, T value, int with)
{
    return __shfl_sync(mask, value, (int)(emulate::lane_index() ^ (unsigned)with));
}
template <class T> T __shfl_up_sync(unsigned mask, T value, unsigned by)
{
    const unsigned lane = emulate::lane_index();
    return __shfl_sync(mask, value, (int)(lane >= by ? lane - by : lane));
}
template <class T> T __shfl_down_sync(unsigned mask, T value, unsigned by)
{
    const unsigned lane = emulate::lane_index();
    return __shfl_sync(mask, value, (int)(lane + by < emulate::warp_size ? lane + by : lane));
}
inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    emulate::require_whole_warp(mask);
    const uint64_t *slots = emulate::gather(predicate != 0);
    unsigned votes = 0;
    for (unsigned i = 0; i < emulate::warp_size; i++)
        votes |= (unsigned)slots[i] << i;
    return votes;
}
inline int __any_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, predicate) == ~0u;
}

/* Folds the values of all lanes. */
template <class T, class Fold> T reduce_warp(unsigned mask, T value, Fold fold)
{
    emulate::require_whole_warp(mask);
    const uint64_t *slots = emulate::gather((uint64_t)value);
    T all = (T)slots[0];
    for (unsigned i = 1; i < emulate::warp_size; i++)
        all = fold(all, (T)slots[i]);
    return all;
}
template <class T> T __reduce_add_sync(unsigned mask, T value)
{
    return reduce_warp(mask, value, [](T a, T b) { return a + b; });
}
template <class T> T __reduce_min_sync(unsigned mask, T value)
{
    return reduce_warp(mask, value, [](T a, T b) { return a < b ? a : b; });
}
template <class T> T __reduce_max_sync(unsigned mask, T value)
{
    return reduce_warp(mask, value, [](T a, T b) { return a > b ? a : b; });
}

inline uint32_t __float_as_uint(float value)
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}
inline float __uint_as_float(uint32_t bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
inline float __fdividef(float a, float b)
{
    return a / b;
}

inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}

template <class T> T atomicAdd(T *at, T by)
{
    return __atomic_fetch_add(at, by, __ATOMIC_RELAXED);
}
template <class T> T atomicOr(T *at, T with)
{
    return __atomic_fetch_or(at, with, __ATOMIC_RELAXED);
}
template <class T> T atomicMin(T *at, T with)
{
    T old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (with < old && !__atomic_compare_exchange_n(at, &old, with, false, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED)) {
    }
    return old;
}
template <class T> T atomicMax(T *at, T with)
{
    T old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (with > old && !__atomic_compare_exchange_n(at, &old, with, false, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED)) {
    }
    return old;
}

#endif
