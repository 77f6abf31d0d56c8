/* test_cpu_time.c - the time model of a CPU against shapes whose times are worked out by hand
 * (docs/models.md 14, "A CPU").
 *
 * Against: shapes calculated by hand.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

static struct rcm_profile round_profile(void)
{
    return (struct rcm_profile){.kernel = rcm_kernel_by_name("cpu"),
                                .dtype = RCM_F32,
                                .launch_us = 1,
                                .scan_us = 0.001,
                                .insert_us = 0.002,
                                .offer_us = 0.08,
                                .resolve_us = 0.02,
                                .sort_us = 0.003,
                                .keep_us = 0.01,
                                .l2_bytes = 1e30,
                                .l3_bytes = 1e30,
                                .l3_bytes_per_s = 1e30,
                                .roof_bytes_per_s = 1e30,
                                .select_launch_us = 2,
                                .wanted_us = 0.04,
                                .dense_us = 0.006,
                                .collect_us = 0.05};
}

static double time_of(const struct rcm_profile *q, uint64_t n, uint64_t k, uint64_t b, uint64_t k_b)
{
    return rcm_predict(q, (struct rcm_topk){.n = n, .k = k, .b = b, .k_b = k_b, .m = 1}).time_us;
}

static double exact_of(const struct rcm_profile *q, uint64_t n, uint64_t k, uint64_t m)
{
    return rcm_predict_exact_unpadded(q, (struct rcm_topk){.n = n, .k = k, .m = m}).time_us;
}

#define NEAR 1e-9

START_TEST(by_elements_and_columns)
{
    const struct rcm_profile q = round_profile();
    /* by elements: 4096 of them, 64 candidates; k_b = 2, buckets of 255; k_b = 4, of 64: six pairs
     */
    ck_assert_double_eq_tol(time_of(&q, 4096, 64, 64, 1), 1 + 4.096 + 0.64, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 4080, 32, 16, 2), 1 + 4080 * (0.001 + 0.002) + 0.32, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 4096, 256, 64, 4), 1 + 4096 * (0.001 + 0.012) + 2.56, NEAR);
    /* buckets of 16, 4 rows sorted: 1.5 exchanges each, 2 for merging, 2 more */
    ck_assert_double_eq_tol(time_of(&q, 4096, 1024, 256, 4), 1 + 4096 * 5.5 * 0.003 + 10.24, NEAR);
    /* k_b = 5: 8 rows sorted, 3 + 2.5 + 2; of 20 rows the last 4 fill a block, too */
    ck_assert_double_eq_tol(time_of(&q, 4096, 320, 64, 5), 1 + 4096 * 7.5 * 0.003 + 3.2, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 640, 160, 32, 5), 1 + 640 * 1.2 * 7.5 * 0.003 + 1.6, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 4096, 256, 16, 16), 1 + 4096 * 10 * 0.003 + 2.56, NEAR);
}
END_TEST

START_TEST(by_blocks)
{
    const struct rcm_profile q = round_profile();
    /* k_b = 2, buckets of 256: 32 blocks of 8, as many as 16 lanes of 2 take */
    ck_assert_double_eq_tol(time_of(&q, 4096, 32, 16, 2),
                            1 + 4096 * (0.001 + 32 * (2 + 2) / 256.0 * 0.08) +
                                4096 * 8 * 64.0 / (2 * 65536) * 0.02 + 0.32,
                            NEAR);
    /* of 4096: 64 blocks of 64, of which 32 (1 + log 2) are offered */
    ck_assert_double_eq_tol(time_of(&q, 65536, 32, 16, 2),
                            1 + 65536 * (0.001 + (32 * (1 + log(2)) * 2 + 2 * 64) / 4096 * 0.08) +
                                65536 * 8 * 4096.0 / (2 * 16777216.0) * 0.02 + 0.32,
                            NEAR);
    /* k_b = 4 wants buckets of 128, in blocks of 4; k_b = 8 of 320, in blocks of 4 */
    ck_assert_double_eq_tol(time_of(&q, 2048, 64, 16, 4),
                            1 + 2048 * (0.001 + 32 * (4 + 2) / 128.0 * 0.08) +
                                2048 * 64 * 16.0 / (2 * 16384) * 0.02 + 0.64,
                            NEAR);
    ck_assert_double_eq_tol(time_of(&q, 5104, 128, 16, 8),
                            1 + 5104 * 320 / 319.0 * 7.5 * 0.003 + 1.28, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 5120, 128, 16, 8),
                            1 + 5120 * (0.001 + 80 * (8 + 2) / 320.0 * 0.08) +
                                5120 * 512 * 16.0 / (2 * 102400) * 0.02 + 1.28,
                            NEAR);
    /* more than 8 MB: blocks of 8 */
    ck_assert_double_eq_tol(
        time_of(&q, 4194304, 32, 16, 2),
        1 + 4194304 * (0.001 + (32 * (1 + log(1024)) * 2 + 2 * 32768) / 262144 * 0.08) +
            4194304 * 8 * 64.0 / (2 * 262144.0 * 262144.0) * 0.02 + 0.32,
        1e-6);
}
END_TEST

