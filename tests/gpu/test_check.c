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
TEST_MAIN("gpu check", device_check)
