/* product_rows.cuh - what the passes of fused_exact.cu share: a block, its rows and its part of the
 * elements.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_PRODUCT_ROWS_CUH
#define RCM_PRODUCT_ROWS_CUH

#include "fused_exact.cuh"
#include "product.cuh"

constexpr int together = 2; /* steps that a warp looks at together */
constexpr uint32_t block_threads = 256, wide_threads = 512;

/* A lane of a warp with TILES tiles of 16 queries has so many rows, of each of which it has two
 * products in a step. */
template <int TILES> constexpr uint32_t lane_rows = 2 * TILES;
template <int TILES> constexpr uint32_t warp_rows = 16 * TILES;
constexpr uint32_t row_offers = together * 2;

/* The rows of a tile of queries and a part of the elements: the database, or its sample. */
template <int TILES, int D> struct exact_block : products<TILES, D> {
    typedef products<TILES, D> base;
    using base::PAIRS, base::lane, base::shared, base::threads;

    const fused_exact_args &a;
    const product_plan &p;
    const uint32_t query_tile, part;
    const uint64_t tile_row; /* the first row of the block, and of the warp */
    const uint64_t warp_row;
    const uint32_t first_step; /* of the warp in a tile */

    __device__ __forceinline__ exact_block(const fused_exact_args &args, const product_plan &plan)
        : base(args.queries, args.database, plan.stages), a(args), p(plan),
          query_tile(blockIdx.x % plan.query_tiles), part(blockIdx.x / plan.query_tiles),
          tile_row((uint64_t)query_tile * plan.query_warps * warp_rows<TILES>),
          warp_row(tile_row + threadIdx.x / 32 % plan.query_warps * warp_rows<TILES>),
          first_step(threadIdx.x / 32 / plan.query_warps * together)
    {
    }

    /* Row g of the lane, which has lane_rows<TILES>. Its products in a step are 2 g and 2 g + 1. */
    __device__ __forceinline__ uint64_t row(uint32_t g) const
    {
        return warp_row + base::row_of(2 * g);
    }

    /* The tiles of this block: those of its part of `count` elements, of which which(i) is element
     * i; an even number of them. What they have from `count` on is not there. */
    template <class Use> __device__ __forceinline__ void with_tiles(uint32_t count, Use use) const
    {
        const uint32_t tiles = ceil_divide(count, tile_rows),
                       each = round_up(ceil_divide(tiles, p.parts), 2u),
                       from = smaller_of(part * each, tiles);
        use(round_up(smaller_of(each, tiles - from), 2u), from * tile_rows);
    }

    /* Calls visit(products of a step and the next, first element) for them. */
    template <class Which, class Visit>
    __device__ __forceinline__ void walk(uint32_t count, Which which, Visit visit)
    {
        with_tiles(count, [&](uint32_t tiles, uint32_t from) {
            const auto element = [=](uint32_t tile, uint32_t r) {
                return which(smaller_of(from + tile * tile_rows + r, count - 1));
            };
            base::walk(tiles, element, [&](uint32_t tile, const unsigned char *at) {
                for (uint32_t s = first_step; s < tile_steps; s += together * p.step_warps) {
                    float c[together][TILES][4];
                    base::multiply(c, at, s);
                    visit(c, from + tile * tile_rows + s * step_rows);
                }
            });
        });
    }

    /* Is this the last block of its rows to come here? What the others wrote can be read then. */
    __device__ __forceinline__ bool is_last() const
    {
        uint32_t *flag = (uint32_t *)shared;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            *flag = atomicAdd(&a.arrived[query_tile], 1u) == p.parts - 1;
            if (*flag)
                a.arrived[query_tile] = 0;
        }
        __syncthreads();
        const bool last = *flag;
        __threadfence();
        __syncthreads(); /* the flag has been read */
        return last;
    }
};

/* Calls visit(product, row of the lane, element) for the products of some steps that are there. */
template <class Block, int TILES, class Visit>
__device__ __forceinline__ void for_each_product(const Block &block,
                                                 const float (&c)[together][TILES][4],
                                                 uint32_t first, uint32_t count, Visit visit)
{
#pragma unroll
    for (uint32_t s = 0; s < together; s++)
#pragma unroll
        for (uint32_t i = 0; i < (uint32_t)Block::PAIRS; i++) {
            const uint32_t element = first + s * step_rows + block.place(i);
            if (element < count)
                visit(c[s][i / 4][i % 4], i / 2, element);
        }
}

/* A NaN has these bits in the output. */
__device__ __forceinline__ uint32_t bits_of_product(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x == x ? bits : 0x7fffffffu;
}

/* Writes an entry of the list of a row. */
__device__ __forceinline__ void put(const fused_exact_args &a, uint64_t row, uint32_t place,
                                    uint32_t bits, uint32_t element)
{
    ((uint32_t *)a.values)[row * a.list + place] = bits;
    a.labels[row * a.list + place] = (int32_t)element;
}

#endif
