/* stage1_tile.cu - stage 1 of short contiguous buckets. A block copies the elements of `strip`
 * neighbouring buckets to shared memory, 16 bytes at a time. There each bucket is read by one
 * thread, or by `replicas` threads, each of which reads every replicas-th element.
 *
 * Bank conflicts: where the length of a bucket shares a factor g with the 32 banks, 32 / g
 * neighbouring threads start in different banks, and the next 32 / g threads in the same ones. So
 * those start one element later, and wrap round at the end of their bucket.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "block_merge.cuh"

namespace
{

/* The strip of a block: buckets [first_bucket, first_bucket + buckets) of `row`, which are elements
 * [first, end) of it. */
struct tile_strip {
    uint64_t row;
    uint32_t first_bucket, buckets, first, end;
};

__device__ __forceinline__ tile_strip strip_of_block(const stage1_args &a, const column_plan &p)
{
    tile_strip t;
    t.row = blockIdx.x / p.strips;
    t.first_bucket = (uint32_t)(blockIdx.x - t.row * p.strips) * p.strip;
    t.buckets = smaller_of(p.strip, a.b - t.first_bucket);
    t.first = bucket_first(a, t.first_bucket);
    t.end = bucket_first(a, t.first_bucket + t.buckets);
    return t;
}

/* Copies the elements of the strip to shared memory. They keep their offset within 16 bytes, which
 * is returned. */
template <int BYTES>
__device__ __forceinline__ uint32_t copy_strip(const stage1_args &a, const tile_strip &t,
                                               unsigned char *elements)
{
    const unsigned char *row = row_begin<BYTES>(a, t.row);
    const unsigned char *from = row + (size_t)t.first * BYTES, *to = row + (size_t)t.end * BYTES;
    const uint32_t shift = (uint32_t)((uintptr_t)from % 16);
    const unsigned char *base = from - shift;
    const uint32_t chunks = (uint32_t)((size_t)(to - base + 15) / 16);
    for (uint32_t i = threadIdx.x; i < chunks; i += blockDim.x) {
        const unsigned char *chunk = base + (size_t)i * 16;
        if (chunk >= from && chunk + 16 <= to) {
            copy_async(elements + i * 16, chunk);
            continue;
        }
        for (int j = 0; j < 16; j += BYTES)
            if (chunk + j >= from && chunk + j < to)
                write_bits<BYTES>(elements + i * 16 + j, 0, read_bits<BYTES>(chunk + j, 0));
    }
    copy_commit();
    copy_wait<0>();
    __syncthreads();
    return shift;
}

/* The elements of a bucket that a thread reads: `count` of them, `pitch` bytes apart, from number
 * `at` on and wrapping round. */
template <int BYTES> struct tile_reader {
    const reader<BYTES> &read;
    const unsigned char *elements;
    uint32_t count, pitch, at;

    __device__ __forceinline__ typename reader<BYTES>::entry next_entry()
    {
        auto e = read.entry_of_bits(read_bits<BYTES>(elements + at * pitch, 0), at);
        at = at + 1 < count ? at + 1 : 0;
        return e;
    }
};

/* Where the thread of bucket `s` of the strip starts: see the head of this file. */
__device__ __forceinline__ uint32_t start_in_bucket(uint32_t s, uint32_t bucket_bytes,
                                                    uint32_t count)
{
    const uint32_t words = bucket_bytes / 4;
    const uint32_t power_of_two = words & (0u - words); /* the largest that divides the length */
    return count == 0 ? 0 : s * smaller_of(power_of_two > 0 ? power_of_two : 1, 32u) / 32 % count;
}

/* Puts the elements into the queue. */
template <int BYTES, int KB>
__device__ __forceinline__ void fill_queue(typename reader<BYTES>::entry (&q)[KB],
                                           tile_reader<BYTES> &elements)
{
    typedef typename reader<BYTES>::entry entry;
    const int one = elements.read.one;
#pragma unroll
    for (int j = 0; j < KB; j++)
        q[j] = empty_entry(entry());
    uint32_t done = 0;
    if constexpr (KB >= 4) {
        for (; done + KB <= elements.count; done += KB) {
            entry chunk[KB];
#pragma unroll
            for (int j = 0; j < KB; j++)
                chunk[j] = elements.next_entry();
            sort_chunk<KB>(chunk, one);
            take_sorted<KB>(q, chunk, one);
        }
    }
    for (; done < elements.count; done++)
        insert<KB>(q, elements.next_entry(), one);
}

template <int BYTES, int KB>
__global__ void __launch_bounds__(tile_threads<BYTES, KB>) tile(stage1_args a, column_plan p)
{
    let_next_kernel_start();
    const tile_strip t = strip_of_block(a, p);
    unsigned char *elements = shared_memory();
    const uint32_t shift = copy_strip<BYTES>(a, t, elements);

    const temp_storage h = {(candidate *)(elements + tile_bytes(a, p.strip, BYTES)),
                            temp_storage_pitch(1, p.replicas, p.strip), 1, p.replicas, p.strip};
    const reader<BYTES> read(a.order);
    const uint32_t replica = threadIdx.x / p.strip, s = threadIdx.x - replica * p.strip;
    if (replica < p.replicas && s < t.buckets) {
        const uint32_t bucket = t.first_bucket + s, begin = bucket_first(a, bucket),
                       size = bucket_size(a, bucket);
        const uint32_t count = size > replica ? (size - replica - 1) / p.replicas + 1 : 0;
        tile_reader<BYTES> mine = {
            read, elements + shift + (size_t)(begin - t.first + replica) * BYTES, count,
            p.replicas * BYTES, start_in_bucket(s, a.size * BYTES, count)};
        typename reader<BYTES>::entry q[KB];
        fill_queue<BYTES, KB>(q, mine);
        store_entries<BYTES, KB>(h, replica * p.strip + s, q, begin + replica, p.replicas);
    }
    merge_replicas<KB>(h);
    write_out<BYTES, KB>(a, h, 0, t.buckets,
                         [&](uint32_t, uint32_t s, uint64_t &row, uint32_t &bucket) {
                             row = t.row;
                             bucket = t.first_bucket + s;
                             return true;
                         });
}

} // namespace

enum rcm_gpu_status stage1_tile(const stage1_args &a, int bytes, const column_plan &p,
                                rcm_gpu_stream stream)
{
    launch how = {(unsigned)p.blocks, p.threads, p.shared_bytes, 1, stream};
    return with_queue_length(a.k_b, [&](auto kb) {
        return bytes == 4 ? run(how, tile<4, kb()>, a, p) : run(how, tile<2, kb()>, a, p);
    });
}
