/* fused.cu - stage 1 of the products of queries with the elements of a database. The products never
 * reach memory.
 *
 * A block has some queries and some strips of 8 neighbouring buckets, of which it walks the steps:
 * step t is elements t b + strip, .. + 7, one of each bucket (product.cuh). In a strip a thread
 * always holds the same (query, bucket) pairs, so the value that an element must beat stays in a
 * register; for k_b = 1 so does the element. Otherwise elements that beat it wait in shared memory,
 * beside the queues, until the warp inserts them. Blocks that differ only in their queries are
 * neighbours, so that the database is read from memory once.
 *
 * For sm_90a, warpgroups multiply 64 elements while their warps look at the products with the 64
 * before. Elsewhere each warp multiplies by itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fused.cuh"
#include "product_kept.cuh"

namespace
{

constexpr uint32_t strip = step_rows; /* buckets of a strip: the elements of a step */

/* Tiles of 16 queries of a warp; a thread has four (query, bucket) pairs of each. */
template <bool WIDE, int KB> constexpr int query_tiles = KB <= 4 && !WIDE ? 2 : 1;
template <bool WIDE, int KB> constexpr int pairs = 4 * query_tiles<WIDE, KB>;
/* Threads of a block at most. Four warpgroups have no registers for longer queues. */
template <bool WIDE, int KB> constexpr uint32_t most_threads = KB <= 4 && WIDE ? 512 : 256;

/* A warp looks after so many steps whether there is room for those that follow. */
template <bool WIDE> constexpr uint32_t steps_at_once = WIDE ? 4 : 1;

/* Writes candidate j of a bucket to its place in the output. */
__device__ __forceinline__ void write_product(const stage1_args &out, uint64_t row, uint32_t bucket,
                                              uint32_t j, uint32_t rank, uint32_t index)
{
    size_t at = row * out.candidates + bucket_output(out, bucket) + j;
    int32_t key = key_of_rank<4>(rank);
    ((uint32_t *)out.values)[at] =
        key < out.order.lowest ? 0x7fffffffu : bits_of_key_32(key, out.order);
    out.indices[at] = (int32_t)index;
}

template <bool WIDE, int KB> using kept_by = kept<pairs<WIDE, KB>, KB, steps_at_once<WIDE>>;

