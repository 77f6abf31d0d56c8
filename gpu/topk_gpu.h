/* topk_gpu.h - bucketed and exact top-k of the rows of a matrix, on a GPU.
 *
 *     #include <cuda_runtime.h>
 *     #include <stdio.h>
 *     #include <topk_gpu.h>
 *
 *     int main(void)
 *     {
 *         struct rcm_gpu_exact call = {.rows = {.m = 64, .n = 151936, .dtype = RCM_GPU_F32},
 *                                      .k = 50};
 *         void *workspace, *x;
 *         size_t bytes;
 *         cudaMalloc(&x, sizeof(float) * call.rows.m * call.rows.n);
 *         cudaMalloc(&call.values, sizeof(float) * call.rows.m * call.k);
 *         cudaMalloc(&call.indices, sizeof(int32_t) * call.rows.m * call.k);
 *         call.rows.x = x;
 *         enum rcm_gpu_status status = rcm_gpu_exact_workspace(&call, &bytes);
 *         cudaMalloc(&workspace, bytes);
 *         if (status == RCM_GPU_OK)
 *             status = rcm_gpu_exact(&call, workspace, bytes, 0);
 *         puts(rcm_gpu_message(status));
 *         return status;
 *     }
 *
 *     nvcc example.c -lrecallmodel-gpu
 *
 * The letters are those of recallmodel.h: n elements in a row, k wanted, b buckets, k_b kept of
 * each bucket, m rows.
 *
 * Calls    Every function takes pointers to device memory, and the caller's stream and workspace.
 *          It launches its kernels and returns. It allocates nothing and does not wait for the
 *          device, so it may be captured in a CUDA graph. Any number of host threads may call at
 *          once.
 * Errors   A call that fails leaves nothing in cudaGetLastError, unless an error stood there
 *          before: then one of the two stands there. Errors that end a context (an illegal address)
 *          stay, whoever caused them.
 * Memory   A pointer is of memory that the current device can use. That is not checked, because
 *          memory of the host or of another device may be usable too. A wrong one is an illegal
 *          address, which CUDA reports at a later call.
 * Reset    After cudaDeviceReset no call for that device works in the process.
 * Order    Largest first, or smallest first if `smallest` is set. NaN comes last in both: it is
 *          below every value, or above every value if `smallest` is set. -inf is a value like any
 *          other. -0 is just below +0.
 * Indices  The indices in the output are valid and distinct, whatever the input.
 * Ties     Equal elements may replace each other: the values of the output are determined, the
 *          indices of equal values are not.
 * Sorting  Stage 1 sorts the values of each bucket, best first. Exact top-k comes out in
 *          no particular order, but best first with `sorted`; NaN that differ in their bits come in
 *          a fixed order.
 * Repeat   Stage 1 gives the same bits every time. For exact top-k, `histogram` and `radix` give
 *          the same values every time, but their order and the indices of equal values vary. With
 *          `deterministic` set they give the results in the order of their indices, and of equal
 *          elements they take those with the lowest indices. With `sorted` too, the lower index
 *          of equal values comes first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_TOPK_GPU_H
#define RCM_TOPK_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CUstream_st *rcm_gpu_stream; /* cudaStream_t */

/* In C++ an enumeration may hold any integer only if it names its type. These do, so that a call
 * with a wrong value can be refused. */
#ifdef __cplusplus
#define RCM_GPU_ENUM(name) enum name : unsigned
#else
#define RCM_GPU_ENUM(name) enum name
#endif

