/* check.cu - proves a result on the device: see check.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "merit.cuh"

namespace
{

constexpr unsigned block_threads = 256;

/* Groups of elements (buckets or rows), and the entries that were kept of each group. */
struct check_args {
    const unsigned char *x;
    const void *values;
    const int32_t *indices;
    uint64_t m, stride, entries; /* of a row */
    uint32_t n, b, k_b;
    bool contiguous, smallest;
    enum rcm_gpu_dtype dtype;
    uint32_t *kept;   /* a bit for each element */
    uint32_t *wrong;  /* a bit for each row: has a condition failed? */
    long long *worst; /* the merit of the worst kept entry of each bucket */
    struct rcm_gpu_verdict *verdict;
};

__device__ uint32_t bucket_of(const check_args &a, uint32_t i)
{
    if (!a.contiguous)
        return i % a.b;
    uint32_t longer = a.n % a.b, size = a.n / a.b, in_longer = longer * (size + 1);
    return i < in_longer ? i / (size + 1) : longer + (i - in_longer) / size;
}

/* The bucket of entry e of a row. A bucket of at least k_b elements gives k_b, the others give all
 * they have. */
__device__ uint32_t bucket_of_entry(const check_args &a, uint32_t e)
{
    uint32_t longer = a.n % a.b, size = a.n / a.b;
    if (a.k_b <= size)
        return e / a.k_b;
    uint32_t in_longer = longer * (size + 1);
    return e < in_longer ? e / (size + 1) : longer + (e - in_longer) / size;
}

/* Sets a bit, and returns what it was. */
__device__ bool set_bit(uint32_t *bits, uint64_t i)
{
    return atomicOr(&bits[i / 32], 1u << i % 32) >> i % 32 & 1;
}

__device__ void add_one(uint64_t *counter)
{
    atomicAdd((unsigned long long *)counter, 1ull);
}

/* A condition of a row fails. */
__device__ void note(const check_args &a, uint64_t row, uint64_t *counter)
{
    add_one(counter);
    if (!set_bit(a.wrong, row))
        add_one(&a.verdict->wrong_rows);
}

__global__ void __launch_bounds__(block_threads) begin_check(check_args a, uint64_t words)
{
    uint64_t i = (uint64_t)blockIdx.x * block_threads + threadIdx.x;
    if (i == 0)
        *a.verdict = {};
    if (i < words) /* those of `wrong` come after those of `kept` */
        a.kept[i] = 0;
    if (i < a.m * a.b)
        a.worst[i] = INT64_MAX;
}

__global__ void __launch_bounds__(block_threads) check_entries(check_args a)
{
    uint64_t at = (uint64_t)blockIdx.x * block_threads + threadIdx.x;
    if (at >= a.m * a.entries)
        return;
    uint64_t row = at / a.entries;
    uint32_t entry = (uint32_t)(at - row * a.entries), bucket = bucket_of_entry(a, entry);
    int32_t index = a.indices[at];
    if (index < 0 || (uint32_t)index >= a.n) {
        note(a, row, &a.verdict->invalid);
        return;
    }
    if (bucket_of(a, (uint32_t)index) != bucket)
        note(a, row, &a.verdict->misplaced);
    size_t bytes = a.dtype == RCM_GPU_F32 ? 4 : 2;
    const unsigned char *row_begin = a.x + row * a.stride * bytes;
    const unsigned char *element = row_begin + (size_t)index * bytes,
                        *value = (const unsigned char *)a.values + at * bytes;
    for (size_t i = 0; i < bytes; i++)
        if (element[i] != value[i]) {
            note(a, row, &a.verdict->altered);
            break;
        }
    uint64_t bit = row * a.n + (uint32_t)index;
    if (set_bit(a.kept, bit))
        note(a, row, &a.verdict->repeated);
    atomicMin(&a.worst[row * a.b + bucket],
              merit_of(float_of(a.dtype, row_begin, (uint32_t)index), a.smallest));
}

