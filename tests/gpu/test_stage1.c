/* test_stage1.c - stage 1 on every kind of row, against plain C.
 *
 * Against: plain C; three types, both directions, unaligned rows and strides, 12 kinds of row, five
 * orders of threads, five devices.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

/* Returns whether it needed a workspace, that is, whether blocks that are not a cluster shared the
 * steps of a strip. */
static bool run_stage1(const struct batch *batch, uint64_t b, uint64_t k_b,
                       enum rcm_gpu_assignment assignment, enum rcm_gpu_stage1_kernel kernel)
{
    struct rcm_gpu_stage1 call = {rows_of(batch), b, k_b, assignment, kernel, NULL, NULL};
    size_t workspace_bytes;
    ck_assert_int_eq(rcm_gpu_stage1_workspace(&call, &workspace_bytes), RCM_GPU_OK);
    struct output o =
        make_output(batch->m * rcm_gpu_candidates(batch->n, b, k_b), batch->bytes, workspace_bytes);
    call.values = o.device_values;
    call.indices = o.device_indices;
    ck_assert_int_eq(rcm_gpu_stage1(&call, o.workspace, workspace_bytes, NULL), RCM_GPU_OK);
    fetch_output(&o);
    char what[64];
    snprintf(what, sizeof what, "%s %s", rcm_gpu_stage1_kernel_name(kernel),
             assignment == RCM_GPU_INTERLEAVED ? "interleaved" : "contiguous");
    check_stage1(batch, &call, &o, what);
    if (batch->m * batch->n < 5000)
        ck_assert(is_correct(verdict_of(&call, NULL)));
    free_output(&o);
    return workspace_bytes > 0;
}

/* Runs every kernel once. Adds to the number of runs, and of those through the workspace. */
static void run_kernels(const struct batch *batch, uint64_t b, uint64_t k_b, uint64_t *state,
                        uint64_t *cases, uint64_t *shared)
{
    for (unsigned kernel = RCM_GPU_STAGE1_AUTO; kernel < RCM_GPU_STAGE1_KERNELS; kernel++) {
        if (kernel == RCM_GPU_STAGE1_BLOCK_PER_BUCKET && b * batch->m > 500)
            continue; /* there are 64 threads for each bucket, emulated */
        pretend_device(state);
        *shared += run_stage1(batch, b, k_b, (enum rcm_gpu_assignment)(next_random(state) % 2),
                              (enum rcm_gpu_stage1_kernel)kernel);
        ++*cases;
    }
}

START_TEST(stage1)
{
    static const uint64_t lengths[] = {1, 2, 3, 16, 31, 97, 128, 1000, 1021, 4096, 5000, 20000};
    uint64_t state = 1, cases = 0, shared = 0;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        for (unsigned kind = 0; kind < KINDS; kind++)
            for (unsigned dtype = 0; dtype < 3; dtype++) {
                const uint64_t n = lengths[l];
                if (!is_tested(l, n, kind, dtype))
                    continue;
                struct batch batch = random_batch(dtype, kind, n, n > 2000 ? 2 : 5, &state);
                for (unsigned repeat = 0; repeat < (few_cases() ? 2 : 4); repeat++) {
                    uint64_t b = random_scale(&state, 1, n), most = ceil_divide(n, b),
                             k_b = random_scale(&state, 1, most < 16 ? most : 16);
                    run_kernels(&batch, b, k_b, &state, &cases, &shared);
                }
                free_batch(&batch);
            }
    printf("stage 1: %" PRIu64 " runs agree with plain C, %" PRIu64
           " of them through the workspace\n",
           cases, shared);
    if (!few_cases())
        ck_assert_uint_gt(shared, 100); /* devices without clusters do occur */
}
END_TEST

/* Long columns of long queues, on a device so small that a few rows fill it. Several warps of a
 * block first test the elements. */
START_TEST(long_columns)
{
    static const enum kind kinds[] = {NORMAL, RISING, FEW, SOME_NAN};
    uint64_t state = 5;
    for (unsigned i = 0; i < (few_cases() ? 2 : 24); i++) {
        static const uint64_t queues[] = {8, 5, 16};
        struct batch batch =
            make_batch((enum rcm_gpu_dtype)(i % 3), kinds[i / 3 % 4], few_cases() ? 2 : 4,
                       few_cases() ? 9001 : 40001, 40004, i % 5, i % 2, &state);
        rcm_gpu_pretend(i % 4, 1, 227 * 1024, i % 2 ? 8 : 1);
        run_stage1(&batch, 4 + 12 * (i % 2), queues[i / 2 % 3],
                   i % 7 ? RCM_GPU_INTERLEAVED : RCM_GPU_CONTIGUOUS, RCM_GPU_STAGE1_COLUMN);
        free_batch(&batch);
    }
}
END_TEST

/* Many rows, and a long one. */
START_TEST(large)
{
    static const struct {
        uint64_t m, n, b, k_b;
    } shapes[] = {{64, 1021, 61, 3}, {1, 100003, 509, 4}};
    uint64_t state = 6, cases = 0, shared = 0;
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct batch batch = make_batch((enum rcm_gpu_dtype)i, NORMAL, shapes[i].m, shapes[i].n,
                                        shapes[i].n + 3, 1, false, &state);
        run_kernels(&batch, shapes[i].b, shapes[i].k_b, &state, &cases, &shared);
        free_batch(&batch);
    }
    ck_assert_uint_eq(cases, 6); /* not block per bucket */
}
END_TEST

TEST_MAIN("gpu stage 1", stage1, long_columns, large)