RCM_GPU_ENUM(rcm_gpu_status){
    RCM_GPU_OK = 0,
    /* There is no GPU, or no driver for it. */
    RCM_GPU_NO_DEVICE,
    /* The shape is outside the domain: 1 <= n < 2^31, 1 <= m < 2^31, 1 <= k <= n, 1 <= b <= n,
     * 1 <= k_b <= min(16, ceil(n/b)), k <= min(b k_b, n), stride >= n or 0, d is 64 or 128; or
     * b = k_b = 0 for rcm_gpu_fused. */
    RCM_GPU_BAD_SHAPE,
    /* A pointer is null, or its address is not a multiple of the size of its elements (for the
     * vectors of rcm_gpu_fused: of 16). */
    RCM_GPU_BAD_POINTER,
    /* The dtype, the kernel, the assignment or an option is not one of those listed here, or the
     * kernel cannot run this shape or cannot run on this device. */
    RCM_GPU_BAD_TYPE,
    /* The workspace is too small, or its address is null or not a multiple of 256. */
    RCM_GPU_BAD_WORKSPACE,
    /* CUDA reported an error: rcm_gpu_message says which. It can be an older error that nobody has
     * read yet, because CUB looks for one. */
    RCM_GPU_ERROR,
    /* The kernel of stage 1 does not read `lengths` and `starts`: RCM_GPU_STAGE1_AUTO chooses one
     * that does. */
    RCM_GPU_UNSUPPORTED,
};

/* The meaning of a status in words; of RCM_GPU_ERROR those of CUDA, about the last call of this
 * host thread. Never NULL. */
const char *rcm_gpu_message(enum rcm_gpu_status status);

RCM_GPU_ENUM(rcm_gpu_dtype){RCM_GPU_F32 = 0, RCM_GPU_F16 = 1, RCM_GPU_BF16 = 2};

/* The bytes of an element; 0 if the dtype is not listed. */
size_t rcm_gpu_dtype_bytes(enum rcm_gpu_dtype dtype);

/* The input: m rows of n elements. */
struct rcm_gpu_rows {
    const void *x;            /* aligned to an element, no more */
    uint64_t m, n;            /* both at least 1 and below 2^31 */
    uint64_t stride;          /* row r begins at element r * stride of x; 0 means n */
    enum rcm_gpu_dtype dtype; /* of the elements */
    bool smallest;            /* look for the smallest elements, not the largest */
};

/* ------------------------------------------------------------------------------------------------
 * Stage 1: the k_b largest elements of each of b buckets
 */

RCM_GPU_ENUM(rcm_gpu_assignment){
    /* Element i belongs to bucket i mod b. */
    RCM_GPU_INTERLEAVED = 0,
    /* A bucket is a run of neighbouring elements. If b does not divide n, the first n mod b buckets
     * have one element more than the others. */
    RCM_GPU_CONTIGUOUS = 1,
};

RCM_GPU_ENUM(rcm_gpu_stage1_kernel){
    /* `column`. */
    RCM_GPU_STAGE1_AUTO = 0,
    /* Mode 1 of Key et al.: an insertion queue in the registers of one thread. */
    RCM_GPU_STAGE1_THREAD_PER_BUCKET,
    /* Mode 2 of Key et al.: 64 threads for each bucket, then a block merge sort. */
    RCM_GPU_STAGE1_BLOCK_PER_BUCKET,
    /* Virtual columns: docs/gpu.md, section 3. `thread_per_bucket` runs in its place if a bucket
     * has fewer than 4 elements. */
    RCM_GPU_STAGE1_COLUMN,
    /* The number of kernels. */
    RCM_GPU_STAGE1_KERNELS};

/* A row has min(b k_b, n) candidates. Those of a bucket are neighbours in the output, and those of
 * bucket 0 come first. A bucket with fewer than k_b elements gives all it has. */
struct rcm_gpu_stage1 {
    struct rcm_gpu_rows rows;
    uint64_t b;   /* 1 <= b <= n; b need not divide n */
    uint64_t k_b; /* 1 <= k_b <= min(16, ceil(n/b)) */
    enum rcm_gpu_assignment assignment;
    enum rcm_gpu_stage1_kernel kernel;
    void *values;     /* output, m x candidates, of the dtype of the rows */
    int32_t *indices; /* output, m x candidates: the position in the row, 0 <= index < n */
};

/* The number of candidates of a row: min(b k_b, n). */
uint64_t rcm_gpu_candidates(uint64_t n, uint64_t b, uint64_t k_b);

/* Sets `bytes` to the size of the workspace that the call needs on the current device, or to 0 if
 * the status is not RCM_GPU_OK. Looks at all of the call but its outputs. */
