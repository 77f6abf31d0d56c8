/* radix_plan.cuh - how exact_radix.cu goes about a row: by one list, by two thresholds, or by
 * digits; and what its blocks are told.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_RADIX_PLAN_CUH
#define RCM_RADIX_PLAN_CUH

#include "cuda.cuh"
#include "sample.h"

enum radix_way {
    LIST_ALL, /* the list holds the row */
    /* An element of a sample is a bound that the k largest reach, and the list holds all that
     * do. */
    LIST_SAMPLED,
    /* Fewer than k reach another one: these are results, and the list holds those between. */
    LIST_BETWEEN,
    BY_DIGITS /* no list of a sample is short enough */
};

/* The way of a row of n elements. */
struct radix_way_of_row {
    radix_way way;
    uint32_t low_rank, high_rank; /* of the bounds in the sample; 0: none */
    uint32_t part;                /* elements of a piece of the sample */
    float most;                   /* that the lists of all blocks hold, most likely */
};

/* A bound may have so many elements of the sample more above it, or fewer, than its rank says: then
 * fewer digits of it are looked at. */
__host__ __device__ inline uint32_t radix_slack(uint32_t rank)
{
    return 8 + rank / 16;
}

/* The lists of several blocks have unequal shares: three tenths of each are kept free. */
__host__ __device__ inline bool radix_lists_hold(uint32_t list, uint32_t blocks, float most)
{
    return most <= (float)list * (blocks > 1 ? 0.7f * (float)blocks : 1.0f);
}

/* `list`: entries of the list of a block; `bytes`: of an element. The sample has pieces of 16
 * bytes, or, where these are so alike that the list becomes long, of 4. */
__host__ __device__ inline radix_way_of_row radix_way_of(uint32_t n, uint32_t k, uint32_t sample,
                                                         uint32_t bytes, uint32_t list,
                                                         uint32_t blocks)
{
    if (n <= smaller_of(sample + 64 / bytes, list))
        return {LIST_ALL, 0, 0, 16 / bytes, (float)n};
    if (n > sample + 64 / bytes)
        for (int way = LIST_SAMPLED; way <= LIST_BETWEEN; way++)
            for (int small = way == LIST_BETWEEN || bytes == 2; small <= 1; small++) {
                const uint32_t part = small ? 4 / bytes : 16 / bytes;
                const uint32_t pieces = sample / part,
                               low = rcm_gpu_sample_rank(n, k, pieces, part),
                               high = way == LIST_SAMPLED
                                          ? 0
                                          : rcm_gpu_sample_rank_inside(n, k, pieces, part);
                if (way == LIST_SAMPLED ? low == 0 : high == 0)
                    continue;
                const uint32_t end = low ? smaller_of(low + radix_slack(low), sample) : sample,
                               begin = high - smaller_of(high, high ? radix_slack(high) : 0);
                const float most = (float)rcm_gpu_sample_most(n, end - begin, pieces, part);
                if (radix_lists_hold(list, blocks, most))
                    return {(radix_way)way, low, high, part, most};
            }
    return {BY_DIGITS, 0, 0, 16 / bytes, 0};
}

/* What is shared by the blocks of a row that are not a cluster: in the workspace. It begins as
 * zeros, so that the lowest rank is complemented. */
struct radix_meeting {
    uint32_t listed, arrived, overflowed;
    uint32_t not_lowest, highest;
    uint32_t unused[3];
};

struct radix_plan {
    radix_way_of_row row;
    uint32_t blocks; /* that share a row: of a cluster, or of the grid if there is a meeting */
    uint32_t list;   /* entries of a block's list; that of block 0 takes those of all, if it can */
    uint32_t bits;   /* of a digit */
    uint32_t seed;   /* of the samples */
    radix_meeting *meetings; /* one a row, or NULL */
    uint32_t *met;           /* the list of each row: `met_entries` ranks, then the positions */
    uint32_t met_entries;
};

/* The way of a row that is shorter than the longest one, for which the list was laid out. */
template <int BYTES>
__device__ __forceinline__ radix_way_of_row way_of_row(uint32_t n, uint32_t k, uint32_t sample,
                                                       const radix_plan &longest)
{
    if (!longest.meetings)
        return radix_way_of(n, k, sample, BYTES, longest.list, longest.blocks);
    const radix_way_of_row meeting = radix_way_of(n, k, sample, BYTES, longest.met_entries, 1);
    return meeting.way <= LIST_SAMPLED /* if not, one block reads the row */
               ? meeting
               : radix_way_of(n, k, sample, BYTES, longest.list, 1);
}

#endif
