/* fused.cu - stage 1 of the products of queries with the elements of a database, which never reach
 * memory.
 *
 * A block owns some queries and a strip of 8 neighbouring buckets, and walks the steps: step t is
 * elements t b + strip, .. + 7, one of each bucket. Tiles of 8 steps come to shared memory by
 * asynchronous copies, several under way; each warp multiplies its queries, which stay in
 * registers, by the 8 elements of a step. In the result a thread holds always the same (query,
 * bucket) pairs, so that what an element must beat stays in registers; what beats it waits in
 * shared memory, beside the queues, until the warp inserts. Blocks that differ in their queries
 * alone are neighbours, so that the database is read from memory once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fused.cuh"

#include "matrix.cuh"

namespace
{

constexpr uint32_t strip = 8;      /* buckets of a block: the elements of one product of tiles */
constexpr uint32_t tile_steps = 8; /* steps of a tile */
constexpr uint32_t tile_rows = tile_steps * strip; /* elements of a tile */
constexpr uint32_t chunk = 16;                     /* bytes of a copy */

/* Tiles of 16 queries of a warp; a thread has four (query, bucket) pairs of each. */
template <int KB> constexpr int query_tiles = KB <= 4 ? 2 : 1;
template <int KB> constexpr int pairs = 4 * query_tiles<KB>;

/* What beat its pair's last: the bits of the value, and step * 8 + pair. */
constexpr uint32_t passed_bytes = 8,
                   buffer_length = 16; /* so many a thread: what a step can add, twice */

/* Leaves (value, which) at the shared address `next` and moves that on, unless value <= last. */
__device__ __forceinline__ void offer(float value, float last, uint32_t which, uint32_t &next,
                                      uint32_t pitch)
{
#ifdef __CUDA_ARCH__
    asm volatile("{\n\t.reg .pred p;\n\tsetp.gtu.f32 p, %1, %2;\n\t@p st.shared.v2.b32 [%0], {%3, "
                 "%4};\n\t@p add.u32 %0, %0, %5;\n\t}"
                 : "+r"(next)
                 : "f"(value), "f"(last), "r"(__float_as_int(value)), "r"(which), "r"(pitch)
                 : "memory");
#else
    if (!(value <= last)) {
        memcpy(shared_memory() + next, &value, 4);
        memcpy(shared_memory() + next + 4, &which, 4);
        next += pitch;
    }
#endif
}
__device__ __forceinline__ void take_back(uint32_t at, uint32_t &bits, uint32_t &which)
{
#ifdef __CUDA_ARCH__
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(bits), "=r"(which) : "r"(at) : "memory");
#else
    memcpy(&bits, shared_memory() + at, 4);
    memcpy(&which, shared_memory() + at + 4, 4);
#endif
}

struct layout { /* of shared memory, in bytes */
    size_t queues, buffers, total;
};
__host__ __device__ inline layout layout_of(uint32_t d, uint32_t stages, uint32_t threads,
                                            int pair_count, int kb)
{
    layout l;
    l.queues = (size_t)stages * tile_rows * d * 2;
    l.buffers = l.queues + (size_t)threads * (size_t)(pair_count * kb) * sizeof(keyed);
    l.total = l.buffers + (size_t)threads * buffer_length * passed_bytes;
    return l;
}

/* Where chunk c of a tile's row lies: rows of 8 lie in different banks. For c < 8, c + 8 is 128
 * bytes on. */
template <int D> __device__ __forceinline__ uint32_t swizzled(uint32_t row, uint32_t c)
{
    return row * (D * 2) + (c ^ row % 8) * chunk; /* c / 8 is not touched */
}

__device__ __forceinline__ float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A candidate goes to its place, or, where buckets are replicas, to the shelf: entry j of bucket q
 * of row r at (r KB + j) b + q. */
__device__ __forceinline__ void write_product(const stage1_args &out, uint64_t row, uint32_t bucket,
                                              uint32_t j, uint32_t rank, uint32_t index)
{
    size_t at = row * out.candidates + bucket_output(out, bucket) + j;
    int32_t key = key_of_rank<4>(rank);
    ((uint32_t *)out.values)[at] =
        key < out.order.lowest ? 0x7fffffffu : bits_of_key_32(key, out.order);
    out.indices[at] = (int32_t)index;
}

