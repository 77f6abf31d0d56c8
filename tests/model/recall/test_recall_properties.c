/* test_recall_properties.c - properties of recall that hold for every shape: identities, bounds,
 * monotonicity.
 *
 * Against: each other. The results must be monotone in b, k_b, n, k.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

START_TEST(survival_averages_to_recall)
{
    uint64_t state = 3;
    for (int i = 0; i < 300; i++) {
        struct rcm_topk p = random_shape(&state, 2000);
        if (i % 3 == 0)
            p.valid = random_between(&state, p.k, p.n);
        p.assignment = i % 2 ? RCM_CONTIGUOUS : RCM_INTERLEAVED;
        double sum = 0.0, previous = 1.0;
        for (uint64_t rank = 1; rank <= p.k; rank++) {
            double survival = rcm_survival(p, rank);
            ck_assert_msg(survival <= previous + 1e-15,
                          TOPK_FMT " rank %" PRIu64 ": %.17g after %.17g", TOPK_ARG(p), rank,
                          survival, previous);
            ck_assert_msg(rank > p.k_b || survival == 1.0, TOPK_FMT " rank %" PRIu64 ": %.17g",
                          TOPK_ARG(p), rank, survival);
            sum += survival;
            previous = survival;
        }
        double mean = sum / (double)p.k, recall = rcm_recall_exact(p);
        ck_assert_msg(fabs(mean - recall) <= 1e-13, TOPK_FMT " mean survival %.17g recall %.17g",
                      TOPK_ARG(p), mean, recall);
    }
    struct rcm_topk p = {.n = 262144, .k = 1024, .b = 512, .k_b = 4};
    ck_assert_double_eq(rcm_survival(p, 1), 1.0);
    ck_assert_double_eq_tol(rcm_survival(p, 256), 0.998, 0.0005);
    ck_assert_double_eq_tol(rcm_survival(p, 1024), 0.859, 0.0005);
}
END_TEST

START_TEST(binomial_bounds_the_loss)
{
    /* The loss grows with n at fixed k, b and k_b, and the binomial loss is its limit: every n up
     * to 60, also with uneven buckets. */
    for (uint64_t k = 1; k <= 30; k++)
        for (uint64_t b = 1; b <= 30; b++)
            for (uint64_t k_b = 1; k_b < k; k_b++) {
                double previous = 0.0;
                for (uint64_t n = k > b ? k : b; n <= 60; n++) {
                    struct rcm_topk p = {.n = n, .k = k, .b = b, .k_b = k_b};
                    double loss = rcm_loss_exact(p);
                    ck_assert_msg(loss >= previous * (1.0 - 1e-14),
                                  TOPK_FMT " loss %.17g, for n - 1 %.17g", TOPK_ARG(p), loss,
                                  previous);
                    previous = loss;
                }
                struct rcm_topk p = {.n = 60, .k = k, .b = b, .k_b = k_b};
                ck_assert_msg(rcm_loss_binomial(p) >= previous * (1.0 - 1e-14), TOPK_FMT,
                              TOPK_ARG(p));
            }
    uint64_t state = 4;
    for (int i = 0; i < 3000; i++) {
        struct rcm_topk p = random_shape(&state, RCM_N_MAX);
        ck_assert_msg(rcm_loss_binomial(p) >= rcm_loss_exact(p) * (1.0 - 2.0 * RCM_LOSS_MAX_RELERR),
                      TOPK_FMT, TOPK_ARG(p));
    }
}
END_TEST

START_TEST(floor_of_recall)
{
    /* The floor 1 - 1/e holds for every deployable shape, except for padded contiguous rows, where
     * the top-k may be in one bucket. */
    uint64_t state = 7;
    for (int i = 0; i < 5000; i++) {
        struct rcm_topk p = random_shape(&state, i % 2 ? 200 : RCM_N_MAX);
        if (i % 3 == 0)
            p.valid = random_between(&state, p.k, p.n);
        ck_assert_msg(rcm_loss_exact(p) < exp(-1.0), TOPK_FMT " loss %g", TOPK_ARG(p),
                      rcm_loss_exact(p));
    }
    struct rcm_topk p = {
        .n = 100, .k = 10, .b = 10, .k_b = 1, .valid = 10, .assignment = RCM_CONTIGUOUS};
    ck_assert_double_eq_tol(rcm_loss_exact(p), 0.9, 1e-15);
}
END_TEST

