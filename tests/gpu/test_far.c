/* test_far.c - inputs and outputs with more than 2^32 elements, of which a few rows are written and
 * read: every kernel, with rows that are far apart, and with the last of three million rows, whose
 * blocks alone run. Memory that nobody has written is all zeros and takes no space.
 *
 * Against: plain C, as `test_stage1`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <sys/mman.h>

#include "plain.h"

static void *reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    return memory;
}

/* m rows, the last `known` of which are random, and the others 0. `known` has those alone, on the
 * host. */
struct far {
    struct rcm_gpu_rows rows;
    struct batch known;
    int32_t *labels, *lengths, *starts;
    uint64_t skipped; /* rows that are not known */
    size_t size;      /* of the elements, in bytes */
};

static struct far make_far(enum rcm_gpu_dtype dtype, uint64_t m, uint64_t n, uint64_t stride,
                           uint64_t known, uint64_t *state)
{
    struct far f = {.known = make_batch(dtype, NORMAL, known, n, n, 0, false, state),
                    .skipped = m - known};
    const size_t bytes = f.known.bytes;
    f.size = ((m - 1) * stride + n) * bytes;
    unsigned char *x = reserve(f.size);
    f.labels = reserve(f.size / bytes * sizeof *f.labels);
    f.lengths = reserve(m * sizeof *f.lengths);
    f.starts = reserve(m * sizeof *f.starts);
    for (uint64_t r = 0; r < known; r++) {
        const uint64_t at = f.skipped + r;
        memcpy(x + at * stride * bytes, row_of(&f.known, r), n * bytes);
        for (uint64_t i = 0; i < n; i++)
            f.labels[at * stride + i] = label_of(r, i);
        f.lengths[at] = (int32_t)random_between(state, n / 2, n - n / 4);
        f.starts[at] = (int32_t)random_between(state, 1, n / 4);
    }
    f.rows = (struct rcm_gpu_rows){x, m, n, stride, dtype, false};
    return f;
}

static void free_far(struct far *f)
{
    munmap((void *)(uintptr_t)f->rows.x, f->size);
    munmap(f->labels, f->size / f->known.bytes * sizeof *f->labels);
    munmap(f->lengths, f->rows.m * sizeof *f->lengths);
    munmap(f->starts, f->rows.m * sizeof *f->starts);
    free_batch(&f->known);
}

/* Outputs and workspace of a call, and the part of them that the known rows have. */
struct far_output {
    unsigned char *values, *indices, *workspace;
    size_t bytes, count, workspace_bytes;
    struct output known;
};

static struct far_output make_far_output(const struct far *f, uint64_t each, size_t index_bytes,
                                         size_t workspace_bytes)
{
    struct far_output o = {
        .bytes = f->known.bytes, .count = f->rows.m * each, .workspace_bytes = workspace_bytes + 1};
    o.values = reserve(o.count * o.bytes);
    o.indices = reserve(o.count * 8);
    o.workspace = reserve(o.workspace_bytes);
    o.known = (struct output){.count = f->known.m * each,
                              .values = o.values + f->skipped * each * o.bytes,
                              .indices = (void *)(o.indices + f->skipped * each * index_bytes)};
    memset(o.known.values, 0xee, o.known.count * o.bytes);
    memset(o.known.indices, 0xee, o.known.count * index_bytes);
    return o;
}

static void free_far_output(struct far_output *o)
{
    munmap(o->values, o->count * o->bytes);
    munmap(o->indices, o->count * 8);
    munmap(o->workspace, o->workspace_bytes);
}

