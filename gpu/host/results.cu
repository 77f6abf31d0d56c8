/* results.cu - what results are compared by, and how those of other libraries become ours: see
 * check.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "merit.cuh"

namespace
{

constexpr unsigned block_threads = 256;

/* Enough blocks for `count` elements, of which a thread takes one or, of very many, some. */
launch launch_for(uint64_t count, rcm_gpu_stream stream)
{
    return {(unsigned)smaller_of<uint64_t>(ceil_divide<uint64_t>(count, block_threads), 1 << 20),
            block_threads, 0, 1, stream};
}

/* The hits of a row are the entries of `kept` that are better than the worst of `exact`, and of
 * those that equal it as many as `exact` has. A block takes a row. */
__global__ void __launch_bounds__(block_threads)
    count_hits(enum rcm_gpu_dtype dtype, bool smallest, const void *exact, uint32_t k,
               const void *kept, uint64_t count, uint32_t *hits)
{
    struct shared {
        long long worst;
        uint32_t better, equal, equal_in_exact;
    } *s = (struct shared *)shared_memory();
    uint64_t row = blockIdx.x;
    if (threadIdx.x == 0)
        *s = {INT64_MAX, 0, 0, 0};
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < k; i += block_threads)
        atomicMin(&s->worst, merit_of(float_of(dtype, exact, row * k + i), smallest));
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < k; i += block_threads)
        if (merit_of(float_of(dtype, exact, row * k + i), smallest) == s->worst)
            atomicAdd(&s->equal_in_exact, 1u);
    for (uint64_t i = threadIdx.x; i < count; i += block_threads) {
        long long merit = merit_of(float_of(dtype, kept, row * count + i), smallest);
        if (merit >= s->worst)
            atomicAdd(merit > s->worst ? &s->better : &s->equal, 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        hits[row] = s->better + smaller_of(s->equal, s->equal_in_exact);
}

/* One thread computes a product, in the simplest way. d is a multiple of 8. */
__global__ void __launch_bounds__(block_threads)
    multiply(const uint16_t *queries, const uint16_t *database, uint64_t m, uint64_t n, uint32_t d,
             float *products)
{
    for (uint64_t at = (uint64_t)blockIdx.x * block_threads + threadIdx.x; at < m * n;
         at += (uint64_t)gridDim.x * block_threads) {
        const uint64_t row = at / n, j = at - row * n;
        float sum = 0.0f;
        for (uint32_t i = 0; i < d; i += 8) {
            uint32_t query[4], element[4];
            load_16(queries + row * d + i, query);
            load_16(database + j * d + i, element);
            for (uint32_t c = 0; c < 8; c++)
                sum += float_of(RCM_GPU_BF16, query, c) * float_of(RCM_GPU_BF16, element, c);
        }
        products[at] = sum;
    }
}

__global__ void __launch_bounds__(block_threads)
    compare(const uint32_t *a, const uint32_t *b, uint64_t count, uint64_t *different)
{
    uint64_t found = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * block_threads + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * block_threads)
        found += a[i] != b[i];
    if (found > 0)
        atomicAdd((unsigned long long *)different, (unsigned long long)found);
}

__global__ void __launch_bounds__(block_threads)
    gather(const unsigned char *x, size_t bytes, uint64_t n, uint64_t stride, uint64_t k,
           uint64_t count, const int32_t *indices, unsigned char *values)
{
    for (uint64_t at = (uint64_t)blockIdx.x * block_threads + threadIdx.x; at < count;
         at += (uint64_t)gridDim.x * block_threads) {
        const int32_t index = indices[at];
        const bool valid = index >= 0 && (uint64_t)index < n;
        const unsigned char *element = x + (at / k * stride + (valid ? index : 0)) * bytes;
        for (size_t i = 0; i < bytes; i++)
            values[at * bytes + i] = valid ? element[i] : 0xff;
    }
}

