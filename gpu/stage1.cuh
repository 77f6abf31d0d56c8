/* stage1.cuh - what the stage 1 kernels share: the call as the device sees it, where a bucket's
 * elements are, and where its candidates go.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_STAGE1_CUH
#define RCM_STAGE1_CUH

#include "queue.cuh"

struct stage1_args {
    const unsigned char *x;
    void *values;
    int32_t *indices;
    uint64_t m, stride;
    uint32_t n, b, k_b;
    uint32_t size, longer; /* buckets have `size` elements, the first `longer` of them one more */
    uint32_t candidates;   /* of a row */
    bool contiguous;
    bool unaligned; /* does a row not begin at a multiple of 16 bytes? */
    key_order order;
};

__host__ __device__ __forceinline__ uint32_t bucket_size(const stage1_args &a, uint32_t bucket)
{
    return a.size + (bucket < a.longer);
}
/* Element j of bucket q is first_of(q) + j * step_of(a). */
__host__ __device__ __forceinline__ uint32_t bucket_first(const stage1_args &a, uint32_t bucket)
{
    return a.contiguous ? bucket * a.size + smaller_of(bucket, a.longer) : bucket;
}
__host__ __device__ __forceinline__ uint32_t bucket_step(const stage1_args &a)
{
    return a.contiguous ? 1 : a.b;
}
/* How many candidates a bucket gives, and where they begin in its row of the output. Only where k_b
 * = size + 1 do buckets differ. */
__host__ __device__ __forceinline__ uint32_t bucket_kept(const stage1_args &a, uint32_t bucket)
{
    return smaller_of(a.k_b, bucket_size(a, bucket));
}
__host__ __device__ __forceinline__ uint32_t bucket_output(const stage1_args &a, uint32_t bucket)
{
    return bucket * a.k_b - (a.k_b > a.size && bucket > a.longer ? bucket - a.longer : 0);
}

template <int BYTES>
__host__ __device__ __forceinline__ const unsigned char *row_begin(const stage1_args &a,
                                                                   uint64_t row)
{
    return a.x + row * a.stride * BYTES;
}

/* Writes candidate c as number j of its bucket. */
template <int BYTES>
__device__ __forceinline__ void write_candidate(const stage1_args &a, uint64_t row, uint32_t bucket,
                                                uint32_t j, candidate c)
{
    size_t at = row * a.candidates + bucket_output(a, bucket) + j;
    uint32_t index = index_of(c);
    write_bits<BYTES>(a.values, at,
                      bits_of_key<BYTES>(key_of_rank<BYTES>(rank_of(c)), a.order,
                                         row_begin<BYTES>(a, row), index));
    a.indices[at] = (int32_t)index;
}

/* KB for which kernels are compiled: k_b rounded up. Calls `with` with it as a constant. */
template <class F> enum rcm_gpu_status with_queue_length(uint32_t k_b, F with)
{
    if (k_b <= 1)
        return with(std::integral_constant<int, 1>());
    if (k_b <= 2)
        return with(std::integral_constant<int, 2>());
    if (k_b <= 3)
        return with(std::integral_constant<int, 3>());
    if (k_b <= 4)
        return with(std::integral_constant<int, 4>());
    if (k_b <= 8)
        return with(std::integral_constant<int, 8>());
    return with(std::integral_constant<int, 16>());
}

/* The launchers. `bytes` of an element is 2 or 4. */
enum rcm_gpu_status stage1_thread_per_bucket(const stage1_args &a, int bytes,
                                             rcm_gpu_stream stream);
enum rcm_gpu_status stage1_block_per_bucket(const stage1_args &a, int bytes, rcm_gpu_stream stream);

/* `column` plans first: how much workspace, which launch. */
struct column_plan {
    uint32_t replicas; /* v: virtual columns of a bucket */
    uint32_t columns;  /* P = buckets of a segment * v, a multiple of the lane's width */
    uint32_t strip;    /* S: buckets that a block looks after */
    uint32_t strips;
    uint32_t groups, lanes; /* a block's threads for a segment: groups of lanes */
    uint32_t rows;          /* segments that a block looks after */
    uint32_t splits;        /* blocks that share the steps of a strip */
    uint32_t split_steps;   /* full steps of each of them */
    bool in_cluster;        /* they are a cluster */
    bool append;       /* loop body: test and append, instead of inserting or merging everything */
    bool tile;         /* short contiguous buckets: through shared memory */
    uint64_t segments; /* rows, or buckets where they are contiguous */
    uint64_t blocks;
    uint32_t threads;
    size_t shared_bytes, workspace_bytes;
};
/* Shared memory for the elements of `strip` buckets, wherever within 16 bytes they begin. */
inline __host__ __device__ size_t tile_bytes(const stage1_args &a, uint32_t strip, int bytes)
{
    return ((size_t)strip * (a.size + 1) * (size_t)bytes + 15) / 16 * 16 + 32;
}
column_plan plan_column(const stage1_args &a, int bytes, const device_limits &device);
enum rcm_gpu_status stage1_column(const stage1_args &a, int bytes, const column_plan &plan,
                                  void *workspace, rcm_gpu_stream stream);
enum rcm_gpu_status stage1_tile(const stage1_args &a, int bytes, const column_plan &plan,
                                rcm_gpu_stream stream);

#endif
