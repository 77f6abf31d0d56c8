/* topk_gpu.h - bucketed and exact top-k of the rows of a matrix, on a GPU.
 *
 * Letters as in recallmodel.h: n elements in a row, k wanted, b buckets, k_b kept of each, m rows.
 * Every function takes device pointers, the caller's stream and the caller's workspace; it launches
 * and returns: no allocation, no synchronisation with the host, so it may be captured in a CUDA
 * graph. Any number of threads may call at once.
 *
 * Order    largest first unless `smallest`. NaN is below everything (above everything if
 * `smallest`: it is taken last), -inf is a value, -0 is just below +0. Indices that come out are
 * valid and distinct, whatever the input. Ties     free the index, never the value. Within   a
 * bucket values come out in falling (for `smallest`: rising) order; exact top-k comes out in no
 * order. Repeat   stage 1 gives the same bits every time. Of exact top-k, `histogram` and `radix`
 * give the same values, in an order and with tied indices that vary; with `deterministic` they come
 * in the order of their indices, and ties take the lowest ones.
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

/* C++ may hold any integer in an enumeration only if it says of which type; so that wrong ones can
 * be refused. */
#ifdef __cplusplus
#define RCM_GPU_ENUM(name) enum name : unsigned
#else
#define RCM_GPU_ENUM(name) enum name
#endif

RCM_GPU_ENUM(rcm_gpu_status){
    RCM_GPU_OK = 0,        RCM_GPU_NO_DEVICE, /* no GPU, or no driver for it */
    RCM_GPU_BAD_SHAPE,   /* not 1 <= n < 2^31, 1 <= m, 1 <= k <= n, 1 <= b <= n, 1 <= k_b <= min(16,
                          * ceil(n/b)), stride >= n,   d 64 or 128 */
    RCM_GPU_BAD_POINTER, /* null, or not a multiple of the element's size */
    RCM_GPU_BAD_TYPE, /* a dtype or kernel that is not listed, or one that cannot run this shape or
                         on this device */
    RCM_GPU_BAD_WORKSPACE, /* null, too small, or not a multiple of 256 */
    RCM_GPU_ERROR, /* CUDA refused something: cudaGetLastError says why. An older error that nobody
                      has read can do so too (CUB looks) */
};

/* What went wrong, in words. Never NULL. */
const char *rcm_gpu_message(enum rcm_gpu_status status);

RCM_GPU_ENUM(rcm_gpu_dtype){RCM_GPU_F32 = 0, RCM_GPU_F16 = 1, RCM_GPU_BF16 = 2};

/* The bytes of an element; 0 for what is not listed. */
size_t rcm_gpu_dtype_bytes(enum rcm_gpu_dtype dtype);

/* m rows of n elements; row r begins at element r * stride. stride = 0 means n. `x` need only be
 * aligned to an element. */
struct rcm_gpu_rows {
    const void *x;
    uint64_t m, n, stride;
    enum rcm_gpu_dtype dtype;
    bool smallest;
};

/* ------------------------------------------------------------------------------------------------------------------------
 * Stage 1: the k_b largest of each of b buckets
 */

RCM_GPU_ENUM(rcm_gpu_assignment){
    RCM_GPU_INTERLEAVED = 0, /* element i in bucket i mod b */
    RCM_GPU_CONTIGUOUS = 1,  /* runs, the n mod b longer ones first */
};

RCM_GPU_ENUM(rcm_gpu_stage1_kernel){
    RCM_GPU_STAGE1_AUTO =
        0, /* `column`; `thread_per_bucket` where a bucket has fewer than 4 elements */
    RCM_GPU_STAGE1_THREAD_PER_BUCKET, /* Key et al. mode 1: an insertion queue in the registers of
                                         one thread */
    RCM_GPU_STAGE1_BLOCK_PER_BUCKET,  /* Key et al. mode 2: 64 threads a bucket, then a block merge
                                         sort */
    RCM_GPU_STAGE1_COLUMN,            /* virtual columns: docs/gpu.md */
    RCM_GPU_STAGE1_KERNELS};

/* Candidates of a row: min(b k_b, n). Bucket q's are neighbours, bucket 0's first; a bucket with
 * fewer than k_b elements gives all it has. */
struct rcm_gpu_stage1 {
    struct rcm_gpu_rows rows;
    uint64_t b, k_b;
    enum rcm_gpu_assignment assignment;
    enum rcm_gpu_stage1_kernel kernel;
    void *values;     /* out, m x candidates, of the rows' type */
    int32_t *indices; /* out, m x candidates: position in the row, 0 <= index < n */
};

uint64_t rcm_gpu_candidates(uint64_t n, uint64_t b, uint64_t k_b);

