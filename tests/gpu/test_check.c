/* test_check.c - the checks that run on the device. They accept a correct result (test_stage1.c
 * and test_exact.c), and each kind of error shows in its own counter.
 *
 * Against: outputs with one entry changed; plain C.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

static void check_wrong_entry(const struct rcm_gpu_stage1 *stage1,
                              const struct rcm_gpu_exact *exact, struct output *o, size_t entry,
                              int32_t index, uint32_t value, struct rcm_gpu_verdict want)
{
    int32_t indices[64];
    uint32_t values[64];
    memcpy(indices, o->indices, o->count * 4);
    memcpy(values, o->values, o->count * 4);
    indices[entry] = index;
    values[entry] = value;
    ck_assert_int_eq(rcm_gpu_to_device(o->device_indices, indices, o->count * 4), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_to_device(o->device_values, values, o->count * 4), RCM_GPU_OK);
    struct rcm_gpu_verdict got = verdict_of(stage1, exact);
    ck_assert_msg(got.invalid == want.invalid && got.repeated == want.repeated &&
                      got.misplaced == want.misplaced && got.altered == want.altered &&
                      got.missed == want.missed,
                  "entry %zu index %d: invalid %" PRIu64 " repeated %" PRIu64 " misplaced %" PRIu64
                  " altered %" PRIu64 " missed %" PRIu64,
                  entry, index, got.invalid, got.repeated, got.misplaced, got.altered, got.missed);
}

START_TEST(device_check)
{
    /* Two rows of 12 values, i and 100 + i, in 4 buckets that keep 2 each: 8 of each row. Value i
     * is at index i, so bucket 0 keeps 8 and 4. */
    float x[24];
    uint32_t bits[24];
    for (int i = 0; i < 24; i++)
        x[i] = (float)(i < 12 ? i : 100 + i - 12);
    memcpy(bits, x, sizeof x);
    void *device = rcm_gpu_allocate(sizeof x);
    ck_assert_int_eq(rcm_gpu_to_device(device, x, sizeof x), RCM_GPU_OK);
    struct output o = make_output(16, 4, 0);
    struct rcm_gpu_stage1 stage1 = {{device, 2, 12, 0, RCM_GPU_F32, false},
                                    4,
                                    2,
                                    RCM_GPU_INTERLEAVED,
                                    RCM_GPU_STAGE1_COLUMN,
                                    o.device_values,
                                    o.device_indices};
    ck_assert_int_eq(rcm_gpu_stage1(&stage1, NULL, 0, NULL), RCM_GPU_OK);
    fetch_output(&o);
    ck_assert_int_eq(o.indices[0], 8);
    ck_assert_int_eq(o.indices[9], 4);
    check_wrong_entry(&stage1, NULL, &o, 0, 8, bits[8], (struct rcm_gpu_verdict){0});
    check_wrong_entry(&stage1, NULL, &o, 0, -1, bits[8],
                      (struct rcm_gpu_verdict){.invalid = 1, .missed = 1}); /* 8 is left out */
    check_wrong_entry(&stage1, NULL, &o, 0, 12, bits[8],
                      (struct rcm_gpu_verdict){.invalid = 1, .missed = 1});
    check_wrong_entry(&stage1, NULL, &o, 0, 4, bits[4],
                      (struct rcm_gpu_verdict){.repeated = 1, .missed = 1});
    check_wrong_entry(&stage1, NULL, &o, 0, 11, bits[11],
                      (struct rcm_gpu_verdict){.misplaced = 1, .repeated = 1, .missed = 1});
    check_wrong_entry(&stage1, NULL, &o, 0, 8, bits[8] + 1, (struct rcm_gpu_verdict){.altered = 1});
    check_wrong_entry(&stage1, NULL, &o, 0, 0, bits[0], (struct rcm_gpu_verdict){.missed = 1});
    check_wrong_entry(&stage1, NULL, &o, 9, 0, bits[12], (struct rcm_gpu_verdict){.missed = 1});
    free_output(&o);

    struct rcm_gpu_exact exact = {.rows = stage1.rows, .k = 3};
    o = make_output(6, 4, 0);
    exact.values = o.device_values;
    exact.indices = o.device_indices;
    exact.deterministic = true;
    ck_assert_int_eq(rcm_gpu_exact(&exact, NULL, 0, NULL), RCM_GPU_OK);
    fetch_output(&o);
    ck_assert_int_eq(o.indices[2], 11);
    check_wrong_entry(NULL, &exact, &o, 2, 11, bits[11], (struct rcm_gpu_verdict){0});
    /* It misses 11: now 8 is the worst, and 9 and 10 are kept. */
    check_wrong_entry(NULL, &exact, &o, 2, 8, bits[8], (struct rcm_gpu_verdict){.missed = 1});
    check_wrong_entry(NULL, &exact, &o, 2, 3, bits[3],
                      (struct rcm_gpu_verdict){.missed = 6}); /* 4 to 8 and 11 */
    check_wrong_entry(NULL, &exact, &o, 2, 9, bits[9],
                      (struct rcm_gpu_verdict){.repeated = 1, .missed = 1});
    free_output(&o);
    rcm_gpu_free(device);
}
END_TEST

