/* block_merge.cuh - what the `column` and `tile` kernels do after their loops. The queues of a
 * bucket's virtual columns are laid down in shared memory and merged pairwise. If several blocks
 * share a bucket, their queues are merged across the cluster, or by the last block to arrive. Then
 * the candidates are written.
 *
 * Entry j of the queue of segment r, replica u and bucket s of the strip is
 * slots[j * pitch + (r * replicas + u) * strip + s].
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_BLOCK_MERGE_CUH
#define RCM_BLOCK_MERGE_CUH

#include "stage1.cuh"

struct temp_storage {
    candidate *slots;
    uint32_t pitch, rows, replicas, strip;
};

/* An odd pitch keeps neighbouring entries of one queue in different banks. */
inline __host__ __device__ uint32_t temp_storage_pitch(uint32_t rows, uint32_t replicas,
                                                       uint32_t strip)
{
    return rows * replicas * strip | 1;
}
inline __host__ __device__ size_t temp_storage_bytes(uint32_t rows, uint32_t replicas,
                                                     uint32_t strip, int kb)
{
    return (size_t)temp_storage_pitch(rows, replicas, strip) * (size_t)kb * sizeof(candidate);
}

/* Writes the queue of a column into slot `slot`. The element of step 0 is element `index` of the
 * row; those of the next steps follow at distances of `columns`. */
template <int BYTES, int KB>
__device__ __forceinline__ void store_entries(const temp_storage &h, uint32_t slot,
                                              const typename reader<BYTES>::entry (&q)[KB],
                                              uint32_t index, uint32_t columns)
{
#pragma unroll
    for (int j = 0; j < KB; j++) {
        typedef reader<BYTES> r;
        h.slots[j * h.pitch + slot] =
            r::is_empty(q[j]) ? 0
                              : make_candidate(r::rank(q[j]), index + r::step_of(q[j]) * columns);
    }
}

template <int KB>
__device__ __forceinline__ void load_queue(const candidate *from, uint32_t pitch,
                                           candidate (&q)[KB])
{
#pragma unroll
    for (int j = 0; j < KB; j++)
        q[j] = from[j * pitch];
}
template <int KB>
__device__ __forceinline__ void store_queue(candidate *to, uint32_t pitch, const candidate (&q)[KB])
{
#pragma unroll
    for (int j = 0; j < KB; j++)
        to[j * pitch] = q[j];
}

/* Merges the replicas of each bucket into replica 0: the KB best that this block has seen. All
 * threads call, after the slots have been written. */
template <int KB> __device__ __forceinline__ void merge_replicas(const temp_storage &h)
{
    __syncthreads();
    for (uint32_t count = h.replicas; count > 1;) {
        uint32_t half = (count + 1) / 2, width = (count - half) * h.strip;
        for (uint32_t i = threadIdx.x; i < h.rows * width; i += blockDim.x) {
            uint32_t r = i / width, slot = r * h.replicas * h.strip + (i - r * width);
            candidate q[KB], other[KB];
            load_queue<KB>(h.slots + slot, h.pitch, q);
            load_queue<KB>(h.slots + slot + half * h.strip, h.pitch, other);
            merge<KB>(q, other);
            store_queue<KB>(h.slots + slot, h.pitch, q);
        }
        count = half;
        __syncthreads();
    }
}

/* Merges the strip over the blocks of the cluster. This block merges buckets [from, to), its share
 * of them. A block has one segment here. */
template <int KB>
__device__ __forceinline__ void merge_cluster(const temp_storage &h, uint32_t rank, uint32_t blocks,
                                              uint32_t &from, uint32_t &to)
{
    cluster_sync();
    from = h.strip * rank / blocks;
    to = h.strip * (rank + 1) / blocks;
    for (uint32_t s = from + threadIdx.x; s < to; s += blockDim.x) {
        candidate q[KB], other[KB];
        load_queue<KB>(h.slots + s, h.pitch, q);
        for (uint32_t peer = 1; peer < blocks; peer++) {
            uint32_t whose = rank + peer < blocks ? rank + peer : rank + peer - blocks;
            load_queue<KB>(cluster_shared(h.slots, whose) + s, h.pitch, other);
            merge<KB>(q, other);
        }
        store_queue<KB>(h.slots + s, h.pitch, q); /* no other block reads these slots */
    }
    cluster_sync();
}

/* The same through device memory. Each block stores its buckets on the shelf, where it has strip x
 * KB entries of its own. The last block to reach `counter` merges them all and returns true. Which
 * block that is does not change the result. */
template <int KB>
__device__ __forceinline__ bool merge_last(const temp_storage &h, candidate *shelf,
                                           uint32_t *counter, uint32_t rank, uint32_t blocks,
                                           uint32_t *is_last)
{
    const size_t size = (size_t)h.strip * KB;
    candidate q[KB], other[KB];
    for (uint32_t s = threadIdx.x; s < h.strip; s += blockDim.x) {
        load_queue<KB>(h.slots + s, h.pitch, q);
        store_queue<KB>(shelf + rank * size + s, h.strip, q);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        *is_last = atomicAdd(counter, 1u) == blocks - 1;
    __syncthreads();
    if (!*is_last)
        return false;
    __threadfence();
    for (uint32_t s = threadIdx.x; s < h.strip; s += blockDim.x) {
        load_queue<KB>(shelf + s, h.strip, q);
        for (uint32_t b = 1; b < blocks; b++) {
            load_queue<KB>(shelf + b * size + s, h.strip, other);
            merge<KB>(q, other);
        }
        store_queue<KB>(h.slots + s, h.pitch, q);
    }
    __syncthreads();
    return true;
}

/* Writes buckets [from, to) of every segment. whose(r, s, row, bucket) sets the row and the bucket
 * of bucket s of segment r, and returns false if there is none. Neighbouring threads write the
 * entries of a bucket, so that the writes coalesce. */
template <int BYTES, int KB, class Whose>
__device__ __forceinline__ void write_out(const stage1_args &a, const temp_storage &h,
                                          uint32_t from, uint32_t to, Whose whose)
{
    const uint32_t width = to - from;
    for (uint32_t i = threadIdx.x; i < h.rows * width * KB; i += blockDim.x) {
        uint32_t j = i % KB, at = i / KB, r = h.rows == 1 ? 0 : at / width,
                 s = from + at - r * width, bucket;
        uint64_t row;
        if (whose(r, s, row, bucket) && j < bucket_kept(a, bucket))
            write_candidate<BYTES>(a, row, bucket, j,
                                   h.slots[j * h.pitch + r * h.replicas * h.strip + s]);
    }
}

#endif
