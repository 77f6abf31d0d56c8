/* radix_slice.cuh - what a block of exact_radix.cu does with its slice of a row: it loads it, holds
 * in shared memory what fits there, sweeps over it and counts its digits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_RADIX_SLICE_CUH
#define RCM_RADIX_SLICE_CUH

#include "exact.cuh"

struct radix_plan {
    uint32_t blocks;      /* of a cluster, which share a row */
    uint32_t slice;       /* elements of each block, a multiple of 16 bytes */
    uint32_t held_chunks; /* chunks of 16 bytes that fit into shared memory */
    uint32_t list;        /* entries of the list */
    uint32_t bits, copies;
    bool deterministic;
};

/* Shared by the threads of a block. Other blocks of the cluster read some of it. */
struct radix_state {
    uint32_t above, inside; /* of this block's slice, for the other blocks */
    uint32_t border;        /* digit */
    uint32_t row_above, row_inside;
    uint32_t places, ties, listed; /* counters */
};

template <int BYTES> __device__ __forceinline__ uint32_t digits_of(uint32_t bits, key_order order)
{
    return rank_of_key<BYTES>(key_of<BYTES>(bits, order));
}

/* Takes places from the counter for the lanes of a warp that are `mine`, and returns the place of
 * this lane. All lanes call. */
__device__ __forceinline__ uint32_t place_of(bool mine, uint32_t *counter)
{
    uint32_t votes = __ballot_sync(~0u, mine), lane = threadIdx.x % 32, first = 0;
    if (votes == 0)
        return 0;
    if (lane == 0)
        first = atomicAdd(counter, (uint32_t)__popc(votes));
    return __shfl_sync(~0u, first, 0) + (uint32_t)__popc(votes & ((1u << lane) - 1));
}