/* Bits of `combination`: labels, best first, wide, lengths and starts. */
static void run_exact(const struct far *f, enum rcm_gpu_exact_kernel kernel, unsigned combination,
                      uint64_t k)
{
    struct wanted w = {.k = k,
                       .values = true,
                       .sorted = combination & 2,
                       .index_bytes = combination & 4 ? 8 : 4,
                       .labels = combination & 1,
                       .lengths = combination & 8 ? f->lengths + f->skipped : NULL,
                       .starts = combination & 8 ? f->starts + f->skipped : NULL,
                       .fill = -1};
    struct rcm_gpu_exact call = {.rows = f->rows,
                                 .k = k,
                                 .kernel = kernel,
                                 .labels = w.labels ? f->labels : NULL,
                                 .sorted = w.sorted,
                                 .index_bytes = w.index_bytes,
                                 .lengths = combination & 8 ? f->lengths : NULL,
                                 .starts = combination & 8 ? f->starts : NULL,
                                 .fill = -1};
    size_t bytes;
    ck_assert_int_eq(rcm_gpu_exact_workspace(&call, &bytes), RCM_GPU_OK);
    struct far_output o = make_far_output(f, k, w.index_bytes, bytes);
    call.values = o.values;
    call.indices = o.indices;
    ck_assert_int_eq(rcm_gpu_exact(&call, o.workspace, bytes, NULL), RCM_GPU_OK);
    for (uint64_t r = 0; r < f->known.m; r++)
        check_row(&f->known, &w, &o.known, r, rcm_gpu_exact_kernel_name(kernel));
    free_far_output(&o);
}

static void run_stage1(const struct far *f, enum rcm_gpu_stage1_kernel kernel,
                       enum rcm_gpu_assignment assignment, uint64_t b, uint64_t k_b)
{
    struct rcm_gpu_stage1 call = {f->rows, b, k_b, assignment, kernel, NULL, NULL};
    size_t bytes;
    ck_assert_int_eq(rcm_gpu_stage1_workspace(&call, &bytes), RCM_GPU_OK);
    struct far_output o = make_far_output(f, rcm_gpu_candidates(f->rows.n, b, k_b), 4, bytes);
    call.values = o.values;
    call.indices = (int32_t *)(void *)o.indices;
    ck_assert_int_eq(rcm_gpu_stage1(&call, o.workspace, bytes, NULL), RCM_GPU_OK);
    check_stage1(&f->known, &call, &o.known, rcm_gpu_stage1_kernel_name(kernel));
    free_far_output(&o);
}

static void run_two_stage(const struct far *f, bool has_lengths, uint64_t b, uint64_t k_b,
                          uint64_t k)
{
    struct wanted w = {.k = k, .b = b, .k_b = k_b, .values = true, .index_bytes = 4, .fill = -1};
    struct rcm_gpu_two_stage call = {.rows = f->rows, .k = k, .b = b, .k_b = k_b, .fill = -1};
    if (has_lengths) {
        w.lengths = f->lengths + f->skipped;
        w.starts = f->starts + f->skipped;
        call.lengths = f->lengths;
        call.starts = f->starts;
    }
    size_t bytes;
    ck_assert_int_eq(rcm_gpu_two_stage_workspace(&call, &bytes), RCM_GPU_OK);
    struct far_output o = make_far_output(f, k, 4, bytes);
    call.values = o.values;
    call.indices = o.indices;
    ck_assert_int_eq(rcm_gpu_two_stage(&call, o.workspace, bytes, NULL), RCM_GPU_OK);
    for (uint64_t r = 0; r < f->known.m; r++)
        check_row(&f->known, &w, &o.known, r, "both stages");
    free_far_output(&o);
}

/* Three rows, in an input of 2^33 elements. */
START_TEST(far_apart)
{
    uint64_t state = 31;
    for (unsigned i = 0; i < (few_cases() ? 1 : 4) && rcm_gpu_run_last(0); i++) {
        const uint64_t n = i < 2 ? 3000 : 20000;
        rcm_gpu_pretend(i, 132, 227 * 1024, i % 2 ? 8 : 1);
        struct far f = make_far(i % 2 ? RCM_GPU_F16 : RCM_GPU_F32, 3, n,
                                (UINT64_C(1) << 32) + 12345, 3, &state);
        for (unsigned kernel = RCM_GPU_EXACT_RADIX; kernel < RCM_GPU_EXACT_KERNELS; kernel++)
            for (unsigned combination = i; combination < 16; combination += 4)
                run_exact(&f, kernel, combination, n == 3000 ? 1000 : 100);
        run_exact(&f, RCM_GPU_EXACT_RADIX, 2, n == 3000 ? n : 5000);
        for (unsigned kernel = RCM_GPU_STAGE1_THREAD_PER_BUCKET; kernel < RCM_GPU_STAGE1_KERNELS;
             kernel++)
            for (unsigned assignment = 0; assignment < 2; assignment++) {
                run_stage1(&f, kernel, assignment, 4, 8); /* long buckets, and short ones */
                run_stage1(&f, kernel, assignment, 100, 2);
            }
        run_two_stage(&f, false, 100, 2, 50);
        run_two_stage(&f, true, 100, 2, 50);
        free_far(&f);
    }
}
END_TEST

