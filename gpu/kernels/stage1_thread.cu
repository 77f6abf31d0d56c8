/* stage1_thread.cu - one thread for each bucket, mode 1 of Key et al.: a queue in registers, into
 * which an element is inserted only if it beats the last one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "stage1.cuh"

namespace
{

constexpr unsigned block_threads = 128;

/* The buckets are those of a row of this length, which may have fewer elements than buckets. */
template <int BYTES> __device__ __forceinline__ stage1_args args_of_row(stage1_args a, uint64_t row)
{
    const extent e = a.extents.of(row);
    a.x += (size_t)e.start * BYTES;
    a.n = e.length;
    a.size = a.n / a.b;
    a.longer = a.n % a.b;
    a.k_b = smaller_of(a.k_b, a.size + (a.longer > 0));
    return a;
}

template <int BYTES, int KB, bool EXTENTS>
__global__ void __launch_bounds__(block_threads) thread_per_bucket(stage1_args of_all)
{
    let_next_kernel_start();
    uint64_t at = (uint64_t)blockIdx.x * block_threads + threadIdx.x;
    if (at >= of_all.m * of_all.b)
        return;
    uint64_t row = at / of_all.b;
    uint32_t bucket = (uint32_t)(at - row * of_all.b);
    const stage1_args a = EXTENTS ? args_of_row<BYTES>(of_all, row) : of_all;
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
        if (a.extents.given())
            return bytes == 4 ? run(how, thread_per_bucket<4, kb(), true>, a)
                              : run(how, thread_per_bucket<2, kb(), true>, a);
        return bytes == 4 ? run(how, thread_per_bucket<4, kb(), false>, a)
                          : run(how, thread_per_bucket<2, kb(), false>, a);
    });
}
