/* stage1_block.cu - 64 threads a bucket, Key et al. mode 2: a queue in each thread's registers,
 * merged by a block merge sort.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "block.cuh"
#include "stage1.cuh"

namespace
{

constexpr unsigned block_threads = 64;

template <int BYTES, int KB>
__global__ void __launch_bounds__(block_threads) block_per_bucket(stage1_args a)
{
    uint64_t row = blockIdx.x / a.b;
    uint32_t bucket = (uint32_t)(blockIdx.x - row * a.b);
    const unsigned char *x = row_begin<BYTES>(a, row);
    uint32_t first = bucket_first(a, bucket), step = bucket_step(a), size = bucket_size(a, bucket);
    candidate q[KB];
#pragma unroll
    for (int j = 0; j < KB; j++)
        q[j] = 0;
#pragma unroll 4
    for (uint32_t j = threadIdx.x; j < size; j += block_threads) {
        uint32_t i = first + j * step;
        candidate c =
            make_candidate(rank_of_key<BYTES>(key_of<BYTES>(read_bits<BYTES>(x, i), a.order)), i);
        if (better(q[KB - 1], c) != q[KB - 1])
            insert<KB>(q, c);
    }
    block_merge_sort_falling<block_threads, KB>(q, shared_memory());
    uint32_t kept = bucket_kept(a, bucket);
#pragma unroll
    for (int j = 0; j < KB; j++)
        if (threadIdx.x * KB + j < kept)
            write_candidate<BYTES>(a, row, bucket, threadIdx.x * KB + j, q[j]);
}

} // namespace

enum rcm_gpu_status stage1_block_per_bucket(const stage1_args &a, int bytes, rcm_gpu_stream stream)
{
    if (a.m * a.b > INT32_MAX)
        return RCM_GPU_BAD_TYPE;
    return with_queue_length(a.k_b, [&](auto kb) {
        launch how = {(unsigned)(a.m * a.b), block_threads,
                      block_merge_sort_bytes<block_threads, kb()>(), 1, stream};
        return bytes == 4 ? run(how, block_per_bucket<4, kb()>, a)
                          : run(how, block_per_bucket<2, kb()>, a);
    });
}
