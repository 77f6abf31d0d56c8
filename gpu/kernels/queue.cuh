/* queue.cuh - the KB largest elements that a thread has seen, in registers, in falling order.
 *
 * There are three kinds of entry: `keyed` (float32: key and step), `packed` (two-byte types: the
 * key above the step in one word) and `candidate` (for merges). There are two ways to take elements
 * in. insert() compares one element with every slot, without a branch. take_sorted() merges a
 * sorted chunk of KB elements by a bitonic network; KB is a power of two. It costs less for KB >= 4
 * (docs/gpu.md has the counts).
 *
 * Entries of equal keys may stand in any order, so code that compares entries must not look at more
 * than the key.
 *
 * `one` is 1 in a register. Comparisons, minima and selects all run on one unit, which limits these
 * kernels. So a step moves by a multiplication by one under a predicate, and a sorting network of
 * `packed` takes the smaller of two as their sum less the larger, two multiply-adds: both run on
 * the multiply-add unit, which is as fast. After the sort, the bitonic merge takes a minimum, so
 * that neither unit has most of the work. The compiler keeps a multiplication only if it does not
 * know that the factor is 1.
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
    return {INT32_MIN, -1};
}
__device__ __forceinline__ packed empty_entry(packed)
{
    return INT32_MIN;
}
__device__ __forceinline__ candidate empty_entry(candidate)
{
    return 0;
}

/* Exchanges a and b if key > than. */
__device__ __forceinline__ void exchange_if_larger(int32_t than, int32_t key, int32_t &a,
                                                   int32_t &b, int one)
{
#ifdef __CUDA_ARCH__
    asm("{\n\t.reg .pred p;\n\t.reg .b32 t;\n\tsetp.gt.s32 p, %3, %2;\n\tmul.lo.s32 t, %0, %4;\n\t"
        "@p mul.lo.s32 %0, %1, %4;\n\t@p mul.lo.s32 %1, t, %4;\n\t}"
        : "+&r"(a), "+&r"(b)
        : "r"(than), "r"(key), "r"(one));
#else
    (void)one;
    if (key > than)
        std::swap(a, b);
#endif
}
/* Sets a to b if key >= than. */
__device__ __forceinline__ void take_if_not_smaller(int32_t than, int32_t key, int32_t &a,
                                                    int32_t b, int one)
{
#ifdef __CUDA_ARCH__
    asm("{\n\t.reg .pred p;\n\tsetp.ge.s32 p, %3, %2;\n\t@p mul.lo.s32 %0, %1, %4;\n\t}"
        : "+r"(a)
        : "r"(b), "r"(than), "r"(key), "r"(one));
#else
    (void)one;
    if (key >= than)
        a = b;
#endif
}

/* If the keys are equal, better() and worse() return the first argument. */
__device__ __forceinline__ packed better(packed a, packed b)
{
    return a > b ? a : b;
}
__device__ __forceinline__ packed worse(packed a, packed b)
{
    return a < b ? a : b;
}
/* Candidates are compared by their rank and the bit below it, which distinguishes an element from
 * an empty entry. */
__device__ __forceinline__ candidate better(candidate a, candidate b)
{
    return b >> 31 > a >> 31 ? b : a;
}
__device__ __forceinline__ candidate worse(candidate a, candidate b)
{
    return b >> 31 < a >> 31 ? b : a;
}

/* Puts the larger one into a. */
__device__ __forceinline__ void order_pair(keyed &a, keyed &b, int one)
{
    exchange_if_larger(a.key, b.key, a.step, b.step, one);
    int32_t high = better(a.key, b.key), low = worse(a.key, b.key);
    a.key = high;
    b.key = low;
}
template <class E> __device__ __forceinline__ void order_pair(E &a, E &b, int)
{
    E high = better(a, b), low = worse(b, a);
    a = high;
    b = low;
}
/* The same with one comparison less for `packed`: the smaller is the sum less the larger. */
__device__ __forceinline__ void order_by_sum(packed &a, packed &b, int one)
{
    packed high = better(a, b);
    b = multiply_add(high, -one, multiply_add(a, one, b));
    a = high;
}
template <class E> __device__ __forceinline__ void order_by_sum(E &a, E &b, int one)
{
    order_pair(a, b, one);
}

/* Keeps the larger of the two in a; if they are equal, b, the new one. An empty `keyed` entry has
 * the key of the lowest NaN, and such a NaN must replace it. So the later element wins a tie and
 * comes before its equals, and empty entries stay at the end or leave the queue. */
__device__ __forceinline__ void keep_larger(keyed &a, keyed b, int one)
{
    take_if_not_smaller(a.key, b.key, a.step, b.step, one);
    a.key = better(a.key, b.key);
}
template <class E> __device__ __forceinline__ void keep_larger(E &a, E b, int)
{
    a = better(b, a);
}

