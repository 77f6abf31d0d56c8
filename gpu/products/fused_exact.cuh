/* fused_exact.cuh - exact top-k of products that never reach memory: the passes over the database.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_FUSED_EXACT_CUH
#define RCM_FUSED_EXACT_CUH

#include <gpu/kernels/key.cuh>

/* What is known of the k-th largest product of a row that is counted. */
struct product_count {
    uint32_t row;
    uint32_t prefix; /* the digits of its rank that are found; in the end, its rank */
    uint32_t need;   /* products to take among those that have these digits */
    uint32_t ties;   /* those that were taken of the ones equal to it */
};

constexpr uint32_t product_digits = 2048; /* counters of a row that is counted */

struct fused_exact_args {
    const unsigned char *queries, *database;
    uint64_t m;
    uint32_t d, n, k;
    key_order order;
    uint32_t *reread; /* NULL, or what counts the rows that are counted */

    uint32_t sample_size; /* elements of the sample; 0: none */
    uint32_t sample_rank;
    float *sample;     /* m x sample_size products */
    float *sample_top; /* of each row, the sample_rank largest of these, in any order */

    uint32_t list; /* entries of the list of a row */
    float *values; /* m x list */
    int32_t *labels;
    float *thresholds; /* m: products that reach it are listed */
    uint32_t *listed;  /* m: how many there are, perhaps more than the list holds */

    uint32_t *counted;     /* how many rows are counted */
    product_count *counts; /* of each of them */
    uint32_t *digits;      /* of each of them, product_digits counters */
    uint32_t *arrived;     /* for each tile of queries, the blocks that are done; all 0 between */
};

/* How a pass is launched. Blocks that differ only in their queries are neighbours. */
struct product_plan {
    bool wide;                        /* do warpgroups multiply? (matrix.cuh) */
    uint32_t query_warps, step_warps; /* of a block: each has other queries, other elements */
    uint32_t stages;
    uint32_t query_tiles;
    uint32_t parts; /* of the elements */
    size_t shared_bytes;
};
struct fused_exact_plan {
    product_plan sample, list, count; /* the passes for rows that are counted */
};

enum rcm_gpu_status plan_fused_exact(const fused_exact_args &a, const device_limits &device,
                                     fused_exact_plan *plan);
/* Writes the products with the sample. */
enum rcm_gpu_status fused_exact_sample(const fused_exact_args &a, const fused_exact_plan &plan,
                                       rcm_gpu_stream stream);
/* Lists at least k products of each row, of which the k largest are the k largest of the row, and
 * sets `listed` to their number, at most `list`. */
enum rcm_gpu_status fused_exact_list(const fused_exact_args &a, const fused_exact_plan &plan,
                                     rcm_gpu_stream stream);

#endif
