/* stage1_thread.cu - one thread a bucket, Key et al. mode 1: an insertion queue in registers,
 * entered only by what beats its last.
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
    const unsigned char *x = row_begin<BYTES>(a, row);
    uint32_t first = bucket_first(a, bucket), step = bucket_step(a), size = bucket_size(a, bucket);
    candidate q[KB];
#pragma unroll
    for (int j = 0; j < KB; j++)
        q[j] = 0;
#pragma unroll 4
    for (uint32_t j = 0; j < size; j++) {
        uint32_t i = first + j * step;
        candidate c =
            make_candidate(rank_of_key<BYTES>(key_of<BYTES>(read_bits<BYTES>(x, i), a.order)), i);
        if (better(q[KB - 1], c) != q[KB - 1])
            insert<KB>(q, c);
    }
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
