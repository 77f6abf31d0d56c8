/* topk.h - bucketed and exact top-k of the rows of a matrix, on a CPU.
 *
 *     #include <stdio.h>
 *     #include <stdlib.h>
 *     #include <topk.h>
 *
 *     int main(void)
 *     {
 *         const float x[] = {3, 1, 4, 1, 5, 9, 2, 6};
 *         float values[2];
 *         int32_t indices[2];
 *         const struct rcm_top_k_call call = {
 *             .rows = {.x = x, .m = 1, .n = 8, .type = RCM_TOP_K_F32},
 *             .k = 2, .sorted = true, .values = values, .indices = indices};
 *         size_t bytes;
 *         enum rcm_top_k_status status = rcm_top_k_workspace(&call, &bytes);
 *         void *workspace = aligned_alloc(64, bytes / 64 * 64 + 64);
 *         if (status == RCM_TOP_K_OK)
 *             status = rcm_top_k(&call, workspace, bytes);
 *         if (status == RCM_TOP_K_OK)
 *             printf("%g at %d, %g at %d\n", values[0], indices[0], values[1], indices[1]);
 *         free(workspace);
 *         return status;
 *     }
 *
 *     cc example.c $(pkg-config --cflags --libs recallmodel-topk) # prints 9 at 5, 6 at 7
 *
 * The letters are those of recallmodel.h: n elements in a row, k wanted, b buckets, k_b kept of
 * each bucket, m rows.
 *
 * Calls    Every function takes pointers to the caller's memory, the workspace among them. It
 *          keeps nothing but the instruction set (rcm_top_k_use_isa) and its threads, allocates
 *          nothing (rcm_top_k_choose may), and any number of threads may call at once.
 * Memory   The outputs and the workspace overlap neither each other nor the rows, which are only
 *          read. A call that is refused writes nothing.
 * Order    Largest first, or smallest first if `smallest` is set. NaN comes last in both: it is
 *          below every value, or above every value if `smallest` is set. -inf is a value like any
 *          other. -0 is just below +0.
 * Indices  The indices in the output are valid and distinct, whatever the input, but for the -1
 *          behind the end of a row that has fewer than k elements.
 * Values   A value has the very bits of its element, the one at its index: those of a NaN too.
 * Ties     Exact top-k takes the first of equal elements, and puts them in the order of their
 *          positions where it sorts. In buckets equal elements may replace each other: the values
 *          of the output are determined, the indices of equal values are not. NaNs are equal
 *          whatever their bits.
 * Sorting  Stage 1 sorts the values of each bucket, best first. The top-k comes out best first if
 *          `sorted` is set, otherwise in no particular order.
 * Repeat   The same call gives the same bits every time, with any number of threads, with every
 *          instruction set, and where the processor rounds otherwise or takes denormals as zero.
 *          NaN and denormals may raise flags of floating point: do not let these trap.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_TOPK_H
#define RCM_TOPK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <model/recallmodel.h>

RCM_BEGIN

enum rcm_top_k_status {
    RCM_TOP_K_OK = 0,
    /* The shape is outside the domain: 1 <= n <= RCM_N_MAX, m >= 1, 1 <= k <= n, 1 <= b <= n,
     * 1 <= k_b <= min(k, ceil(n/b)), k <= min(b k_b, n); n < 2^31 unless `wide`, also where no
     * indices are wanted; the rows reach over fewer than 2^63 bytes; of rcm_top_k_choose:
     * 1e-18 <= recall <= 1, 0 <= confidence < 1. With lengths or starts, which stage 1 alone does
     * not take, it is 1 <= k <= RCM_N_MAX, 1 <= k_b <= k <= b k_b, and each length is at most
     * n. */
    RCM_TOP_K_BAD_SHAPE,
    /* A pointer is null (the call, x, `bytes`, both outputs; a workspace of 0 bytes may be), or an
     * output is not aligned to its elements. */
    RCM_TOP_K_BAD_POINTER,
    /* The type, the method, the assignment or the type of the indices is not one of those here. */
    RCM_TOP_K_BAD_TYPE,
    /* The workspace is too small, or its address is not a multiple of 64. */
    RCM_TOP_K_BAD_WORKSPACE,
    /* The profile cannot predict: rcm_top_k_choose only. */
    RCM_TOP_K_NO_CHOICE,
    /* One position twice among the k of a row: rcm_top_k_merge only. */
    RCM_TOP_K_BAD_POSITIONS,
};

