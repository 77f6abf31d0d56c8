/* queue.cuh - the KB largest of what a thread has seen, in registers, in falling order.
 *
 * Three kinds of entry: `keyed` (float32: key and step), `packed` (two-byte types: key above, step below, in one word) and `candidate`
 * (merges). Two ways to take elements in: insert() compares one with every slot, without a branch; take_sorted() merges a sorted
 * chunk of KB by a bitonic network, KB a power of two, which is cheaper for KB >= 4 (docs/gpu.md has the counts).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_QUEUE_CUH
#define RCM_QUEUE_CUH

#include "key.cuh"

struct keyed {
    int32_t key, step;
};
typedef int32_t packed;

__device__ __forceinline__ keyed empty_entry(keyed)
{
    return {INT32_MIN, 0};
}
__device__ __forceinline__ packed empty_entry(packed)
{
    return INT32_MIN;
}
__device__ __forceinline__ candidate empty_entry(candidate)
{
    return 0;
}

/* Puts the larger into a. */
__device__ __forceinline__ void order_pair(keyed &a, keyed &b)
{
    bool swap = b.key > a.key;
    keyed high = {swap ? b.key : a.key, swap ? b.step : a.step}, low = {swap ? a.key : b.key, swap ? a.step : b.step};
    a = high;
    b = low;
}
template <class E> __device__ __forceinline__ void order_pair(E &a, E &b)
{
    E high = a > b ? a : b, low = a > b ? b : a;
    a = high;
    b = low;
}

/* The larger of the two. */
__device__ __forceinline__ void keep_larger(keyed &a, keyed b)
{
    bool take = b.key > a.key;
    a.key = take ? b.key : a.key;
    a.step = take ? b.step : a.step;
}
template <class E> __device__ __forceinline__ void keep_larger(E &a, E b)
{
    a = a > b ? a : b;
}

template <int KB> __device__ __forceinline__ void insert(keyed (&q)[KB], keyed x)
{
#pragma unroll
    for (int j = KB - 1; j > 0; j--) {
        bool above = x.key > q[j - 1].key, here = x.key > q[j].key;
        q[j].key = above ? q[j - 1].key : here ? x.key : q[j].key;
        q[j].step = above ? q[j - 1].step : here ? x.step : q[j].step;
    }
    keep_larger(q[0], x);
}
template <int KB, class E> __device__ __forceinline__ void insert(E (&q)[KB], E x)
{
#pragma unroll
    for (int j = KB - 1; j > 0; j--) {
        E lower = x < q[j - 1] ? x : q[j - 1];
        q[j] = q[j] > lower ? q[j] : lower;
    }
    keep_larger(q[0], x);
}

/* Batcher's odd-even merge sort of N = 1, 2, 4, 8, 16, falling. */
template <int N, class E> __device__ __forceinline__ void sort_chunk(E (&v)[N])
{
#pragma unroll
    for (int p = 1; p < N; p *= 2)
#pragma unroll
        for (int d = p; d > 0; d /= 2)
#pragma unroll
            for (int j = d % p; j + d < N; j += 2 * d)
#pragma unroll
                for (int i = 0; i < d; i++)
                    if (i + j + d < N && (i + j) / (2 * p) == (i + j + d) / (2 * p))
                        order_pair(v[i + j], v[i + j + d]);
}

/* q and v fall; q becomes the KB largest of both, falling. The larger of q[j] and v[KB - 1 - j] are those KB, as a bitonic sequence. */
template <int KB, class E> __device__ __forceinline__ void take_sorted(E (&q)[KB], const E (&v)[KB])
{
    static_assert((KB & (KB - 1)) == 0, "a power of two");
#pragma unroll
    for (int j = 0; j < KB; j++)
        keep_larger(q[j], v[KB - 1 - j]);
#pragma unroll
    for (int s = KB / 2; s > 0; s /= 2)
#pragma unroll
        for (int j = 0; j < KB; j++)
            if (!(j & s))
                order_pair(q[j], q[j | s]);
}

/* The same for any KB. */
template <int KB, class E> __device__ __forceinline__ void merge(E (&q)[KB], const E (&v)[KB])
{
    if constexpr ((KB & (KB - 1)) == 0) {
        take_sorted<KB>(q, v);
    } else {
#pragma unroll
        for (int j = 0; j < KB; j++)
            insert<KB>(q, v[j]);
    }
}

/* How a thread reads elements of BYTES bytes into entries. */
template <int BYTES> struct reader;

template <> struct reader<4> {
    typedef keyed entry;
    static constexpr uint32_t max_step = INT32_MAX;
    key_order order;
    __device__ __forceinline__ explicit reader(key_order o) : order(o) {}
    /* Element c of the vector `words`, met at `step`. */
    __device__ __forceinline__ keyed entry_of(const uint32_t *words, int c, uint32_t step) const
    {
        return {key_of_32(words[c], order), (int32_t)step};
    }
    __device__ __forceinline__ keyed entry_of_bits(uint32_t bits, uint32_t step) const
    {
        return entry_of(&bits, 0, step);
    }
    static __device__ __forceinline__ uint32_t step_of(keyed e)
    {
        return (uint32_t)e.step;
    }
    /* 0 for an empty entry. */
    static __device__ __forceinline__ uint32_t rank(keyed e)
    {
        return rank_of_key<4>(e.key);
    }
};

template <> struct reader<2> {
    typedef packed entry;
    static constexpr uint32_t max_step = 65534; /* the lower half is max_step + 1 - step, so 0 is no step and earlier ones win ties */
    int32_t scale, scale_16, offset_16;
    __device__ __forceinline__ explicit reader(key_order o)
        : scale(o.scale), scale_16((int32_t)((uint32_t)o.scale << 16)), offset_16((int32_t)((uint32_t)o.offset << 16))
    {
    }
    __device__ __forceinline__ packed entry_of(const uint32_t *words, int c, uint32_t step) const
    {
        int32_t low = offset_16 + (int32_t)(max_step + 1 - step);
        uint32_t pair = signed_pair(words[c / 2]);
        return c % 2 ? packed_key_high(pair, scale, low) : packed_key_low(pair, scale_16, low);
    }
    __device__ __forceinline__ packed entry_of_bits(uint32_t bits, uint32_t step) const
    {
        return entry_of(&bits, 0, step);
    }
    static __device__ __forceinline__ uint32_t step_of(packed e)
    {
        return max_step + 1 - ((uint32_t)e & 0xffffu);
    }
    static __device__ __forceinline__ uint32_t rank(packed e)
    {
        return (e & 0xffff) ? rank_of_key<2>(e >> 16) : 0;
    }
};

#endif