/* Bytes of workspace that the call needs on the current device. */
enum rcm_gpu_status rcm_gpu_stage1_workspace(const struct rcm_gpu_stage1 *call, size_t *bytes);
enum rcm_gpu_status rcm_gpu_stage1(const struct rcm_gpu_stage1 *call, void *workspace,
                                   size_t workspace_bytes, rcm_gpu_stream stream);

/* ------------------------------------------------------------------------------------------------------------------------
 * Exact top-k
 */

RCM_GPU_ENUM(rcm_gpu_exact_kernel){
    RCM_GPU_EXACT_AUTO = 0,  /* `radix` */
    RCM_GPU_EXACT_RADIX,     /* digits of `bits` bits, most significant first; a row in the shared
                                memory of a block or a cluster */
    RCM_GPU_EXACT_HISTOGRAM, /* 512 bins on the float16 order key, then a radix sort of the
                                threshold bin */
    RCM_GPU_EXACT_SORT,      /* CUB's segmented radix sort of everything; m n < 2^31 */
    RCM_GPU_EXACT_KERNELS};

struct rcm_gpu_exact {
    struct rcm_gpu_rows rows;
    uint64_t k;
    enum rcm_gpu_exact_kernel kernel;
    const int32_t *labels; /* NULL, or m x n with the rows' stride: what stands for an element in
                              `indices` instead of its position */
    bool deterministic;
    unsigned bits;      /* radix: 8 to 11; 0: 11 */
    unsigned unroll;    /* histogram: 1, 4 or 8 elements a thread and load; 0: 8 */
    bool binary_search; /* histogram: find the threshold bin by binary search instead of all threads
                           at once */
    void *values;       /* out, m x k */
    int32_t *indices;   /* out, m x k */
};

enum rcm_gpu_status rcm_gpu_exact_workspace(const struct rcm_gpu_exact *call, size_t *bytes);
enum rcm_gpu_status rcm_gpu_exact(const struct rcm_gpu_exact *call, void *workspace,
                                  size_t workspace_bytes, rcm_gpu_stream stream);

/* ------------------------------------------------------------------------------------------------------------------------
 * Both stages
 */

struct rcm_gpu_two_stage {
    struct rcm_gpu_rows rows;
    uint64_t k, b, k_b; /* min(b k_b, n) >= k; stage 2 runs if it is larger */
    enum rcm_gpu_assignment assignment;
    enum rcm_gpu_stage1_kernel stage1;
    enum rcm_gpu_exact_kernel stage2;
    bool deterministic;
    void *values;     /* out, m x k */
    int32_t *indices; /* out, m x k: position in the row */
};

enum rcm_gpu_status rcm_gpu_two_stage_workspace(const struct rcm_gpu_two_stage *call,
                                                size_t *bytes);
enum rcm_gpu_status rcm_gpu_two_stage(const struct rcm_gpu_two_stage *call, void *workspace,
                                      size_t workspace_bytes, rcm_gpu_stream stream);

/* ------------------------------------------------------------------------------------------------------------------------
 * Both stages of products that are never written: row i is x[i][j] = queries[i] . database[j], j =
 * 0, .., n - 1, in bfloat16, summed in float32 in an order that is not told. Interleaved buckets,
 * largest first; -0 and +0 are equal here, and a NaN comes out as one of bits 0x7fffffff.
 */

struct rcm_gpu_fused {
    const void *queries;  /* m x d, a multiple of 16 bytes */
    const void *database; /* n x d, a multiple of 16 bytes */
    uint64_t m, n, d;     /* d is 64 or 128 */
    uint64_t k, b, k_b;   /* min(b k_b, n) >= k; stage 2 runs if it is larger; where they are equal,
                             candidates come as from stage 1 */
    enum rcm_gpu_exact_kernel stage2;
    bool deterministic;
    float *values;    /* out, m x k */
    int32_t *indices; /* out, m x k: element of the database */
};

enum rcm_gpu_status rcm_gpu_fused_workspace(const struct rcm_gpu_fused *call, size_t *bytes);
enum rcm_gpu_status rcm_gpu_fused(const struct rcm_gpu_fused *call, void *workspace,
                                  size_t workspace_bytes, rcm_gpu_stream stream);

/* ------------------------------------------------------------------------------------------------------------------------
 * The kernels by name, for programs that list them. NULL past the last.
 */

const char *rcm_gpu_stage1_kernel_name(enum rcm_gpu_stage1_kernel kernel);
const char *rcm_gpu_exact_kernel_name(enum rcm_gpu_exact_kernel kernel);

#ifdef __cplusplus
}
#endif

#endif
