/* product.cuh - products of the queries of a block with the elements of a database, tile by tile.
 * The products of a step stay in the registers of a warp, and its caller looks at them there.
 *
 * Asynchronous copies bring tiles of 64 elements to shared memory, several at a time. A step is 8
 * elements of a tile. Each warp multiplies its queries, which stay in registers, by the elements of
 * a step, or of several at once, so that there are more products that do not wait for one another.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_PRODUCT_CUH
#define RCM_PRODUCT_CUH

#include "matrix.cuh"

constexpr uint32_t step_rows = 8;                      /* elements of a step */
constexpr uint32_t tile_steps = 8;                     /* steps of a tile */
constexpr uint32_t tile_rows = tile_steps * step_rows; /* elements of a tile */
constexpr uint32_t copy_bytes = 16;                    /* of a copy */

/* What waits in shared memory: the bits of a value, and which of the warp's products it is. */
constexpr uint32_t waiting_bytes = 8;

enum offer_what { BETTER, REACHES };

/* Stores (value, which) at the shared address `next` and adds `pitch` to `next`: BETTER, unless
 * value <= limit, so that everything is better than NaN, and NaN better than everything; REACHES,
 * if value >= limit, which NaN never does, nor anything that of NaN. */
template <offer_what WHAT>
__device__ __forceinline__ void offer(float value, float limit, uint32_t which, uint32_t &next,
                                      uint32_t pitch)
{
#ifdef __CUDA_ARCH__
    if (WHAT == BETTER)
        asm volatile("{\n\t.reg .pred p;\n\tsetp.gtu.f32 p, %1, %2;\n\t@p st.shared.v2.b32 [%0], "
                     "{%3, %4};\n\t@p add.u32 %0, %0, %5;\n\t}"
                     : "+r"(next)
                     : "f"(value), "f"(limit), "r"(__float_as_int(value)), "r"(which), "r"(pitch)
                     : "memory");
    else
        asm volatile("{\n\t.reg .pred p;\n\tsetp.ge.f32 p, %1, %2;\n\t@p st.shared.v2.b32 [%0], "
                     "{%3, %4};\n\t@p add.u32 %0, %0, %5;\n\t}"
                     : "+r"(next)
                     : "f"(value), "f"(limit), "r"(__float_as_int(value)), "r"(which), "r"(pitch)
                     : "memory");
#else
    if (WHAT == BETTER ? !(value <= limit) : value >= limit) {
        memcpy(shared_memory() + next, &value, 4);
        memcpy(shared_memory() + next + 4, &which, 4);
        next += pitch;
    }
#endif
}
/* Loads what offer() stored at the shared address `at`. */
__device__ __forceinline__ void take_back(uint32_t at, uint32_t &bits, uint32_t &which)
{
#ifdef __CUDA_ARCH__
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(bits), "=r"(which) : "r"(at) : "memory");
#else
    memcpy(&bits, shared_memory() + at, 4);
    memcpy(&which, shared_memory() + at + 4, 4);
#endif
}

__device__ __forceinline__ float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Where chunk c of 16 bytes of row `row` of a tile lies. A tile is one or two panels of 128 bytes a
 * row, and the same chunk of 8 rows lies in different banks. */
constexpr uint32_t panel_row = 128, panel_bytes = tile_rows * panel_row;
__device__ __forceinline__ uint32_t swizzled(uint32_t row, uint32_t c)
{
    return c / 8 * panel_bytes + row * panel_row + (c % 8 ^ row % 8) * copy_bytes;
}

/* The queries of a warp, TILES tiles of 16, and the tiles of elements of its block, of which shared
 * memory has `stages`. Product i of a lane in a step is that of query row_of(i) of the warp and of
 * element place(i) of the step. */