__global__ void __launch_bounds__(block_threads)
    narrow(const int64_t *from, uint64_t count, int32_t *to)
{
    for (uint64_t i = (uint64_t)blockIdx.x * block_threads + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * block_threads)
        to[i] = from[i] < 0 || from[i] > INT32_MAX ? -1 : (int32_t)from[i];
}

__global__ void __launch_bounds__(block_threads)
    count_out_of_order(enum rcm_gpu_dtype dtype, uint64_t count, uint64_t k, const void *values,
                       uint64_t *out_of_order)
{
    uint64_t found = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * block_threads + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * block_threads)
        found += i % k > 0 && merit_of(float_of(dtype, values, i), false) >
                                  merit_of(float_of(dtype, values, i - 1), false);
    if (found > 0)
        atomicAdd((unsigned long long *)out_of_order, (unsigned long long)found);
}

} // namespace

enum rcm_gpu_status rcm_gpu_count_hits(enum rcm_gpu_dtype dtype, bool smallest, uint64_t m,
                                       const void *exact, uint64_t k, const void *kept,
                                       uint64_t count, uint32_t *hits, rcm_gpu_stream stream)
{
    if (m < 1 || m > INT32_MAX || k < 1 || k > INT32_MAX)
        return RCM_GPU_BAD_SHAPE;
    launch how = {(unsigned)m, block_threads, 32, 1, stream};
    return run(how, count_hits, dtype, smallest, exact, (uint32_t)k, kept, count, hits);
}

enum rcm_gpu_status rcm_gpu_multiply(const void *queries, const void *database, uint64_t m,
                                     uint64_t n, uint64_t d, float *products, rcm_gpu_stream stream)
{
    return run(launch_for(m * n, stream), multiply, (const uint16_t *)queries,
               (const uint16_t *)database, m, n, (uint32_t)d, products);
}

enum rcm_gpu_status rcm_gpu_count_different(const void *a, const void *b, uint64_t count,
                                            uint64_t *different, rcm_gpu_stream stream)
{
    enum rcm_gpu_status status = fill_zero(different, sizeof *different, stream);
    return status == RCM_GPU_OK ? run(launch_for(count, stream), compare, (const uint32_t *)a,
                                      (const uint32_t *)b, count, different)
                                : status;
}

enum rcm_gpu_status rcm_gpu_gather(const struct rcm_gpu_rows *rows, uint64_t k,
                                   const int32_t *indices, void *values, rcm_gpu_stream stream)
{
    const size_t bytes = rcm_gpu_dtype_bytes(rows->dtype);
    if (bytes == 0)
        return RCM_GPU_BAD_TYPE;
    if (rows->m < 1 || k < 1)
        return RCM_GPU_BAD_SHAPE;
    return run(launch_for(rows->m * k, stream), gather, (const unsigned char *)rows->x, bytes,
               rows->n, rows->stride ? rows->stride : rows->n, k, rows->m * k, indices,
               (unsigned char *)values);
}

enum rcm_gpu_status rcm_gpu_narrow(const int64_t *from, uint64_t count, int32_t *to,
                                   rcm_gpu_stream stream)
{
    return count < 1 ? RCM_GPU_BAD_SHAPE : run(launch_for(count, stream), narrow, from, count, to);
}

enum rcm_gpu_status rcm_gpu_in_order(enum rcm_gpu_dtype dtype, uint64_t m, uint64_t k,
                                     const void *values, uint64_t *out_of_order,
                                     rcm_gpu_stream stream)
{
    if (rcm_gpu_dtype_bytes(dtype) == 0)
        return RCM_GPU_BAD_TYPE;
    if (m < 1 || k < 1)
        return RCM_GPU_BAD_SHAPE;
    enum rcm_gpu_status status = fill_zero(out_of_order, sizeof *out_of_order, stream);
    return status == RCM_GPU_OK ? run(launch_for(m * k, stream), count_out_of_order, dtype, m * k,
                                      k, values, out_of_order)
                                : status;
}
