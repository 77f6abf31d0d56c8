/* radix_slice.cuh - what a block of exact_radix.cu does with its slice of a row: it reads it, keeps
 * a list of elements in shared memory, and counts digits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_RADIX_SLICE_CUH
#define RCM_RADIX_SLICE_CUH

#include "exact.cuh"
#include "sample.h"

struct radix_plan {
    uint32_t blocks;      /* of a cluster, which share a row */
    uint32_t slice;       /* elements of each block, a multiple of 16 bytes */
    uint32_t list;        /* entries of the list */
    uint32_t sample_rank; /* of the first threshold, in the sample; 0: no sample is taken */
    uint32_t bits;        /* of a digit */
    bool whole;           /* does the list hold the whole slice? */
    bool deterministic;
};

/* Shared by the threads of a block. Other blocks of the cluster read some of it. */
struct radix_state {
    uint32_t above, inside; /* of this block's slice, for the other blocks */
    uint32_t border;        /* digit */
    uint32_t row_above, row_inside;
    uint32_t places, ties, listed; /* counters */
    uint32_t lowest, not_highest;  /* rank of the list, and the complement of the highest */
};

template <int BYTES>
__device__ __forceinline__ uint32_t rank_of_bits(uint32_t bits, key_order order)
{
    return rank_of_key<BYTES>(key_of<BYTES>(bits, order));
}

/* Takes `count` places from the counter for this lane, and returns the first of them. All lanes of
 * a warp call. */
__device__ __forceinline__ uint32_t take_places(uint32_t count, uint32_t *counter)
{
    if (!__any_sync(~0u, count > 0))
        return 0;
    const uint32_t lane = threadIdx.x % 32;
    uint32_t sum = count, first = 0;
#pragma unroll
    for (uint32_t by = 1; by < 32; by *= 2) {
        const uint32_t before = __shfl_up_sync(~0u, sum, by);
        sum += lane >= by ? before : 0;
    }
    if (lane == 31)
        first = atomicAdd(counter, sum);
    return __shfl_sync(~0u, first, 31) + sum - count;
}

/* G elements that a thread looks at together. */
template <int G> struct element_group {
    uint32_t rank[G];
    uint32_t valid; /* a bit for each: is it in the slice? */
};

/* Where the elements of a level are: in memory, in the list, or in the short one. */
enum radix_source { FROM_MEMORY, FROM_LIST, FROM_SHORT_LIST };
constexpr uint32_t short_list = 512; /* entries */

/* The shared memory of a block, as words. That its parts have fixed places, but for the end of the
 * list, lets the compiler see that an address is one of shared memory. */
constexpr uint32_t word_bytes = sizeof(uint32_t), counts_at = 0, state_at = 2048,
                   short_list_at = state_at + sizeof(radix_state) / word_bytes,
                   scan_at = (short_list_at + 2 * short_list + 3) / 4 * 4;
__device__ __forceinline__ uint32_t *shared_word(uint32_t at)
{
    return (uint32_t *)shared_memory() + at;
}

/* A list: places of its ranks and of its positions in the slice, which are 0, 1, 2, .. if that
 * place is 0. */
struct element_list {
    uint32_t ranks, positions;

    __device__ __forceinline__ void put(uint32_t entry, uint32_t rank, uint32_t position) const
    {
        *shared_word(ranks + entry) = rank;
        *shared_word(positions + entry) = position;
    }
    __device__ __forceinline__ uint32_t position(uint32_t entry) const
    {
        return positions ? *shared_word(positions + entry) : entry;
    }
};

/* How the first threshold of a row is found. */
template <class Real> struct sampling {
    uint32_t rank; /* in the sample, from the largest */
    Real most;     /* it is unlikely that more elements reach it */
};

/* The number of the k largest in a sample is nearly Poisson, of this mean: by 4 standard deviations
 * at most one row in 30,000 lists fewer than k. The elements that reach the threshold of a rank r
 * are n/sample times a Gamma variable of shape r: at most one row in 400 has more than the list
 * holds (r = 4; the larger r, the fewer). Such rows are read again. */