START_TEST(monotone)
{
    uint64_t state = 6;
    const double slack = 1.0 + 2.0 * RCM_LOSS_MAX_RELERR; /* both losses may have errors */
    for (int i = 0; i < 5000; i++) {
        struct rcm_topk p = random_shape(&state, i % 2 ? 3000 : RCM_N_MAX), q = p;
        double loss = rcm_loss_exact(p);
        ck_assert_msg(loss >= 0.0 && loss < 1.0, TOPK_FMT " loss %.17g", TOPK_ARG(p), loss);
        q.b++;
        if (q.b <= q.n)
            ck_assert_msg(rcm_loss_exact(q) <= loss * slack, TOPK_FMT " b + 1 loses more",
                          TOPK_ARG(p));
        q = p;
        q.k_b++;
        ck_assert_msg(rcm_loss_exact(q) <= loss * slack, TOPK_FMT " k_b + 1 loses more",
                      TOPK_ARG(p));
        q = p;
        q.n++;
        if (q.n <= RCM_N_MAX)
            ck_assert_msg(loss <= rcm_loss_exact(q) * slack, TOPK_FMT " n + 1 loses less",
                          TOPK_ARG(p));
        q = p;
        q.k++;
        if (q.k <= q.n)
            ck_assert_msg(loss <= rcm_loss_exact(q) * slack, TOPK_FMT " k + 1 loses less",
                          TOPK_ARG(p));
    }
}
END_TEST

START_TEST(outside_the_domain)
{
    const struct rcm_topk bad[] = {
        {.n = 0, .k = 1, .b = 1, .k_b = 1},
        {.n = RCM_N_MAX + 1, .k = 1, .b = 1, .k_b = 1},
        {.n = 4, .k = 0, .b = 1, .k_b = 1},
        {.n = 4, .k = 5, .b = 1, .k_b = 1},
        {.n = 4, .k = 1, .b = 0, .k_b = 1},
        {.n = 4, .k = 1, .b = 5, .k_b = 1},
        {.n = 4, .k = 1, .b = 1, .k_b = 0},
        {.n = 4, .k = 2, .b = 1, .k_b = 1, .valid = 1},
        {.n = 4, .k = 2, .b = 1, .k_b = 1, .valid = 5},
        {.n = 4, .k = 2, .b = 1, .k_b = UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct rcm_topk p = bad[i];
        ck_assert_msg(
            rcm_check(p) != RCM_OK && isnan(rcm_loss_exact(p)) && isnan(rcm_recall_exact(p)) &&
                isnan(rcm_loss_binomial(p)) && isnan(rcm_recall_binomial(p)) &&
                isnan(rcm_recall_sd(p)) && isnan(rcm_survival(p, 1)) &&
                isnan(rcm_recall_worst_case(p)) && isnan(rcm_loss_bound(p)) &&
                isnan(rcm_loss_series(p, 2)) && isnan(rcm_cost(rcm_cost_model(0), p).approximate) &&
                isnan(rcm_roofline(rcm_device(0), RCM_F32, p).time_us) && rcm_candidates(p) == 0 &&
                rcm_buckets_of(p).classes == 0 && !rcm_reaches(p, (struct rcm_target){.loss = 0.5}),
            TOPK_FMT, TOPK_ARG(p));
    }
    struct rcm_topk p = {.n = 10, .k = 4, .b = 3, .k_b = 2};
    ck_assert(isnan(rcm_survival(p, 0)) && isnan(rcm_survival(p, 5)) &&
              isnan(rcm_loss_series(p, 0)));
    const struct rcm_buckets empty_class = {2, {{5, 0}, {4, 2}}};
    ck_assert(isnan(rcm_buckets_sd(&empty_class, 4, 1)) &&
              isnan(rcm_buckets_loss(&empty_class, 4, 1)));
    const struct rcm_buckets rising = {2, {{2, 1}, {3, 1}}}, none = {0},
                             huge = {1, {{UINT64_C(1) << 40, UINT64_C(1) << 40}}};
    ck_assert(isnan(rcm_buckets_loss(&rising, 1, 1)) && isnan(rcm_buckets_sd(&none, 1, 1)) &&
              isnan(rcm_buckets_worst_case(&huge, 1, 1)));
}
END_TEST

TEST_MAIN("properties of recall", survival_averages_to_recall, binomial_bounds_the_loss,
          floor_of_recall, monotone, outside_the_domain)