START_TEST(odd_and_few_buckets)
{
    struct rcm_profile q = round_profile();
    /* 24 buckets are two vectors, as 32 would be; where lines are split it takes longer */
    ck_assert_double_eq_tol(time_of(&q, 4096, 24, 24, 1), 1 + 4.096 * 32 / 24 + 0.24, NEAR);
    q.split_ratio = 1.5;
    ck_assert_double_eq_tol(time_of(&q, 4096, 24, 24, 1), 1 + 4.096 * 32 / 24 * 1.5 + 0.24, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 4096, 32, 32, 1), 1 + 4.096 + 0.32, NEAR);
    q.split_ratio = 0;
    /* eight vectors go by at once, of k_b = 2 four; others alone: all of two, none of eight, two of
     * ten; the last of 127 buckets overlaps, so that seven and it are alone */
    q.single_ratio = 3;
    ck_assert_double_eq_tol(time_of(&q, 4096, 32, 32, 1), 1 + 3 * 4.096 + 0.32, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 4096, 128, 128, 1), 1 + 4.096 + 1.28, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 4096, 160, 160, 1), 1 + 4.096 * 1.4 + 1.6, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 4096, 127, 127, 1), 1 + 3 * 4.096 * 128 / 127 + 1.27, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 4096, 128, 64, 2), 1 + 4096 * 0.003 + 1.28, NEAR);
    /* 513 vectors are tiles of 256 and 257; of rows beyond 8 MB all go alone */
    ck_assert_double_eq_tol(time_of(&q, 16416, 8208, 8208, 1), 1 + 16.416 * 515 / 513 + 82.08,
                            NEAR);
    ck_assert_double_eq_tol(time_of(&q, 4194304, 1024, 1024, 1), 1 + 3 * 4194.304 + 10.24, 1e-6);
    /* 5 buckets are dealt into 20, where 40 would not have 512 elements each; 15 of 128 into 30 */
    q.single_ratio = 0;
    ck_assert_double_eq_tol(time_of(&q, 4096, 5, 5, 1), 1 + 4.096 * 32 / 20 + 0.05 + 0.2, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 65536, 15, 15, 1), 1 + 65.536 * 128 / 120 + 0.15 + 1.2,
                            NEAR);
}
END_TEST

