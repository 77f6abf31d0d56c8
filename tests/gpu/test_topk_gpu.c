/* test_topk_gpu.c - the calls of topk_gpu.h: both stages against plain C, the same bits twice,
 * and calls that are rejected.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

START_TEST(two_stage)
{
    uint64_t state = 3, cases = 0;
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (unsigned repeat = 0; repeat < (few_cases() ? 1 : 12); repeat++) {
            enum rcm_gpu_dtype dtype = (enum rcm_gpu_dtype)(next_random(&state) % 3);
            uint64_t n = random_scale(&state, 1, 6000), m = random_between(&state, 1, 3),
                     b = random_scale(&state, 1, n), most = ceil_divide(n, b),
                     k_b = random_scale(&state, 1, most < 16 ? most : 16);
            uint64_t candidates = rcm_gpu_candidates(n, b, k_b),
                     k = next_random(&state) % 3 ? random_scale(&state, 1, candidates) : candidates;
            struct batch batch = make_batch(dtype, kind, m, n, n, next_random(&state) % 4,
                                            next_random(&state) % 2, &state);
            pretend_device(&state);
            struct rcm_gpu_two_stage call = {
                .rows = rows_of(&batch),
                .k = k,
                .b = b,
                .k_b = k_b,
                .assignment = (enum rcm_gpu_assignment)(next_random(&state) % 2),
                .stage2 = (enum rcm_gpu_exact_kernel)(next_random(&state) % RCM_GPU_EXACT_KERNELS),
                .deterministic = next_random(&state) % 2};
            size_t workspace_bytes;
            ck_assert_int_eq(rcm_gpu_two_stage_workspace(&call, &workspace_bytes), RCM_GPU_OK);
            struct output o = make_output(m * k, batch.bytes, workspace_bytes);
            call.values = o.device_values;
            call.indices = o.device_indices;
            ck_assert_int_eq(rcm_gpu_two_stage(&call, o.workspace, workspace_bytes, NULL),
                             RCM_GPU_OK);
            fetch_output(&o);
            check_two_stage(&batch, k, b, k_b, call.assignment, &o, "two-stage");
            free_output(&o);
            free_batch(&batch);
            cases++;
        }
    printf("two-stage: %" PRIu64 " runs agree with plain C\n", cases);
}
END_TEST

/* The same call twice gives the same bits: stage 1 always, exact top-k if the call asks for it. The
 * emulation runs threads and blocks in other orders, on the same device. */
START_TEST(repeatable)
{
    uint64_t state = 4;
    for (unsigned repeat = 0; repeat < (few_cases() ? 4 : 40); repeat++) {
        enum rcm_gpu_dtype dtype = (enum rcm_gpu_dtype)(repeat % 3);
        uint64_t n = random_scale(&state, 100, 5000), b = random_scale(&state, 1, n / 8),
                 k_b = random_between(&state, 1, 8), k = random_between(&state, 1, n);
        struct batch batch =
            make_batch(dtype, repeat % 2 ? FEW : SOME_INFINITE, 2, n, n, 1, false, &state);
        size_t candidates = rcm_gpu_candidates(n, b, k_b), bytes;
        struct output first[2], second[2];
        for (unsigned time = 0; time < 2; time++) {
            rcm_gpu_pretend(time * 3, 8, 100 * 1024, repeat % 4 < 2 ? 8 : 1);
            struct rcm_gpu_stage1 stage1 = {
                rows_of(&batch),       b,    k_b, (enum rcm_gpu_assignment)(repeat % 2),
                RCM_GPU_STAGE1_COLUMN, NULL, NULL};
            ck_assert_int_eq(rcm_gpu_stage1_workspace(&stage1, &bytes), RCM_GPU_OK);
            first[time] = make_output(2 * candidates, batch.bytes, bytes);
            stage1.values = first[time].device_values;
            stage1.indices = first[time].device_indices;
            ck_assert_int_eq(rcm_gpu_stage1(&stage1, first[time].workspace, bytes, NULL),
                             RCM_GPU_OK);
            fetch_output(&first[time]);
            struct rcm_gpu_exact exact = {.rows = rows_of(&batch),
                                          .k = k,
                                          .kernel = repeat % 3 ? RCM_GPU_EXACT_RADIX
                                                               : RCM_GPU_EXACT_HISTOGRAM,
                                          .sorted = repeat / 2 % 2,
                                          .deterministic = true};
            ck_assert_int_eq(rcm_gpu_exact_workspace(&exact, &bytes), RCM_GPU_OK);
            second[time] = make_output(2 * k, batch.bytes, bytes);
            exact.values = second[time].device_values;
            exact.indices = second[time].device_indices;
            ck_assert_int_eq(rcm_gpu_exact(&exact, second[time].workspace, bytes, NULL),
                             RCM_GPU_OK);
            fetch_output(&second[time]);
        }
        ck_assert_mem_eq(first[0].indices, first[1].indices, 2 * candidates * sizeof(int32_t));
        ck_assert_mem_eq(second[0].indices, second[1].indices, 2 * k * sizeof(int32_t));
        for (unsigned time = 0; time < 2; time++) {
            free_output(&first[time]);
            free_output(&second[time]);
        }
        free_batch(&batch);
    }
}
END_TEST

