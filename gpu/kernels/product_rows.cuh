/* product_rows.cuh - what the passes of fused_exact.cu share: a block, its rows and its part of the
 * elements.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_PRODUCT_ROWS_CUH
#define RCM_PRODUCT_ROWS_CUH

#include "fused_exact.cuh"
#include "product.cuh"

constexpr int tiles_of_warp = 2; /* of 16 queries */
constexpr uint32_t warp_rows = 16 * tiles_of_warp, lane_rows = warp_rows / 8;
constexpr int together = 2; /* steps that a warp multiplies at once */
constexpr uint32_t block_threads = 256;

/* What a lane may add to what waits, before the warp looks whether it has room; and its room. */
constexpr uint32_t row_offers = together * 2, step_offers = row_offers * lane_rows,
                   list_buffer = step_offers + 8;

typedef float step_products[together][tiles_of_warp][4];

/* The rows of a tile of queries and a part of the elements: the database, or its sample. */
template <int D> struct exact_block : products<tiles_of_warp, D> {
    typedef products<tiles_of_warp, D> base;
    using base::PAIRS, base::lane, base::shared, base::threads;

    const fused_exact_args &a;
    const fused_exact_plan &p;
    const uint32_t query_tile, part;
    const uint64_t tile_row; /* the first row of the block, and of the warp */
    const uint64_t warp_row;
    const uint32_t first_step; /* of the warp in a tile */

    __device__ __forceinline__ exact_block(const fused_exact_args &args,
                                           const fused_exact_plan &plan)
        : base(args.queries, args.database, plan.stages), a(args), p(plan),
          query_tile(blockIdx.x % plan.query_tiles), part(blockIdx.x / plan.query_tiles),
          tile_row((uint64_t)query_tile * plan.query_warps * warp_rows),
          warp_row(tile_row + threadIdx.x / 32 % plan.query_warps * warp_rows),
          first_step(threadIdx.x / 32 / plan.query_warps * together)
    {
    }

    /* Row g of the lane, which has lane_rows. Its products in a step are 2 g and 2 g + 1. */
    __device__ __forceinline__ uint64_t row(uint32_t g) const
    {
        return warp_row + base::row_of(2 * g);
    }

    /* Calls visit(products of a step and the next, first element) for the elements of this part of
     * `count`, of which which(i) is element i. Those from `count` on are not there. */
    template <class Which, class Visit>
    __device__ __forceinline__ void walk(uint32_t count, uint32_t parts, Which which, Visit visit)
    {
        const uint32_t tiles = ceil_divide(count, tile_rows), each = ceil_divide(tiles, parts),
                       from = smaller_of(part * each, tiles);
        const auto element = [&](uint32_t tile, uint32_t r) {
            return which(smaller_of((from + tile) * tile_rows + r, count - 1));
        };
        base::walk(smaller_of(each, tiles - from), element,
                   [&](uint32_t tile, const unsigned char *at) {
                       for (uint32_t s = first_step; s < tile_steps; s += together * p.step_warps) {
                           step_products c;
                           base::multiply(c, at, s);
                           visit(c, (from + tile) * tile_rows + s * step_rows);
                       }
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
template <class Block, class Visit>
__device__ __forceinline__ void for_each_product(const Block &block, const step_products &c,
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