START_TEST(exact_and_stage_two)
{
    const struct rcm_profile q = round_profile();
    /* 64 groups of 64 elements; 256 of 16; 4 * 65 are more than 256 */
    ck_assert_double_eq_tol(exact_of(&q, 4096, 4, 1), 1 + 1.4 * 4.096 + 0.16, NEAR);
    ck_assert_double_eq_tol(exact_of(&q, 4096, 64, 1), 1 + 1.4 * 4.096 + 2.56, NEAR);
    ck_assert_double_eq_tol(exact_of(&q, 4096, 65, 1), 1 + 2 + 24.576 + 3.25, NEAR);
    ck_assert_double_eq_tol(exact_of(&q, 4096, 65, 3), 1 + 3 * (2 + 24.576 + 3.25), NEAR);
    /* 512 groups, and 513: a sample */
    ck_assert_double_eq_tol(exact_of(&q, 32768, 4, 1), 1 + 1.4 * 32.768 + 0.16, NEAR);
    ck_assert_double_eq_tol(exact_of(&q, 32832, 4, 1), 1 + 1.4 * 32.832 + 2 + 0.16, NEAR);
    /* 64 candidates of which 32 are wanted, without a sample; 512, with one; of which 1 is */
    ck_assert_double_eq_tol(time_of(&q, 4096, 32, 64, 1), 5.736 + 0.384 + 1.6, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 4096, 32, 512, 1), 1 + 4.096 + 5.12 + 2 + 3.072 + 1.6,
                            NEAR);
    ck_assert_double_eq_tol(time_of(&q, 4096, 1, 64, 1), 5.736 + 1.4 * 0.064 + 0.04, NEAR);
    const struct rcm_topk p = {.n = 4096, .k = 4, .b = 64, .k_b = 1, .m = 1};
    ck_assert_double_eq(rcm_predict_threshold(&q, p, 100), rcm_predict_exact(&q, p));
    ck_assert_str_eq(rcm_predict_exact_unpadded(&q, p).stage2, "groups");
    ck_assert_str_eq(rcm_predict(&q, p).bound, "operations");
    ck_assert_str_eq(rcm_predict(&q, p).stage2, "dense");
}
END_TEST

START_TEST(memory)
{
    struct rcm_profile q = round_profile();
    /* half of 16384 bytes come from the last cache; 8/9 of twice as many; half of those from memory
     */
    q.l2_bytes = 16384;
    q.l3_bytes_per_s = 1e9;
    ck_assert_double_eq_tol(exact_of(&q, 4096, 4, 1), 1 + hypot(1.4 * 4.096 + 0.16, 8.192), NEAR);
    ck_assert_double_eq_tol(exact_of(&q, 8192, 4, 1), 1 + hypot(1.4 * 8.192 + 0.16, 32.768 * 8 / 9),
                            NEAR);
    q.l3_bytes = 32768;
    q.roof_bytes_per_s = 1e8;
    ck_assert_double_eq_tol(exact_of(&q, 8192, 4, 1),
                            1 + hypot(1.4 * 8.192 + 0.16, 32.768 * 8 / 9 + 327.68 / 2), NEAR);
    /* caches that are not stated have 1 and 32 MiB */
    q = round_profile();
    q.l2_bytes = q.l3_bytes = 0;
    q.roof_bytes_per_s = 1e6;
    ck_assert_double_eq_tol(exact_of(&q, 1 << 23, 4, 1) / (33554432 / 2), 1, 1e-5);
    q.l3_bytes_per_s = 1e5;
    ck_assert_double_eq_tol(exact_of(&q, 1 << 18, 4, 1) / (1048576 * 10 / 2), 1, 1e-4);
    /* all from memory, 4 MB at 1 byte/us: 32 buckets are a line of two, 64 are narrow, 2048 not */
    q = round_profile();
    q.narrow_ratio = 2;
    q.l3_bytes = 1;
    q.roof_bytes_per_s = 1e6;
    ck_assert_double_eq_tol(time_of(&q, 1 << 20, 32, 32, 1) / 4194304, 1, 1e-5);
    ck_assert_double_eq_tol(time_of(&q, 1 << 20, 64, 64, 1) / 4194304, 2 - 256.0 / 8192, 1e-5);
    ck_assert_double_eq_tol(time_of(&q, 1 << 20, 1024, 1024, 1) / 4194304, 1.5, 1e-5);
    ck_assert_double_eq_tol(time_of(&q, 1 << 20, 2048, 2048, 1) / 4194304, 1, 1e-5);
}
END_TEST

/* Contiguous buckets: so much more for an element and a bucket in cache, none of what the lines of
 * interleaved ones cost, and what memory takes is the same. */