/* Arguments of calls that are rejected before anything runs. */
static float x[64], values[64];
static _Alignas(8) int32_t indices[64];
static const struct rcm_gpu_rows good_rows = {x, 2, 32, 0, RCM_GPU_F32, false};

START_TEST(refusals)
{
    const struct rcm_gpu_stage1 good = {
        good_rows, 4, 2, RCM_GPU_INTERLEAVED, RCM_GPU_STAGE1_THREAD_PER_BUCKET, values, indices};
    struct rcm_gpu_stage1 call;
#define STAGE1(change, want) \
    do { \
        call = good; \
        change; \
        ck_assert_int_eq(rcm_gpu_stage1(&call, NULL, 0, NULL), want); \
    } while (0)
    STAGE1(call.rows.n = 0, RCM_GPU_BAD_SHAPE);
    STAGE1(call.rows.n = UINT64_C(1) << 31, RCM_GPU_BAD_SHAPE);
    STAGE1(call.rows.m = 0, RCM_GPU_BAD_SHAPE);
    STAGE1(call.rows.stride = 31, RCM_GPU_BAD_SHAPE);
    STAGE1(call.rows.dtype = (enum rcm_gpu_dtype)9, RCM_GPU_BAD_TYPE);
    STAGE1(call.rows.x = NULL, RCM_GPU_BAD_POINTER);
    STAGE1(call.rows.x = (char *)x + 2, RCM_GPU_BAD_POINTER);
    STAGE1(call.b = 0, RCM_GPU_BAD_SHAPE);
    STAGE1(call.b = 33, RCM_GPU_BAD_SHAPE);
    STAGE1(call.k_b = 0, RCM_GPU_BAD_SHAPE);
    STAGE1(call.k_b = 9, RCM_GPU_BAD_SHAPE); /* a bucket has 8 */
    STAGE1((call.b = 1, call.k_b = 17), RCM_GPU_BAD_SHAPE);
    STAGE1(call.kernel = (enum rcm_gpu_stage1_kernel)9, RCM_GPU_BAD_TYPE);
    STAGE1(call.assignment = (enum rcm_gpu_assignment)9, RCM_GPU_BAD_TYPE);
    STAGE1(call.values = NULL, RCM_GPU_BAD_POINTER);
    STAGE1(call.indices = NULL, RCM_GPU_BAD_POINTER);
}
END_TEST

START_TEST(refusals_of_exact)
{
    size_t bytes;
    struct rcm_gpu_exact exact = {.rows = good_rows,
                                  .k = 3,
                                  .kernel = RCM_GPU_EXACT_SORT,
                                  .values = values,
                                  .indices = indices};
    ck_assert_int_eq(rcm_gpu_exact_workspace(&exact, &bytes), RCM_GPU_OK);
    ck_assert_uint_gt(bytes, 0);
    ck_assert_int_eq(rcm_gpu_exact(&exact, NULL, bytes, NULL), RCM_GPU_BAD_WORKSPACE);
    ck_assert_int_eq(rcm_gpu_exact(&exact, (void *)256, bytes - 1, NULL), RCM_GPU_BAD_WORKSPACE);
    ck_assert_int_eq(rcm_gpu_exact(&exact, (void *)257, bytes, NULL), RCM_GPU_BAD_WORKSPACE);
    exact.k = 33;
    ck_assert_int_eq(rcm_gpu_exact(&exact, NULL, 0, NULL), RCM_GPU_BAD_SHAPE);
    exact.k = 3;
    exact.bits = 13;
    ck_assert_int_eq(rcm_gpu_exact(&exact, NULL, 0, NULL), RCM_GPU_BAD_TYPE);
    exact.bits = 0;
    exact.unroll = 2;
    ck_assert_int_eq(rcm_gpu_exact(&exact, NULL, 0, NULL), RCM_GPU_BAD_TYPE);
    struct rcm_gpu_two_stage both = {
        .rows = good_rows, .k = 9, .b = 4, .k_b = 2, .values = values, .indices = indices};
    ck_assert_int_eq(rcm_gpu_two_stage_workspace(&both, &bytes),
                     RCM_GPU_BAD_SHAPE); /* 8 candidates */
}
END_TEST

