/* fused.cu - stage 1 of the products of queries with the elements of a database. The products never
 * reach memory.
 *
 * A block has some queries and a strip of 8 neighbouring buckets, and walks the steps: step t is
 * elements t b + strip, .. + 7, one of each bucket (product.cuh). A thread always holds the same
 * (query, bucket) pairs, so the value that an element must beat stays in a register. Elements that
 * beat it wait in shared memory, beside the queues, until the warp inserts them. Blocks that differ
 * only in their queries are neighbours, so that the database is read from memory once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fused.cuh"

#include "product.cuh"

namespace
{

constexpr uint32_t strip = step_rows; /* buckets of a block: the elements of a step */

/* Tiles of 16 queries of a warp; a thread has four (query, bucket) pairs of each. */
template <int KB> constexpr int query_tiles = KB <= 4 ? 2 : 1;
template <int KB> constexpr int pairs = 4 * query_tiles<KB>;

/* Elements that can wait for each thread: twice what a step can add. */
constexpr uint32_t buffer_length = 16;

struct layout { /* of shared memory, in bytes */
    size_t queues, buffers, total;
};
__host__ __device__ inline layout layout_of(uint32_t d, uint32_t stages, uint32_t threads,
                                            int pair_count, int kb)
{
    layout l;
    l.queues = (size_t)stages * tile_rows * d * 2;
    l.buffers = l.queues + (size_t)threads * (size_t)(pair_count * kb) * sizeof(keyed);
    l.total = l.buffers + (size_t)threads * buffer_length * waiting_bytes;
    return l;
}

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

