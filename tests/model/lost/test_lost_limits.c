/* test_lost_limits.c - quantiles that the distribution of the lost elements does not resolve, and
 * how long it takes to find that out; two huge buckets; arguments at the edges; the quantile of a
 * coarse distribution.
 *
 * Against: the worst case, tails, P(nothing lost), the whole distribution.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <model/distribution/distribution.h>
#include <tests/test.h>

START_TEST(quantiles_that_no_distribution_resolves)
{
    const struct rcm_topk p = {.n = 1000, .k = 100, .b = 50, .k_b = 2, .m = 1};
    struct rcm_lost dist;
    ck_assert_int_eq(rcm_lost(p, &dist), 0);
    const double worst = rcm_recall_worst_case(p);
    ck_assert_uint_eq(dist.most, 90); /* five full buckets of 20 */
    ck_assert_double_eq(rcm_lost_recall_quantile(&dist, p.k, 1.0, 1), worst);
    ck_assert_double_eq(rcm_lost_recall_quantile(&dist, p.k, 1.0, UINT64_C(1) << 50), worst);
    ck_assert(isnan(rcm_lost_recall_quantile(&dist, p.k, 1.0 - 0x1p-53, 1)));
    ck_assert(isnan(rcm_lost_recall_quantile(&dist, p.k, 1.0 - 9e-13, 1)));
    ck_assert_double_ge(rcm_lost_recall_quantile(&dist, p.k, 1.0 - 1.1e-12, 1), worst);
    ck_assert(isnan(rcm_lost_recall_quantile(&dist, p.k, 1.0 - 1e-9, 10000)));
    ck_assert(isnan(rcm_lost_recall_quantile(&dist, p.k, 0.95, UINT64_C(2000000000))));
    ck_assert_double_ge(rcm_lost_recall_quantile(&dist, p.k, 0.95, 1000000000), worst);
    ck_assert_uint_eq(rcm_lost_quantile(&dist, 1.0), 90);
    ck_assert_uint_eq(rcm_lost_quantile(&dist, 1.0 - 1e-13), 90);
    rcm_lost_free(&dist);
    ck_assert(isnan(rcm_lost_recall_quantile(&dist, p.k, 1.0, 1)));
}
END_TEST

/* What the header promises for arguments at the edges. */
START_TEST(edges)
{
    const struct rcm_topk p = {.n = 1000, .k = 100, .b = 50, .k_b = 2, .m = 1};
    struct rcm_lost dist;
    ck_assert_int_eq(rcm_lost(p, &dist), 0);
    ck_assert_double_eq(rcm_lost_at_most(&dist, NAN), 0.0);
    ck_assert_uint_eq(rcm_lost_quantile(&dist, NAN), dist.first + dist.length - 1);
    ck_assert_uint_eq(rcm_lost_quantile(&dist, 1.5), dist.most);
    ck_assert(isnan(rcm_lost_recall_quantile(&dist, p.k, 0.9, 0)));
    ck_assert(isnan(rcm_lost_recall_quantile(&dist, p.k, 1.5, 1)));
    ck_assert_double_eq(rcm_lost_all_at_most(&dist, 3.0, 0), 1.0);
    rcm_lost_free(&dist);
    ck_assert_double_eq(rcm_lost_at_most(&dist, 0.0), 1.0);
    ck_assert_double_eq(rcm_lost_at_most(&dist, -1.0), 0.0);
    ck_assert_uint_eq(rcm_lost_quantile(&dist, 0.5), 0);
    ck_assert(isnan(rcm_lost_all_at_most(&dist, 3.0, 1)));
    ck_assert(isnan(rcm_loss_series(p, 0)) && isnan(rcm_loss_series(p, 65)));
    ck_assert_uint_eq(rcm_ridge_k_b(NAN), 0);
    ck_assert_uint_eq(rcm_ridge_k_b(INFINITY), RCM_N_MAX);
    for (size_t i = 0; rcm_rule(i); i++) {
        ck_assert_uint_eq(rcm_rule_b(rcm_rule(i), p, -0.1), 0);
        ck_assert_uint_eq(rcm_rule_b(rcm_rule(i), p, 1.0), 0);
        ck_assert_uint_eq(rcm_rule_b(rcm_rule(i), p, NAN), 0);
    }
}
END_TEST

/* No distribution has values that are impossible, and no quantile is below the worst case. */
START_TEST(never_beyond_the_worst_case)
{
    uint64_t state = 31, shapes = 0;
    while (shapes < 3000) {
        struct rcm_topk p = random_shape(&state, 1 << 14);
        p.k_b = random_scale(&state, 1, p.k);
        struct rcm_lost dist;
        ck_assert_msg(rcm_lost(p, &dist) == 0, TOPK_FMT " is refused", TOPK_ARG(p));
        shapes++;
        const double most = nearbyint((1.0 - rcm_recall_worst_case(p)) * (double)p.k);
        const uint64_t room = p.b * p.k_b; /* n is at most 2^14 */
        ck_assert_msg((double)dist.most == most && dist.first + dist.length - 1 <= dist.most,
                      TOPK_FMT " most %" PRIu64 ", the worst case is %g", TOPK_ARG(p), dist.most,
                      most);
        ck_assert_uint_ge(dist.first, room < p.k ? p.k - room : 0);
        ck_assert_double_eq(rcm_lost_at_most(&dist, most), 1.0);
        for (double rest = 1e-3; rest >= 1e-12; rest /= 10.0)
            ck_assert_double_ge(rcm_lost_recall_quantile(&dist, p.k, 1.0 - rest * 1.001, 1),
                                rcm_recall_worst_case(p));
        rcm_lost_free(&dist);
    }
}
END_TEST