template <int TILES, int D> struct products {
    static constexpr int PAIRS = 4 * TILES;                     /* products of a lane in a step */
    static constexpr uint32_t chunks = D * 2 / copy_bytes;      /* of an element */
    static constexpr uint32_t tile_bytes = tile_rows * (D * 2); /* of shared memory */

    const unsigned char *queries, *database;
    const uint32_t stages, threads, lane;
    unsigned char *shared;
    const uint32_t lane_begin; /* of what the lane loads of a step first: chunk lane / 8 */
    uint32_t query[TILES][D / 16][4];

    __device__ __forceinline__ products(const unsigned char *of_queries,
                                        const unsigned char *of_database, uint32_t stage_count)
        : queries(of_queries), database(of_database), stages(stage_count), threads(blockDim.x),
          lane(threadIdx.x % 32), shared(shared_memory()), lane_begin(swizzled(lane % 8, lane / 8))
    {
    }

    /* The query of product i among those of the warp, and its element among those of a step. */
    __device__ __forceinline__ uint32_t row_of(uint32_t i) const
    {
        return i / 4 * 16 + i % 4 / 2 * 8 + lane / 4;
    }
    __device__ __forceinline__ uint32_t place(uint32_t i) const
    {
        return lane % 4 * 2 + i % 2;
    }

    /* The fragments of the warp's queries: row r of its tiles is query which(r). */
    template <class Which> __device__ __forceinline__ void load_queries(Which which)
    {
#pragma unroll
        for (int t = 0; t < TILES; t++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const uint64_t r = which((uint32_t)(t * 16 + i % 2 * 8) + lane / 4);
                const uint32_t *words =
                    (const uint32_t *)(queries + r * (D * 2)) + i / 2 * 4 + lane % 4;
#pragma unroll
                for (int k = 0; k < D / 16; k++)
                    query[t][k][i] = words[k * 8];
            }
    }

    /* Starts the copies of a tile. Its row r is element which(r). */
    template <class Which>
    __device__ __forceinline__ void load_tile(unsigned char *to, Which which) const
    {
        for (uint32_t id = threadIdx.x; id < tile_rows * chunks; id += threads) {
            const uint32_t r = id / chunks, c = id % chunks;
            copy_async(to + swizzled(r, c),
                       database + (uint64_t)which(r) * (D * 2) + c * copy_bytes);
        }
    }

    /* Sets c to the products of the warp's queries with the elements of STEPS steps of the tile at
     * `from`: `step` and those that follow it. All lanes of the warp call. */
    template <int STEPS>
    __device__ __forceinline__ void multiply(float (&c)[STEPS][TILES][4], const unsigned char *from,
                                             uint32_t step) const
    {
        const unsigned char *even = from + lane_begin, *odd = from + (lane_begin ^ 4 * copy_bytes);
        __syncwarp(); /* what follows needs whole warps, and the caller may leave them divided */
#pragma unroll
        for (int s = 0; s < STEPS; s++)
#pragma unroll
            for (int i = 0; i < PAIRS; i++)
                c[s][i / 4][i % 4] = 0.0f;
#pragma unroll
        for (int k = 0; k < D / 32; k++)
#pragma unroll
            for (int s = 0; s < STEPS; s++) {
                uint32_t words[4];
                load_matrices(words, (k % 2 ? odd : even) + (step + s) * (step_rows * panel_row) +
                                         k / 2 * panel_bytes);
#pragma unroll
                for (int t = 0; t < TILES; t++) {
                    multiply_tile(c[s][t], query[t][2 * k], words[0], words[1]);
                    multiply_tile(c[s][t], query[t][2 * k + 1], words[2], words[3]);
                }
            }
    }

    /* Starts the products of 64 queries, those of four warps with TILES = 1, with all elements of
     * the tile at `from`: step s in c[s]. They are there after wide_wait. */
    __device__ __forceinline__ void start_wide(float (&c)[tile_steps][1][4],
                                               const unsigned char *from) const
    {
        __syncwarp(); /* as in multiply */
        wide_fence();
        const uint64_t first = wide_matrix(from, 8 * panel_row);
#pragma unroll
        for (int k = 0; k < D / 16; k++)
            wide_multiply(c, query[0][k],
                          wide_matrix_after(first, k / 4 * panel_bytes + k % 4 * 32), k > 0);
        wide_commit();
    }

    /* Brings tiles 0, .., count - 1 to shared memory. Row r of a tile is element which(tile, r).
     * `ahead` of them, stages - 1 or less, are under way. */
    template <class Which> struct tiles_to_come {
        const products &of;
        const uint32_t count, ahead;
        const Which which;
        uint32_t next = 0, here = 0; /* places of tiles */

        __device__ __forceinline__ tiles_to_come(const products &block, uint32_t tiles,
                                                 uint32_t under_way, Which element)
            : of(block), count(tiles), ahead(under_way), which(element)
        {
            for (uint32_t tile = 0; tile < ahead; tile++)
                load(tile);
        }
        __device__ __forceinline__ uint32_t after(uint32_t place) const
        {
            return place + 1 == of.stages ? 0 : place + 1;
        }
        __device__ __forceinline__ void load(uint32_t tile)
        {
            if (tile < count)
                of.load_tile(of.shared + next * tile_bytes,
                             [&](uint32_t r) { return which(tile, r); });
            copy_commit();
            next = after(next);
        }
        /* Waits for the next tile, and returns where it lies. WIDE: warpgroups read it. The tile
         * stages - ahead before it is overwritten. All threads of the block call. */
        template <bool WIDE> __device__ __forceinline__ const unsigned char *take(uint32_t tile)
        {
            ahead == 3 ? copy_wait<2>() : ahead == 2 ? copy_wait<1>() : copy_wait<0>();
            if (WIDE)
                copies_to_wide();
            __syncthreads();
            load(tile + ahead);
            const unsigned char *at = of.shared + here * tile_bytes;
            here = after(here);
            return at;
        }
    };

    /* Calls visit(tile, where it lies) for these tiles, one after the other. */
    template <class Which, class Visit>
    __device__ __forceinline__ void walk(uint32_t count, Which which, Visit visit) const
    {
        tiles_to_come<Which> tiles(*this, count, stages - 1, which);
        for (uint32_t tile = 0; tile < count; tile++)
            visit(tile, tiles.template take<false>(tile));
    }

    /* Calls visit(tile, its products as of start_wide) for these tiles, whose count is even, one
     * after the other. The warpgroups multiply a tile while the caller looks at the products of the
     * one before; after the last one they multiply what lies there, for nobody, because with a
     * condition the compiler serializes them all. */
    template <class Which, class Visit>
    __device__ __forceinline__ void walk_wide(uint32_t count, Which which, Visit visit) const
    {
        tiles_to_come<Which> tiles(*this, count, stages - 2, which);
        float even[tile_steps][1][4], odd[tile_steps][1][4];
        start_wide(even, tiles.template take<true>(0));
        for (uint32_t tile = 0; tile < count; tile += 2) {
            const unsigned char *at = tiles.template take<true>(tile + 1);
            wide_wait<0>(even);
            start_wide(odd, at);
            visit(tile, even);
            at = tiles.template take<true>(tile + 2);
            wide_wait<0>(odd);
            start_wide(even, at);
            visit(tile + 1, odd);
        }
        wide_wait<0>(even);
    }
};

/* Into how many parts blocks of so many threads divide the elements, for each of so many tiles of
 * queries. With few tiles all blocks run at once; otherwise there are more of them, so that the
 * last ones to run are few. */
inline uint64_t parts_of(uint64_t tiles, size_t threads, const device_limits &device)
{
    const uint64_t at_once = (uint64_t)(threads > 256 ? 1 : 2) * (uint64_t)device.multiprocessors;
    return tiles * 4 <= at_once ? at_once / tiles : ceil_divide<uint64_t>(4 * at_once, tiles);
}

/* Does the current device run code with warpgroups? Where it does not, the bounds of `kernel` are
 * less than theirs. */
template <class Kernel> bool has_wide(Kernel *kernel)
{
#ifdef __CUDACC__
    cudaFuncAttributes of;
    return cudaFuncGetAttributes(&of, kernel) == cudaSuccess &&
           of.maxThreadsPerBlock >= (int)wide_least;
#else
    (void)kernel;
    return true;
#endif
}

#endif