template <class Real>
__host__ __device__ inline sampling<Real> sampling_of(uint32_t n, uint32_t k, uint32_t sample)
{
    const Real four = 4, mean = (Real)sample * (Real)k / (Real)n;
    const uint32_t rank = smaller_of((uint32_t)(mean + four * sqrt(mean) + four), sample);
    const Real listed = (Real)rank * (Real)n / (Real)sample;
    return {rank, listed * (1 + four / sqrt((Real)rank)) + 256};
}

/* The slices of several blocks have unequal shares: three tenths of a list are kept free. */
template <class Real>
__host__ __device__ inline bool list_holds(uint32_t entries, uint32_t blocks, Real most)
{
    return most <= (Real)entries * (blocks > 1 ? (Real)0.7 * (Real)blocks : (Real)1);
}

/* No sample is taken of a slice that is not longer than it. */
template <int THREADS> constexpr uint32_t sample_of_row = THREADS * 8;
template <int BYTES, int THREADS>
constexpr uint32_t whole_most = sample_of_row<THREADS> + 4 * (16 / BYTES);

/* The plan of a row that is shorter than the longest one, for which the list was laid out. */
template <int BYTES, int THREADS>
__device__ __forceinline__ radix_plan plan_of_row(const exact_args &row, const radix_plan &longest)
{
    radix_plan p = longest;
    constexpr uint32_t V = 16 / BYTES;
    const uint32_t words = p.whole ? p.list : 2 * p.list;
    p.slice = ceil_divide(ceil_divide(row.n, p.blocks), V) * V;
    const uint32_t slice = smaller_of(p.slice, row.n);
    p.whole = slice <= smaller_of(whole_most<BYTES, THREADS>, words);
    p.list = p.whole ? slice : words / 2;
    p.sample_rank = 0;
    if (!p.whole) {
        const sampling<float> s = sampling_of<float>(row.n, row.k, sample_of_row<THREADS>);
        p.sample_rank = list_holds(p.list, p.blocks, s.most) ? s.rank : 0;
    }
    return p;
}

