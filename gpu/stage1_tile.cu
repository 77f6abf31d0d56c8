/* stage1_tile.cu - stage 1 on short contiguous buckets: a block copies the elements of `strip`
 * neighbouring buckets into shared memory, 16 bytes at a time, and then a thread reads a bucket
 * there, or `replicas` threads every so-many-th element of it.
 *
 * Where the bucket's length shares a factor g with the 32 banks, 32 / g neighbouring threads begin
 * in different banks and the next ones in the same again; those begin one element later, and wrap
 * round.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "harvest.cuh"

namespace
{

constexpr unsigned block_threads = 256;

template <int BYTES, int KB>
__global__ void __launch_bounds__(block_threads) tile(stage1_args a, column_plan p)
{
    typedef typename reader<BYTES>::entry entry;
    const uint64_t row = blockIdx.x / p.strips;
    const uint32_t strip = (uint32_t)(blockIdx.x - row * p.strips), first_bucket = strip * p.strip;
    const uint32_t buckets = smaller_of(p.strip, a.b - first_bucket);
    const uint32_t first = bucket_first(a, first_bucket),
                   end = bucket_first(a, first_bucket + buckets);

    /* Elements [first, end) to shared memory, as they lie within their 16 bytes. */
    const unsigned char *from = row_begin<BYTES>(a, row) + (size_t)first * BYTES,
                        *to = row_begin<BYTES>(a, row) + (size_t)end * BYTES;
    const uint32_t shift = (uint32_t)((uintptr_t)from % 16);
    const unsigned char *base = from - shift;
    unsigned char *elements = shared_memory();
    const uint32_t chunks = (uint32_t)((size_t)(to - base + 15) / 16);
    for (uint32_t i = threadIdx.x; i < chunks; i += block_threads) {
        const unsigned char *chunk = base + (size_t)i * 16;
        if (chunk >= from && chunk + 16 <= to) {
            copy_async(elements + i * 16, chunk);
        } else {
            for (int j = 0; j < 16; j += BYTES)
                if (chunk + j >= from && chunk + j < to)
                    write_bits<BYTES>(elements + i * 16 + j, 0, read_bits<BYTES>(chunk + j, 0));
        }
    }
    copy_commit();
    copy_wait<0>();
    __syncthreads();

    const harvest h = {(candidate *)(elements + tile_bytes(a, p.strip, BYTES)),
                       harvest_pitch(1, p.replicas, p.strip), 1, p.replicas, p.strip};
    const reader<BYTES> read(a.order);
    const uint32_t replica = threadIdx.x / p.strip, s = threadIdx.x - replica * p.strip;
    if (replica < p.replicas && s < buckets) {
        const uint32_t bucket = first_bucket + s, begin = bucket_first(a, bucket),
                       size = bucket_size(a, bucket);
        const uint32_t count = size > replica ? (size - replica - 1) / p.replicas + 1
                                              : 0; /* elements of this thread */
        const unsigned char *mine = elements + shift + (size_t)(begin - first + replica) * BYTES;
        const uint32_t pitch = p.replicas * BYTES;
        const uint32_t words = a.size * BYTES / 4,
                       same_bank =
                           words & (0u - words); /* the power of two in the bucket's length */
        uint32_t at =
            count == 0 ? 0 : s * smaller_of(same_bank > 0 ? same_bank : 1, 32u) / 32 % count;
        entry q[KB];
#pragma unroll
        for (int j = 0; j < KB; j++)
            q[j] = empty_entry(entry());
        auto next = [&]() {
            entry e = read.entry_of_bits(read_bits<BYTES>(mine + at * pitch, 0), at);
            at = at + 1 < count ? at + 1 : 0;
            return e;
        };
        uint32_t done = 0;
        if constexpr (KB >= 4) {
            for (; done + KB <= count; done += KB) {
                entry chunk[KB];
#pragma unroll
                for (int j = 0; j < KB; j++)
                    chunk[j] = next();
                sort_chunk<KB>(chunk, read.one);
                take_sorted<KB>(q, chunk, read.one);
            }
        }
        for (; done < count; done++)
            insert<KB>(q, next(), read.one);
        lay_down<BYTES, KB>(h, replica * p.strip + s, q, begin + replica, p.replicas);
    }
    merge_replicas<KB>(h);
    write_out<BYTES, KB>(a, h, 0, buckets,
                         [&](uint32_t, uint32_t s, uint64_t &its_row, uint32_t &bucket) {
                             its_row = row;
                             bucket = first_bucket + s;
                             return true;
                         });
}

} // namespace

enum rcm_gpu_status stage1_tile(const stage1_args &a, int bytes, const column_plan &p,
                                rcm_gpu_stream stream)
{
    launch how = {(unsigned)p.blocks, block_threads, p.shared_bytes, 1, stream};
    return with_queue_length(a.k_b, [&](auto kb) {
        return bytes == 4 ? run(how, tile<4, kb()>, a, p) : run(how, tile<2, kb()>, a, p);
    });
}