enum rcm_gpu_status rcm_gpu_stage1_workspace(const struct rcm_gpu_stage1 *call, size_t *bytes);

/* Starts stage 1. `workspace` is device memory at a multiple of 256; it may be NULL if the call
 * needs 0 bytes. Its contents before and after have no meaning. */
enum rcm_gpu_status rcm_gpu_stage1(const struct rcm_gpu_stage1 *call, void *workspace,
                                   size_t workspace_bytes, rcm_gpu_stream stream);

/* ------------------------------------------------------------------------------------------------
 * Exact top-k
 */

RCM_GPU_ENUM(rcm_gpu_exact_kernel){
    /* `radix`. */
    RCM_GPU_EXACT_AUTO = 0,
    /* Digits of `bits` bits, the most significant first. A row is held in the shared memory of a
     * block or a cluster of blocks. Up to n = 4096, equal parts of the range of values in their
     * place; a block holds a row in registers. */
    RCM_GPU_EXACT_RADIX,
    /* 512 bins on the order-preserving key of the value as float16, then a radix sort of the
     * threshold bin. */
    RCM_GPU_EXACT_HISTOGRAM,
    /* CUB's segmented radix sort of all elements. Only if m n < 2^31. */
    RCM_GPU_EXACT_SORT,
    /* The number of kernels. */
    RCM_GPU_EXACT_KERNELS};

struct rcm_gpu_exact {
    struct rcm_gpu_rows rows;
    uint64_t k; /* 1 <= k <= n */
    enum rcm_gpu_exact_kernel kernel;

    /* NULL, or m x n integers with the stride of the rows: `indices` then gets the label of an
     * element in place of its position. With `sorted` and `deterministic` the lower label of equal
     * values comes first, those below 0 last. */
    const int32_t *labels;

    bool sorted;        /* best first. One more launch; above k = 4096 CUB's segmented radix sort,
                         * only if m k < 2^31 */
    bool deterministic; /* see "Repeat" at the head of this file */
    unsigned bits;      /* radix: 8 to 12 bits of a digit at most; 0 means 12 */
    uint32_t seed;      /* radix: which elements of long rows it samples, of which the time of a row
                         * may depend, and no result; 0: others at each call, of which a CUDA graph
                         * keeps those of its capture */
    unsigned unroll;    /* histogram: 1, 4 or 8 loads of a thread at a time; 0 means 8. Always 8
                           * with `sorted`, wide indices, lengths, starts, or without values */
    bool binary_search; /* histogram: one thread finds the threshold bin by binary search; if not
                         * set, all threads look for it at once */
    void *values;       /* output, m x k, of the dtype of the rows; NULL: not wanted */
    void *indices;      /* output, m x k: the position in the row, or the label */
    unsigned index_bytes; /* of an index in the output: 4 or 8; 0 means 4 */

    /* radix: NULL, or an integer in device memory, to which the call adds the number of rows that
     * it read again because a sample had misled it. The caller sets it to 0. */
    uint32_t *reread;

    /* NULL, or m integers each in device memory, for rows of different lengths as in topk.h: row r
     * has lengths[r] elements (NULL: all up to n), and begins at element starts[r] of the row
     * (NULL: 0). starts[r] + lengths[r] <= n; what is outside the row is not read. Positions count
     * from the start. A row that has fewer than k elements gives all of them. Behind them the index
     * is `fill`, which `index_bytes` must hold, and the value the worst: -inf, or inf if `smallest`
     * is set. */
    const int32_t *lengths, *starts;
    int64_t fill;

    /* NULL, or the page tables of a paged cache, integers in device memory: in place of position i
     * of row r, `indices` then gets pages[r * pages_stride + i / page_size] * page_size +
     * i % page_size, which `index_bytes` must hold. Entries of pages in which no result lies are
     * not read. Not with labels. */
    const int32_t *pages;
    uint64_t pages_stride; /* from the table of a row to that of the next; 0: all rows share one */
    unsigned page_size;    /* a power of two, up to 2^30 */
};

