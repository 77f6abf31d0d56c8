/* fused_exact.cu - the k largest products of each query with the elements of a database. The
 * products never reach memory.
 *
 * A sample of the products gives each row a threshold (product_sample.h). One pass over the
 * database lists what reaches it, some more than k, and exact top-k of the lists is the result.
 *
 * For sm_90a, warpgroups multiply 64 elements while their warps look at the products with the 64
 * before. Elsewhere, and in the other passes, each warp multiplies by itself.
 *
 * The last block of the rows looks whether the threshold was good. Rows with fewer than k listed,
 * or more than the list holds, are counted: three more passes, for these rows alone, find the rank
 * of the k-th largest product digit by digit, and a fourth lists what is above it and as many as
 * are needed of those equal to it. Each kernel ends at once if there is no such row. So whatever
 * the sample says, no product is dropped.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "product_count.cuh"
#include "product_sample.h"

namespace
{

/* ---- the sample, and the thresholds */

template <int D>
__global__ void __launch_bounds__(block_threads, 2)
    sample_products(fused_exact_args a, product_plan p)
{
    exact_block<2, D> block(a, p);
    block.load_queries(
        [&](uint32_t r) { return smaller_of<uint64_t>(block.warp_row + r, a.m - 1); });
    block.walk(
        a.sample_size, [&](uint32_t i) { return rcm_gpu_product_sample_at(i, a.sample_size, a.n); },
        [&](const auto &c, uint32_t first) {
            for_each_product(block, c, first, a.sample_size, [&](float x, uint32_t g, uint32_t i) {
                if (block.row(g) < a.m)
                    a.sample[block.row(g) * a.sample_size + i] = x;
            });
        });
}

/* A warp for each row: the least of the largest in its sample. A NaN there, and no sample, let all
 * pass that is not NaN. */
__global__ void __launch_bounds__(block_threads) begin_rows(fused_exact_args a, uint32_t tiles)
{
    const uint64_t thread = (uint64_t)blockIdx.x * block_threads + threadIdx.x, row = thread / 32;
    if (thread == 0)
        *a.counted = 0;
    if (thread < tiles)
        a.arrived[thread] = 0;
    if (row >= a.m)
        return;
    int32_t least = INT32_MAX;
    for (uint32_t i = threadIdx.x % 32; i < a.sample_rank; i += 32)
        least = smaller_of(least,
                           key_of_32(read_bits<4>(a.sample_top, row * a.sample_rank + i), a.order));
#pragma unroll
    for (int with = 16; with > 0; with /= 2)
        least = smaller_of(least, __shfl_xor_sync(~0u, least, with));
    if (threadIdx.x % 32 > 0)
        return;
    const bool none = a.sample_rank == 0 || least < a.order.lowest;
    a.thresholds[row] = float_of_bits(none ? 0xff800000u : bits_of_key_32(least, a.order));
    a.listed[row] = 0;
}

/* ---- the pass that lists */

/* Elements that can wait for each thread when the warp looks whether there is room, and room for
 * those of STEPS steps. */
constexpr uint32_t waiting_most = 8;
template <int STEPS, int TILES>
constexpr uint32_t list_buffer = waiting_most + STEPS * 2 * lane_rows<TILES>;