template <int KB, int D>
__global__ void __launch_bounds__(256, 1)
    fused(fused_args a, uint32_t b, uint32_t stages, uint32_t blocks_of_queries, candidate *shelf)
{
    constexpr int TILES = query_tiles<KB>, PAIRS = pairs<KB>;
    constexpr uint32_t chunks = D * 2 / chunk; /* of an element */
    const uint32_t threads = blockDim.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t first_bucket = blockIdx.x / blocks_of_queries * strip;
    const uint64_t first_query =
        ((uint64_t)(blockIdx.x % blocks_of_queries) * (threads / 32) + warp) * (16 * TILES);
    const uint32_t n = a.out.n, steps = ceil_divide(n, b), tiles = ceil_divide(steps, tile_steps);

    unsigned char *shared = shared_memory();
    const layout l = layout_of(D, stages, threads, PAIRS, KB);
    keyed *queues =
        (keyed *)(shared + l.queues) + threadIdx.x; /* entry j of pair i at (i KB + j) threads */
    const uint32_t pitch = threads * passed_bytes,
                   buffer = shared_address(shared + l.buffers) + threadIdx.x * passed_bytes;
    uint32_t next = buffer;
#pragma unroll
    for (int i = 0; i < PAIRS * KB; i++)
        queues[i * threads] = empty_entry(keyed());

    uint32_t query[TILES][D / 16][4];
#pragma unroll
    for (int t = 0; t < TILES; t++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const uint64_t r = smaller_of(first_query + t * 16 + i % 2 * 8 + lane / 4, a.out.m - 1);
            const uint32_t *words =
                (const uint32_t *)(a.queries + r * (D * 2)) + i / 2 * 4 + lane % 4;
#pragma unroll
            for (int k = 0; k < D / 16; k++)
                query[t][k][i] = words[k * 8];
        }

    float last[PAIRS]; /* NaN: no element is turned away */
#pragma unroll
    for (int i = 0; i < PAIRS; i++)
        last[i] = float_of_bits(0x7fffffffu);

    auto load = [&](uint32_t tile) {
        unsigned char *to = shared + (size_t)(tile % stages) * (tile_rows * D * 2);
        for (uint32_t id = threadIdx.x; id < tile_rows * chunks; id += threads) {
            const uint32_t row = id / chunks, c = id % chunks;
            const uint64_t element =
                (uint64_t)(tile * tile_steps + row / strip) * b + first_bucket + row % strip;
            copy_async(to + swizzled<D>(row, c),
                       a.database + smaller_of<uint64_t>(element, n - 1) * (D * 2) + c * chunk);
        }
    };
    auto flush = [&] {
        while (__any_sync(~0u, next != buffer))
            if (next != buffer) {
                uint32_t bits, which;
                next -= pitch;
                take_back(next, bits, which);
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
    };
    auto visit =
        [&](uint32_t tile,
            auto whole) { /* whole: all its elements are there */
                          const unsigned char *from =
                              shared + (size_t)(tile % stages) * (tile_rows * D * 2);
                          const unsigned char *even = from + swizzled<D>(lane % 8, lane / 8),
                                              *odd = from + swizzled<D>(lane % 8, lane / 8 + 4);
#pragma unroll 2
                          for (uint32_t s = 0; s < tile_steps; s++) {
                              float c[TILES][4] = {};
                              __syncwarp(); /* what follows is for whole warps, and flush is not */
#pragma unroll
                              for (int k = 0; k < D / 32; k++) {
                                  uint32_t words[4];
                                  load_matrices(words, (k % 2 ? odd : even) + s * (strip * D * 2) +
                                                           k / 2 * 128);
#pragma unroll
                                  for (int t = 0; t < TILES; t++) {
                                      multiply_tile(c[t], query[t][2 * k], words[0], words[1]);
                                      multiply_tile(c[t], query[t][2 * k + 1], words[2], words[3]);
                                  }
                              }
                              const uint32_t step = tile * tile_steps + s;
#pragma unroll
                              for (int i = 0; i < PAIRS; i++)
                                  if (decltype(whole)::value ||
                                      (uint64_t)step * b + first_bucket + lane % 4 * 2 + i % 2 < n)
                                      offer(c[i / 4][i % 4], last[i], step * 8 + i, next, pitch);
                              if (__any_sync(~0u, next > buffer + (buffer_length - PAIRS) * pitch))
                                  flush();
                          }
        };

    for (uint32_t tile = 0; tile + 1 < stages; tile++) {
        if (tile < tiles)
            load(tile);
        copy_commit();
    }
    for (uint32_t tile = 0; tile < tiles; tile++) {
        stages == 4 ? copy_wait<2>() : stages == 3 ? copy_wait<1>() : copy_wait<0>();
        __syncthreads(); /* this tile has arrived, and all have left the one that makes room */
        if (tile + stages - 1 < tiles)
            load(tile + stages - 1);
        copy_commit();
        if ((uint64_t)(tile + 1) * tile_steps * b <= n)
            visit(tile, std::true_type());
        else
            visit(tile, std::false_type());
    }
    flush();

#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
        const uint64_t row = first_query + i / 4 * 16 + i % 4 / 2 * 8 + lane / 4;
        const uint32_t bucket = first_bucket + lane % 4 * 2 + i % 2;
        if (row >= a.out.m || bucket >= b)
            continue;
#pragma unroll
        for (int j = 0; j < KB; j++) {
            const keyed e = queues[(i * KB + j) * threads];
            const uint32_t rank = rank_of_key<4>(e.key), index = (uint32_t)e.step * b + bucket;
            if (shelf)
                shelf[(row * KB + j) * b + bucket] = e.step < 0 ? 0 : make_candidate(rank, index);
            else if ((uint32_t)j < bucket_kept(a.out, bucket))
                write_product(a.out, row, bucket, j, rank, index);
        }
    }
}

/* A thread for each bucket of each query merges its replicas. */
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
        if (p.stages == 1 || out.n / out.b >= 1u << 28) /* a step and a pair are one word */
            return RCM_GPU_BAD_TYPE;
        p.shared_bytes = layout_of(a.d, p.stages, p.warps * 32, pairs<KB>, KB).total;

        /* With few queries or buckets, more buckets, down to 16 k_b steps: two blocks for each
         * multiprocessor, or the work is uneven. */
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
