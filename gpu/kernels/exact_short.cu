/* exact_short.cu - exact top-k of rows of up to 4096 elements. A block has a row, in registers.
 *
 * Such a call waits for latencies, not for units, so what counts is the chain of steps that need
 * each other:
 *
 *     load                   the row, once
 *     range          B       lowest and highest finite value: registers, warps, warps of the block
 *     count          B       each element, in the bin of its value: as many equal parts of that
 *                            range as counters, so that those of a part are few
 *     border         B B     the bin of the k-th: sums of 8 counters, of warps, of the block
 *     list           B       the elements in that bin, if they are up to 32
 *     select                 the k-th of them: each warp for itself, a lane an element
 *     place          B       elements that are taken, before this one
 *     write          B       place after place
 *
 * B is a barrier: seven, and by the latencies of its instructions some 2500 cycles of an H200 with
 * n = 4096 (not measured). The atomic additions to shared memory take a quarter of them: equal
 * addresses in a warp are added at once (ATOMS.POPC.INC), but of 32 random banks one has 3 or 4.
 * Bins by leading bits would need no range; but those of normals agree in most of them, and a bin
 * of 11 bits may have 5 % of the row, so that a second level follows. A binary search has 20 and
 * more rounds of a barrier.
 *
 * If the bin has more elements, a level finds the border among those in it. The second level takes
 * equal parts again, as a few outliers may have left all others in one bin. The next ones divide
 * the keys, of which at most 32 bits differ: three of them at most, or four with small blocks.
 *
 * Places are those of positions, so that every call is deterministic.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "exact_short.cuh"

namespace
{

template <int BYTES, int THREADS, int ROUNDS, class Args>
struct short_row : short_elements<BYTES, THREADS, ROUNDS, Args> {
    typedef short_elements<BYTES, THREADS, ROUNDS, Args> elements;
    using elements::a, elements::row, elements::warp, elements::lane, elements::words, elements::V,
        elements::E, elements::position, elements::bits, elements::key, elements::value;
    using elements::short_elements;
    static constexpr uint32_t warps = THREADS / 32, bins_each = 8, bins = bins_each * THREADS;
    static constexpr uint32_t list_most = 32; /* a lane each */

    struct block_state {
        union {
            uint32_t counts[bins + 1]; /* the last one is of the elements that are not inside */
            uint16_t taken[2 * bins];  /* positions, in the end */
        };
        int32_t lowest[2][warps], highest[2][warps]; /* of each warp, of two levels */
        uint32_t sums[warps];
        alignas(16) uint32_t list[list_most];
        uint32_t listed, border, above, inside;
    };
    static __host__ __device__ constexpr uint32_t labels_at()
    {
        return (sizeof(block_state) + 15) / 16 * 16;
    }

    uint32_t inside; /* a bit for each element: in the border bin, at first all of the row */
    uint32_t sure;   /* is taken */
    uint32_t need;   /* elements to take of those inside */

    static __device__ __forceinline__ block_state *state()
    {
        return (block_state *)shared_memory();
    }
    static __device__ __forceinline__ int32_t *labels()
    {
        return (int32_t *)(shared_memory() + labels_at());
    }
    static __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (uint32_t i = 0; i < bins_each; i++)
            state()->counts[i * THREADS + threadIdx.x] = 0;
        if (threadIdx.x < list_most)
            state()->list[threadIdx.x] = 0;
        if (threadIdx.x == 0)
            state()->listed = 0;
    }

    /* The labels arrive while the threads select. */
    __device__ __forceinline__ void copy_labels() const
    {
        const int32_t *from = a.labels + row * a.stride;
        const uint32_t whole = (uintptr_t)from % 16 == 0 ? a.n / 4 * 4 : 0;
#pragma unroll 1
        for (uint32_t i = 4 * threadIdx.x; i < whole; i += 4 * THREADS)
            copy_async(labels() + i, from + i);
#pragma unroll 4
        for (uint32_t i = whole + threadIdx.x; i < a.n; i += THREADS)
            labels()[i] = from[i];
        copy_commit();
    }

    /* The lowest and the highest number of those that the threads have. */
    __device__ __forceinline__ void range_of_block(int32_t &low, int32_t &high, uint32_t turn) const
    {
        low = __reduce_min_sync(~0u, low);
        high = __reduce_max_sync(~0u, high);
        if (lane == 0) {
            state()->lowest[turn][warp] = low;
            state()->highest[turn][warp] = high;
        }
        __syncthreads();
        low = __reduce_min_sync(~0u, state()->lowest[turn][lane % warps]);
        high = __reduce_max_sync(~0u, state()->highest[turn][lane % warps]);
    }

    /* The range of the finite values, or the keys, of the elements inside. */
    __device__ __forceinline__ void range(bool of_values, uint32_t turn, int32_t &low,
                                          int32_t &high) const
    {
        low = INT32_MAX;
        high = INT32_MIN;
        if (of_values) {
            float least = INFINITY, most = -INFINITY;
#pragma unroll
            for (uint32_t e = 0; e < E; e++) {
                const float v = value(e);
                if ((inside >> e & 1) && fabsf(v) < INFINITY) {
                    least = fminf(least, v);
                    most = fmaxf(most, v);
                }
            }
            low = key_of_32(__float_as_uint(least), order_of_bits);
            high = key_of_32(__float_as_uint(most), order_of_bits);
        } else {
#pragma unroll
            for (uint32_t e = 0; e < E; e++)
                if (inside >> e & 1) {
                    low = key(e) < low ? key(e) : low;
                    high = key(e) > high ? key(e) : high;
                }
        }
        range_of_block(low, high, turn);
    }

    /* The bins of the elements: parts of equal length of a range of values. Rounding keeps the
     * order, also past the ends and where the length overflows. A NaN becomes the lower end, and so
     * does what infinities make one. */
    __device__ __forceinline__ void bins_of_values(int32_t low, int32_t high,
                                                   uint32_t (&bin)[E]) const
    {
        const bool falls = a.order.scale < 0;
        const float sign = falls ? -1.0f : 1.0f, zero = 0x1p23f, top = zero + (bins - 1);
        const float from = __uint_as_float(bits_of_key_32(falls ? high : low, order_of_bits)),
                    to = __uint_as_float(bits_of_key_32(falls ? low : high, order_of_bits));
        const float scale = __fdividef(sign * (bins - 1), fabsf(to - from));
        const float offset = zero - from * scale;
#pragma unroll
        for (uint32_t e = 0; e < E; e++)
            bin[e] = __float_as_uint(fminf(fmaxf(fmaf(value(e), scale, offset), zero), top)) &
                     (bins - 1);
    }
    /* The same for a range of keys; lengths are powers of two. */
    __device__ __forceinline__ void bins_of_keys(int32_t low, int32_t high,
                                                 uint32_t (&bin)[E]) const
    {
        const int most = 32 - __clz((int)bins - 1),
                  differ = 32 - __clz((int)((uint32_t)high - (uint32_t)low));
        const int down = differ > most ? differ - most : 0;
#pragma unroll
        for (uint32_t e = 0; e < E; e++)
            bin[e] = ((uint32_t)key(e) - (uint32_t)low) >> down;
    }

    /* The sum of the numbers of the warps before this one. */
    __device__ __forceinline__ uint32_t sum_before(uint32_t of_warp) const
    {
        if (lane == 0)
            state()->sums[warp] = of_warp;
        __syncthreads();
        return __reduce_add_sync(~0u, lane < warp ? state()->sums[lane % warps] : 0);
    }
    __device__ __forceinline__ uint32_t scan_warp(uint32_t sum) const
    {
#pragma unroll
        for (uint32_t by = 1; by < 32; by *= 2) {
            const uint32_t before = __shfl_up_sync(~0u, sum, by);
            sum += lane >= by ? before : 0;
        }
        return sum;
    }

    /* Counts the elements inside in their bins, without a branch. */
    __device__ __forceinline__ void count(const uint32_t (&bin)[E]) const
    {
#pragma unroll
        for (uint32_t e = 0; e < E; e++)
            atomicAdd(&state()->counts[inside >> e & 1 ? bin[e] : bins], 1u);
        __syncthreads();
    }

    /* Finds the bin of the `need`-th element, and clears the counts. The largest bins belong to the
     * first threads. */
    __device__ __forceinline__ void find_border() const
    {
        const uint32_t low = bins - (threadIdx.x + 1) * bins_each;
        uint32_t *const at = state()->counts + low;
        uint32_t mine[bins_each], sum = 0;
#pragma unroll
        for (uint32_t i = 0; i < bins_each; i += 4) {
            uint32_t four[4];
            load_16(at + i, four);
#pragma unroll
            for (uint32_t w = 0; w < 4; w++) {
                mine[i + w] = four[w];
                sum += four[w];
            }
        }
        const uint32_t with = scan_warp(sum);
        uint32_t above = sum_before(__shfl_sync(~0u, with, 31)) + with - sum;
#pragma unroll
        for (uint32_t i = 0; i < bins_each; i++)
            at[i] = 0;
        if (above < need && above + sum >= need) {
#pragma unroll
            for (int i = bins_each - 1; i >= 0; i--) {
                if (above < need && above + mine[i] >= need) {
                    state()->border = low + i;
                    state()->above = above;
                    state()->inside = mine[i];
                }
                above += mine[i];
            }
        }
        __syncthreads();
    }

    /* Calls visit(bit, rank) for each element inside. Few threads have one: a loop is faster than a
     * look at all, and less code to fetch. */
    template <class Visit> __device__ __forceinline__ void visit_inside(Visit visit) const
    {
        for (uint32_t left = inside; left; left &= left - 1) {
            const uint32_t first = left & (0u - left);
            uint32_t of_first = 0;
#pragma unroll
            for (uint32_t e = 0; e < E; e++)
                of_first = first >> e & 1 ? bits(e) : of_first;
            visit(first, rank_of_key<BYTES>(key_of<BYTES>(of_first, a.order)));
        }
    }

    /* The k-th is one of up to 32 elements inside: the lowest of those that fewer than `need` of
     * them surpass. */
    __device__ __forceinline__ void select_from_list()
    {
        visit_inside(
            [&](uint32_t, uint32_t of) { state()->list[atomicAdd(&state()->listed, 1u)] = of; });
        __syncthreads();
        const uint32_t entries = state()->inside, mine = state()->list[lane];
        uint32_t larger = 0;
#pragma unroll 1
        for (uint32_t i = 0; i < entries; i += 4) { /* what is behind the last is 0 */
            uint32_t four[4];
            load_16(state()->list + i, four);
#pragma unroll
            for (uint32_t w = 0; w < 4; w++)
                larger += four[w] > mine;
        }
        const bool reaches = lane < entries && larger < need;
        const uint32_t kth = __reduce_min_sync(~0u, reaches ? mine : ~0u),
                       equals = __popc(__ballot_sync(~0u, lane < entries && mine == kth));
        need -= __reduce_max_sync(~0u, reaches ? larger : 0);
        uint32_t equal = 0;
        visit_inside([&](uint32_t bit, uint32_t of) {
            sure |= of > kth ? bit : 0;
            equal |= of == kth ? bit : 0;
        });
        inside = equal;
        if (equals == need)
            take_inside();
    }
    __device__ __forceinline__ void take_inside()
    {
        sure |= inside;
        need = 0;
    }

    /* Decides which elements are taken; of those then inside, which are equal, `need` are too. */
    __device__ __forceinline__ void select()
    {
        sure = 0;
        need = a.k;
        if (need == a.n) {
            take_inside();
            return;
        }
        for (uint32_t level = 0;; level++) {
            const bool of_values = level < 2;
            int32_t low, high;
#ifdef __CUDA_ARCH__ /* no value or key is to be computed before the loop, and held */
#pragma unroll
            for (uint32_t i = 0; i < 4 * ROUNDS; i++)
                asm volatile("" : "+r"(words[i / 4][i % 4]));
#endif
            range(of_values, level % 2, low, high);
            if (of_values && low >= high) { /* no two finite values that differ */
                level |= 2;
                continue;
            }
            if (low == high)
                return;
            uint32_t bin[E];
            if (of_values)
                bins_of_values(low, high, bin);
            else
                bins_of_keys(low, high, bin);
            count(bin);
            find_border();
            const uint32_t border = state()->border, on_border = state()->inside;
            need -= state()->above;
            uint32_t above = 0, on = 0;
#pragma unroll
            for (uint32_t e = 0; e < E; e++) {
                above |= bin[e] > border ? 1u << e : 0;
                on |= bin[e] == border ? 1u << e : 0;
            }
            sure |= inside & above;
            inside &= on;
            if (on_border == need) {
                take_inside();
                return;
            }
            if (on_border <= list_most) {
                select_from_list();
                return;
            }
        }
    }

    /* A count for each round in one word. */
    static constexpr uint32_t field = 32 / ROUNDS;
    static __device__ __forceinline__ uint32_t in_round(uint32_t counts, uint32_t r)
    {
        return counts >> r * field & ~0u >> (32 - field);
    }
    static __device__ __forceinline__ uint32_t count_rounds(uint32_t mask)
    {
        uint32_t counts = 0;
#pragma unroll
        for (uint32_t r = 0; r < ROUNDS; r++)
            counts |= (uint32_t)__popc(mask >> r * V & ((1u << V) - 1)) << r * field;
        return counts;
    }

    /* Calls visit(element, number) for those of the mask, which are numbered in the order of
     * positions over the block. */
    template <class Visit> __device__ __forceinline__ void number(uint32_t mask, Visit visit) const
    {
        static_assert(32 * V < uint64_t(1) << field, "the elements of a round of a warp");
        const uint32_t mine = count_rounds(mask), with = scan_warp(mine),
                       all = __shfl_sync(~0u, with, 31);
        uint32_t of_warp = 0;
#pragma unroll
        for (uint32_t r = 0; r < ROUNDS; r++)
            of_warp += in_round(all, r);
        uint32_t before = sum_before(of_warp);
#pragma unroll
        for (uint32_t r = 0; r < ROUNDS; r++) {
            uint32_t next = before + in_round(with - mine, r);
#pragma unroll
            for (uint32_t e = r * V; e < (r + 1) * V; e++)
                if (mask >> e & 1)
                    visit(e, next++);
            before += in_round(all, r);
        }
    }

    /* Takes the first `need` of the elements inside. */
    __device__ __forceinline__ void take_first()
    {
        uint32_t first = 0;
        number(inside, [&](uint32_t e, uint32_t at) { first |= at < need ? 1u << e : 0; });
        sure |= first;
        __syncthreads();
    }

    /* Notes the elements that are taken in the order of their positions, and writes them. */
    __device__ __forceinline__ void write() const
    {
        static_assert(2 * bins >= THREADS * E, "room for all positions");
        number(sure,
               [&](uint32_t e, uint32_t place) { state()->taken[place] = (uint16_t)position(e); });
        copy_wait<0>();
        __syncthreads();
        const unsigned char *x = a.x + row * a.stride * BYTES; /* in the first cache by now */
        for (uint32_t place = threadIdx.x; place < a.k; place += THREADS) {
            const uint32_t at = state()->taken[place];
            write_labelled<BYTES>(a, row, place, read_bits<BYTES>(x, at),
                                  a.labels ? labels()[at] : (int32_t)at);
        }
    }

    __device__ __forceinline__ void run()
    {
        inside = elements::load();
        if (a.labels)
            copy_labels();
        select();
        if (need > 0)
            take_first();
        write();
    }
};