template <int KB, int D> struct fused_block : products<query_tiles<KB>, D> {
    typedef products<query_tiles<KB>, D> base;
    using base::PAIRS, base::stages, base::threads, base::lane, base::shared;

    const fused_args &a;
    const uint32_t b;
    const uint32_t n, tiles; /* elements of the database; tiles of all their steps */
    uint32_t first_bucket;
    uint64_t first_query; /* of the warp */
    keyed *queues;        /* entry j of pair i at (i KB + j) threads */
    uint32_t buffer, end; /* the elements that wait: [buffer, end), `pitch` apart */
    uint32_t pitch;
    float last[PAIRS]; /* the value that an element must beat; every element beats NaN */

    __device__ __forceinline__ fused_block(const fused_args &args, uint32_t buckets,
                                           uint32_t stage_count, uint32_t blocks_of_queries)
        : base(args.queries, args.database, stage_count), a(args), b(buckets), n(a.out.n),
          tiles(ceil_divide(ceil_divide(n, b), tile_steps))
    {
        const uint32_t warp = threadIdx.x / 32;
        first_bucket = blockIdx.x / blocks_of_queries * strip;
        first_query = ((uint64_t)(blockIdx.x % blocks_of_queries) * (threads / 32) + warp) *
                      (16 * query_tiles<KB>);
        const layout l = layout_of(D, stages, threads, PAIRS, KB);
        queues = (keyed *)(shared + l.queues) + threadIdx.x;
        pitch = threads * waiting_bytes;
        buffer = shared_address(shared + l.buffers) + threadIdx.x * waiting_bytes;
        end = buffer;
#pragma unroll
        for (int i = 0; i < PAIRS * KB; i++)
            queues[i * threads] = empty_entry(keyed());
#pragma unroll
        for (int i = 0; i < PAIRS; i++)
            last[i] = float_of_bits(0x7fffffffu);
        /* Queries past the last repeat it. */
        base::load_queries(
            [&](uint32_t r) { return smaller_of<uint64_t>(first_query + r, a.out.m - 1); });
    }

    /* Inserts the elements that wait. All lanes of the warp call. */
    __device__ __forceinline__ void flush()
    {
        while (__any_sync(~0u, end != buffer))
            if (end != buffer) {
                uint32_t bits, which;
                end -= pitch;
                take_back(end, bits, which);
                keyed q[KB], *at = queues + which % 8 * (KB * threads);
#pragma unroll
                for (int j = 0; j < KB; j++)
                    q[j] = at[j * threads];
                insert<KB>(q, keyed{key_of_32(bits, a.out.order), (int32_t)(which / 8)},
                           a.out.order.scale);
#pragma unroll
                for (int j = 0; j < KB; j++)
                    at[j * threads] = q[j];
            }
#pragma unroll
        for (int i = 0; i < PAIRS; i++)
            last[i] =
                float_of_bits(bits_of_key_32(queues[(i * KB + KB - 1) * threads].key, a.out.order));
    }

    /* Multiplies the steps of a tile and offers the products. WHOLE: no element of the tile is
     * missing. */
    template <bool WHOLE>
    __device__ __forceinline__ void visit_tile(uint32_t tile, const unsigned char *from)
    {
#pragma unroll 2
        for (uint32_t s = 0; s < tile_steps; s++) {
            float c[1][query_tiles<KB>][4];
            base::multiply(c, from, s);
            const uint32_t step = tile * tile_steps + s;
#pragma unroll
            for (int i = 0; i < PAIRS; i++)
                if (WHOLE || (uint64_t)step * b + first_bucket + base::place(i) < n)
                    offer<BETTER>(c[0][i / 4][i % 4], last[i], step * 8 + i, end, pitch);
            if (__any_sync(~0u, end > buffer + (buffer_length - PAIRS) * pitch))
                flush();
        }
    }

    __device__ __forceinline__ void visit_all()
    {
        const auto element = [&](uint32_t tile, uint32_t r) {
            const uint64_t i =
                (uint64_t)(tile * tile_steps + r / strip) * b + first_bucket + r % strip;
            return smaller_of<uint64_t>(i, n - 1); /* those past the last repeat it */
        };
        base::walk(tiles, element, [&](uint32_t tile, const unsigned char *from) {
            if ((uint64_t)(tile + 1) * tile_steps * b <= n)
                visit_tile<true>(tile, from);
            else
                visit_tile<false>(tile, from);
        });
        flush();
    }

    /* Writes the queues to the output, or to the shelf if buckets are replicas. */
    __device__ __forceinline__ void write_queues(candidate *shelf) const
    {
#pragma unroll
        for (int i = 0; i < PAIRS; i++) {
            const uint64_t row = first_query + base::row_of(i);
            const uint32_t bucket = first_bucket + base::place(i);
            if (row >= a.out.m || bucket >= b)
                continue;
#pragma unroll
            for (int j = 0; j < KB; j++) {
                const keyed e = queues[(i * KB + j) * threads];
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

/* `b` buckets, which are replicas if there is a shelf; `blocks_of_queries` blocks have the same
 * strip. */
template <int KB, int D>
__global__ void __launch_bounds__(256, 1)
    fused(fused_args a, uint32_t b, uint32_t stages, uint32_t blocks_of_queries, candidate *shelf)
{
    fused_block<KB, D> block(a, b, stages, blocks_of_queries);
    block.visit_all();
    block.write_queues(shelf);
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
    launch how = {p.query_tiles * p.strips, p.warps * 32, p.shared_bytes, 1, stream};
    enum rcm_gpu_status status =
        run(how, fused<KB, D>, a, a.out.b * p.replicas, p.stages, p.query_tiles, shelf);
    if (status != RCM_GPU_OK || !shelf)
        return status;
    launch merging = {(unsigned)ceil_divide<uint64_t>(a.out.m * a.out.b, 256), 256, 0, 1, stream};
    return run(merging, merge_shelf<KB>, a.out, p.replicas, shelf);
}

} // namespace

enum rcm_gpu_status plan_fused(const fused_args &a, const device_limits &device, fused_plan *plan)
{
    const stage1_args &out = a.out;
    return with_queue_length(out.k_b, [&](auto kb) {
        constexpr int KB = kb();
        fused_plan p = {};
        const uint32_t queries = 16 * query_tiles<KB>; /* of a warp */
        auto fits = [&](uint32_t warps, uint32_t stages) {
            return layout_of(a.d, stages, warps * 32, pairs<KB>, KB).total <= device.shared_bytes;
        };
        p.warps = 8;
        while (p.warps > 1 && ((uint64_t)p.warps / 2 * queries >= out.m || !fits(p.warps, 3)))
            p.warps /= 2;
        for (p.stages = 4; p.stages > 1 && !fits(p.warps, p.stages);)
            p.stages--;
        if (p.stages == 1 || out.n / out.b >= 1u << 28) /* step * 8 + pair is one word */
            return RCM_GPU_BAD_TYPE;
        p.shared_bytes = layout_of(a.d, p.stages, p.warps * 32, pairs<KB>, KB).total;

        /* With few queries or few buckets, buckets are split into replicas of at least 16 k_b
         * steps, until there are two blocks for each multiprocessor. With fewer, the work is
         * uneven. */
        uint64_t tiles = ceil_divide<uint64_t>(out.m, queries * p.warps),
                 blocks = tiles * ceil_divide(out.b, strip);
        uint64_t replicas = smaller_of<uint64_t>(
            ceil_divide<uint64_t>(2 * (uint64_t)device.multiprocessors, blocks),
            out.n / ((uint64_t)out.b * 16 * KB));
        p.replicas = replicas > 1 ? (uint32_t)replicas : 1;
        uint64_t strips = ceil_divide<uint64_t>((uint64_t)out.b * p.replicas, strip);
        if (tiles * strips > INT32_MAX || ceil_divide<uint64_t>(out.m * out.b, 256) > INT32_MAX)
            return RCM_GPU_BAD_TYPE;
        p.query_tiles = (uint32_t)tiles;
        p.strips = (uint32_t)strips;
        p.workspace_bytes =
            p.replicas > 1 ? out.m * out.b * p.replicas * KB * sizeof(candidate) : 0;
        *plan = p;
        return RCM_GPU_OK;
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
