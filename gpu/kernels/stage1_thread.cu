/* stage1_thread.cu - one thread for each bucket, mode 1 of Key et al.: a queue in registers, into
 * which an element is inserted only if it beats the last one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "stage1.cuh"

namespace
{

constexpr unsigned block_threads = 128;

template <int BYTES, int KB>
__global__ void __launch_bounds__(block_threads) thread_per_bucket(stage1_args a)
{
    uint64_t at = (uint64_t)blockIdx.x * block_threads + threadIdx.x;
    if (at >= a.m * a.b)
        return;
    uint64_t row = at / a.b;
    uint32_t bucket = (uint32_t)(at - row * a.b);
    candidate q[KB];
    insert_better<BYTES, KB>(q, a, row, bucket, 0, 1);
    uint32_t kept = bucket_kept(a, bucket);
#pragma unroll
    for (int j = 0; j < KB; j++)
        if ((uint32_t)j < kept)
            write_candidate<BYTES>(a, row, bucket, j, q[j]);
}

} // namespace

enum rcm_gpu_status stage1_thread_per_bucket(const stage1_args &a, int bytes, rcm_gpu_stream stream)
{
    uint64_t blocks = ceil_divide<uint64_t>(a.m * a.b, block_threads);
    if (blocks > INT32_MAX)
        return RCM_GPU_BAD_TYPE;
    launch how = {(unsigned)blocks, block_threads, 0, 1, stream};
    return with_queue_length(a.k_b, [&](auto kb) {
        return bytes == 4 ? run(how, thread_per_bucket<4, kb()>, a)
                          : run(how, thread_per_bucket<2, kb()>, a);
    });
}
