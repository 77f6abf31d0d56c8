/* exact_histogram.cu - exact top-k by one histogram: 512 bins on the top nine bits of the
 * order-preserving float16 key, the threshold bin by a block scan, what is above it written at
 * once, the bin itself sorted. A block a row; the row is read twice, the second time from the cache
 * if it is there.
 *
 * If the threshold bin holds more than the sort takes, its elements are divided again, nine bits of
 * their full key at a time, until what is left fits or is all equal: nothing is ever dropped.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "block.cuh"
#include "exact.cuh"

namespace
{

constexpr int block_threads = 512, bins = 512, sort_items = 8,
              sort_most = block_threads * sort_items;

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

/* Larger bins hold what comes first; never falls as the key rises. NaN is in the last bin. */
template <int BYTES>
__device__ __forceinline__ uint32_t bin_of(uint32_t bits, int32_t key, key_order order, bool bfloat)
{
    if (key < order.lowest)
        return 0;
    uint32_t half = BYTES == 4 ? half_bits(bits) : bfloat ? half_bits(bits << 16) : bits;
    uint32_t bin = ((half & 0x8000u ? ~half : half | 0x8000u) & 0xffffu) >> 7;
    return order.scale > 0 ? bin : bins - 1 - bin;
}

struct state {
    uint32_t border, above, inside; /* the threshold bin, and how many are above it and in it */
    uint32_t places, gathered;
    candidate last; /* that is taken, where the bin was sorted */
};

/* counts[b] becomes the number of elements in bins above b; finds the bin at which `need` is
 * reached. */
__device__ void find_border(uint32_t *counts, uint32_t need, bool binary_search, state *s,
                            void *scan)
{
    const uint32_t bin = bins - 1 - threadIdx.x;
    uint32_t count = counts[bin], total,
             above = block_sum_before<block_threads>(count, total, scan);
    if (!binary_search) {
        if (above < need && above + count >= need)
            *s = {bin, above, count, 0, 0, 0};
    } else {
        counts[bin] = above;
        __syncthreads();
        if (threadIdx.x == 0) {
            uint32_t low = 0,
                     high = bins - 1; /* the smallest bin that has fewer than `need` above it */
            while (low < high) {
                uint32_t middle = (low + high) / 2;
                if (counts[middle] < need)
                    high = middle;
                else
                    low = middle + 1;
            }
            *s = {low, counts[low], (low > 0 ? counts[low - 1] : total) - counts[low], 0, 0, 0};
        }
    }
    __syncthreads();
}