__global__ void __launch_bounds__(block_threads) check_rest(check_args a)
{
    uint64_t at = (uint64_t)blockIdx.x * block_threads + threadIdx.x;
    if (at >= a.m * a.n)
        return;
    uint64_t row = at / a.n;
    uint32_t i = (uint32_t)(at - row * a.n);
    if (a.kept[at / 32] >> at % 32 & 1)
        return;
    size_t bytes = a.dtype == RCM_GPU_F32 ? 4 : 2;
    if (merit_of(float_of(a.dtype, a.x + row * a.stride * bytes, i), a.smallest) >
        a.worst[row * a.b + bucket_of(a, i)])
        note(a, row, &a.verdict->missed);
}

check_args args_of(const struct rcm_gpu_rows &rows, const void *values, const int32_t *indices,
                   struct rcm_gpu_verdict *verdict)
{
    check_args a = {};
    a.x = static_cast<const unsigned char *>(rows.x);
    a.values = values;
    a.indices = indices;
    a.m = rows.m;
    a.n = (uint32_t)rows.n;
    a.stride = rows.stride ? rows.stride : rows.n;
    a.smallest = rows.smallest;
    a.dtype = rows.dtype;
    a.verdict = verdict;
    return a;
}

/* A bit for each of `count`: whole lines of 256 bytes. */
size_t bits_bytes(uint64_t count)
{
    return ceil_divide<uint64_t>(count, 2048) * 256;
}

enum rcm_gpu_status check(check_args a, void *workspace, rcm_gpu_stream stream)
{
    uint64_t most = std::max(a.m * a.n, a.m * a.entries);
    if (!workspace || (uintptr_t)workspace % 256 != 0)
        return RCM_GPU_BAD_WORKSPACE;
    if (ceil_divide<uint64_t>(most, block_threads) > INT32_MAX)
        return RCM_GPU_BAD_SHAPE;
    a.kept = (uint32_t *)workspace;
    a.wrong = a.kept + bits_bytes(a.m * a.n) / sizeof(uint32_t);
    a.worst = (long long *)(a.wrong + bits_bytes(a.m) / sizeof(uint32_t));
    auto threads = [&](uint64_t count) {
        return launch{(unsigned)ceil_divide<uint64_t>(count, block_threads), block_threads, 0, 1,
                      stream};
    };
    uint64_t words = (bits_bytes(a.m * a.n) + bits_bytes(a.m)) / sizeof(uint32_t);
    enum rcm_gpu_status status = run(threads(std::max(words, a.m * a.b)), begin_check, a, words);
    if (status == RCM_GPU_OK)
        status = run(threads(a.m * a.entries), check_entries, a);
    return status == RCM_GPU_OK ? run(threads(a.m * a.n), check_rest, a) : status;
}

} // namespace

size_t rcm_gpu_check_workspace(uint64_t m, uint64_t n, uint64_t b)
{
    return bits_bytes(m * n) + bits_bytes(m) + m * b * sizeof(long long);
}

enum rcm_gpu_status rcm_gpu_check_stage1(const struct rcm_gpu_stage1 *call,
                                         struct rcm_gpu_verdict *verdict, void *workspace,
                                         rcm_gpu_stream stream)
{
    check_args a = args_of(call->rows, call->values, call->indices, verdict);
    a.entries = rcm_gpu_candidates(call->rows.n, call->b, call->k_b);
    a.b = (uint32_t)call->b;
    a.k_b = (uint32_t)call->k_b;
    a.contiguous = call->assignment == RCM_GPU_CONTIGUOUS;
    return check(a, workspace, stream);
}

enum rcm_gpu_status rcm_gpu_check_exact(const struct rcm_gpu_exact *call,
                                        struct rcm_gpu_verdict *verdict, void *workspace,
                                        rcm_gpu_stream stream)
{
    /* One bucket, which is the row. */
    check_args a =
        args_of(call->rows, call->values, static_cast<const int32_t *>(call->indices), verdict);
    a.entries = call->k;
    a.b = 1;
    a.k_b = (uint32_t)call->k;
    return check(a, workspace, stream);
}
