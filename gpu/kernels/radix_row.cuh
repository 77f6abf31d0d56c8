/* radix_row.cuh - what the blocks of exact_radix.cu do with a row: they read it in turns, keep a
 * list of elements in shared memory, and count digits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_RADIX_ROW_CUH
#define RCM_RADIX_ROW_CUH

#include "exact.cuh"
#include "radix_plan.cuh"

/* Shared by the threads of a block. Other blocks of the cluster read some of it, and count in that
 * of block 0. */
struct radix_state {
    uint32_t listed;               /* elements for the list, whether it has room or not */
    uint32_t lowest, not_highest;  /* rank of the list, and the complement of the highest */
    uint32_t places, ties;         /* taken so far: in the output, and for equal elements */
    uint32_t digit, above, inside; /* of the border */
    uint32_t kept;                 /* entries of the short list */
    uint32_t kth, quota; /* deterministic: the k-th rank, and how many that have it are taken */
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

/* What elements reach: those of larger ranks, and of those with this rank the ones at positions
 * before `end`. So equal elements are told apart, and a bound has as many above it as it should. */
struct bound {
    uint32_t rank, end;
};

/* G elements that a thread looks at together. */
template <int G> struct element_group {
    uint32_t rank[G];
    uint32_t valid; /* a bit for each: is it an element of the row? */
};

/* The shared memory of a block, as words. That its parts have fixed places, but for the end of the
 * list, lets the compiler see that an address is one of shared memory. */
constexpr uint32_t word_bytes = sizeof(uint32_t), short_list = 512; /* entries */
__device__ __forceinline__ uint32_t *shared_word(uint32_t at)
{
    return (uint32_t *)shared_memory() + at;
}

/* A list: places of its ranks and of its positions in the row. */
struct element_list {
    uint32_t ranks, positions;