template <bool WIDE, int KB, int D> struct fused_block : products<query_tiles<WIDE, KB>, D> {
    static constexpr int TILES = query_tiles<WIDE, KB>;
    typedef products<TILES, D> base;
    using base::PAIRS, base::threads;

    const fused_args &a;
    const fused_plan &p;
    candidate *const shelf; /* NULL: buckets are no replicas */
    const uint32_t b, n;    /* buckets or replicas; elements of the database */
    const uint32_t tiles;   /* of all steps of a strip */
    const uint32_t first_strip, strips;
    uint32_t first_bucket, tile; /* of the strip that is walked */
    kept_by<WIDE, KB> best;

    __device__ __forceinline__ fused_block(const fused_args &args, const fused_plan &plan,
                                           candidate *of_replicas)
        : base(args.queries, args.database, plan.stages), a(args), p(plan), shelf(of_replicas),
          b(args.out.b * plan.replicas), n(args.out.n),
          tiles(ceil_divide(ceil_divide(n, b), tile_steps)),
          first_strip(blockIdx.x / plan.query_tiles * plan.strips),
          strips(smaller_of(plan.strips, ceil_divide(b, strip) - first_strip)),
          first_bucket(first_strip * strip), tile(0),
          best(base::shared + plan.stages * base::tile_bytes, args.out.order)
    {
        /* Queries past the last repeat it. */
        base::load_queries(
            [&](uint32_t r) { return smaller_of<uint64_t>(first_query() + r, a.out.m - 1); });
    }

    /* Of the warp. */
    __device__ __forceinline__ uint64_t first_query() const
    {
        return ((uint64_t)(blockIdx.x % p.query_tiles) * (threads / 32) + threadIdx.x / 32) *
               (16 * TILES);
    }

    /* Offers the products of a step. WHOLE: no element of it is missing. */
    template <bool WHOLE>
    __device__ __forceinline__ void offer_step(const float (&c)[TILES][4], uint32_t step)
    {
#pragma unroll
        for (int i = 0; i < PAIRS; i++)
            if (WHOLE || (uint64_t)step * b + first_bucket + base::place(i) < n)
                best.add(i, c[i / 4][i % 4], step);
    }
    /* No element of the tile is missing. */
    __device__ __forceinline__ bool is_whole() const
    {
        return (uint64_t)(tile + 1) * tile_steps * b <= n;
    }

    template <bool WHOLE> __device__ __forceinline__ void visit_tile(const unsigned char *from)
    {
#pragma unroll 2
        for (uint32_t s = 0; s < tile_steps; s++) {
            float c[1][TILES][4];
            base::multiply(c, from, s);
            offer_step<WHOLE>(c[0], tile * tile_steps + s);
            best.make_room();
        }
    }
    __device__ __forceinline__ void visit_wide(const float (&c)[tile_steps][1][4])
    {
        const uint32_t step = tile * tile_steps;
        const bool whole = is_whole();
#pragma unroll
        for (uint32_t from = 0; from < tile_steps; from += steps_at_once<WIDE>) {
            if (whole)
#pragma unroll
                for (uint32_t s = from; s < from + steps_at_once<WIDE>; s++)
                    offer_step<true>(c[s], step + s);
            else
#pragma unroll
                for (uint32_t s = from; s < from + steps_at_once<WIDE>; s++)
                    offer_step<false>(c[s], step + s);
            best.make_room();
        }
    }

    __device__ __forceinline__ void next_tile()
    {
        if (++tile < tiles)
            return;
        best.flush();
        write();
        best.begin();
        first_bucket += strip;
        tile = 0;
    }
    __device__ __forceinline__ void visit_all()
    {
        const uint32_t count = strips * tiles;
        const auto element = [&](uint32_t t, uint32_t r) {
            const uint64_t i = (uint64_t)(t % tiles * tile_steps + r / strip) * b +
                               (first_strip + t / tiles) * strip + r % strip;
            return smaller_of<uint64_t>(i, n - 1); /* those past the last repeat it */
        };
        if constexpr (
            WIDE) { /* one tile more: the first of the next block, which writes the same */
            base::walk_wide(round_up(count, 2u), element, [&](uint32_t, const auto &c) {
                visit_wide(c);
                next_tile();
            });
        } else {
            base::walk(count, element, [&](uint32_t, const unsigned char *from) {
                if (is_whole())
                    visit_tile<true>(from);
                else
                    visit_tile<false>(from);
                next_tile();
            });
        }
    }

    /* Writes what is kept of the strip to the output, or to the shelf. */
    __device__ __forceinline__ void write() const
    {
#pragma unroll
        for (int i = 0; i < PAIRS; i++) {
            const uint64_t row = first_query() + base::row_of(i);
            const uint32_t bucket = first_bucket + base::place(i);
            if (row >= a.out.m || bucket >= b)
                continue;
#pragma unroll
            for (int j = 0; j < KB; j++) {
                const keyed e = best.entry(i, j);
                const uint32_t rank = rank_of_key<4>(e.key), index = (uint32_t)e.step * b + bucket;
                if (shelf)
                    shelf[(row * KB + j) * b + bucket] =
                        e.step < 0 ? 0 : make_candidate(rank, index);
                else if ((uint32_t)j < bucket_kept(a.out, bucket))
                    write_product(a.out, row, bucket, j, rank, index);
            }
        }
    }
};

template <bool WIDE, int KB, int D>
__global__ void
__launch_bounds__(WIDE ? wide_bounds(most_threads<WIDE, KB>) : most_threads<WIDE, KB>,
                  KB == 1 && !WIDE ? 2 : 1) fused(fused_args a, fused_plan p, candidate *shelf)
{
    if constexpr (!WIDE || wide_code) {
        fused_block<WIDE, KB, D> block(a, p, shelf);
        block.visit_all();
    }
}

/* A thread for each bucket of each query merges the bucket's replicas from the shelf, where entry j
 * of bucket q of row r is at (r KB + j) b + q. */
template <int KB>
__global__ void __launch_bounds__(256)
    merge_shelf(stage1_args out, uint32_t replicas, const candidate *shelf)
{
    const uint64_t at = (uint64_t)blockIdx.x * 256 + threadIdx.x, row = at / out.b;
    const uint32_t bucket = (uint32_t)(at - row * out.b), pitch = out.b * replicas;
    if (row >= out.m)
        return;
    candidate q[KB], other[KB];
    const candidate *from = shelf + row * KB * pitch + bucket;
#pragma unroll
    for (int j = 0; j < KB; j++)
        q[j] = from[j * pitch];
    for (uint32_t v = 1; v < replicas; v++) {
#pragma unroll
        for (int j = 0; j < KB; j++)
            other[j] = from[j * pitch + v * out.b];
        merge<KB>(q, other);
    }
#pragma unroll
    for (int j = 0; j < KB; j++)
        if ((uint32_t)j < bucket_kept(out, bucket))
            write_product(out, row, bucket, j, rank_of(q[j]), index_of(q[j]));
}

