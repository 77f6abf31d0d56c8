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
                                .element_us_1 = 0.001,
                                .element_us_2 = 0.002,
                                .element_us_4 = 0.004,
                                .cache_bytes = 1e30,
                                .roof_bytes_per_s = 1e30,
                                .select_launch_us = 2,
                                .keep_us = 0.01,
                                .scan_us = 0.003,
                                .offer_us = 0.08,
                                .resolve_us = 0.02,
                                .plain_us = 0.05,
                                .insert_us = 0.1,
                                .group_us = 0.003,
                                .sample_us = 7,
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
    return rcm_predict_exact(q, (struct rcm_topk){.n = n, .k = k, .m = m});
}

#define NEAR 1e-9

START_TEST(stage_one)
{
    const struct rcm_profile q = round_profile();
    /* by elements: 4096 of them, 64 candidates; k_b = 2, buckets of 255 */
    ck_assert_double_eq_tol(time_of(&q, 4096, 64, 64, 1), 1 + 4.096 + 0.64, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 4080, 32, 16, 2), 1 + 8.16 + 0.32, NEAR);
    /* k_b = 2, buckets of 256, for which blocks have 8 elements */
    ck_assert_double_eq_tol(
        time_of(&q, 4096, 32, 16, 2),
        1 + 4096 * (0.003 + 2.0 / 8 * 0.08) + 4096 * 8 * 64.0 / (2 * 65536) * 0.02 + 0.32, NEAR);
    /* buckets of 4096: 64; k_b = 8 wants buckets of 512, for which 8 */
    ck_assert_double_eq_tol(time_of(&q, 65536, 32, 16, 2),
                            1 + 65536 * (0.003 + 2.0 / 64 * 0.08) +
                                65536 * 8 * 4096.0 / (2 * 16777216.0) * 0.02 + 0.32,
                            NEAR);
    ck_assert_double_eq_tol(
        time_of(&q, 8192, 128, 16, 8),
        1 + 8192 * (0.003 + 0.08) + 8192 * 512 * 64.0 / (2 * 262144.0) * 0.02 + 1.28, NEAR);
    /* more than 8 MB: blocks of 8 */
    ck_assert_double_eq_tol(time_of(&q, 4194304, 32, 16, 2),
                            1 + 4194304 * (0.003 + 2.0 / 8 * 0.08) +
                                4194304 * 8 * 64.0 / (2 * 262144.0 * 262144.0) * 0.02 + 0.32,
                            1e-6);
    /* k_b = 5, and too few buckets for a vector: one after the other */
    ck_assert_double_eq_tol(time_of(&q, 4096, 160, 32, 5),
                            1 + 204.8 + 160 * (0.01 + 0.1 * (1 + log(128.0 / 5))), NEAR);
    ck_assert_double_eq_tol(time_of(&q, 4096, 15, 15, 1),
                            1 + 204.8 + 15 * (0.01 + 0.1 * (1 + log(4096.0 / 15))), NEAR);
}
END_TEST

START_TEST(stage_one_of_odd_buckets)
{
    struct rcm_profile q = round_profile();
    /* 24 buckets are two vectors, as 32 would be; where lines are split it takes longer */
    ck_assert_double_eq_tol(time_of(&q, 4096, 24, 24, 1), 1 + 4.096 * 32 / 24 + 0.24, NEAR);
    q.split_ratio = 1.5;
    ck_assert_double_eq_tol(time_of(&q, 4096, 24, 24, 1), 1 + 4.096 * 32 / 24 * 1.5 + 0.24, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 4096, 32, 32, 1), 1 + 4.096 + 0.32, NEAR);
    /* from memory, 4 MB at 1 byte/us, 32 buckets are as good as a page of them, 64 are not */
    q.narrow_ratio = 2;
    q.cache_bytes = 1;
    q.roof_bytes_per_s = 1e6;
    ck_assert_double_eq_tol(time_of(&q, 1 << 20, 32, 32, 1) / 4194304, 1, 1e-5);
    ck_assert_double_eq_tol(time_of(&q, 1 << 20, 64, 64, 1) / 4194304, 2, 1e-5);
    ck_assert_double_eq_tol(time_of(&q, 1 << 20, 1024, 1024, 1) / 4194304, 1, 1e-5);
}
END_TEST