template <int BYTES, int UNROLL>
__global__ void __launch_bounds__(block_threads)
    histogram(exact_args a, bool bfloat, bool binary_search, bool deterministic)
{
    static_assert(block_threads == bins, "a thread looks after a bin");
    unsigned char *at = shared_memory();
    uint32_t *counts = (uint32_t *)at;
    at += bins * sizeof(uint32_t);
    state *s = (state *)at;
    at += (sizeof(state) + 15) / 16 * 16;
    candidate *gathered = (candidate *)at;
    at += sort_most * sizeof(candidate);
    void *temporary = at;

    const uint64_t row = blockIdx.x;
    const unsigned char *x = a.x + row * a.stride * BYTES;
    uint32_t need = a.k, written = 0;

    auto every_element =
        [&](auto visit) { /* all threads together, UNROLL loads at a time */
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
        };
    auto clear = [&] {
        counts[threadIdx.x] = 0;
        __syncthreads();
    };

    clear();
    every_element([&](uint32_t, uint32_t bits, int32_t key) {
        atomicAdd(&counts[bin_of<BYTES>(bits, key, a.order, bfloat)], 1u);
    });
    __syncthreads();
    find_border(counts, need, binary_search, s, temporary);
    const uint32_t threshold = s->border;
    uint32_t above = s->above, inside = s->inside;

    /* A bin that does not fit is divided by the digits of its elements' ranks; `prefix` is what
     * those still inside agree in. */
    uint32_t prefix = 0, remaining = 8 * BYTES;
    bool refined = false;
    while (inside > sort_most && above + inside != need && remaining > 0) {
        const uint32_t width = smaller_of(9u, remaining), down = remaining - width,
                       old_remaining = remaining, old_prefix = prefix;
        const bool first = !refined;
        need -= above; /* `above` ranks before the bin, or before the prefix, are taken for sure */
        written += above;
        __syncthreads();
        clear();
        every_element([&](uint32_t, uint32_t bits, int32_t key) {
            uint32_t rank = rank_of_key<BYTES>(key);
            if (bin_of<BYTES>(bits, key, a.order, bfloat) == threshold &&
                (first || rank >> old_remaining == old_prefix))
                atomicAdd(&counts[rank >> down & ((1u << width) - 1)], 1u);
        });
        __syncthreads();
        find_border(counts, need, binary_search, s, temporary);
        above = s->above;
        inside = s->inside;
        prefix = prefix << width | s->border;
        remaining = down;
        refined = true;
    }
    need -= above;
    written += above;

    /* What is above is taken. Of those inside, the best are found by sorting; if all are needed, or
     * all are equal, any will do. */
    const bool sorting = inside <= sort_most && inside != need;
    auto place_in_order =
        [&](uint32_t bits, int32_t key,
            uint32_t &rank) { /* 2: above, 1: inside, 0: out */
                              uint32_t bin = bin_of<BYTES>(bits, key, a.order, bfloat);
                              rank = rank_of_key<BYTES>(key);
                              if (bin != threshold || !refined)
                                  return bin > threshold ? 2 : bin == threshold ? 1 : 0;
                              return rank >> remaining > prefix    ? 2
                                     : rank >> remaining == prefix ? 1
                                                                   : 0;
        };
    __syncthreads();
    if (threadIdx.x == 0)
        s->places = s->gathered = 0;
    __syncthreads();
    if (sorting || !deterministic)
        every_element([&](uint32_t i, uint32_t bits, int32_t key) {
            uint32_t rank;
            int where = place_in_order(bits, key, rank);
            if (where == 2 && !deterministic) {
                write_result<BYTES>(a, row, atomicAdd(&s->places, 1u), bits, i);
            } else if (where == 1) {
                uint32_t place = atomicAdd(&s->gathered, 1u);
                if (sorting)
                    gathered[place] = make_candidate(rank, i);
                else if (place < need)
                    write_result<BYTES>(a, row, written + place, bits, i);
            }
        });
    if (sorting) {
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
                s->last = items[j];
        }
    }
    if (!deterministic)
        return;

    /* In the order of positions: what is above, and of those inside either the sorted ones up to
     * the last, or the first `need`. */
    __syncthreads();
    const candidate last = s->last;
    uint32_t taken = 0, place = 0;
    for (uint32_t i0 = 0; i0 < a.n; i0 += block_threads) {
        uint32_t i = i0 + threadIdx.x, bits = 0, rank;
        bool sure = false, tie = false;
        if (i < a.n) {
            bits = read_bits<BYTES>(x, i);
            int where = place_in_order(bits, key_of<BYTES>(bits, a.order), rank);
            sure = where == 2 || (where == 1 && sorting && make_candidate(rank, i) >= last);
            tie = where == 1 && !sorting;
        }
        uint32_t total, before = block_sum_before<block_threads>(sure  ? 0x10000u
                                                                 : tie ? 1u
                                                                       : 0u,
                                                                 total, temporary);
        uint32_t ties_before = taken + (before & 0xffffu);
        if (sure || (tie && ties_before < need))
            write_result<BYTES>(a, row, place + (before >> 16) + smaller_of(ties_before, need),
                                bits, i);
        place += total >> 16;
        taken += total & 0xffffu;
        __syncthreads();
    }
}

template <int BYTES>
enum rcm_gpu_status start(const exact_args &a, const exact_options &options, const launch &how,
                          bool bfloat)
{
    auto kernel = options.unroll == 1   ? histogram<BYTES, 1>
                  : options.unroll == 4 ? histogram<BYTES, 4>
                                        : histogram<BYTES, 8>;
    return run(how, kernel, a, bfloat, options.binary_search, options.deterministic);
}

} // namespace

enum rcm_gpu_status exact_histogram(const exact_args &a, int bytes, const exact_options &options,
                                    rcm_gpu_stream stream)
{
    constexpr size_t temporary = std::max(block_radix_sort_bytes<block_threads, sort_items>(),
                                          block_scan_bytes<block_threads>());
    launch how = {(unsigned)a.m, block_threads,
                  bins * sizeof(uint32_t) + (sizeof(state) + 15) / 16 * 16 +
                      sort_most * sizeof(candidate) + temporary,
                  1, stream};
    return bytes == 4 ? start<4>(a, options, how, false) : start<2>(a, options, how, a.bfloat);
}