template <int KB> __device__ __forceinline__ void insert(keyed (&q)[KB], keyed x, int one)
{
#pragma unroll
    for (int j = KB - 1; j > 0; j--) {
        take_if_not_smaller(q[j].key, x.key, q[j].step, x.step, one);
        take_if_not_smaller(q[j - 1].key, x.key, q[j].step, q[j - 1].step, one);
        q[j].key = better(q[j].key, worse(x.key, q[j - 1].key));
    }
    keep_larger(q[0], x, one);
}
template <int KB, class E> __device__ __forceinline__ void insert(E (&q)[KB], E x, int one = 1)
{
    if constexpr (KB == 3) { /* not beyond: each step waits for the one before */
        order_by_sum(q[0], x, one);
        order_by_sum(q[1], x, one);
        q[2] = better(x, q[2]);
    } else {
#pragma unroll
        for (int j = KB - 1; j > 0; j--)
            q[j] = better(worse(q[j - 1], x), q[j]);
        keep_larger(q[0], x, one);
    }
}

/* Batcher's odd-even merge sort of N = 1, 2, 4, 8 or 16 entries, falling. The recursion is over
 * constants, so that the array stays in registers. */
template <int FIRST, int N, int APART, int SIZE, class E>
__device__ __forceinline__ void merge_halves(E (&v)[SIZE], int one)
{
    if constexpr (2 * APART < N) {
        merge_halves<FIRST, N, 2 * APART>(v, one);
        merge_halves<FIRST + APART, N, 2 * APART>(v, one);
#pragma unroll
        for (int i = FIRST + APART; i + APART < FIRST + N; i += 2 * APART)
            order_by_sum(v[i], v[i + APART], one);
    } else {
        order_by_sum(v[FIRST], v[FIRST + APART], one);
    }
}
template <int N, int FIRST = 0, int SIZE, class E>
__device__ __forceinline__ void sort_chunk(E (&v)[SIZE], int one)
{
    if constexpr (N > 1) {
        sort_chunk<N / 2, FIRST>(v, one);
        sort_chunk<N / 2, FIRST + N / 2>(v, one);
        merge_halves<FIRST, N, 1>(v, one);
    }
}

/* Sorts a bitonic sequence into falling order. */
template <int N, int FIRST = 0, int SIZE, class E>
__device__ __forceinline__ void sort_bitonic(E (&v)[SIZE], int one)
{
    if constexpr (N > 1) {
#pragma unroll
        for (int i = FIRST; i < FIRST + N / 2; i++)
            order_pair(v[i], v[i + N / 2], one);
        sort_bitonic<N / 2, FIRST>(v, one);
        sort_bitonic<N / 2, FIRST + N / 2>(v, one);
    }
}

/* q becomes the KB largest of q and v; all are in falling order. The KB largest are the larger ones
 * of q[j] and v[KB - 1 - j], which form a bitonic sequence. */
template <int KB, class E>
__device__ __forceinline__ void take_sorted(E (&q)[KB], const E (&v)[KB], int one = 1)
{
    static_assert((KB & (KB - 1)) == 0, "a power of two");
#pragma unroll
    for (int j = 0; j < KB; j++)
        keep_larger(q[j], v[KB - 1 - j], one);
    sort_bitonic<KB>(q, one);
}

/* The same for every KB. */
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
    int one; /* 1, but the compiler does not know */
    __device__ __forceinline__ explicit reader(key_order o) : order(o), one(o.scale * o.scale)
    {
    }
    /* The entry for element c of the vector `words`, read at `step`. */
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
    static __device__ __forceinline__ bool is_empty(keyed e)
    {
        return e.step < 0;
    }
    static __device__ __forceinline__ uint32_t rank(keyed e)
    {
        return rank_of_key<4>(e.key);
    }
};

template <> struct reader<2> {
    typedef packed entry;
    /* The lower half is max_step + 1 - step. So 0 stands for no step, and earlier elements win
     * ties. */
    static constexpr uint32_t max_step = 65534;
    int one; /* 1, but the compiler does not know */
    int32_t scale, scale_16, offset_16;
    __device__ __forceinline__ explicit reader(key_order o)
        : one(o.scale * o.scale), scale(o.scale), scale_16((int32_t)((uint32_t)o.scale << 16)),
          offset_16((int32_t)((uint32_t)o.offset << 16))
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
    static __device__ __forceinline__ bool is_empty(packed e)
    {
        return (e & 0xffff) == 0;
    }
    static __device__ __forceinline__ uint32_t rank(packed e)
    {
        return rank_of_key<2>(e >> 16);
    }
};

#endif
