/* exact_histogram.cu - exact top-k by one histogram: 512 bins on the top nine bits of the
 * order-preserving float16 key. A block scan finds the threshold bin, at which the count from above
 * reaches k. Elements in higher bins are written at once; the threshold bin is sorted. A block
 * takes a row and reads it twice, the second time from the cache if the row is still there.
 *
 * If the threshold bin holds more elements than the sort takes, they are divided again by nine bits
 * of their full key at a time, until the rest fits or all of it is equal: no element is ever
 * dropped.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "exact.cuh"

namespace
{

constexpr int block_threads = 512, bins = 512, sort_items = 8;
constexpr int sort_most = block_threads * sort_items; /* elements that the sort takes */

/* The float16 nearest to a float32, ties to even, as bits. Never called with NaN. */
__device__ __forceinline__ uint32_t half_bits(uint32_t bits)
{
#ifdef __CUDA_ARCH__
    unsigned short half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(__uint_as_float(bits)));
    return half;
#else
    uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    float value;
    memcpy(&value, &magnitude, sizeof value);
    if (value >= 65520.0f)
        return sign | 0x7c00u;
    int exponent;
    frexpf(value, &exponent);
    int unit = std::max(exponent - 11, -24); /* the last place has the value 2^unit */
    uint32_t mantissa = (uint32_t)std::nearbyint(std::ldexp((double)value, -unit));
    return sign | (mantissa < 1024 ? mantissa : ((uint32_t)(unit + 24) << 10) + mantissa);
#endif
}

/* The bin of an element. Larger bins come first; a larger key never has a smaller bin. NaN is in
 * bin 0. */
template <int BYTES>
__device__ __forceinline__ uint32_t bin_of(uint32_t bits, int32_t key, key_order order, bool bfloat)
{
    if (key < order.lowest)
        return 0;
    uint32_t half = BYTES == 4 ? half_bits(bits) : bfloat ? half_bits(bits << 16) : bits;
    uint32_t bin = ((half & 0x8000u ? ~half : half | 0x8000u) & 0xffffu) >> 7;
    return order.scale > 0 ? bin : bins - 1 - bin;
}

/* Shared by the threads of the block. */
struct shared_state {
    uint32_t border, above,
        inside;                /* the threshold bin; how many elements are above it, and in it */
    uint32_t places, gathered; /* counters */
    candidate last;            /* the last one taken, where the bin is sorted */
};

constexpr size_t state_bytes = round_up<size_t>(sizeof(shared_state), 16);