/* The last of so many rows that input and output have more than 2^32 elements. */
START_TEST(last_rows)
{
    const uint64_t m = 3000001, n = 2900, stride = 3000, k = 1500, b = 600, k_b = 3;
    uint64_t state = 32;
    for (unsigned i = 0; i < (few_cases() ? 1 : 2) && rcm_gpu_run_last(4); i++) {
        rcm_gpu_pretend(i, 132, 227 * 1024, 8);
        struct far f = make_far(i ? RCM_GPU_BF16 : RCM_GPU_F32, m, n, stride, 2, &state);
        for (unsigned combination = i; combination < 16; combination += 3) {
            run_exact(&f, RCM_GPU_EXACT_RADIX, combination, k);
            run_exact(&f, RCM_GPU_EXACT_HISTOGRAM, combination, k);
        }
        run_exact(&f, RCM_GPU_EXACT_RADIX, 2, n);
        for (unsigned assignment = 0; assignment < 2; assignment++) {
            rcm_gpu_run_last(16);
            run_stage1(&f, RCM_GPU_STAGE1_THREAD_PER_BUCKET, assignment, b, k_b);
            run_stage1(&f, RCM_GPU_STAGE1_COLUMN, assignment, b, k_b);
            rcm_gpu_run_last(2 * b);
            run_stage1(&f, RCM_GPU_STAGE1_BLOCK_PER_BUCKET, assignment, b, k_b);
        }
        rcm_gpu_run_last(16);
        run_two_stage(&f, false, b, k_b, 1400);
        run_two_stage(&f, true, b, k_b, 1400);
        rcm_gpu_run_last(0);
        free_far(&f);
    }
}
END_TEST

/* The last of so many queries. Eight buckets are one block. */
START_TEST(last_queries)
{
    enum { D = 128, N = 256, KNOWN = 2 };
    if (!rcm_gpu_run_last(1))
        return;
    const uint64_t m = (UINT64_C(1) << 25) + 77;
    uint64_t state = 33;
    uint16_t *queries = reserve(m * D * 2), *last = queries + (m - KNOWN) * D,
             *database = rcm_gpu_allocate((size_t)N * D * 2);
    rcm_gpu_pretend(0, 132, 227 * 1024, 8);
    draw_vectors(last, KNOWN, D, NORMAL, &state);
    draw_vectors(database, N, D, NORMAL, &state);
    struct far f = {.rows = {.m = m}, .skipped = m - KNOWN};
    f.known = products_of(last, database, NORMAL, KNOWN, N, D);
    struct rcm_gpu_fused call = {
        .queries = queries, .database = database, .m = m, .n = N, .d = D, .b = 8, .k_b = 16};
    call.k = rcm_gpu_candidates(N, call.b, call.k_b);
    size_t bytes;
    ck_assert_int_eq(rcm_gpu_fused_workspace(&call, &bytes), RCM_GPU_OK);
    struct far_output o = make_far_output(&f, call.k, 4, bytes);
    call.values = (float *)(void *)o.values;
    call.indices = (int32_t *)(void *)o.indices;
    ck_assert_int_eq(rcm_gpu_fused(&call, o.workspace, bytes, NULL), RCM_GPU_OK);
    const struct rcm_gpu_stage1 same = {.b = call.b, .k_b = call.k_b};
    check_stage1(&f.known, &same, &o.known, "fused");
    rcm_gpu_run_last(0);
    free_far_output(&o);
    free_batch(&f.known);
    munmap(queries, m * D * 2);
    rcm_gpu_free(database);
}
END_TEST

TEST_MAIN("gpu far", far_apart, last_rows, last_queries)
