/* stage1.cuh - what the stage 1 kernels share: the call as the device sees it, where the elements
 * of a bucket are, and where its candidates go.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_STAGE1_CUH
#define RCM_STAGE1_CUH

#include "extent.cuh"
#include "queue.cuh"

struct stage1_args {
    const unsigned char *x;
    void *values;
    int32_t *indices;
    uint64_t m, stride;
    uint32_t n, b, k_b;
    uint32_t size, longer; /* a bucket has `size` elements; the first `longer` have one more */
    uint32_t candidates;   /* of a row */
    bool contiguous;
    bool unaligned; /* may a segment begin at an address that is not a multiple of 16? */
    key_order order;
    row_extents extents; /* only stage1_thread.cu reads them */
};

__host__ __device__ __forceinline__ uint32_t bucket_size(const stage1_args &a, uint32_t bucket)
{
    return a.size + (bucket < a.longer);
}
/* Element j of bucket q is element bucket_first(a, q) + j * bucket_step(a) of the row. */
__host__ __device__ __forceinline__ uint32_t bucket_first(const stage1_args &a, uint32_t bucket)
{
    return a.contiguous ? bucket * a.size + smaller_of(bucket, a.longer) : bucket;
}
__host__ __device__ __forceinline__ uint32_t bucket_step(const stage1_args &a)
{
    return a.contiguous ? 1 : a.b;
}
/* How many candidates a bucket gives, and where they begin in its row of the output. Buckets differ
 * only if k_b = size + 1. */
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

/* Makes q the KB best of elements from, from + by, .. of a bucket. Only an element that beats the
 * last one is inserted. */
template <int BYTES, int KB>
__device__ __forceinline__ void insert_better(candidate (&q)[KB], const stage1_args &a,
                                              uint64_t row, uint32_t bucket, uint32_t from,
                                              uint32_t by)
{
    const unsigned char *x = row_begin<BYTES>(a, row);
    const uint32_t first = bucket_first(a, bucket), step = bucket_step(a),
                   size = bucket_size(a, bucket);
#pragma unroll
    for (int j = 0; j < KB; j++)
        q[j] = 0;
#pragma unroll 4
    for (uint32_t j = from; j < size; j += by) {
        uint32_t i = first + j * step;
        candidate c =
            make_candidate(rank_of_key<BYTES>(key_of<BYTES>(read_bits<BYTES>(x, i), a.order)), i);
        if (better(q[KB - 1], c) != q[KB - 1])
            insert<KB>(q, c);
    }
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

/* Calls `with` with the length of the queue as a constant: k_b rounded up to a length for which
 * kernels are compiled. */
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

/* These launch the kernels. An element has `bytes` bytes, 2 or 4. */
enum rcm_gpu_status stage1_thread_per_bucket(const stage1_args &a, int bytes,
                                             rcm_gpu_stream stream);
enum rcm_gpu_status stage1_block_per_bucket(const stage1_args &a, int bytes, rcm_gpu_stream stream);

/* The plan of a `column` or `tile` launch. A segment is a row, or one bucket of a row if buckets
 * are contiguous. */
struct column_plan {
    uint32_t buckets;  /* of a segment */
    uint32_t replicas; /* v: virtual columns of a bucket */
    uint32_t columns;  /* P = buckets * v, a multiple of the columns of a lane */
    uint32_t strip;    /* S: buckets that a block looks after */
    uint32_t strips;
    uint32_t groups, lanes; /* the threads of a segment in a block: groups of lanes */
    uint32_t rows;          /* segments that a block looks after */
    uint32_t splits;        /* blocks that share the steps of a strip */
    uint32_t split_steps;   /* full steps of each of them */
    bool in_cluster;        /* these blocks are a cluster */
    bool append;            /* the loop tests elements and appends them (column.cuh) */
    bool tile;              /* short contiguous buckets: `tile` runs, not `column` */
    uint64_t segments;      /* of all rows; for `tile`, rows */
    uint64_t blocks;
    uint32_t threads;
    size_t shared_bytes, workspace_bytes;
};

/* What a block of `tile` copies, and its threads: as many as read 8 KB elements each. Others would
 * be idle, and their registers would keep further blocks away. */
template <int BYTES> constexpr uint32_t tile_elements = 32 * 1024 / BYTES;
template <int BYTES, int KB>
constexpr uint32_t tile_threads = std::min<uint32_t>(256, tile_elements<BYTES> / (8 * KB));

/* The shared memory for the elements of `strip` buckets, at any offset within 16 bytes. */
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