/* Recall by value: equal values count as often as they occur. */
START_TEST(hits)
{
    static const float exact[2][3] = {{5.0f, 4.0f, 4.0f}, {-0.0f, 1.0f, NAN}},
                       kept[2][4] = {{4.0f, 5.0f, 3.0f, 4.0f}, {0.0f, NAN, NAN, -1.0f}};
    static const float fewer[2][4] = {{4.0f, 1.0f, 0.0f, 3.0f}, {1.0f, 2.0f, 2.0f, NAN}};
    uint32_t got[2], *device_hits = rcm_gpu_allocate(sizeof got);
    void *device_exact = rcm_gpu_allocate(sizeof exact),
         *device_kept = rcm_gpu_allocate(sizeof kept);
    ck_assert_int_eq(rcm_gpu_to_device(device_exact, exact, sizeof exact), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_to_device(device_kept, kept, sizeof kept), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_count_hits(RCM_GPU_F32, false, 2, device_exact, 3, device_kept, 4,
                                        device_hits, NULL),
                     RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_wait(), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(got, device_hits, sizeof got), RCM_GPU_OK);
    ck_assert_uint_eq(got[0], 3);
    /* 0, NaN and -1: all elements better than the worst, which is NaN, and one NaN. */
    ck_assert_uint_eq(got[1], 3);
    ck_assert_int_eq(rcm_gpu_to_device(device_kept, fewer, sizeof fewer), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_count_hits(RCM_GPU_F32, false, 1, device_exact, 3, device_kept, 4,
                                        device_hits, NULL),
                     RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(got, device_hits, sizeof got), RCM_GPU_OK);
    ck_assert_uint_eq(got[0], 1);
    rcm_gpu_free(device_hits);
    rcm_gpu_free(device_exact);
    rcm_gpu_free(device_kept);
}
END_TEST

START_TEST(products)
{
    enum { M = 5, N = 77, D = 64 };
    uint64_t state = 8, different;
    uint16_t *queries = malloc(M * D * 2), *database = malloc(N * D * 2);
    draw_vectors(queries, M, D, NORMAL, &state);
    draw_vectors(database, N, D, NORMAL, &state);
    struct batch want = products_of(queries, database, NORMAL, M, N, D);
    void *q = rcm_gpu_allocate(M * D * 2), *x = rcm_gpu_allocate(N * D * 2),
         *got = rcm_gpu_allocate(M * N * 4), *expected = rcm_gpu_allocate(M * N * 4),
         *count = rcm_gpu_allocate(8);
    ck_assert_int_eq(rcm_gpu_to_device(q, queries, M * D * 2), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_to_device(x, database, N * D * 2), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_multiply(q, x, M, N, D, got, NULL), RCM_GPU_OK);
    for (unsigned wrong = 0; wrong < 4; wrong++) { /* This number of elements differs */
        if (wrong > 0)
            want.memory[4 * (wrong * 97)] ^= 1;
        ck_assert_int_eq(rcm_gpu_to_device(expected, want.memory, M * N * 4), RCM_GPU_OK);
        ck_assert_int_eq(rcm_gpu_count_different(got, expected, M * N, count, NULL), RCM_GPU_OK);
        ck_assert_int_eq(rcm_gpu_wait(), RCM_GPU_OK);
        ck_assert_int_eq(rcm_gpu_from_device(&different, count, 8), RCM_GPU_OK);
        ck_assert_uint_eq(different, wrong);
    }
    void *all[] = {q, x, got, expected, count};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        rcm_gpu_free(all[i]);
    free_batch(&want);
    free(queries);
    free(database);
}
END_TEST

TEST_MAIN("gpu check", device_check, hits, products)
