/* test_check.c - the checks that run on the device. They accept a correct result (test_stage1.c
 * and test_exact.c), and each kind of error shows in its own counter.
 *
 * Against: outputs with entries changed.
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
    ck_assert_msg(
        got.invalid == want.invalid && got.repeated == want.repeated &&
            got.misplaced == want.misplaced && got.altered == want.altered &&
            got.missed == want.missed &&
            got.wrong_rows ==
                (want.invalid + want.repeated + want.misplaced + want.altered + want.missed > 0),
        "entry %zu index %d: invalid %" PRIu64 " repeated %" PRIu64 " misplaced %" PRIu64
        " altered %" PRIu64 " missed %" PRIu64 " wrong rows %" PRIu64,
        entry, index, got.invalid, got.repeated, got.misplaced, got.altered, got.missed,
        got.wrong_rows);
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
/* What wrong_rows_of() plants, twice in a row. */
enum fault { INVALID, REPEATED, MISPLACED, ALTERED, MISSED, FAULTS };

/* Bucket q of 12 elements in 4 buckets has kept element 8 + q, and then 4 + q; but not q. */
static void plant(enum fault fault, uint32_t q, const uint32_t *row, int32_t *indices,
                  uint32_t *values)
{
    static const int others[FAULTS] = {[REPEATED] = 4, [MISSED] = 0};
    if (fault == INVALID)
        indices[2 * q] = q ? 12 : -1;
    if (fault == ALTERED)
        values[2 * q]++;
    if (fault == REPEATED || fault == MISSED)
        indices[2 * q] = others[fault] + (int32_t)q;
    if (fault == MISPLACED)
        indices[2 * q] = 1 - (int32_t)q; /* bucket 0 has element 1, bucket 1 element 0 */
    if (fault == REPEATED || fault == MISSED || fault == MISPLACED)
        values[2 * q] = row[indices[2 * q]];
}

/* Rows are counted once, with as many faults as they may have, and also if faults differ. */
START_TEST(wrong_rows)
{
    enum { M = 70, N = 12 };
    float x[M * N];
    uint32_t bits[M * N], values[M * 8];
    int32_t indices[M * 8];
    for (int i = 0; i < M * N; i++)
        x[i] = (float)(i % N + 100 * (i / N));
    memcpy(bits, x, sizeof x);
    void *device = rcm_gpu_allocate(sizeof x);
    ck_assert_int_eq(rcm_gpu_to_device(device, x, sizeof x), RCM_GPU_OK);
    struct output o = make_output(M * 8, 4, 0);
    const struct rcm_gpu_stage1 call = {.rows = {device, M, N, 0, RCM_GPU_F32, false},
                                        .b = 4,
                                        .k_b = 2,
                                        .values = o.device_values,
                                        .indices = o.device_indices};
    ck_assert_int_eq(rcm_gpu_stage1(&call, NULL, 0, NULL), RCM_GPU_OK);
    fetch_output(&o);
    for (unsigned fault = 0; fault <= FAULTS; fault++) /* the last: each row has another one */
        for (unsigned count = 0; count <= M;
             count = 3 * count + 1 < M ? 3 * count + 1 : count + M) {
            memcpy(indices, o.indices, sizeof indices);
            memcpy(values, o.values, sizeof values);
            for (unsigned i = 0; i < count; i++) {
                const unsigned r = i * 31 % M;
                for (uint32_t q = 0; q < 2; q++)
                    plant((enum fault)(fault < FAULTS ? fault : i % FAULTS), q, bits + r * N,
                          indices + r * 8, values + r * 8);
            }
            ck_assert_int_eq(rcm_gpu_to_device(o.device_indices, indices, sizeof indices),
                             RCM_GPU_OK);
            ck_assert_int_eq(rcm_gpu_to_device(o.device_values, values, sizeof values), RCM_GPU_OK);
            const struct rcm_gpu_verdict got = verdict_of(&call, NULL);
            const uint64_t found[] = {got.invalid, got.repeated, got.misplaced, got.altered,
                                      got.missed};
            ck_assert_uint_eq(got.wrong_rows, count);
            if (fault < FAULTS)
                ck_assert_uint_eq(found[fault], 2 * count);
        }
    free_output(&o);
    rcm_gpu_free(device);
}
END_TEST

TEST_MAIN("gpu check", device_check, wrong_rows)