template <int BYTES, int UNROLL, class Args> struct histogram_block {
    /* An element below the border is dropped, one on it may be taken, one above it is taken. */
    enum rank_class { below_border, on_border, above_border };

    const Args &a;
    const bool bfloat, deterministic;
    uint32_t *counts; /* of each bin */
    shared_state *state;
    candidate *gathered; /* the elements on the border */
    void *temporary;
    uint64_t row;
    const unsigned char *x;
    uint32_t need, written;         /* elements to find, and those that are already placed */
    uint32_t threshold;             /* the bin on the border */
    uint32_t above, inside;         /* elements above the border, and on it */
    uint32_t prefix = 0;            /* the leading digits of the ranks on the border */
    uint32_t remaining = 8 * BYTES; /* bits of a rank after `prefix` */
    bool refined = false;           /* has the threshold bin been divided? */
    bool sorting;                   /* are the elements on the border sorted? */

    __device__ __forceinline__ histogram_block(const Args &args, bool bf, bool in_order)
        : a(args), bfloat(bf), deterministic(in_order)
    {
        unsigned char *at = shared_memory();
        counts = (uint32_t *)at;
        at += bins * sizeof(uint32_t);
        state = (shared_state *)at;
        at += state_bytes;
        gathered = (candidate *)at;
        at += sort_most * sizeof(candidate);
        temporary = at;
        row = blockIdx.x;
        x = a.x + row * a.stride * BYTES;
        need = a.k;
        written = 0;
    }

    /* Calls visit(position, bits, key) for every element, after UNROLL loads at a time. All threads
     * call together. */
    template <class Visit> __device__ __forceinline__ void every_element(Visit visit) const
    {
        for (uint32_t i0 = 0; i0 < a.n; i0 += block_threads * UNROLL) {
            uint32_t bits[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                uint32_t i = i0 + u * block_threads + threadIdx.x;
                bits[u] = i < a.n ? read_bits<BYTES>(x, i) : 0;
            }
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                uint32_t i = i0 + u * block_threads + threadIdx.x;
                if (i < a.n)
                    visit(i, bits[u], key_of<BYTES>(bits[u], a.order));
            }
        }
    }
    __device__ __forceinline__ uint32_t bin(uint32_t bits, int32_t key) const
    {
        return bin_of<BYTES>(bits, key, a.order, bfloat);
    }
    __device__ __forceinline__ void clear_counts() const
    {
        counts[threadIdx.x] = 0;
        __syncthreads();
    }

    /* Finds the border: the bin at which the elements above it and its own reach `need`. With
     * binary_search, counts[b] becomes the number of elements in bins above b. */
    __device__ __forceinline__ void find_border(bool binary_search)
    {
        const uint32_t mine = bins - 1 - threadIdx.x;
        uint32_t count = counts[mine], total,
                 before = block_sum_before<block_threads>(count, total, temporary);
        if (!binary_search) {
            if (before < need && before + count >= need)
                *state = {mine, before, count, 0, 0, 0};
        } else {
            counts[mine] = before;
            __syncthreads();
            if (threadIdx.x == 0)
                search_border(total);
        }
        __syncthreads();
        above = state->above;
        inside = state->inside;
    }
    /* One thread: the smallest bin that has fewer than `need` elements above it. */
    __device__ __forceinline__ void search_border(uint32_t total)
    {
        uint32_t low = 0, high = bins - 1;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (counts[middle] < need)
                high = middle;
            else
                low = middle + 1;
        }
        *state = {low, counts[low], (low > 0 ? counts[low - 1] : total) - counts[low], 0, 0, 0};
    }

    __device__ __forceinline__ void find_threshold(bool binary_search)
    {
        clear_counts();
        every_element(
            [&](uint32_t, uint32_t bits, int32_t key) { atomicAdd(&counts[bin(bits, key)], 1u); });
        __syncthreads();
        find_border(binary_search);
        threshold = state->border;
    }

    __device__ __forceinline__ bool too_many_on_border() const
    {
        return inside > sort_most && above + inside != need && remaining > 0;
    }
    /* Divides the elements on the border by the next digit of their ranks. Those above the border
     * are taken for sure. */
    __device__ __forceinline__ void divide_border(bool binary_search)
    {
        const uint32_t width = smaller_of(9u, remaining), down = remaining - width,
                       old_remaining = remaining, old_prefix = prefix;
        const bool first = !refined;
        take_above();
        __syncthreads();
        clear_counts();
        every_element([&](uint32_t, uint32_t bits, int32_t key) {
            uint32_t rank = rank_of_key<BYTES>(key);
            if (bin(bits, key) == threshold && (first || rank >> old_remaining == old_prefix))
                atomicAdd(&counts[rank >> down & ((1u << width) - 1)], 1u);
        });
        __syncthreads();
        find_border(binary_search);
        prefix = prefix << width | state->border;
        remaining = down;
        refined = true;
    }
    __device__ __forceinline__ void take_above()
    {
        need -= above;
        written += above;
    }

    __device__ __forceinline__ rank_class class_of(uint32_t bits, int32_t key, uint32_t &rank) const
    {
        const uint32_t its_bin = bin(bits, key);
        rank = rank_of_key<BYTES>(key);
        if (its_bin != threshold || !refined)
            return its_bin > threshold    ? above_border
                   : its_bin == threshold ? on_border
                                          : below_border;
        return rank >> remaining > prefix    ? above_border
               : rank >> remaining == prefix ? on_border
                                             : below_border;
    }

    /* Writes the elements above the border, and gathers those on it for the sort. If all elements
     * on the border are needed, or all are equal, any of them will do and they are written too. In
     * deterministic order only gathers. */
    __device__ __forceinline__ void write_or_gather()
    {
        __syncthreads();
        if (threadIdx.x == 0)
            state->places = state->gathered = 0;
        __syncthreads();
        if (!sorting && deterministic)
            return;
        every_element([&](uint32_t i, uint32_t bits, int32_t key) {
            uint32_t rank;
            const rank_class where = class_of(bits, key, rank);
            if (where == above_border && !deterministic) {
                write_result<BYTES>(a, row, atomicAdd(&state->places, 1u), bits, i);
            } else if (where == on_border) {
                uint32_t place = atomicAdd(&state->gathered, 1u);
                if (sorting)
                    gathered[place] = make_candidate(rank, i);
                else if (place < need)
                    write_result<BYTES>(a, row, written + place, bits, i);
            }
        });
    }

    /* Sorts the gathered elements and writes the first `need` of them; in deterministic order only
     * notes the last of those. */
    __device__ __forceinline__ void sort_border()
    {
        __syncthreads();
        candidate items[sort_items];
#pragma unroll
        for (int j = 0; j < sort_items; j++) {
            uint32_t place = threadIdx.x * sort_items + j;
            items[j] = place < inside ? gathered[place] : 0;
        }
        block_radix_sort_falling<block_threads, sort_items>(items, temporary);
#pragma unroll
        for (int j = 0; j < sort_items; j++) {
            uint32_t place = threadIdx.x * sort_items + j, i = index_of(items[j]);
            if (place < need && !deterministic)
                write_result<BYTES>(a, row, written + place, read_bits<BYTES>(x, i), i);
            if (place + 1 == need)
                state->last = items[j];
        }
    }

    /* Writes in the order of positions the elements above the border, and of those on it either the
     * sorted ones up to the last, or the first `need`. */
    __device__ __forceinline__ void write_in_order() const
    {
        __syncthreads();
        const candidate last = state->last;
        ordered_places<block_threads> places = {0, 0, need};
        for (uint32_t i0 = 0; i0 < a.n; i0 += block_threads) {
            uint32_t i = i0 + threadIdx.x, bits = 0, rank;
            bool sure = false, tie = false;
            if (i < a.n) {
                bits = read_bits<BYTES>(x, i);
                const rank_class where = class_of(bits, key_of<BYTES>(bits, a.order), rank);
                sure = where == above_border ||
                       (where == on_border && sorting && make_candidate(rank, i) >= last);
                tie = where == on_border && !sorting;
            }
            places.template take<1>(sure, tie, temporary, [&](int, uint32_t place) {
                write_result<BYTES>(a, row, place, bits, i);
            });
        }
    }

    __device__ __forceinline__ void run(bool binary_search)
    {
        find_threshold(binary_search);
        while (too_many_on_border())
            divide_border(binary_search);
        take_above();
        sorting = inside <= sort_most && inside != need;
        write_or_gather();
        if (sorting)
            sort_border();
        if (deterministic)
            write_in_order();
    }
};

