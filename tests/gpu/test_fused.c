/* test_fused.c - top-k fused with the matrix product, against plain C.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

/* Runs the call on vectors of the host and compares it with their products. Returns whether it used
 * replicas of buckets. */
static bool run_fused(struct rcm_gpu_fused call, const uint16_t *queries, const uint16_t *database,
                      const struct batch *products)
{
    const size_t query_bytes = call.m * call.d * 2, database_bytes = call.n * call.d * 2;
    void *on_device[2] = {rcm_gpu_allocate(query_bytes), rcm_gpu_allocate(database_bytes)};
    ck_assert(on_device[0] && on_device[1]);
    ck_assert_int_eq(rcm_gpu_to_device(on_device[0], queries, query_bytes), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_to_device(on_device[1], database, database_bytes), RCM_GPU_OK);
    call.queries = on_device[0];
    call.database = on_device[1];
    size_t workspace_bytes;
    ck_assert_int_eq(rcm_gpu_fused_workspace(&call, &workspace_bytes), RCM_GPU_OK);
    struct output o = make_output(call.m * call.k, 4, workspace_bytes);
    call.values = o.device_values;
    call.indices = o.device_indices;
    ck_assert_int_eq(rcm_gpu_fused(&call, o.workspace, workspace_bytes, NULL), RCM_GPU_OK);
    fetch_output(&o);
    const bool stage1_only = call.k == rcm_gpu_candidates(call.n, call.b, call.k_b);
    if (stage1_only) {
        struct rcm_gpu_stage1 same = {
            .b = call.b, .k_b = call.k_b, .assignment = RCM_GPU_INTERLEAVED};
        check_stage1(products, &same, &o, "fused");
    } else {
        check_two_stage(products, call.k, call.b, call.k_b, RCM_GPU_INTERLEAVED, &o, "fused");
    }
    free_output(&o);
    rcm_gpu_free(on_device[0]);
    rcm_gpu_free(on_device[1]);
    return stage1_only && workspace_bytes > 0;
}

START_TEST(fused)
{
    static const enum kind kinds[] = {NORMAL,  NORMAL,        EQUAL,    FEW,    RISING,
                                      FALLING, SOME_INFINITE, SOME_NAN, ALL_NAN};
    uint64_t state = 6, cases = 0, replicated = 0;
    for (unsigned i = 0; i < (few_cases() ? 6 : 90); i++) {
        enum kind kind = kinds[i % (sizeof kinds / sizeof *kinds)];
        uint64_t d = i % 4 ? 128 : 64, m = random_scale(&state, 1, few_cases() ? 20 : 300),
                 n = random_scale(&state, i % 4 == 1 ? 500 : 1, m > 50 ? 1000 : 4000);
        uint64_t b = random_scale(&state, 1, i % 4 == 1 ? ceil_divide(n, 70) : n),
                 most = ceil_divide(n, b), k_b = random_scale(&state, 1, most < 16 ? most : 16);
        uint64_t candidates = rcm_gpu_candidates(n, b, k_b),
                 k = i % 3 ? candidates : random_scale(&state, 1, candidates);
        uint16_t *queries = malloc(m * d * 2), *database = malloc(n * d * 2);
        draw_vectors(queries, m, d, kind == RISING || kind == FALLING ? EQUAL : NORMAL, &state);
        draw_vectors(database, n, d, kind, &state);
        for (uint64_t j = 0; j < n && kind == ALL_NAN; j++)
            database[j * d] = 0x7fc0;
        struct batch products = products_of(queries, database, kind, m, n, d);
        pretend_device(&state);
        const struct rcm_gpu_fused call = {
            .m = m, .n = n, .d = d, .k = k, .b = b, .k_b = k_b, .deterministic = i % 2};
        replicated += run_fused(call, queries, database, &products);
        free_batch(&products);
        free(queries);
        free(database);
        cases++;
    }
    printf("fused: %" PRIu64 " runs agree with plain C, %" PRIu64
           " of them with replicas of buckets\n",
           cases, replicated);
    if (!few_cases())
        ck_assert_uint_gt(replicated, 10);
}
END_TEST

TEST_MAIN("gpu fused", fused)
