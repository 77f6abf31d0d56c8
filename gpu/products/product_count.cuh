/* product_count.cuh - what a block does with rows of fused_exact.cu whose list was not right: it
 * counts digits of their products, and then lists them by the rank of the k-th largest.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_PRODUCT_COUNT_CUH
#define RCM_PRODUCT_COUNT_CUH

#include "product_rows.cuh"

constexpr uint32_t levels = 3, level_bits = 11; /* of 32 bits: 11, 11 and 10 */

template <int D> struct count_block : exact_block<2, D> {
    typedef exact_block<2, D> base;
    static constexpr uint32_t rows_of_lane = lane_rows<2>;
    using base::a, base::lane;

    const uint32_t rows; /* that are counted; row r of them is that of counts[r] */

    __device__ __forceinline__ count_block(const fused_exact_args &args, const product_plan &plan)
        : base(args, plan), rows(*args.counted)
    {
    }
    __device__ __forceinline__ bool is_idle() const
    {
        return base::tile_row >= rows;
    }
    __device__ __forceinline__ void load()
    {
        base::load_queries([&](uint32_t r) {
            return a.counts[smaller_of<uint64_t>(base::warp_row + r, rows - 1)].row;
        });
    }
    /* Calls visit(bits, rank, row of the lane, element) for all products of the rows. */
    template <class Visit> __device__ __forceinline__ void for_each(Visit visit)
    {
        const auto itself = [](uint32_t i) { return i; };
        base::walk(a.n, itself, [&](const auto &c, uint32_t first) {
            for_each_product(*this, c, first, a.n, [&](float x, uint32_t g, uint32_t i) {
                const uint32_t bits = bits_of_product(x);
                if (base::row(g) < rows)
                    visit(bits, rank_of_key<4>(key_of_32(bits, a.order)), g, i);
            });
        });
    }

    /* Counts the next digit, and finds that of the k-th largest. */
    __device__ __forceinline__ void count_digits(uint32_t level)
    {
        const uint32_t remaining = 32 - level * level_bits,
                       width = smaller_of(level_bits, remaining);
        uint32_t prefix[rows_of_lane], digit[rows_of_lane],
            run[rows_of_lane]; /* neighbours that agree */
#pragma unroll
        for (uint32_t g = 0; g < rows_of_lane; g++) {
            prefix[g] = a.counts[smaller_of<uint64_t>(base::row(g), rows - 1)].prefix;
            digit[g] = run[g] = 0;
        }
        const auto add = [&](uint32_t g) {
            if (run[g] > 0)
                atomicAdd(&a.digits[base::row(g) * product_digits + digit[g]], run[g]);
        };
        for_each([&](uint32_t, uint32_t rank, uint32_t g, uint32_t) {
            if (level > 0 && rank >> remaining != prefix[g])
                return;
            const uint32_t next = rank >> (remaining - width) & ((1u << width) - 1);
            if (next != digit[g]) {
                add(g);
                digit[g] = next;
                run[g] = 0;
            }
            run[g]++;
        });
#pragma unroll
        for (uint32_t g = 0; g < rows_of_lane; g++)
            add(g);
        if (base::is_last())
            for (uint32_t r = threadIdx.x / 32; r < base::p.query_warps * warp_rows<2>;
                 r += base::threads / 32)
                if (base::tile_row + r < rows)
                    find_border(base::tile_row + r, width, level + 1 == levels);
    }

    /* The digit at which the count from above reaches what is needed. A warp calls it for a row,
     * whose counters become 0. */
    __device__ __forceinline__ void find_border(uint64_t r, uint32_t width,
                                                bool is_last_level) const
    {
        constexpr uint32_t each = product_digits / 32; /* the largest digits are lane 0's */
        uint32_t *of_lane = a.digits + r * product_digits + (31 - lane) * each, sum = 0;
        product_count *to = &a.counts[r];
        const product_count c = *to;
        for (uint32_t i = 0; i < each; i++)
            sum += of_lane[i];
        uint32_t before = sum;
#pragma unroll
        for (uint32_t by = 1; by < 32; by *= 2) {
            const uint32_t other = __shfl_up_sync(~0u, before, by);
            before += lane >= by ? other : 0;
        }
        before -= sum;
        if (before < c.need && before + sum >= c.need) {
            uint32_t i = each - 1;
            for (; before + of_lane[i] < c.need; i--)
                before += of_lane[i];
            to->prefix = c.prefix << width | ((31 - lane) * each + i);
            to->need = c.need - before;
            if (is_last_level)
                a.listed[c.row] = to->need; /* which come first in the list */
        }
        __syncwarp();
        for (uint32_t i = 0; i < each; i++)
            of_lane[i] = 0;
    }

    /* Lists what is above the k-th largest, and of what equals it as many as are needed. */
    __device__ __forceinline__ void list_again()
    {
        product_count of[rows_of_lane];
        bool open[rows_of_lane]; /* are more ties needed, as far as this lane knows? */
#pragma unroll
        for (uint32_t g = 0; g < rows_of_lane; g++) {
            of[g] = a.counts[smaller_of<uint64_t>(base::row(g), rows - 1)];
            open[g] = true;
        }
        for_each([&](uint32_t bits, uint32_t rank, uint32_t g, uint32_t i) {
            if (rank < of[g].prefix || (rank == of[g].prefix && !open[g]))
                return;
            const bool tie = rank == of[g].prefix;
            const uint32_t place =
                atomicAdd(tie ? &a.counts[base::row(g)].ties : &a.listed[of[g].row], 1u);
            open[g] &= !tie || place < of[g].need;
            if (!tie || open[g])
                put(a, of[g].row, place, bits, i);
        });
    }
};

#endif