/* The meaning of a status in words. Never NULL. */
const char *rcm_top_k_message(enum rcm_top_k_status status);

enum rcm_top_k_type {
    RCM_TOP_K_F32 = 0,
    RCM_TOP_K_F64,
    RCM_TOP_K_F16,
    RCM_TOP_K_BF16,
    RCM_TOP_K_I8,
    RCM_TOP_K_I32,
    RCM_TOP_K_TYPES, /* how many there are */
};

/* The bytes of an element; 0 if the type is not listed. */
size_t rcm_top_k_type_bytes(enum rcm_top_k_type type);

/* The input: m rows of n elements, which need not be aligned. Rows may overlap, and neighbours too.
 */
struct rcm_top_k_rows {
    const void *x;
    uint64_t m, n;
    int64_t row_stride; /* row r begins at element r * row_stride of x; 0 means n * stride */
    int64_t stride; /* between neighbours in a row, in elements; 0 means 1; negative: backward */
    enum rcm_top_k_type type;
    bool smallest; /* look for the smallest elements, not the largest */
};

enum rcm_top_k_method {
    /* All k best: the largest of each of many buckets, their k-th best is a threshold, and a second
     * look collects what reaches it. Never loses an element. */
    RCM_TOP_K_EXACT = 0,
    /* The k_b best of each of b buckets, then the k best of these. */
    RCM_TOP_K_BUCKETED,
};

/* Which bucket an element belongs to: RCM_INTERLEAVED or RCM_CONTIGUOUS of recallmodel.h. */

struct rcm_top_k_call {
    struct rcm_top_k_rows rows;
    uint64_t k;
    enum rcm_top_k_method method;
    uint64_t b, k_b;                /* bucketed */
    enum rcm_assignment assignment; /* bucketed */
    bool sorted;
    bool wide;        /* indices are int64_t, not int32_t */
    unsigned threads; /* at most; 0: as many as pay (rcm_top_k) */
    void *values;     /* output, m x k, of the type of the rows; NULL: not wanted */
    void *indices;    /* output, m x k: the position in the row, from 0; NULL: not wanted */
    /* Rows of different lengths: row r has lengths[r] elements (NULL: n), and begins at element
     * starts[r] of the row (NULL: 0). With `starts` a row_stride of 0 is 0: rows that are joined
     * begin at starts[r] of x. Positions count from the start. A row that has fewer than k elements
     * comes back whole; behind it the indices are -1, and the values the worst: -inf, or the least
     * integer, or with `smallest` inf or the largest. Buckets are those of a row of that length:
     * element i is in bucket i mod b, or they are b runs. Where b k_b >= length, they keep all, and
     * it is exact top-k. */
    const uint64_t *lengths, *starts;
};

/* Sets `bytes` to the size of the workspace that the call needs, with its lengths, or to 0 if the
 * status is not RCM_TOP_K_OK. Looks at all of the call but its outputs: x must not be NULL, but is
 * not read. With `threads` 0 the size goes by the processors that the thread may use at this
 * moment. */
enum rcm_top_k_status rcm_top_k_workspace(const struct rcm_top_k_call *call, size_t *bytes);

/* Finds the k best of each row. At least one of the outputs is wanted. `workspace` is at a multiple
 * of 64; it may be NULL if the call needs 0 bytes. Its contents before and after have no meaning.
 * Threads share out the rows, or the parts of a row where rows are few. They start when first used,
 * sleep between calls, and serve all callers of the process. The caller works too, and waits for
 * none that has not begun. With `threads` 0 there is one for each 4 MiB of all rows, at most one
 * for each processor of the affinity mask, of the quota of the control group (cpu.max, or
 * cpu.cfs_quota_us of version 1), and of OMP_NUM_THREADS. */
enum rcm_top_k_status rcm_top_k(const struct rcm_top_k_call *call, void *workspace, size_t bytes);

/* How many threads it would take for rows of this m, n and type, where so many are asked for, or 0.
 */
unsigned rcm_top_k_threads(const struct rcm_top_k_rows *rows, unsigned asked);

/* Stage 1 alone. A row has min(b k_b, n) candidates. Those of a bucket are neighbours in the
 * output, and those of bucket 0 come first. A bucket with fewer than k_b elements gives all it has.
 * `k`, `method` and `sorted` of the call are not read; the outputs are m x candidates. */
