/* test_results.c - what counts on the device compare results by, and what makes results of other
 * libraries like ours.
 *
 * Against: plain C; outputs with entries changed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "plain.h"

/* What is at `from` on the host, on the device. */
static void *on_device(const void *from, size_t bytes)
{
    void *to = rcm_gpu_allocate(bytes);
    ck_assert_ptr_nonnull(to);
    ck_assert_int_eq(rcm_gpu_to_device(to, from, bytes), RCM_GPU_OK);
    return to;
}

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

/* Rows of every kind with a stride; indices of which a third are outside the row. */
START_TEST(gathered)
{
    enum { M = 5, N = 300, K = 90 };
    static const int32_t outside[] = {-1, N, INT32_MIN, INT32_MAX, N + 1};
    uint64_t state = 21;
    for (unsigned dtype = 0; dtype < 3; dtype++) {
        struct batch b =
            make_batch((enum rcm_gpu_dtype)dtype, ANY_BITS, M, N, N + 3, 1, false, &state);
        const struct rcm_gpu_rows rows = rows_of(&b);
        struct output o = make_output(M * K, b.bytes, 0);
        int32_t indices[M * K];
        for (int i = 0; i < M * K; i++)
            indices[i] = i % 3 ? (int32_t)(next_random(&state) % N) : outside[i / 3 % 5];
        ck_assert_int_eq(rcm_gpu_to_device(o.device_indices, indices, sizeof indices), RCM_GPU_OK);
        ck_assert_int_eq(rcm_gpu_gather(&rows, K, o.device_indices, o.device_values, NULL),
                         RCM_GPU_OK);
        fetch_output(&o);
        ck_assert_mem_eq(o.indices, indices, sizeof indices);
        for (uint64_t i = 0; i < M * K; i++) {
            const uint32_t want = i % 3 ? element(row_of(&b, i / K), b.dtype, (uint64_t)indices[i])
                                  : dtype == 0 ? 0xffffffffu
                                               : 0xffffu;
            ck_assert_uint_eq(element(o.values, b.dtype, i), want);
            ck_assert(i % 3 || isnan(value_of(b.dtype, want)));
        }
        free_output(&o);
        free_batch(&b);
    }
    const struct rcm_gpu_rows none = {.m = 1, .n = 1, .dtype = (enum rcm_gpu_dtype)3};
    ck_assert_int_eq(rcm_gpu_gather(&none, 1, NULL, NULL, NULL), RCM_GPU_BAD_TYPE);
}
END_TEST

START_TEST(narrowed)
{
    enum { COUNT = 1003 };
    static const int64_t edges[] = {
        0,         INT32_MAX, (int64_t)INT32_MAX + 1, INT64_C(1) << 32, INT64_MAX, -1,
        INT32_MIN, INT64_MIN, -(INT64_C(1) << 32)};
    int64_t from[COUNT];
    int32_t got[COUNT + 1];
    uint64_t state = 22;
    for (size_t i = 0; i < COUNT; i++)
        from[i] = i < sizeof edges / sizeof *edges
                      ? edges[i]
                      : (int64_t)next_random(&state) >> next_random(&state) % 64;
    memset(got, 0x5a, sizeof got);
    void *wide = on_device(from, sizeof from), *to = on_device(got, sizeof got);
    ck_assert_int_eq(rcm_gpu_narrow(wide, COUNT, to, NULL), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_wait(), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(got, to, sizeof got), RCM_GPU_OK);
    for (size_t i = 0; i < COUNT; i++)
        ck_assert_int_eq(got[i], from[i] == (int32_t)from[i] && from[i] >= 0 ? from[i] : -1);
    ck_assert_int_eq(got[COUNT], 0x5a5a5a5a); /* it is not written past the end */
    rcm_gpu_free(wide);
    rcm_gpu_free(to);
}
END_TEST

/* Rows of every kind as they are, sorted, and sorted with two neighbours exchanged. */
static uint64_t out_of_order(const struct batch *b)
{
    uint64_t got = 99;
    void *count = on_device(&got, sizeof got);
    ck_assert_int_eq(rcm_gpu_to_device(b->device, b->memory, b->size), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_in_order(b->dtype, b->m, b->n, b->device, count, NULL), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_wait(), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(&got, count, sizeof got), RCM_GPU_OK);
    rcm_gpu_free(count);
    return got;
}

START_TEST(in_order)
{
    enum { M = 4, K = 150 };
    uint64_t state = 23;
    for (unsigned dtype = 0; dtype < 3; dtype++)
        for (unsigned kind = 0; kind < KINDS; kind++) {
            struct batch b =
                make_batch((enum rcm_gpu_dtype)dtype, (enum kind)kind, M, K, K, 0, false, &state);
            uint64_t want = 0;
            for (uint64_t i = 0; i < M * K; i++) {
                const double pair[] = {
                    merit(b.dtype, element(b.memory, b.dtype, i), false),
                    i % K ? merit(b.dtype, element(b.memory, b.dtype, i - 1), false) : INFINITY};
                want += by_merit(pair, pair + 1) < 0;
            }
            ck_assert_uint_eq(out_of_order(&b), want);
            free_batch(&b);
        }
    const float sorted[] = {INFINITY, 2.0f, 0.0f, -0.0f, 0.0f, -INFINITY, NAN, -NAN, /* row 2: */
                            5.0f,     5.0f, 1.0f, 1.0f,  0.5f, NAN,       NAN, NAN};
    struct batch b = make_batch(RCM_GPU_F32, NORMAL, 2, 8, 8, 0, false, &state);
    memcpy(b.memory, sorted, sizeof sorted);
    ck_assert_uint_eq(out_of_order(&b), 0);
    memcpy(b.memory, sorted + 1, 4); /* 2, 2, ..: still in order */
    ck_assert_uint_eq(out_of_order(&b), 0);
    memcpy(b.memory + 4, sorted, 4); /* 2, infinity */
    ck_assert_uint_eq(out_of_order(&b), 1);
    memcpy(b.memory + 5 * 4, sorted + 6, 4); /* NaN, NaN, NaN: in order */
    memcpy(b.memory + 6 * 4, sorted + 5, 4); /* NaN, -infinity, NaN: not */
    ck_assert_uint_eq(out_of_order(&b), 2);
    free_batch(&b);
}
END_TEST

TEST_MAIN("gpu results", hits, products, gathered, narrowed, in_order)