template <int BYTES, int THREADS, int ROUNDS>
__global__ void __launch_bounds__(THREADS, 768 / THREADS) short_exact(exact_args a)
{
    typedef short_row<BYTES, THREADS, ROUNDS, exact_args> row;
    row::clear();
    wait_for_previous_kernel();
    row(a).run();
}

/* The same for rows of different lengths and for other outputs. */
template <int BYTES, int THREADS, int ROUNDS>
__global__ void __launch_bounds__(THREADS, 768 / THREADS) short_general(general_args of_all)
{
    typedef short_row<BYTES, THREADS, ROUNDS, general_args> row;
    row::clear();
    wait_for_previous_kernel();
    const general_args a = args_of_row<BYTES>(of_all, blockIdx.x);
    if (a.k > 0)
        row(a).run();
    write_rest<BYTES>(a, blockIdx.x);
}

template <int BYTES, int THREADS, int ELEMENTS>
enum rcm_gpu_status start(const general_args &a, rcm_gpu_stream stream)
{
    constexpr int ROUNDS = ELEMENTS * BYTES / 16;
    const launch how = {(unsigned)a.m,
                        THREADS,
                        short_row<BYTES, THREADS, ROUNDS, exact_args>::labels_at() +
                            (a.labels ? round_up<size_t>(a.n, 4) * sizeof(int32_t) : 0),
                        1,
                        stream,
                        a.overlaps};
    return a.general ? run(how, short_general<BYTES, THREADS, ROUNDS>, a)
                     : run(how, short_exact<BYTES, THREADS, ROUNDS>, a);
}

template <int BYTES> enum rcm_gpu_status start(const general_args &a, rcm_gpu_stream stream)
{
    return a.n <= 256    ? start<BYTES, 32, 8>(a, stream)
           : a.n <= 1024 ? start<BYTES, 128, 8>(a, stream)
                         : start<BYTES, 256, exact_short_most / 256>(a, stream);
}

} // namespace

enum rcm_gpu_status exact_short(const general_args &a, int bytes, rcm_gpu_stream stream)
{
    return bytes == 4 ? start<4>(a, stream) : start<2>(a, stream);
}