START_TEST(refusals_of_outputs)
{
    static const int32_t of_row[2] = {0, 1};
    struct rcm_gpu_exact exact = {.rows = good_rows, .k = 3, .values = values, .indices = indices},
                         other;
    struct rcm_gpu_two_stage both = {.rows = good_rows,
                                     .k = 8,
                                     .b = 4,
                                     .k_b = 2,
                                     .values = values,
                                     .indices = indices,
                                     .lengths = of_row},
                             second;
    size_t bytes;
#define EXACT(change, want) \
    do { \
        other = exact; \
        change; \
        ck_assert_int_eq(rcm_gpu_exact(&other, NULL, 0, NULL), want); \
    } while (0)
#define BOTH(change, want) \
    do { \
        second = both; \
        change; \
        ck_assert_int_eq(rcm_gpu_two_stage_workspace(&second, &bytes), want); \
        if (want != RCM_GPU_OK) \
            ck_assert_int_eq(rcm_gpu_two_stage(&second, NULL, 0, NULL), want); \
    } while (0)
    EXACT(other.index_bytes = 5, RCM_GPU_BAD_TYPE);
    EXACT(other.indices = NULL, RCM_GPU_BAD_POINTER);
    EXACT((other.index_bytes = 8, other.indices = indices + 1), RCM_GPU_BAD_POINTER);
    EXACT(other.values = (char *)values + 1, RCM_GPU_BAD_POINTER);
    EXACT(other.lengths = (const int32_t *)((const char *)of_row + 1), RCM_GPU_BAD_POINTER);
    EXACT(other.starts = (const int32_t *)((const char *)of_row + 2), RCM_GPU_BAD_POINTER);
    EXACT((other.lengths = of_row, other.fill = INT64_C(1) << 31), RCM_GPU_BAD_TYPE);
    EXACT((other.pages = of_row, other.page_size = 0), RCM_GPU_BAD_TYPE);
    EXACT((other.pages = of_row, other.page_size = 48), RCM_GPU_BAD_TYPE);
    EXACT((other.pages = of_row, other.page_size = 1u << 31), RCM_GPU_BAD_TYPE);
    EXACT((other.pages = other.labels = of_row, other.page_size = 64), RCM_GPU_BAD_TYPE);
    EXACT((other.pages = (const int32_t *)((const char *)of_row + 2), other.page_size = 64),
          RCM_GPU_BAD_POINTER);
    EXACT(other.sorted = true, RCM_GPU_BAD_WORKSPACE);
    EXACT((other.rows.m = 1 << 20, other.rows.n = other.k = 1 << 20, other.sorted = true),
          RCM_GPU_BAD_TYPE);
    BOTH(second.stage1 = RCM_GPU_STAGE1_THREAD_PER_BUCKET, RCM_GPU_OK);
    BOTH(second.stage1 = RCM_GPU_STAGE1_COLUMN, RCM_GPU_UNSUPPORTED);
    BOTH(second.stage1 = RCM_GPU_STAGE1_BLOCK_PER_BUCKET, RCM_GPU_UNSUPPORTED);
    BOTH(second.index_bytes = 2, RCM_GPU_BAD_TYPE);
    BOTH(second.fill = -(INT64_C(1) << 32), RCM_GPU_BAD_TYPE);
    ck_assert_int_eq(rcm_gpu_two_stage(&both, NULL, 0, NULL), RCM_GPU_BAD_WORKSPACE);
}
END_TEST

/* A candidate of 8 bytes for each result that is sorted after the kernel has found it, in steps of
 * 256; none where all elements are sorted in a block, or nothing is. */