template <int TILES, int D> struct list_block : exact_block<TILES, D> {
    typedef exact_block<TILES, D> base;
    using base::a, base::lane;
    static constexpr uint32_t rows_of_lane = lane_rows<TILES>;

    uint32_t buffer, end, pitch; /* what waits: [buffer, end), `pitch` apart */
    float threshold[rows_of_lane];

    __device__ __forceinline__ list_block(const fused_exact_args &args, const product_plan &plan)
        : base(args, plan)
    {
        pitch = base::threads * waiting_bytes;
        buffer = shared_address(base::shared + base::stages * base::tile_bytes) +
                 threadIdx.x * waiting_bytes;
        end = buffer;
#pragma unroll
        for (uint32_t g = 0; g < rows_of_lane; g++) /* nothing reaches NaN */
            threshold[g] =
                base::row(g) < a.m ? a.thresholds[base::row(g)] : float_of_bits(0x7fffffffu);
        base::load_queries(
            [&](uint32_t r) { return smaller_of<uint64_t>(base::warp_row + r, a.m - 1); });
    }

    /* Moves what waits to the lists of its rows, as far as they have room. All lanes of the warp
     * call. Lane l takes the places in the list of row l, for the four lanes that have that row. */
    __device__ __forceinline__ void flush()
    {
        uint32_t mine = 0, bits, which; /* a byte for each row of the lane */
        for (uint32_t at = buffer; at != end; at += pitch) {
            take_back(at, bits, which);
            mine += 1u << which % 8 / 2 * 8;
        }
        uint32_t sum = mine, first[rows_of_lane];
#pragma unroll
        for (uint32_t by = 1; by < 4; by *= 2) {
            const uint32_t before = __shfl_up_sync(~0u, sum, by);
            sum += lane % 4 >= by ? before : 0;
        }
        const uint32_t wanted =
            __shfl_sync(~0u, sum, (int)(lane % 8 * 4 + 3)) >> lane / 8 * 8 & 255;
        const uint32_t taken = wanted > 0 ? atomicAdd(&a.listed[base::warp_row + lane], wanted) : 0;
#pragma unroll
        for (uint32_t g = 0; g < rows_of_lane; g++)
            first[g] =
                __shfl_sync(~0u, taken, (int)(g * 8 + lane / 4)) + ((sum - mine) >> g * 8 & 255);
        while (end != buffer) {
            end -= pitch;
            take_back(end, bits, which);
            uint32_t place = 0;
#pragma unroll
            for (uint32_t g = 0; g < rows_of_lane; g++)
                if (which % 8 / 2 == g)
                    place = first[g]++;
            if (place < a.list)
                put(a, base::warp_row + base::row_of(which % 8), place, bits,
                    which / 8 * 8 + base::place(which % 8));
        }
    }

    /* Offers the products of steps s and those together with it, of which the first is that with
     * element `first`. */
    template <int STEPS>
    __device__ __forceinline__ void offer_steps(float (&c)[STEPS][TILES][4], int s, uint32_t first)
    {
#pragma unroll
        for (uint32_t g = 0; g < rows_of_lane; g++) {
            const auto product = [&](uint32_t i) -> float & {
                return c[s + i / 2][g / 2][g % 2 * 2 + i % 2];
            };
            bool any = false;
#pragma unroll
            for (uint32_t i = 0; i < row_offers; i++)
                any |= product(i) >= threshold[g];
            if (__any_sync(~0u, any))
#pragma unroll
                for (uint32_t i = 0; i < row_offers; i++)
                    offer<REACHES>(product(i), threshold[g],
                                   first + i / 2 * step_rows + g * 2 + i % 2, end, pitch);
        }
    }
    /* The same for all steps of c. */
    template <int STEPS>
    __device__ __forceinline__ void offer_all(float (&c)[STEPS][TILES][4], uint32_t first)
    {
        if (first + STEPS * step_rows > a.n)
            drop_missing(c, first);
#pragma unroll
        for (int s = 0; s < STEPS; s += together)
            offer_steps(c, s, first + s * step_rows);
        if (__any_sync(~0u, end > buffer + waiting_most * pitch))
            flush();
    }
    /* Makes NaN of products that are not there: it reaches nothing. */
    template <int STEPS>
    __device__ __forceinline__ void drop_missing(float (&c)[STEPS][TILES][4], uint32_t first) const
    {
#pragma unroll
        for (uint32_t s = 0; s < STEPS; s++)
#pragma unroll
            for (uint32_t i = 0; i < (uint32_t)base::PAIRS; i++)
                if (first + s * step_rows + base::place(i) >= a.n)
                    c[s][i / 4][i % 4] = float_of_bits(0x7fffffffu);
    }

    static __device__ __forceinline__ uint32_t itself(uint32_t i)
    {
        return i;
    }
    __device__ __forceinline__ void list_all()
    {
        base::walk(a.n, itself, [&](auto &c, uint32_t first) { offer_all(c, first); });
        flush();
    }
    __device__ __forceinline__ void list_all_wide()
    {
        base::with_tiles(a.n, [&](uint32_t count, uint32_t from) {
            const auto element = [=](uint32_t tile, uint32_t r) {
                return smaller_of(from + tile * tile_rows + r, a.n - 1);
            };
            base::walk_wide(count, element,
                            [&](uint32_t tile, auto &c) { offer_all(c, from + tile * tile_rows); });
        });
        flush();
    }

    /* Of the rows of this block, those whose list is not right are to be counted. */
    __device__ __forceinline__ void judge() const
    {
        const uint32_t rows = base::p.query_warps * warp_rows<TILES>;
        uint32_t *slots = (uint32_t *)base::shared;
        for (uint32_t r = threadIdx.x; r < rows; r += base::threads) {
            const uint64_t row = base::tile_row + r;
            slots[r] = ~0u;
            if (row < a.m && (a.listed[row] < a.k || a.listed[row] > a.list)) {
                slots[r] = atomicAdd(a.counted, 1u);
                if (a.reread)
                    atomicAdd(a.reread, 1u);
                a.counts[slots[r]] = {(uint32_t)row, 0, a.k, 0};
            }
        }
        __syncthreads();
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t i = threadIdx.x; slots[r] != ~0u && i < product_digits;
                 i += base::threads)
                a.digits[(size_t)slots[r] * product_digits + i] = 0;
    }
};

template <int D>
__global__ void __launch_bounds__(block_threads, 2)
    list_products(fused_exact_args a, product_plan p)
{
    list_block<2, D> block(a, p);
    block.list_all();
    if (block.is_last())
        block.judge();
}