/* As for stage 1. */
enum rcm_gpu_status rcm_gpu_exact_workspace(const struct rcm_gpu_exact *call, size_t *bytes);
enum rcm_gpu_status rcm_gpu_exact(const struct rcm_gpu_exact *call, void *workspace,
                                  size_t workspace_bytes, rcm_gpu_stream stream);

/* ------------------------------------------------------------------------------------------------
 * Both stages
 */

struct rcm_gpu_two_stage {
    struct rcm_gpu_rows rows;
    uint64_t k;   /* 1 <= k <= min(b k_b, n). If k is less, stage 2 finds the k largest candidates;
                   * if k is equal, stage 2 does not run and the candidates are the output, unless
                   * the call sorts, gives lengths, or wants other outputs */
    uint64_t b;   /* as for stage 1 */
    uint64_t k_b; /* as for stage 1 */
    enum rcm_gpu_assignment assignment;
    enum rcm_gpu_stage1_kernel stage1;
    enum rcm_gpu_exact_kernel stage2;
    bool sorted;          /* the output, best first: as for rcm_gpu_exact */
    bool deterministic;   /* of stage 2 */
    void *values;         /* output, m x k, of the dtype of the rows; NULL: not wanted */
    void *indices;        /* output, m x k: the position in the row */
    unsigned index_bytes; /* as for rcm_gpu_exact */

    /* As for rcm_gpu_exact. The buckets are those of a row of that length. Stage 1 must be AUTO or
     * THREAD_PER_BUCKET. */
    const int32_t *lengths, *starts;
    int64_t fill;
};

/* As for stage 1, but it looks whether `values` is NULL. */
enum rcm_gpu_status rcm_gpu_two_stage_workspace(const struct rcm_gpu_two_stage *call,
                                                size_t *bytes);
enum rcm_gpu_status rcm_gpu_two_stage(const struct rcm_gpu_two_stage *call, void *workspace,
                                      size_t workspace_bytes, rcm_gpu_stream stream);

/* ------------------------------------------------------------------------------------------------
 * Both stages, or exact top-k, of products that are never written to memory
 *
 * Row i is x[i][j] = queries[i] . database[j] for j = 0, .., n - 1. The vectors are bfloat16; a
 * product is summed in float32, in an order that is not specified. Buckets are interleaved, and the
 * largest elements come first. Here -0 and +0 are equal, and every NaN in the output has the bits
 * 0x7fffffff.
 */

struct rcm_gpu_fused {
    const void *queries;  /* m x d, at a multiple of 16 bytes */
    const void *database; /* n x d, at a multiple of 16 bytes */
    uint64_t m, n;        /* both at least 1 and below 2^31 */
    uint64_t d;           /* 64 or 128 components of a vector */
    uint64_t k;           /* 1 <= k <= min(b k_b, n). If k is equal, stage 2 does not run and the
                           * candidates come out as from stage 1. Exact: 1 <= k <= n */
    uint64_t b;           /* as for stage 1; b = k_b = 0: exact top-k */
    uint64_t k_b;         /* as for stage 1 */
    enum rcm_gpu_exact_kernel stage2; /* exact: of the products that a threshold leaves */
    bool deterministic;               /* of stage 2; RCM_GPU_BAD_TYPE if exact */
    float *values;                    /* output, m x k */
    int32_t *indices;                 /* output, m x k: the element of the database */

    /* Exact: NULL, or an integer in device memory, to which the call adds the number of rows whose
     * products it formed again because the sample had misled it, or too many are equal. */
    uint32_t *reread;
};

/* As for stage 1. */
enum rcm_gpu_status rcm_gpu_fused_workspace(const struct rcm_gpu_fused *call, size_t *bytes);
enum rcm_gpu_status rcm_gpu_fused(const struct rcm_gpu_fused *call, void *workspace,
                                  size_t workspace_bytes, rcm_gpu_stream stream);

/* ------------------------------------------------------------------------------------------------
 * The kernels by name, for programs that list them. NULL past the last one.
 */

const char *rcm_gpu_stage1_kernel_name(enum rcm_gpu_stage1_kernel kernel);
const char *rcm_gpu_exact_kernel_name(enum rcm_gpu_exact_kernel kernel);

#ifdef __cplusplus
}
#endif

#endif