START_TEST(workspace_of_outputs)
{
    static const int32_t of_row[3] = {7, 0, 5000};
    for (unsigned i = 0; i < 64; i++) {
        struct rcm_gpu_exact call = {.rows = {x, 3, i & 1 ? 5000 : 100, 0, RCM_GPU_F32, false},
                                     .k = i & 2 ? 33 : 100,
                                     .sorted = i & 4,
                                     .index_bytes = i & 8 ? 8 : 0,
                                     .values = i & 16 ? values : NULL,
                                     .lengths = i & 32 ? of_row : NULL};
        size_t bytes,
            want = call.sorted && call.k < call.rows.n ? (3 * call.k * 8 + 255) / 256 * 256 : 0;
        ck_assert_int_eq(rcm_gpu_exact_workspace(&call, &bytes), RCM_GPU_OK);
        ck_assert_uint_eq(bytes, want);
    }
}
END_TEST

START_TEST(refusals_of_fused)
{
    size_t bytes;
    struct rcm_gpu_fused fused = {.queries = (void *)256,
                                  .database = (void *)256,
                                  .m = 4,
                                  .n = 64,
                                  .d = 64,
                                  .k = 8,
                                  .b = 8,
                                  .k_b = 2,
                                  .values = values,
                                  .indices = indices},
                         other;
#define FUSED(change, want) \
    do { \
        other = fused; \
        change; \
        ck_assert_int_eq(rcm_gpu_fused_workspace(&other, &bytes), want); \
        if (want != RCM_GPU_OK) \
            ck_assert_int_eq(rcm_gpu_fused(&other, NULL, 0, NULL), want); \
    } while (0)
    FUSED(other.d = 64, RCM_GPU_OK);
    FUSED(other.d = 96, RCM_GPU_BAD_SHAPE);
    FUSED(other.m = 0, RCM_GPU_BAD_SHAPE);
    FUSED(other.k = 17, RCM_GPU_BAD_SHAPE); /* 16 candidates */
    FUSED(other.k_b = 9, RCM_GPU_BAD_SHAPE);
    FUSED(other.b = 65, RCM_GPU_BAD_SHAPE);
    FUSED(other.b = 0, RCM_GPU_BAD_SHAPE);
    FUSED(other.k_b = 0, RCM_GPU_BAD_SHAPE);
    FUSED(other.queries = (void *)258, RCM_GPU_BAD_POINTER);
    FUSED(other.database = NULL, RCM_GPU_BAD_POINTER);
    ck_assert_int_eq(rcm_gpu_fused(&fused, NULL, 0, NULL), RCM_GPU_BAD_WORKSPACE);
    fused.b = fused.k_b = 0; /* exact */
    FUSED(other.k = 64, RCM_GPU_OK);
    FUSED(other.k = 65, RCM_GPU_BAD_SHAPE);
    FUSED(other.deterministic = true, RCM_GPU_BAD_TYPE);
    FUSED(other.reread = (void *)257, RCM_GPU_BAD_POINTER);
    ck_assert_int_eq(rcm_gpu_fused(&fused, NULL, 0, NULL), RCM_GPU_BAD_WORKSPACE);
    fused.values = NULL;
    ck_assert_int_eq(rcm_gpu_fused(&fused, NULL, 0, NULL), RCM_GPU_BAD_POINTER);
}
END_TEST

START_TEST(messages_and_names)
{
    for (int status = RCM_GPU_OK; status <= RCM_GPU_UNSUPPORTED; status++)
        ck_assert_str_ne(rcm_gpu_message((enum rcm_gpu_status)status), "unknown status");
    ck_assert_str_eq(rcm_gpu_message((enum rcm_gpu_status)99), "unknown status");
    for (int kernel = 0; kernel < RCM_GPU_STAGE1_KERNELS; kernel++)
        ck_assert_ptr_nonnull(rcm_gpu_stage1_kernel_name((enum rcm_gpu_stage1_kernel)kernel));
    ck_assert_ptr_null(rcm_gpu_stage1_kernel_name(RCM_GPU_STAGE1_KERNELS));
    ck_assert_ptr_null(rcm_gpu_exact_kernel_name(RCM_GPU_EXACT_KERNELS));
}
END_TEST

TEST_MAIN("gpu calls", two_stage, repeatable, refusals, refusals_of_exact, refusals_of_outputs,
          workspace_of_outputs, refusals_of_fused, messages_and_names)