START_TEST(exact_and_stage_two)
{
    const struct rcm_profile q = round_profile();
    /* 64 groups of 64 elements; 256 of 16; 4 * 65 are more than 256 */
    ck_assert_double_eq_tol(exact_of(&q, 4096, 4, 1), 1 + 4.096 + 0.192 + 0.16, NEAR);
    ck_assert_double_eq_tol(exact_of(&q, 4096, 64, 1), 1 + 4.096 + 0.768 + 2.56, NEAR);
    ck_assert_double_eq_tol(exact_of(&q, 4096, 65, 1), 1 + 2 + 24.576 + 3.25, NEAR);
    ck_assert_double_eq_tol(exact_of(&q, 4096, 65, 3), 1 + 3 * (2 + 24.576 + 3.25), NEAR);
    /* 512 groups, and 513 */
    ck_assert_double_eq_tol(exact_of(&q, 32768, 4, 1), 1 + 32.768 + 1.536 + 0.16, NEAR);
    ck_assert_double_eq_tol(exact_of(&q, 32832, 4, 1), 1 + 32.832 + 1.539 + 7 + 0.16, NEAR);
    /* 64 candidates of which 32 are wanted, without a sample; 512, with one; of which 1 is */
    ck_assert_double_eq_tol(time_of(&q, 4096, 32, 64, 1), 5.736 + 0.384 + 1.6, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 4096, 32, 512, 1), 1 + 4.096 + 5.12 + 2 + 3.072 + 1.6,
                            NEAR);
    ck_assert_double_eq_tol(time_of(&q, 4096, 1, 64, 1), 5.736 + 0.064 + 0.012 + 0.04, NEAR);
    const struct rcm_topk p = {.n = 4096, .k = 4, .b = 64, .k_b = 1, .m = 1};
    ck_assert_double_eq(rcm_predict_threshold(&q, p, 100), rcm_predict_exact(&q, p));
    ck_assert_str_eq(rcm_predict_exact_band(&q, p).stage2, "groups");
    ck_assert_str_eq(rcm_predict(&q, p).bound, "operations");
    ck_assert_str_eq(rcm_predict(&q, p).stage2, "dense");
}
END_TEST

START_TEST(memory_and_threads)
{
    struct rcm_profile q = round_profile();
    /* half of 16384 bytes come from memory */
    q.cache_bytes = 16384;
    q.roof_bytes_per_s = 1e9;
    ck_assert_double_eq_tol(exact_of(&q, 4096, 4, 1),
                            1 + cbrt(4.448 * 4.448 * 4.448 + 8.192 * 8.192 * 8.192), NEAR);
    q = round_profile();
    q.threads = 4;
    const double one = exact_of(&q, 65536, 4, 1) - 1;
    ck_assert_double_eq_tol(one, 65.536 + 3.072 + 7 + 0.16, NEAR); /* no thread_us: one thread */
    q.thread_us = 10; /* two threads have 32768 elements each */
    ck_assert_double_eq_tol(exact_of(&q, 65536, 4, 1), 1 + one / 2 + 10, NEAR);
    ck_assert_double_eq_tol(exact_of(&q, 65535, 4, 1), 1 + 65.535 + 1023 * 0.003 + 7 + 0.16, NEAR);
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
    ck_assert(isnan(time_of(&q, 16384, 256, 64, 8))); /* no element_us_8 */
    q.cache_bytes = 0;
    ck_assert_ptr_nonnull(rcm_profile_lacks(&q));
    ck_assert(isnan(time_of(&q, 4096, 64, 64, 1)));
    /* k_b for which there are no vectors are not chosen */
    const struct rcm_restriction any = {1, NULL};
    for (uint64_t k_b = 1; k_b <= 16; k_b++) {
        const struct rcm_topk p = {.n = 4096, .k = 64, .k_b = k_b, .m = 1};
        const bool runs = k_b <= 4 || k_b == 8 || k_b == 16;
        ck_assert_uint_eq(q.kernel->next_b(p, 77, &any), runs ? 77 : 0);
    }
}
END_TEST

TEST_MAIN("cpu_time", stage_one, stage_one_of_odd_buckets, exact_and_stage_two, memory_and_threads,
          what_is_unknown)