template <int KB, int D>
enum rcm_gpu_status start(const fused_args &a, const fused_plan &p, void *workspace,
                          rcm_gpu_stream stream)
{
    candidate *shelf = p.replicas > 1 ? (candidate *)workspace : nullptr;
    launch how = {p.query_tiles * p.parts, p.warps * 32, p.shared_bytes, 1, stream};
    enum rcm_gpu_status status =
        run(how, p.wide ? fused<true, KB, D> : fused<false, KB, D>, a, p, shelf);
    if (status != RCM_GPU_OK || !shelf)
        return status;
    launch merging = {(unsigned)ceil_divide<uint64_t>(a.out.m * a.out.b, 256), 256, 0, 1, stream};
    return run(merging, merge_shelf<KB>, a.out, p.replicas, shelf);
}

template <bool WIDE, int KB>
bool plan_blocks(const fused_args &a, const device_limits &device, fused_plan *plan)
{
    const stage1_args &out = a.out;
    fused_plan p = {};
    p.wide = WIDE;
    const uint32_t queries = 16 * query_tiles<WIDE, KB>; /* of a warp */
    auto bytes = [&](uint32_t warps, uint32_t stages) {
        return (size_t)stages * tile_rows * a.d * 2 + warps * 32 * kept_by<WIDE, KB>::thread_bytes;
    };
    constexpr uint32_t least = WIDE ? 4 : 1;
    p.warps = most_threads<WIDE, KB> / 32;
    while (p.warps > least &&
           ((uint64_t)p.warps / 2 * queries >= out.m || bytes(p.warps, 3) > device.shared_bytes))
        p.warps /= 2;
    for (p.stages = 4; p.stages > 1 && bytes(p.warps, p.stages) > device.shared_bytes;)
        p.stages--;
    p.shared_bytes = bytes(p.warps, p.stages);
    if (p.stages < (WIDE ? 3 : 2))
        return false;

    /* With few queries or few buckets, buckets are split into replicas of at least 16 k_b
     * steps, until there are two blocks for each multiprocessor. With fewer, the work is
     * uneven. */
    uint64_t tiles = ceil_divide<uint64_t>(out.m, queries * p.warps),
             blocks = tiles * ceil_divide(out.b, strip);
    uint64_t replicas =
        smaller_of<uint64_t>(ceil_divide<uint64_t>(2 * (uint64_t)device.multiprocessors, blocks),
                             out.n / ((uint64_t)out.b * 16 * KB));
    p.replicas = replicas > 1 ? (uint32_t)replicas : 1;
    uint64_t strips = ceil_divide<uint64_t>((uint64_t)out.b * p.replicas, strip);
    p.query_tiles = (uint32_t)tiles;
    p.strips = (uint32_t)ceil_divide(strips, parts_of(tiles, p.warps * 32, device));
    p.parts = (uint32_t)ceil_divide<uint64_t>(strips, p.strips);
    p.workspace_bytes = p.replicas > 1 ? out.m * out.b * p.replicas * KB * sizeof(candidate) : 0;
    *plan = p;
    return tiles * p.parts <= INT32_MAX;
}

} // namespace

enum rcm_gpu_status plan_fused(const fused_args &a, const device_limits &device, fused_plan *plan)
{
    if (a.out.n / a.out.b >= 1u << 28 || /* step * 8 + pair is one word */
        ceil_divide<uint64_t>(a.out.m * a.out.b, 256) > INT32_MAX)
        return RCM_GPU_BAD_TYPE;
    return with_queue_length(a.out.k_b, [&](auto kb) {
        constexpr int KB = kb();
        const bool wide = device.cluster_max > 1 && has_wide(fused<true, KB, 128>) &&
                          plan_blocks<true, KB>(a, device, plan);
        return wide || plan_blocks<false, KB>(a, device, plan) ? RCM_GPU_OK : RCM_GPU_BAD_TYPE;
    });
}

enum rcm_gpu_status stage1_fused(const fused_args &a, const fused_plan &plan, void *workspace,
                                 rcm_gpu_stream stream)
{
    return with_queue_length(a.out.k_b, [&](auto kb) {
        return a.d == 128 ? start<kb(), 128>(a, plan, workspace, stream)
                          : start<kb(), 64>(a, plan, workspace, stream);
    });
}