START_TEST(contiguous)
{
    struct rcm_profile q = round_profile();
    struct rcm_topk p = {.n = 4096, .k = 40, .b = 40, .k_b = 1, .m = 3};
    q.split_ratio = 1.5;
    q.held_out_p05_ratio = 0.8;
    q.held_out_p95_ratio = 1.2;
    const double split = rcm_predict(&q, p).time_us;
    p.assignment = RCM_CONTIGUOUS;
    ck_assert(!rcm_profile_knows(&q, RCM_CONTIGUOUS) && rcm_profile_knows(&q, RCM_INTERLEAVED));
    ck_assert_double_eq(rcm_predict(&q, p).time_us, split); /* all that it knows */
    q.contiguous_us = 0.0005;
    q.contiguous_bucket_us = 0.25;
    q.contiguous_p05_ratio = 0.9;
    q.contiguous_p95_ratio = 1.7;
    ck_assert(rcm_profile_knows(&q, RCM_CONTIGUOUS) && rcm_profile_knows(&q, RCM_CONTIGUOUS_FLOOR));
    /* 40 buckets are three vectors, of which the last overlaps: 48 lanes for 40 */
    const double each = 4096 * (48 / 40.0 * 0.001 + 0.0005) + 40 * 0.25 + 40 * 0.01;
    const struct rcm_prediction r = rcm_predict(&q, p);
    ck_assert_double_eq_tol(r.time_us, 1 + 3 * each, NEAR);
    ck_assert_double_eq_tol(r.low_us, 0.8 * r.time_us, NEAR);
    ck_assert_double_eq_tol(r.high_us, 1.7 * r.time_us, NEAR);
    p.assignment = RCM_INTERLEAVED;
    ck_assert_double_eq(rcm_predict(&q, p).time_us, split);
    q.roof_bytes_per_s = 1e6; /* of 49152 bytes, half from memory: 24576 us */
    q.l3_bytes = 3 * 4096 * 4;
    p.assignment = RCM_CONTIGUOUS;
    ck_assert_double_eq_tol(rcm_predict(&q, p).time_us,
                            1 + hypot(24576, 3 * (each - 40 * 0.01)) + 3 * 40 * 0.01, 1e-6);
}
END_TEST

START_TEST(threads)
{
    struct rcm_profile q = round_profile();
    q.threads = 4;
    const double one = exact_of(&q, 65536, 4, 1) - 1;
    ck_assert_double_eq_tol(one, 1.4 * 65.536 + 2 + 0.16, NEAR); /* no thread_us: one thread */
    q.thread_us = 10; /* two threads have 32768 elements each */
    ck_assert_double_eq_tol(exact_of(&q, 65536, 4, 1), 1 + one / 2 + 10, NEAR);
    ck_assert_double_eq_tol(exact_of(&q, 65535, 4, 1), 1 + 1.4 * 65.535 + 2 + 0.16, NEAR);
    q.threads = 0;
    ck_assert_double_eq_tol(exact_of(&q, 65536, 4, 1), 1 + one, NEAR);
}
END_TEST

START_TEST(what_is_unknown)
{
    struct rcm_profile q = round_profile();
    ck_assert_ptr_null(rcm_profile_lacks(&q));
    q.dense_us = 0;
    ck_assert(isnan(exact_of(&q, 4096, 65, 1)));
    ck_assert(exact_of(&q, 4096, 64, 1) > 0);
    q.sort_us = 0;
    ck_assert(isnan(time_of(&q, 4096, 320, 64, 5)));
    ck_assert(time_of(&q, 4096, 64, 64, 1) > 0);
    double *const needed[] = {&q.launch_us, &q.insert_us, &q.l3_bytes_per_s, &q.roof_bytes_per_s};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        const double before = *needed[i];
        *needed[i] = 0;
        ck_assert_ptr_nonnull(rcm_profile_lacks(&q));
        ck_assert(isnan(time_of(&q, 4096, 64, 64, 1)));
        *needed[i] = before;
    }
    /* every k_b up to 16 runs with every b */
    for (uint64_t k_b = 1; k_b <= 17; k_b++)
        ck_assert(
            rcm_kernel_runs(q.kernel,
                            (struct rcm_topk){.n = 4096, .k = 64, .b = 77, .k_b = k_b, .m = 1}) ==
            (k_b <= 16));
}
END_TEST

TEST_MAIN("cpu_time", by_elements_and_columns, by_blocks, odd_and_few_buckets, exact_and_stage_two,
          memory, contiguous, threads, what_is_unknown)
