/* test_adversary.c - questions whose answers once took forever, and shapes that select must not
 * offer.
 *
 * Against: values from other arithmetic.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

/* Stops at the first call; counts how often it is asked after that. */
static bool stop(void *context, uint64_t done, uint64_t total)
{
    (void)done, (void)total;
    ++*(unsigned *)context;
    return true;
}

START_TEST(a_stop_ends_the_threshold_too)
{
    unsigned calls = 0;
    const struct rcm_selection s = {.p = {.n = 131072, .k = 16384},
                                    .target = {.loss = 0.05},
                                    .k_b_max = 2048,
                                    .kernel = rcm_kernel_by_name("cpu"),
                                    .tick = stop,
                                    .tick_context = &calls};
    struct rcm_point each[2048];
    const double start = cpu_seconds();
    const struct rcm_choice choice = rcm_select_each(&s, each);
    ck_assert_msg(!(choice.threshold.objective < INFINITY), "a threshold after a stop: %g",
                  choice.threshold.objective);
    ck_assert_msg(calls == 1, "%u calls after a stop", calls);
    ck_assert_msg(cpu_seconds() - start < 1.0, "%g s after a stop", cpu_seconds() - start);
    calls = 0;
    rcm_best_recall(&s, 20000.0, each);
    ck_assert_msg(calls <= 2, "budget: %u calls after a stop", calls);
    ck_assert_msg(!(each[2047].objective < INFINITY), "budget: a point that was not asked for");
}
END_TEST

/* One bucket may contain all valid elements. Then k_b = k loses nothing. */
START_TEST(shapes_that_keep_all_are_not_offered)
{
    const struct rcm_selection s = {
        .p = {.n = 22, .k = 8, .valid = 8, .assignment = RCM_CONTIGUOUS},
        .target = {.loss = 0.001},
        .k_b_max = 300};
    const struct rcm_choice choice = rcm_select(&s);
    ck_assert_msg(!(choice.objective < INFINITY), "b = %llu, k_b = %llu keeps every element",
                  (unsigned long long)choice.p.b, (unsigned long long)choice.p.k_b);
}
END_TEST

START_TEST(many_kept_are_chosen_in_time)
{
    const struct rcm_selection s = {
        .p = {.n = 131072, .k = 2048}, .target = {.loss = 0.05}, .k_b_max = 32};
    const double start = cpu_seconds();
    double reaching;
    ck_assert(rcm_select(&s).objective < INFINITY);
    ck_assert_msg(rcm_best_threshold(&s, &reaching).objective < INFINITY, "no threshold");
    ck_assert_msg(cpu_seconds() - start < 20.0, "%g s", cpu_seconds() - start);
}
END_TEST

/* An unknown E[R] is NaN, not k. Here some 1 % of rows overflow each bucket, so that E[R] > k. */
START_TEST(what_is_not_known_is_nan)
{
    const struct rcm_topk p = {.n = RCM_N_MAX, .k = 1 << 20, .b = 4, .k_b = 263144};
    const struct rcm_reaching r = rcm_reaching(p);
    ck_assert_msg(isnan(r.mean) || r.mean > (double)p.k + 1.0, "mean %.17g", r.mean);
    ck_assert_msg(isnan(r.sd) || r.sd > 1.0, "sd %.17g", r.sd);
}
END_TEST

/* 2^36 to 2^40 buckets, some 2^52 elements, k_b = 1: E[R] = b log(b / (b - k)) except for the last
 * digits, from the sum over i < k of b / (b - i) and n >> b. Var(R) = sum of i b / (b - i)^2 = b (k
 * / (b - k) + log(1 - k / b)). */
START_TEST(very_many_buckets)
{
    for (unsigned e = 30; e <= 40; e += 2) {
        const double b = ldexp(1.0, (int)e), k = 0.5 * b, mean = b * log(2.0),
                     sd = sqrt(b * (1.0 - log(2.0)));
        const struct rcm_reaching r = rcm_reaching(
            (struct rcm_topk){.n = RCM_N_MAX, .k = (uint64_t)k, .b = (uint64_t)b, .k_b = 1});
        const double room = 2.0 * b / 0x1p53; /* the relative error of the limit n >> b */
        ck_assert_msg(fabs(r.mean / mean - 1.0) < 1e-11 + room + 2.0 / k,
                      "b 2^%u: mean %.17g, want %.17g", e, r.mean, mean);
        ck_assert_msg(fabs(r.sd / sd - 1.0) < 1e-3 + room, "b 2^%u: sd %.17g, want %.17g", e, r.sd,
                      sd);
    }
}
END_TEST

TEST_MAIN("adversary", very_many_buckets, what_is_not_known_is_nan, a_stop_ends_the_threshold_too,
          shapes_that_keep_all_are_not_offered, many_kept_are_chosen_in_time)