/* A block's slice of a row, and its shared memory. */
template <int BYTES, int THREADS, class Args> struct radix_slice {
    static constexpr uint32_t V = 16 / BYTES;
    static constexpr int at_once = 16 / V;           /* loads of 16 bytes in flight */
    static constexpr int group = at_once * V;        /* elements of them */
    static constexpr uint32_t sample_chunks = 8 / V; /* of each thread */

    static constexpr uint32_t list_at =
        scan_at + (uint32_t)((block_scan_bytes<THREADS>() + 15) / 16 * 16 / word_bytes);

    const Args a;
    const radix_plan p;
    uint64_t row;
    uint32_t rank, first, length; /* this block's elements of the row: [first, first + length) */
    const unsigned char *begin;   /* of the row */

    __device__ __forceinline__ radix_slice(const Args &args, const radix_plan &plan)
        : a(args), p(plan)
    {
        row = blockIdx.x / p.blocks;
        rank = blockIdx.x % p.blocks;
        first = smaller_of(rank * p.slice, a.n);
        length = smaller_of(p.slice, a.n - first);
        begin = a.x + row * a.stride * BYTES;
    }

    static __device__ __forceinline__ radix_state *state()
    {
        return (radix_state *)shared_word(state_at);
    }
    static __device__ __forceinline__ uint32_t *counts() /* of the 2^bits digits */
    {
        return shared_word(counts_at);
    }
    static __device__ __forceinline__ void *scan()
    {
        return shared_word(scan_at);
    }
    __device__ __forceinline__ element_list list() const
    {
        return {list_at, p.whole ? 0 : list_at + p.list};
    }
    static __device__ __forceinline__ element_list short_one()
    {
        return {short_list_at, short_list_at + short_list};
    }

    __device__ __forceinline__ uint32_t bits_at(uint32_t i) const
    {
        return read_bits<BYTES>(begin, first + i);
    }
    __device__ __forceinline__ uint32_t rank_at(uint32_t i) const
    {
        return rank_of_bits<BYTES>(bits_at(i), a.order);
    }
    static __device__ __forceinline__ uint32_t element(const uint32_t (&words)[4], int e)
    {
        return BYTES == 4 ? words[e] : words[e / 2] >> (e % 2 * 16) & 0xffffu;
    }

    /* The slice as chunks of 16 bytes at multiples of 16. The first one has `shift` elements that
     * come before it. */
    struct chunks {
        const unsigned char *base;
        uint32_t shift, length, count;

        __device__ __forceinline__ chunks(const unsigned char *begin, uint32_t elements)
        {
            shift = (uint32_t)((uintptr_t)begin % 16) / BYTES;
            base = begin - shift * BYTES;
            length = elements;
            count = elements ? (shift + elements + V - 1) / V : 0;
        }
        /* Which elements of chunk c are in the slice: a bit for each. */
        __device__ __forceinline__ uint32_t valid(uint32_t c) const
        {
            if (c >= count)
                return 0;
            uint32_t bits = (1u << V) - 1;
            if (c == 0)
                bits &= ~0u << shift;
            if (c == count - 1)
                bits &= ~0u >> (31 - (shift + length - 1) % V);
            return bits;
        }
        /* Loads the 16 bytes of chunk c. Bytes outside the slice are not read. */
        __device__ __forceinline__ void load(uint32_t c, uint32_t inside,
                                             uint32_t (&words)[4]) const
        {
            const unsigned char *chunk = base + (size_t)c * 16;
            if (inside == (1u << V) - 1) {
                load_16(chunk, words);
                return;
            }
#pragma unroll
            for (int w = 0; w < 4; w++)
                words[w] = 0;
#pragma unroll
            for (int e = 0; e < (int)V; e++)
                if (inside >> e & 1)
                    words[e * BYTES / 4] |= read_bits<BYTES>(chunk + e * BYTES, 0)
                                            << (e * BYTES % 4 * 8);
        }
    };

    /* Calls visit(group, position in the slice of element e of the group) for every element of the
     * slice, read from memory; all lanes of a warp call together. */
    template <class Visit> __device__ __forceinline__ void sweep_memory(Visit visit) const
    {
        constexpr int loads = 8 / V; /* of 16 bytes: 8 elements */
        const chunks s(begin + (size_t)first * BYTES, length);
        for (uint32_t c0 = 0; c0 < s.count; c0 += THREADS * loads) {
            element_group<8> g;
            g.valid = 0;
#pragma unroll
            for (int u = 0; u < loads; u++) {
                const uint32_t c = c0 + u * THREADS + threadIdx.x, inside = s.valid(c);
                uint32_t words[4];
                s.load(c, inside, words);
                g.valid |= inside << u * V;
#pragma unroll
                for (int e = 0; e < (int)V; e++)
                    g.rank[u * V + e] = rank_of_bits<BYTES>(element(words, e), a.order);
            }
            visit(g, [&](uint32_t e) {
                return (c0 + e / V * THREADS + threadIdx.x) * V + e % V - s.shift;
            });
        }
    }
    /* The same for the first entries of a list. */
    template <class Visit>
    __device__ __forceinline__ void sweep_list(element_list from, uint32_t entries,
                                               Visit visit) const
    {
        for (uint32_t at0 = 0; at0 < entries; at0 += THREADS * 4) {
            element_group<4> g;
            g.valid = 0;
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const uint32_t at = at0 + e * THREADS + threadIdx.x;
                g.valid |= (uint32_t)(at < entries) << e;
                g.rank[e] = at < entries ? *shared_word(from.ranks + at) : 0;
            }
            visit(g, [&](uint32_t e) { return from.position(at0 + e * THREADS + threadIdx.x); });
        }
    }

    /* Ranks of a sample of the row, the same in all blocks that share it: chunks of 16 bytes, one
     * from each of as many equal runs. */
    __device__ __forceinline__ void draw_sample(uint32_t (&sample)[8]) const
    {
        const chunks s(begin, a.n);
        const uint32_t run = rcm_gpu_sample_run(s.count, THREADS * sample_chunks);
#pragma unroll
        for (uint32_t u = 0; u < sample_chunks; u++) {
            const uint32_t chunk = rcm_gpu_sample_chunk(u * THREADS + threadIdx.x, run);
            uint32_t words[4];
            load_16(s.base + (size_t)chunk * 16, words);
#pragma unroll
            for (int e = 0; e < (int)V; e++)
                sample[u * V + e] = rank_of_bits<BYTES>(element(words, e), a.order);
        }
    }

    /* The lowest and the highest rank that threads have seen, into `state`. */
    __device__ __forceinline__ void note_range(uint32_t lowest, uint32_t highest) const
    {
        uint32_t not_highest = ~highest;
#pragma unroll
        for (int with = 16; with > 0; with /= 2) {
            lowest = smaller_of(lowest, __shfl_xor_sync(~0u, lowest, with));
            not_highest = smaller_of(not_highest, __shfl_xor_sync(~0u, not_highest, with));
        }
        if (threadIdx.x % 32 == 0) {
            atomicMin(&state()->lowest, lowest);
            atomicMin(&state()->not_highest, not_highest);
        }
    }

    /* Puts the whole slice into the list. */
    __device__ __forceinline__ void list_slice() const
    {
        constexpr uint32_t loads = 8;
        uint32_t lowest = ~0u, highest = 0;
        for (uint32_t i0 = threadIdx.x; i0 < length; i0 += THREADS * loads) {
            uint32_t found[loads];
#pragma unroll
            for (uint32_t u = 0; u < loads; u++)
                found[u] = i0 + u * THREADS < length ? rank_at(i0 + u * THREADS) : 0;
#pragma unroll
            for (uint32_t u = 0; u < loads; u++)
                if (i0 + u * THREADS < length) {
                    *shared_word(list_at + i0 + u * THREADS) = found[u];
                    lowest = smaller_of(lowest, found[u]);
                    highest = found[u] > highest ? found[u] : highest;
                }
        }
        note_range(lowest, highest);
        if (threadIdx.x == 0)
            state()->listed = length;
    }
    /* Which elements reach a rank, by their bits. If it is that of a value on the side of zero that
     * is wanted, their bits are an interval from it to the infinity of this side. (For that of a
     * NaN it wraps round, and has the better NaN and all values.) */
    struct reach {
        uint32_t threshold, low, span;
        bool is_interval;
        key_order order;

        __device__ __forceinline__ reach(uint32_t of_rank, const exact_args &a)
            : threshold(of_rank), order(a.order)
        {
            const uint32_t sign = 1u << (8 * BYTES - 1),
                           infinity = BYTES == 4 ? 0x7f800000u
                                      : a.bfloat ? 0x7f80u
                                                 : 0x7c00u,
                           side = order.scale < 0 ? sign : 0;
            const int32_t key = key_of_rank<BYTES>(of_rank);
            low = BYTES == 4 ? bits_of_key_32(key, order) : bits_of_key_16(key, order);
            is_interval = (low & sign) == side;
            span = (side | infinity) - low;
        }
        /* A bit for each of N elements. */
        template <int N>
        __device__ __forceinline__ uint32_t chosen(const uint32_t (&words)[N * BYTES / 16][4]) const
        {
            uint32_t bits = 0;
            if (is_interval) {
#pragma unroll
                for (int e = 0; e < N; e++)
                    bits |= element(words[e / V], e % V) - low <= span ? 1u << e : 0;
            } else {
#pragma unroll
                for (int e = 0; e < N; e++)
                    bits |= rank_of_bits<BYTES>(element(words[e / V], e % V), order) >= threshold
                                ? 1u << e
                                : 0;
            }
            return bits;
        }
    };

    /* Puts the elements of at least this rank into the list, as many as it holds; `state()->listed`
     * counts all of them. */
    __device__ __forceinline__ void list_from(uint32_t threshold) const
    {
        const chunks s(begin + (size_t)first * BYTES, length);
        const reach reaches(threshold, a);
        const uint32_t end = s.count > 0 ? s.count - 1 : 0; /* whole chunks: 1, 2, .. end - 1 */
        uint32_t words[at_once][4], highest = threshold;
        const auto load = [&](uint32_t c0, uint32_t(&to)[at_once][4]) {
#pragma unroll
            for (int u = 0; u < at_once; u++) {
                const uint32_t c = c0 + u * THREADS + threadIdx.x;
                if (c < end)
                    load_16(s.base + (size_t)c * 16, to[u]);
            }
        };
        load(1, words);
        for (uint32_t c0 = 1; c0 < end; c0 += THREADS * at_once) {
            uint32_t next[at_once][4];
            load(c0 + THREADS * at_once, next);
            uint32_t chosen = reaches.template chosen<group>(words);
#pragma unroll
            for (int u = 0; u < at_once; u++)
                if (c0 + u * THREADS + threadIdx.x >= end)
                    chosen &= ~(((1u << V) - 1) << u * V);
            uint32_t place = take_places((uint32_t)__popc(chosen), &state()->listed);
#pragma unroll
            for (int e = 0; e < group; e++)
                if (chosen >> e & 1)
                    put(place++, element(words[e / V], e % V),
                        (c0 + e / V * THREADS + threadIdx.x) * V + e % V - s.shift, highest);
#pragma unroll
            for (int u = 0; u < at_once; u++)
#pragma unroll
                for (int w = 0; w < 4; w++)
                    words[u][w] = next[u][w];
        }
        /* The first and the last chunk, which may not be whole: a lane for each element. */
        if (threadIdx.x < 32) {
            const uint32_t c = threadIdx.x < V ? 0 : end, e = threadIdx.x % V;
            const bool one = threadIdx.x < V || (threadIdx.x < 2 * V && end > 0);
            const bool chosen =
                one && (s.valid(c) >> e & 1) && rank_at(c * V + e - s.shift) >= threshold;
            const uint32_t place = take_places(chosen, &state()->listed);
            if (chosen)
                put(place, bits_at(c * V + e - s.shift), c * V + e - s.shift, highest);
        }
        note_range(threshold, highest);
    }
    /* Writes an entry of the list, if it has room. */
    __device__ __forceinline__ void put(uint32_t place, uint32_t bits, uint32_t position,
                                        uint32_t &highest) const
    {
        const uint32_t of_rank = rank_of_bits<BYTES>(bits, a.order);
        highest = of_rank > highest ? of_rank : highest;
        if (place < p.list)
            list().put(place, of_rank, position);
    }

    __device__ __forceinline__ void count(uint32_t digit) const
    {
        atomicAdd(&counts()[digit], 1u);
    }
    __device__ __forceinline__ void clear_counts() const
    {
        for (uint32_t i = threadIdx.x; i < 1u << p.bits; i += THREADS)
            counts()[i] = 0;
    }
    /* Counts the digits of a group. If all elements of a warp have the same one, as in a row of
     * equal elements, the warp counts once. */
    template <int G>
    __device__ __forceinline__ void count_group(const uint32_t (&digit)[G], uint32_t valid) const
    {
        bool same = valid == (uint32_t)((uint64_t(1) << G) - 1);
#pragma unroll
        for (int e = 1; e < G; e++)
            same &= digit[e] == digit[0];
        const uint32_t lane_0 = __shfl_sync(~0u, same ? digit[0] : ~0u, 0);
        if (__all_sync(~0u, same && digit[0] == lane_0)) {
            if (threadIdx.x % 32 == 0)
                atomicAdd(&counts()[digit[0]], 32u * G);
            return;
        }
#pragma unroll
        for (int e = 0; e < G; e++)
            if (valid >> e & 1)
                count(digit[e]);
    }
};

#endif
