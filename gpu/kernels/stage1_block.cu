/* stage1_block.cu - 64 threads for each bucket, mode 2 of Key et al.: a queue in the registers of
 * each thread; a block merge sort merges them.
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
    candidate q[KB];
    insert_better<BYTES, KB>(q, a, row, bucket, threadIdx.x, block_threads);
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