enum rcm_top_k_status rcm_top_k_stage1_workspace(const struct rcm_top_k_call *call, size_t *bytes);
enum rcm_top_k_status rcm_top_k_stage1(const struct rcm_top_k_call *call, void *workspace,
                                       size_t bytes);

/* The k best on average with this recall, so that half of all batches keep less; or, if confidence
 * > 0, with this recall of all rows together in at least that share of the batches; in the least
 * time by the profile of a CPU (NULL: rcm_profile_of_cpu() of this one; that of cpu-xeon-emr does
 * not know what a thread takes, and counts one). It is exact top-k unless
 * buckets are faster by more than the error of both (rcm_verdict). Sets method, b, k_b and
 * assignment of the call, of which it reads m, n, k, the type and `threads`, not the lengths: a
 * shorter row loses no more (docs/models.md 13); if the status is not
 * RCM_TOP_K_OK, it sets nothing. It may allocate, and take up to 0.1 s: choose once for many calls
 * of one shape.
 * recall    1e-18 <= recall <= 1, taken to 15 decimal digits: 0.99 of 1000 may lose 10. 1 is exact
 * choice    NULL, or what was found: recallmodel/select.h
 * Source    rcm_select(), rcm_lost_more_of_rows() */
enum rcm_top_k_status rcm_top_k_choose(struct rcm_top_k_call *call, double recall,
                                       double confidence, const struct rcm_profile *profile,
                                       struct rcm_choice *choice);

/* The best value of each row, as fast as this library reads a row: the roof beside which its times
 * are reported. `values` gets m values of the type of the rows; of a row of NaNs the first. */
enum rcm_top_k_status rcm_top_k_max(const struct rcm_top_k_rows *rows, unsigned threads,
                                    void *values);

/* ---- a row in parts */

/* What a part of a row sent: the `count` best elements of its share of each of m rows, in any
 * order, with their positions in the whole row. A position below 0 is padding, whatever its value:
 * no element, and this part sent all that it has in this row. */
struct rcm_top_k_part {
    const void *values;    /* m x count, of the type of the merge */
    const void *positions; /* m x count, int64_t if the merge is `wide`, or else int32_t */
    uint64_t count;
    bool all; /* these are all elements that it has */
};

/* The k best of what some parts sent. The merge of a row is proved, which means that these are the
 * k best of the whole row, if the worst element of each part comes after the k-th, except for parts
 * that sent all they have or at least k. What was kept back is no better. `by_position`: the parts
 * took the first of equal elements; then an equal one with a higher position comes after the k-th,
 * and the result is that of exact top-k of the row, indices too. Otherwise only a worse value does.
 * A row of which fewer than k elements were sent ends with padding: position -1. */
struct rcm_top_k_merge_call {
    const struct rcm_top_k_part *parts;
    size_t length; /* parts, from 1 on */
    uint64_t m, k; /* k at most the sum of the counts, padding included */
    enum rcm_top_k_type type;
    bool smallest, wide, by_position;
    void *values;   /* output, m x k, best first, equal ones by their positions; NULL: not wanted */
    void *indices;  /* output, m x k: positions; NULL: not wanted */
    bool *unproved; /* output, m x length: is this part in the way of a proof? */
};

/* As rcm_top_k_workspace() and rcm_top_k(); positions are aligned, too, and distinct: a row
 * with one twice among its k is the last that is written. A part whose elements are not the best
 * first, of equal ones the first first, is sorted.
 * unproved_rows    how many rows are not proved */
enum rcm_top_k_status rcm_top_k_merge_workspace(const struct rcm_top_k_merge_call *call,
                                                size_t *bytes);
enum rcm_top_k_status rcm_top_k_merge(const struct rcm_top_k_merge_call *call, void *workspace,
                                      size_t bytes, uint64_t *unproved_rows);

/* The instruction sets that this build has and this machine runs, best first: rcm_top_k_isa(0), ..
 * until NULL; such as "avx2". The last is "generic". */
const char *rcm_top_k_isa(size_t index);

/* The one that calls use now: the best, unless one of the following named another. */
const char *rcm_top_k_isa_in_use(void);

/* Uses this one from now on, in all threads; NULL: the best. False, and no change, if there is no
 * such. For tests and benchmarks; the environment variable RCM_TOP_K_ISA does the same when the
 * library starts. */
bool rcm_top_k_use_isa(const char *isa);

RCM_END

#endif