/* A block's slice of a row, and its shared memory. */
template <int BYTES, int THREADS> struct radix_slice {
    static constexpr int V = 16 / BYTES;
    const exact_args &a;
    const radix_plan &p;
    uint64_t row;
    uint32_t rank, first, length; /* this block's elements of the row: [first, first + length) */
    uint32_t shift;               /* elements of its first chunk that come before them */
    uint32_t chunks;
    const unsigned char *base; /* of the first chunk */
    radix_state *state;
    uint32_t *counts; /* 2^bits digits in `copies` copies */
    void *scan;
    uint32_t *list;
    unsigned char *held;

    __device__ __forceinline__ radix_slice(const exact_args &args, const radix_plan &plan)
        : a(args), p(plan)
    {
        row = blockIdx.x / p.blocks;
        rank = blockIdx.x % p.blocks;
        first = smaller_of(rank * p.slice, a.n);
        length = smaller_of(p.slice, a.n - first);
        const unsigned char *begin = a.x + (row * a.stride + first) * BYTES;
        shift = (uint32_t)((uintptr_t)begin % 16) / BYTES;
        base = begin - shift * BYTES;
        chunks = length ? (shift + length + V - 1) / V : 0;
        unsigned char *at = shared_memory();
        held = at;
        at += (size_t)p.held_chunks * 16;
        counts = (uint32_t *)at;
        at += ((size_t)p.copies << p.bits) * sizeof(uint32_t);
        list = (uint32_t *)at;
        at += (size_t)p.list * sizeof(uint32_t);
        scan = at;
        at += (block_scan_bytes<THREADS>() + 15) / 16 * 16;
        state = (radix_state *)at;
    }

    /* Loads the 16 bytes of chunk c. Bytes outside the slice are not read; they become 0. */
    __device__ __forceinline__ void load_chunk(uint32_t c, uint32_t (&words)[4]) const
    {
        const unsigned char *chunk = base + (size_t)c * 16;
        if (c * V >= shift && c * V + V <= shift + length) {
            if (c < p.held_chunks)
                load_once<16>(chunk, words);
            else
                load_16(chunk, words); /* every sweep reads it again */
            return;
        }
#pragma unroll
        for (int w = 0; w < 4; w++)
            words[w] = 0;
#pragma unroll
        for (int e = 0; e < V; e++)
            if (c * V + e >= shift && c * V + e < shift + length)
                words[e * BYTES / 4] |= read_bits<BYTES>(chunk + e * BYTES, 0)
                                        << (e * BYTES % 4 * 8);
    }
    __device__ __forceinline__ void hold_chunk(uint32_t c, const uint32_t (&words)[4]) const
    {
        uint32_t *to = (uint32_t *)(held + (size_t)c * 16);
#pragma unroll
        for (int w = 0; w < 4; w++)
            to[w] = words[w];
    }
    static __device__ __forceinline__ uint32_t element(const uint32_t (&words)[4], int e)
    {
        return BYTES == 4 ? words[e] : words[e / 2] >> (e % 2 * 16) & 0xffffu;
    }
    /* The bits of element i of the slice. */
    __device__ __forceinline__ uint32_t bits_at(uint32_t i) const
    {
        uint32_t at = shift + i;
        return at / V < p.held_chunks ? read_bits<BYTES>(held, at) : read_bits<BYTES>(base, at);
    }

    /* Calls visit(inside the slice?, position in the slice, bits) for every element; all lanes of a
     * warp call together. */
    template <class Visit> __device__ __forceinline__ void sweep(Visit visit) const
    {
        for (uint32_t c0 = 0; c0 < chunks; c0 += THREADS) {
            uint32_t c = c0 + threadIdx.x, words[4] = {0, 0, 0, 0};
            if (c < chunks) {
                if (c < p.held_chunks) {
                    const uint32_t *from = (const uint32_t *)(held + (size_t)c * 16);
#pragma unroll
                    for (int w = 0; w < 4; w++)
                        words[w] = from[w];
                } else {
                    load_chunk(c, words);
                }
            }
#pragma unroll
            for (int e = 0; e < V; e++) {
                uint32_t i = c * V + e - shift; /* wraps to a large number before the slice */
                visit(c < chunks && i < length, i, element(words, e));
            }
        }
    }
    template <class Visit>
    __device__ __forceinline__ void sweep_list(uint32_t listed, Visit visit) const
    {
        for (uint32_t at = 0; at < listed; at += THREADS) {
            bool valid = at + threadIdx.x < listed;
            uint32_t i = valid ? list[at + threadIdx.x] : 0;
            visit(valid, i, valid ? bits_at(i) : 0);
        }
    }

    __device__ __forceinline__ void count(uint32_t digit) const
    {
        atomicAdd(&counts[digit * p.copies + threadIdx.x % p.copies], 1u);
    }
    __device__ __forceinline__ void clear_counts() const
    {
        for (uint32_t i = threadIdx.x; i < p.copies << p.bits; i += THREADS)
            counts[i] = 0;
    }

    /* The first pass: reads every element from memory, a few loads at a time, counts the first
     * digit, and holds the chunks that fit. */
    __device__ __forceinline__ void read_and_count(uint32_t down) const
    {
        constexpr int U = 4;
        for (uint32_t c0 = 0; c0 < chunks; c0 += THREADS * U) {
            uint32_t words[U][4];
#pragma unroll
            for (int u = 0; u < U; u++)
                if (c0 + u * THREADS + threadIdx.x < chunks)
                    load_chunk(c0 + u * THREADS + threadIdx.x, words[u]);
#pragma unroll
            for (int u = 0; u < U; u++) {
                uint32_t c = c0 + u * THREADS + threadIdx.x, digit[V];
                bool whole = c < chunks && c * V >= shift && c * V + V <= shift + length;
                if (c < chunks) {
                    if (c < p.held_chunks)
                        hold_chunk(c, words[u]);
#pragma unroll
                    for (int e = 0; e < V; e++)
                        digit[e] = digits_of<BYTES>(element(words[u], e), a.order) >> down;
                }
                /* If all elements of a warp have the same digit, as in a row of equal elements, the
                 * warp counts once. */
                bool same = whole;
                if (whole)
#pragma unroll
                    for (int e = 1; e < V; e++)
                        same &= digit[e] == digit[0];
                uint32_t lane_0 = __shfl_sync(~0u, same ? digit[0] : ~0u, 0);
                if (__all_sync(~0u, same && digit[0] == lane_0)) {
                    if (threadIdx.x % 32 == 0)
                        atomicAdd(&counts[digit[0] * p.copies], 32u * V);
                } else if (c < chunks) {
#pragma unroll
                    for (int e = 0; e < V; e++)
                        if (c * V + e - shift < length)
                            count(digit[e]);
                }
            }
        }
    }
};

#endif