template <int D>
__global__ void __launch_bounds__(wide_bounds(wide_threads), 1)
    list_wide(fused_exact_args a, product_plan p)
{
    if constexpr (wide_code) {
        list_block<1, D> block(a, p);
        block.list_all_wide();
        if (block.is_last())
            block.judge();
    }
}

/* ---- the passes for the rows that are counted */

template <int D>
__global__ void __launch_bounds__(block_threads, 2)
    count_products(fused_exact_args a, product_plan p, uint32_t level)
{
    count_block<D> block(a, p);
    if (block.is_idle())
        return;
    block.load();
    block.count_digits(level);
}

template <int D>
__global__ void __launch_bounds__(block_threads, 2) list_counted(fused_exact_args a, product_plan p)
{
    count_block<D> block(a, p);
    if (block.is_idle())
        return;
    block.load();
    block.list_again();
}

launch launch_of(const product_plan &p, rcm_gpu_stream stream)
{
    return {p.query_tiles * p.parts, p.query_warps * p.step_warps * 32, p.shared_bytes, 1, stream};
}

template <int D>
enum rcm_gpu_status start(const fused_exact_args &a, const fused_exact_plan &p,
                          rcm_gpu_stream stream)
{
    const uint32_t tiles = std::max(p.list.query_tiles, p.count.query_tiles);
    const launch begin = {(unsigned)ceil_divide<uint64_t>(a.m * 32, block_threads), block_threads,
                          0, 1, stream},
                 list = launch_of(p.list, stream), count = launch_of(p.count, stream);
    enum rcm_gpu_status status = run(begin, begin_rows, a, tiles);
    if (status == RCM_GPU_OK)
        status = p.list.wide ? run(list, list_wide<D>, a, p.list)
                             : run(list, list_products<D>, a, p.list);
    for (uint32_t level = 0; level < levels && status == RCM_GPU_OK; level++)
        status = run(count, count_products<D>, a, p.count, level);
    return status == RCM_GPU_OK ? run(count, list_counted<D>, a, p.count) : status;
}

/* The plan of a pass over `count` elements. False if a block cannot hold its tiles. */
template <int TILES>
bool plan_pass(const fused_exact_args &a, const device_limits &device, bool wide, uint32_t count,
               uint32_t buffer, product_plan *to)
{
    constexpr uint32_t rows = warp_rows<TILES>;
    product_plan p = {};
    p.wide = wide;
    p.query_warps = (wide ? wide_threads : block_threads) / 32;
    while (p.query_warps > (wide ? 4 : 1) && p.query_warps / 2 * rows >= a.m)
        p.query_warps /= 2;
    p.step_warps = wide ? 1 : smaller_of(block_threads / 32 / p.query_warps, tile_steps / together);
    const size_t threads = p.query_warps * p.step_warps * 32;
    const auto bytes = [&] {
        return p.stages * tile_rows * a.d * 2 + threads * buffer * waiting_bytes;
    };
    for (p.stages = 4; p.stages > 1 && bytes() > device.shared_bytes;)
        p.stages--;
    p.shared_bytes = bytes();
    if (p.stages < (wide ? 3 : 2))
        return false;
    const uint64_t tiles = ceil_divide<uint64_t>(a.m, p.query_warps * rows),
                   parts = parts_of(tiles, threads, device);
    p.query_tiles = (uint32_t)tiles;
    p.parts = (uint32_t)smaller_of<uint64_t>(parts, ceil_divide(count, 4 * tile_rows));
    *to = p;
    return tiles * p.parts <= INT32_MAX;
}

} // namespace

enum rcm_gpu_status plan_fused_exact(const fused_exact_args &a, const device_limits &device,
                                     fused_exact_plan *plan)
{
    constexpr uint32_t buffer = list_buffer<together, 2>, of_wide = list_buffer<tile_steps, 1>;
    fused_exact_plan p = {};
    const bool wide = device.cluster_max > 1 && has_wide(list_wide<128>) &&
                      plan_pass<1>(a, device, true, a.n, of_wide, &p.list);
    if (!(wide || plan_pass<2>(a, device, false, a.n, buffer, &p.list)) ||
        !plan_pass<2>(a, device, false, a.sample_size, 0, &p.sample) ||
        !plan_pass<2>(a, device, false, a.n, 0, &p.count) ||
        ceil_divide<uint64_t>(a.m * 32, block_threads) > INT32_MAX)
        return RCM_GPU_BAD_TYPE;
    *plan = p;
    return RCM_GPU_OK;
}

enum rcm_gpu_status fused_exact_sample(const fused_exact_args &a, const fused_exact_plan &plan,
                                       rcm_gpu_stream stream)
{
    const launch how = launch_of(plan.sample, stream);
    return a.d == 128 ? run(how, sample_products<128>, a, plan.sample)
                      : run(how, sample_products<64>, a, plan.sample);
}

enum rcm_gpu_status fused_exact_list(const fused_exact_args &a, const fused_exact_plan &plan,
                                     rcm_gpu_stream stream)
{
    return a.d == 128 ? start<128>(a, plan, stream) : start<64>(a, plan, stream);
}
