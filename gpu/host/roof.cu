/* roof.cu - kernels that use one resource and nothing else: see roof.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "roof.h"

#include <gpu/kernels/cuda.cuh>

namespace
{

struct alignas(16) words {
    uint32_t w[4];
};

template <bool KEEP> __device__ __forceinline__ void load(const words *from, uint32_t *w)
{
    if (KEEP)
        load_16(from, w);
    else
        load_once<16>(from, w);
}

/* Moves tiles of THREADS * U chunks of 16 bytes, each with its share of the writes. The sum of what
 * is read goes into what is written. If nothing is written it goes into a comparison that is never
 * true, but that the compiler cannot leave out. */
template <int THREADS, int U, bool KEEP>
__global__ void __launch_bounds__(THREADS, 1024 / THREADS)
    move(const words *from, uint64_t read, words *to, uint64_t written, uint64_t tiles)
{
    uint32_t sum = 0;
    for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const uint64_t first = tile * THREADS * U;
        if (first + THREADS * U <= read) {
            uint32_t w[U][4];
#pragma unroll
            for (int u = 0; u < U; u++)
                load<KEEP>(from + first + u * THREADS + threadIdx.x, w[u]);
#pragma unroll
            for (int u = 0; u < U; u++)
                sum ^= w[u][0] ^ w[u][1] ^ w[u][2] ^ w[u][3];
        } else {
            for (uint64_t i = first + threadIdx.x; i < read; i += THREADS) {
                uint32_t w[4];
                load<KEEP>(from + i, w);
                sum ^= w[0] ^ w[1] ^ w[2] ^ w[3];
            }
        }
        const uint64_t end = (tile + 1) * written / tiles;
        for (uint64_t i = tile * written / tiles + threadIdx.x; i < end; i += THREADS)
            to[i] = {{sum, (uint32_t)i, sum, (uint32_t)i}};
    }
    if (read > 0 && written == 0 && sum == 0x2545f491u && to)
        to[0].w[0] = sum;
}

/* EACH is the number of blocks for each multiprocessor, which walk over the tiles. 0: a block for
 * each tile. */
template <int THREADS, int U, int EACH, bool KEEP = false>
enum rcm_gpu_status start_move(const void *from, size_t read, void *to, size_t written,
                               rcm_gpu_stream stream)
{
    device_limits device;
    enum rcm_gpu_status status = device_limits_of_current(&device);
    if (status != RCM_GPU_OK)
        return status;
    const uint64_t chunks_read = read / 16, chunks_written = written / 16;
    const uint64_t tiles = std::max<uint64_t>(
        ceil_divide<uint64_t>(std::max(chunks_read, chunks_written), THREADS * U), 1);
    uint64_t blocks =
        smaller_of<uint64_t>(tiles, EACH ? EACH * (uint64_t)device.multiprocessors : INT32_MAX);
    launch how = {(unsigned)blocks, THREADS, 0, 1, stream};
    return run(how, move<THREADS, U, KEEP>, (const words *)from, chunks_read, (words *)to,
               chunks_written, tiles);
}

__global__ void do_nothing()
{
}

template <class F>
__global__ void __launch_bounds__(256)
    vector_program(words *x, uint64_t count, unsigned operations, F program)
{
    const uint64_t i = (uint64_t)blockIdx.x * 256 + threadIdx.x;
    if (i >= count)
        return;
    words v = x[i];
    program(v.w, operations);
    x[i] = v;
}

struct additions {
    __device__ __forceinline__ void operator()(uint32_t (&w)[4], unsigned operations) const
    {
#pragma unroll 16
        for (unsigned step = 0; step < operations;
             step++) { /* one addition into each of the four */
            w[0] += w[1];
            w[2] += w[3];
            w[1] += w[0];
            w[3] += w[2];
        }
    }
};
struct comparisons {
    static __device__ __forceinline__ void order(uint32_t &a, uint32_t &b)
    {
        uint32_t low = a < b ? a : b, high = a < b ? b : a;
        a = high;
        b = low;
    }
    __device__ __forceinline__ void operator()(uint32_t (&w)[4], unsigned operations) const
    {
#pragma unroll 8
        for (unsigned step = 0; step < operations / 2; step++) {
            /* Two minima or maxima into each of the four, which are neighbours in a ring. */
            order(w[0], w[1]);
            order(w[2], w[3]);
            order(w[1], w[2]);
            order(w[3], w[0]);
        }
    }
};
struct multiplications {
    __device__ __forceinline__ void operator()(uint32_t (&w)[4], unsigned operations) const
    {
#pragma unroll 16
        for (unsigned step = 0; step < operations; step++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                w[i] *= w[i];
    }
};

} // namespace

/* Names: threads x loads in flight - blocks for each multiprocessor. */
static const struct {
    const char *name;
    enum rcm_gpu_status (*start)(const void *from, size_t read, void *to, size_t written,
                                 rcm_gpu_stream stream);
} variants[RCM_GPU_MOVE_VARIANTS] = {
    {"512x8-2", start_move<512, 8, 2>},   {"512x4-4", start_move<512, 4, 4>},
    {"256x8-8", start_move<256, 8, 8>},   {"1024x4-2", start_move<1024, 4, 2>},
    {"512x8-all", start_move<512, 8, 0>}, {"256x4-all", start_move<256, 4, 0>},
};

const char *rcm_gpu_move_variant_name(unsigned variant)
{
    return variant < RCM_GPU_MOVE_VARIANTS ? variants[variant].name : nullptr;
}

enum rcm_gpu_status rcm_gpu_move(const void *from, size_t read, void *to, size_t written,
                                 unsigned variant, rcm_gpu_stream stream)
{
    return variant < RCM_GPU_MOVE_VARIANTS
               ? variants[variant].start(from, read, to, written, stream)
               : RCM_GPU_BAD_TYPE;
}

enum rcm_gpu_status rcm_gpu_flush(const void *from, size_t bytes, rcm_gpu_stream stream)
{
    return start_move<512, 8, 2, true>(from, bytes, nullptr, 0, stream);
}

enum rcm_gpu_status rcm_gpu_nothing(rcm_gpu_stream stream)
{
    launch how = {1, 32, 0, 1, stream};
    return run(how, do_nothing);
}

enum rcm_gpu_status rcm_gpu_vector(enum rcm_gpu_vector_program program, unsigned operations,
                                   int32_t *x, uint64_t count, rcm_gpu_stream stream)
{
    launch how = {(unsigned)ceil_divide<uint64_t>(count / 4, 256), 256, 0, 1, stream};
    switch (program) {
    case RCM_GPU_ADDITIONS:
        return run(how, vector_program<additions>, (words *)x, count / 4, operations, additions());
    case RCM_GPU_MULTIPLICATIONS:
        return run(how, vector_program<multiplications>, (words *)x, count / 4, operations,
                   multiplications());
    case RCM_GPU_COMPARISONS:
        return run(how, vector_program<comparisons>, (words *)x, count / 4, operations,
                   comparisons());
    default:
        return RCM_GPU_BAD_TYPE;
    }
}