/* P(lost <= e) of two buckets of one size: with far = max(k_b, k - k_b), the probability that
 * neither has more than far + e - least. */
START_TEST(two_huge_buckets)
{
    static const struct rcm_topk shapes[] = {
        {.n = 58282360289, .k = 420156, .b = 2, .k_b = 210126},
        {.n = UINT64_C(1) << 52,
         .k = UINT64_C(1) << 40,
         .b = 2,
         .k_b = (UINT64_C(1) << 39) + (UINT64_C(1) << 21)},
        {.n = UINT64_C(1) << 50, .k = 10000000000, .b = 2, .k_b = 4999900000},
        {.n = 100000, .k = 60000, .b = 2, .k_b = 30001},
        {.n = RCM_N_MAX, .k = 30000000000, .b = 2, .k_b = 15000100000},
        {.n = 1 << 20, .k = 1 << 19, .b = 2, .k_b = 1 << 10},
    };
    double worst = 0.0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct rcm_topk p = shapes[i];
        struct rcm_lost dist;
        const double start = cpu_seconds();
        ck_assert_msg(rcm_lost(p, &dist) == 0, TOPK_FMT " is refused", TOPK_ARG(p));
        ck_assert_double_lt(cpu_seconds() - start, 2.0);
        const uint64_t far = p.k_b > p.k - p.k_b ? p.k_b : p.k - p.k_b,
                       least = 2 * p.k_b < p.k ? p.k - 2 * p.k_b : 0;
        for (size_t j = 0; j < dist.length; j += dist.length / 50 + 1) {
            const uint64_t e = dist.first + j;
            double want = 1.0;
            for (uint64_t size = p.n / 2; size <= (p.n + 1) / 2 && want > 0.0;
                 size += p.n % 2 ? 1 : p.n) {
                const struct distribution x = {(int64_t)p.n, (int64_t)p.k, (int64_t)size, false};
                want -= (p.n % 2 ? 1.0 : 2.0) * distribution_sf(x, (int64_t)(far + e - least));
            }
            worst = fmax(worst, fabs(rcm_lost_at_most(&dist, (double)e) - want));
        }
        ck_assert_double_le(worst, RCM_LOST_MAX_ERROR);
        rcm_lost_free(&dist);
    }
    printf("two huge buckets: P(lost <= e) within %.2g\n", worst);
}
END_TEST

/* P(nothing lost) from the distribution and from its own function, where both give it. */
START_TEST(nothing_lost_by_both)
{
    uint64_t state = 32, compared = 0;
    double worst = 0.0;
    while (compared < 400) {
        const uint64_t b =
            random_scale(&state, 3, next_random(&state) % 2 ? 64 : UINT64_C(1) << 40);
        const uint64_t k = random_scale(&state, 2, b < 65 ? 2000 : UINT64_C(1) << 20);
        const uint64_t n = random_scale(&state, k + b, RCM_N_MAX);
        const double mean = (double)k / (double)b;
        const struct rcm_topk p = {
            .n = n,
            .k = k,
            .b = b,
            .k_b = 1 + (uint64_t)(mean + (double)random_between(&state, 0, 4) * sqrt(mean))};
        struct rcm_lost dist;
        const double want = rcm_probability_exact(p);
        if (!(want > 1e-9 && want < 1.0 - 1e-9) || rcm_lost(p, &dist) != 0)
            continue;
        compared++;
        const double off = fabs(rcm_lost_at_most(&dist, 0.0) - want);
        ck_assert_msg(off <= RCM_LOST_MAX_ERROR,
                      TOPK_FMT " P(nothing lost) %.17g, by the distribution off by %g", TOPK_ARG(p),
                      want, off);
        worst = fmax(worst, off);
        rcm_lost_free(&dist);
    }
    printf("%" PRIu64 " distributions: P(nothing lost) within %.2g\n", compared, worst);
}
END_TEST

/* Hundreds of millions of buckets: each multiplies the rounding errors of one. */
START_TEST(nothing_lost_in_many_buckets)
{
    static const struct rcm_topk shapes[] = {
        {.n = 263671864547123, .k = 261392975098, .b = 703596273, .k_b = 514},
        {.n = 216435334346627, .k = 63491890996, .b = 112407958, .k_b = 731},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct rcm_lost dist;
        ck_assert_int_eq(rcm_lost(shapes[i], &dist), 0);
        const double off = rcm_lost_at_most(&dist, 0.0) - rcm_probability_exact(shapes[i]);
        ck_assert_msg(fabs(off) <= RCM_LOST_MAX_ERROR, TOPK_FMT ": off by %g", TOPK_ARG(shapes[i]),
                      off);
        rcm_lost_free(&dist);
    }
}
END_TEST