template <int BYTES, int UNROLL>
__global__ void __launch_bounds__(block_threads)
    histogram(exact_args a, bool bfloat, bool binary_search, bool deterministic)
{
    static_assert(block_threads == bins, "a thread looks after a bin");
    histogram_block<BYTES, UNROLL, exact_args>(a, bfloat, deterministic).run(binary_search);
}

/* The same for all that a call may want. */
template <int BYTES, int UNROLL>
__global__ void __launch_bounds__(block_threads)
    histogram_general(general_args of_all, bool bfloat, bool binary_search, bool deterministic)
{
    const general_args a = args_of_row<BYTES>(of_all, blockIdx.x);
    write_rest<BYTES>(a, blockIdx.x);
    if (a.k > 0)
        histogram_block<BYTES, UNROLL, general_args>(a, bfloat, deterministic).run(binary_search);
}

template <int BYTES>
enum rcm_gpu_status start(const general_args &a, const exact_options &options, const launch &how,
                          bool bfloat)
{
    if (a.general)
        return run(how, histogram_general<BYTES, 8>, a, bfloat, options.binary_search,
                   options.deterministic);
    auto kernel = options.unroll == 1   ? histogram<BYTES, 1>
                  : options.unroll == 4 ? histogram<BYTES, 4>
                                        : histogram<BYTES, 8>;
    return run(how, kernel, a, bfloat, options.binary_search, options.deterministic);
}

} // namespace

enum rcm_gpu_status exact_histogram(const general_args &a, int bytes, const exact_options &options,
                                    rcm_gpu_stream stream)
{
    constexpr size_t temporary = std::max(block_radix_sort_bytes<block_threads, sort_items>(),
                                          block_scan_bytes<block_threads>());
    launch how = {(unsigned)a.m, block_threads,
                  bins * sizeof(uint32_t) + state_bytes + sort_most * sizeof(candidate) + temporary,
                  1, stream};
    return bytes == 4 ? start<4>(a, options, how, false) : start<2>(a, options, how, a.bfloat);
}