    __device__ __forceinline__ void put(uint32_t entry, uint32_t rank, uint32_t position) const
    {
        *shared_word(ranks + entry) = rank;
        *shared_word(positions + entry) = position;
    }
};

/* A row as chunks of 16 bytes at multiples of 16. The first one has `shift` elements that come
 * before it. */
template <int BYTES> struct chunks_of_row {
    static constexpr uint32_t V = 16 / BYTES;
    const unsigned char *base;
    uint32_t shift, length, count;

    __device__ __forceinline__ chunks_of_row(const unsigned char *begin, uint32_t elements)
    {
        shift = (uint32_t)((uintptr_t)begin % 16) / BYTES;
        base = begin - shift * BYTES;
        length = elements;
        count = elements ? (shift + elements + V - 1) / V : 0;
    }
    /* Which elements of chunk c are of the row: a bit for each. */
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
    /* Loads the 16 bytes of chunk c. Bytes outside the row are not read. */
    __device__ __forceinline__ void load(uint32_t c, uint32_t inside, uint32_t (&words)[4]) const
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

template <int BYTES> __device__ __forceinline__ uint32_t element(const uint32_t (&words)[4], int e)
{
    return BYTES == 4 ? words[e] : words[e / 2] >> (e % 2 * 16) & 0xffffu;
}

/* Which elements reach a bound, by their bits. If its rank is that of a value on the side of zero
 * that is wanted, their bits are an interval from it to the infinity of this side. (For that of a
 * NaN it wraps round, and has the better NaN and all values.) */
template <int BYTES> struct reach {
    static constexpr int V = 16 / BYTES;
    bound to;
    uint32_t low, span;
    bool is_interval;
    key_order order;

    __device__ __forceinline__ reach(bound b, const exact_args &a) : to(b), order(a.order)
    {
        const uint32_t sign = 1u << (8 * BYTES - 1),
                       infinity = BYTES == 4 ? 0x7f800000u
                                  : a.bfloat ? 0x7f80u
                                             : 0x7c00u,
                       side = order.scale < 0 ? sign : 0;
        const int32_t key = key_of_rank<BYTES>(b.rank);
        low = BYTES == 4 ? bits_of_key_32(key, order) : bits_of_key_16(key, order);
        is_interval = (low & sign) == side;
        span = (side | infinity) - low;
    }
    /* A bit for each of N elements, of which position(e) is e's. */
    template <int N, class Position>
    __device__ __forceinline__ uint32_t chosen(const uint32_t (&words)[N / V][4],
                                               Position position) const
    {
        uint32_t bits = 0;
        if (is_interval) {
#pragma unroll
            for (int e = 0; e < N; e++)
                bits |= element<BYTES>(words[e / V], e % V) - low <= span ? 1u << e : 0;
        } else {
#pragma unroll
            for (int e = 0; e < N; e++)
                bits |= rank_of_bits<BYTES>(element<BYTES>(words[e / V], e % V), order) >= to.rank
                            ? 1u << e
                            : 0;
        }
        if (to.end != ~0u && bits) {
#pragma unroll
            for (int e = 0; e < N; e++)
                if (element<BYTES>(words[e / V], e % V) == low && position(e) >= to.end)
                    bits &= ~(1u << e);
        }
        return bits;
    }
};

/* A row, as its blocks see it. */
struct radix_task {
    uint64_t row;
    uint32_t n, k;
    const unsigned char *begin;
    const int32_t *labels;
    radix_way_of_row way;
    uint32_t rank, blocks; /* this block, of those that share the row */
};

/* With the shared memory of this block. The call and its plan stay where the launch has put them:
 * copies would take registers. */
template <int BYTES, int THREADS, class Args> struct radix_row : radix_task {
    static constexpr uint32_t V = 16 / BYTES;
    static constexpr int at_once = 16 / V;     /* loads of 16 bytes in flight */
    static constexpr int group = at_once * V;  /* elements of them */
    static constexpr uint32_t digits_each = 8; /* that a thread looks at */
    static constexpr uint32_t most_bits = THREADS == 512 ? 12 : 11; /* of a digit */

    static constexpr uint32_t counts_at = 0, state_at = digits_each * THREADS,
                              short_list_at = state_at + sizeof(radix_state) / word_bytes,
                              scan_at = (short_list_at + 2 * short_list + 3) / 4 * 4,
                              list_at = scan_at + (uint32_t)((block_scan_bytes<THREADS>() + 15) /
                                                             16 * 16 / word_bytes);

    const Args &a;
    const radix_plan &p;

    __device__ __forceinline__ radix_row(const Args &args, const radix_plan &plan,
                                         const radix_task &task)
        : radix_task(task), a(args), p(plan)
    {
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
        return {list_at, list_at + p.list};
    }
    static __device__ __forceinline__ element_list short_one()
    {
        return {short_list_at, short_list_at + short_list};
    }
    __device__ __forceinline__ uint32_t bits_of_digit() const
    {
        return smaller_of(p.bits, most_bits);
    }
    /* The blocks take turns: chunk u of this thread, in a step of them all that begins at c0. So
     * neighbours, which may be alike, go to several blocks. */
    __device__ __forceinline__ uint32_t chunk_of(uint32_t c0, uint32_t u) const
    {
        return c0 + (u * blocks + rank) * THREADS + threadIdx.x;
    }
    /* A barrier for all blocks that share the row, of a cluster. */
    __device__ __forceinline__ void sync() const
    {
        blocks > 1 ? cluster_sync() : __syncthreads();
    }

    /* The elements of this block, 8 at a time: visit(group, position of element e of it). All lanes
     * of a warp call together. */
    template <class Visit> __device__ __forceinline__ void sweep_memory(Visit visit) const
    {
        constexpr int loads = 8 / V; /* of 16 bytes */
        const chunks_of_row<BYTES> s(begin, n);
        for (uint32_t c0 = 0; c0 < s.count; c0 += blocks * THREADS * loads) {
            element_group<8> g;
            g.valid = 0;
#pragma unroll
            for (int u = 0; u < loads; u++) {
                const uint32_t c = chunk_of(c0, u), inside = s.valid(c);
                uint32_t words[4];
                s.load(c, inside, words);
                g.valid |= inside << u * V;
#pragma unroll
                for (int e = 0; e < (int)V; e++)
                    g.rank[u * V + e] = rank_of_bits<BYTES>(element<BYTES>(words, e), a.order);
            }
            visit(g, [&](uint32_t e) { return chunk_of(c0, e / V) * V + e % V - s.shift; });
        }
    }
    /* The same for the first entries of a list, of which the ranks and the positions are here. */
    template <class Visit>
    static __device__ __forceinline__ void
    sweep_entries(const uint32_t *ranks, const uint32_t *positions, uint32_t entries, Visit visit)
    {
        for (uint32_t at0 = 0; at0 < entries; at0 += THREADS * 4) {
            element_group<4> g;
            g.valid = 0;
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const uint32_t at = at0 + e * THREADS + threadIdx.x;
                g.valid |= (uint32_t)(at < entries) << e;
                g.rank[e] = at < entries ? ranks[at] : 0;
            }
            visit(g, [&](uint32_t e) { return positions[at0 + e * THREADS + threadIdx.x]; });
        }
    }
    template <class Visit>
    static __device__ __forceinline__ void sweep_list(element_list from, uint32_t entries,
                                                      Visit visit)
    {
        sweep_entries(shared_word(from.ranks), shared_word(from.positions), entries, visit);
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

    /* Puts the elements of this block that reach the bound into the list, as many as it holds;
     * `state()->listed` counts all of them. */
    __device__ __forceinline__ void list_from(bound low) const
    {
        const chunks_of_row<BYTES> s(begin, n);
        const reach<BYTES> reaches(low, a);
        const uint32_t end = s.count > 0 ? s.count - 1 : 0; /* whole chunks: 1, 2, .. end - 1 */
        uint32_t words[at_once][4], highest = 0, lowest = ~0u;
        const auto load = [&](uint32_t c0, uint32_t(&to)[at_once][4]) {
#pragma unroll
            for (int u = 0; u < at_once; u++) {
                const uint32_t c = chunk_of(c0, u);
                if (c < end)
                    load_16(s.base + (size_t)c * 16, to[u]);
            }
        };
        const auto put = [&](uint32_t place, uint32_t bits, uint32_t position) {
            const uint32_t of_rank = rank_of_bits<BYTES>(bits, a.order);
            highest = of_rank > highest ? of_rank : highest;
            lowest = smaller_of(lowest, of_rank);
            if (place < p.list)
                list().put(place, of_rank, position);
        };
        const uint32_t step = blocks * THREADS * at_once;
        load(1, words);
        for (uint32_t c0 = 1; c0 < end; c0 += step) {
            uint32_t next[at_once][4];
            load(c0 + step, next);
            const auto position = [&](int e) { return chunk_of(c0, e / V) * V + e % V - s.shift; };
            uint32_t chosen = reaches.template chosen<group>(words, position);
#pragma unroll
            for (int u = 0; u < at_once; u++)
                if (chunk_of(c0, u) >= end)
                    chosen &= ~(((1u << V) - 1) << u * V);
            uint32_t place = take_places((uint32_t)__popc(chosen), &state()->listed);
#pragma unroll
            for (int e = 0; e < group; e++)
                if (chosen >> e & 1)
                    put(place++, element<BYTES>(words[e / V], e % V), position(e));
#pragma unroll
            for (int u = 0; u < at_once; u++)
#pragma unroll
                for (int w = 0; w < 4; w++)
                    words[u][w] = next[u][w];
        }
        /* The first and the last chunk, which may not be whole: a lane for each element. */
        if (rank == 0 && threadIdx.x < 32) {
            const uint32_t c = threadIdx.x < V ? 0 : end, e = threadIdx.x % V,
                           position = c * V + e - s.shift;
            const bool one =
                (threadIdx.x < V || (threadIdx.x < 2 * V && end > 0)) && (s.valid(c) >> e & 1);
            const uint32_t bits = one ? read_bits<BYTES>(begin, position) : 0,
                           of_rank = rank_of_bits<BYTES>(bits, a.order);
            const bool chosen =
                one && (of_rank > low.rank || (of_rank == low.rank && position < low.end));
            const uint32_t place = take_places(chosen, &state()->listed);
            if (chosen)
                put(place, bits, position);
        }
        note_range(lowest, highest);
    }

    __device__ __forceinline__ void clear_counts(uint32_t width) const
    {
        for (uint32_t i = threadIdx.x; i < 1u << width; i += THREADS)
            counts()[i] = 0;
    }
    __device__ __forceinline__ void count(uint32_t digit) const
    {
        atomicAdd(&counts()[digit], 1u);
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

    /* The counts of neighbouring digits, of which a thread has up to 8: from `low` on. The largest
     * digits belong to the first threads. */
    struct digit_counts {
        uint32_t each, low;
        bool any;
        uint32_t of[digits_each];

        __device__ __forceinline__ explicit digit_counts(uint32_t digits)
        {
            each = (digits + THREADS - 1) / THREADS;
            any = (threadIdx.x + 1) * each <= digits;
            low = digits - (threadIdx.x + 1) * each;
#pragma unroll
            for (uint32_t i = 0; i < digits_each; i++)
                of[i] = 0;
        }
        __device__ __forceinline__ void add(const uint32_t *from)
        {
#pragma unroll
            for (uint32_t i = 0; i < digits_each; i += 4) {
                uint32_t words[4];
                if (any && i + 4 <= each) {
                    load_16(from + low + i, words);
#pragma unroll
                    for (uint32_t w = 0; w < 4; w++)
                        of[i + w] += words[w];
                }
            }
#pragma unroll
            for (uint32_t i = 0; i < 2; i++)
                if (any && each < 4 && i < each)
                    of[i] += from[low + i];
        }
        /* The digit at which the count from above reaches `need`, into the state. */
        __device__ __forceinline__ void find(uint32_t need, radix_state *to) const
        {
            uint32_t sum = 0, total;
#pragma unroll
            for (uint32_t i = 0; i < digits_each; i++)
                sum += of[i];
            uint32_t before = block_sum_before<THREADS>(sum, total, radix_row::scan());
            if (before < need && before + sum >= need) {
                bool found = false;
#pragma unroll
                for (int i = (int)digits_each - 1; i >= 0; i--) {
                    if (!found && before + of[i] >= need) {
                        found = true;
                        to->above = before;
                        to->inside = of[i];
                        to->digit = low + i;
                    }
                    before += of[i];
                }
            }
        }
    };

    struct border {
        uint32_t digit, above, inside; /* elements above it, and on it */
    };

    /* Finds from the counts of this block the border digit for `need` >= 1 elements. The counts
     * become 0. */
    __device__ __forceinline__ border find_border(uint32_t width, uint32_t need) const
    {
        digit_counts c(1u << width);
        __syncthreads();
        c.add(counts());
        c.find(need, state());
        clear_counts(width); /* all have read them: the sum has a barrier */
        __syncthreads();
        return {state()->digit, state()->above, state()->inside};
    }
    /* The same from the counts of all blocks of the cluster. */
    __device__ __forceinline__ border find_border_of_row(uint32_t width, uint32_t need) const
    {
        if (blocks == 1)
            return find_border(width, need);
        digit_counts c(1u << width);
        cluster_sync();
        for (uint32_t r = 0; r < blocks; r++)
            c.add(cluster_shared(counts(), r));
        c.find(need, state());
        cluster_sync(); /* all have read the counts */
        clear_counts(width);
        __syncthreads();
        return {state()->digit, state()->above, state()->inside};
    }
};

#endif