/* A distribution that would take long is rejected before the work begins. Any other takes seconds
 * (CPU seconds of this process, because the machine may be busy). */
START_TEST(soon_or_refused)
{
    static const struct rcm_topk refused[] = {
        {.n = UINT64_C(9007199254740991), .k = 545699819, .b = 18, .k_b = 30316657},
        {.n = UINT64_C(1) << 50, .k = UINT64_C(1) << 40, .b = 4, .k_b = UINT64_C(1) << 38},
        {.n = 8567617335, .k = 176448715, .b = 21, .k_b = 8402320},
        {.n = UINT64_C(9007199254740991), .k = 19401148, .b = 5, .k_b = 3886580},
    };
    struct rcm_lost dist;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        const double start = cpu_seconds();
        ck_assert_int_eq(rcm_lost(refused[i], &dist), -1);
        ck_assert_msg(cpu_seconds() - start < 1.0, TOPK_FMT " is refused after %.2f s",
                      TOPK_ARG(refused[i]), cpu_seconds() - start);
    }
    static const struct rcm_topk answered[] = {
        {.n = 14833920118,
         .k = 4455874,
         .b = 4,
         .k_b = 1122030,
         .valid = 8823100487,
         .assignment = RCM_CONTIGUOUS_FLOOR},
        {.n = 1604071, .k = 1472365, .b = 38, .k_b = 38747},
        {.n = 29977560862,
         .k = 173698520,
         .b = 29,
         .k_b = 77075,
         .valid = 28379608282,
         .assignment = RCM_CONTIGUOUS},
    };
    for (size_t i = 0; i < sizeof answered / sizeof *answered; i++) {
        const double start = cpu_seconds();
        (void)rcm_lost(answered[i], &dist); /* rejected or not */
        ck_assert_msg(cpu_seconds() - start < 5.0, TOPK_FMT " takes %.2f s", TOPK_ARG(answered[i]),
                      cpu_seconds() - start);
        rcm_lost_free(&dist);
    }
}
END_TEST

/* The time that rcm_recall_sd promises: rare losses in buckets of three sizes took 43 ms. */
START_TEST(standard_deviation_soon)
{
    static const struct rcm_topk shapes[] = {
        {.n = 30213285326716,
         .k = 5200810,
         .b = 36,
         .k_b = 158168,
         .valid = 30213284376018,
         .assignment = RCM_CONTIGUOUS_FLOOR},
        {.n = 30213285326733,
         .k = 5200810,
         .b = 35,
         .k_b = 162625,
         .valid = 30213285326680,
         .assignment = RCM_CONTIGUOUS_FLOOR},
        {.n = 28517007085689, .k = 5200810, .b = 35, .k_b = 163203},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        double least = INFINITY;
        for (int j = 0; j < 5; j++) {
            const double start = cpu_seconds();
            ck_assert_double_gt(rcm_recall_sd(shapes[i]), 0.0);
            least = fmin(least, cpu_seconds() - start);
        }
        ck_assert_msg(least < 0.015, TOPK_FMT " takes %.1f ms", TOPK_ARG(shapes[i]), 1e3 * least);
    }
}
END_TEST

/* rcm_recall_quantile says what the whole distribution says, also a little beside each of its
 * steps, where a coarse distribution that is more than 1e-5 off would say something else. */
START_TEST(quantile_of_a_coarse_distribution)
{
    uint64_t state = 20261125, compared = 0;
    for (unsigned i = 0; i < 500; i++) {
        const struct rcm_topk p = random_shape(&state, UINT64_C(1) << 18);
        const uint64_t m = next_random(&state) % 2 ? 1 : random_scale(&state, 1, 100);
        struct rcm_lost dist;
        (void)rcm_lost(p, &dist); /* refused: both are NaN */
        for (int e = -1; e < 6; e++) {
            const uint64_t at = rcm_lost_quantile(&dist, 0.02 + 0.19 * (double)e);
            const double step = e < 0 ? 0.95 : rcm_lost_at_most(&dist, (double)at);
            for (double beside = -2.5e-5; beside < 3e-5; beside += 1.25e-5) {
                const double probability = pow(fabs(step + beside), (double)m),
                             want = rcm_lost_recall_quantile(&dist, p.k, probability, m),
                             got = rcm_recall_quantile(p, probability, m);
                ck_assert_msg(got == want || (isnan(got) && isnan(want)),
                              TOPK_FMT " all of %" PRIu64 " with %.17g: got %.17g want %.17g",
                              TOPK_ARG(p), m, probability, got, want);
                compared += dist.length > 8;
            }
        }
        rcm_lost_free(&dist);
    }
    ck_assert_uint_gt(compared, 3000); /* with some scatter */
}
END_TEST

TEST_MAIN("lost limits", quantiles_that_no_distribution_resolves, edges,
          never_beyond_the_worst_case, two_huge_buckets, nothing_lost_by_both, soon_or_refused,
          standard_deviation_soon, nothing_lost_in_many_buckets, quantile_of_a_coarse_distribution)
