/* test_bounds.c - bounds, closed forms, the smallest b, divisors.
 *
 * Against: the exact loss from both sides, a scan over all b, trial division.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

#include <model/shape/wide.h>

START_TEST(series_brackets_the_loss)
{
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++) {
        struct rcm_topk p = random_shape(&state, i % 3 ? 60 : RCM_N_MAX);
        if (i % 5 == 0) {
            p.valid = random_between(&state, p.k, p.n);
            p.assignment = RCM_CONTIGUOUS;
        }
        double loss = rcm_loss_exact(p), bound = rcm_loss_bound(p);
        if (loss > 0.0 && loss < 1e-290)
            continue; /* the relative accuracy decreases */
        ck_assert_msg(bound >= loss * (1.0 - 1e-12) && bound <= 1.0,
                      TOPK_FMT " loss %.17g bound %.17g", TOPK_ARG(p), loss, bound);
        /* The error that the partial sums may have, from the largest term so far. */
        double size = 0.0;
        for (unsigned terms = 1; terms <= 12; terms++) {
            double sum = rcm_loss_series(p, terms);
            ck_assert_msg(!isnan(sum), TOPK_FMT " %u terms", TOPK_ARG(p), terms);
            size = fmax(size, fabs(sum));
            if (!isfinite(size) || size > 1e3)
                break;
            double slack = 1e-12 * loss + 1e-13 * size;
            if (terms % 2)
                ck_assert_msg(sum >= loss - slack, TOPK_FMT " %u terms: %.17g below loss %.17g",
                              TOPK_ARG(p), terms, sum, loss);
            else
                ck_assert_msg(sum <= loss + slack, TOPK_FMT " %u terms: %.17g above loss %.17g",
                              TOPK_ARG(p), terms, sum, loss);
        }
    }
}
END_TEST

START_TEST(series_ends_in_the_loss)
{
    /* All terms: for min(k, size) - k_b <= 12 the series is complete. */
    uint64_t state = 2;
    int checked = 0;
    for (int i = 0; i < 5000; i++) {
        struct rcm_topk p = random_shape(&state, 40);
        uint64_t most = ceil_divide(p.n, p.b) < p.k ? ceil_divide(p.n, p.b) : p.k;
        if (most > p.k_b + 6)
            continue;
        double loss = rcm_loss_exact(p), sum = rcm_loss_series(p, 12);
        ck_assert_msg(fabs(sum - loss) <= 1e-11, TOPK_FMT " loss %.17g series %.17g", TOPK_ARG(p),
                      loss, sum);
        checked++;
    }
    ck_assert_int_ge(checked, 1000);
}
END_TEST

START_TEST(first_term_by_hand)
{
    /* Where terms overflow, the bound keeps its sign. */
    struct rcm_topk wide = {.n = 4158841, .k = 134282, .b = 8, .k_b = 16335};
    ck_assert(rcm_loss_series(wide, 1) == INFINITY && rcm_loss_series(wide, 2) == -INFINITY &&
              rcm_loss_bound(wide) == 1.0);
    /* k_b = 1, b | n: (n/b - 1)(k - 1) / (2 (n - 1)). */
    struct rcm_topk p = {.n = 262144, .k = 1024, .b = 8192, .k_b = 1};
    ck_assert_double_eq_tol(rcm_loss_bound(p), 31.0 * 1023.0 / (2.0 * 262143.0), 1e-15);
    /* Long products and Stirling's formula meet at 4096 factors: log of the term is smooth in
     * k_b. */
    double value[41];
    for (int i = 0; i <= 40; i++)
        value[i] = log(rcm_loss_series(
            (struct rcm_topk){
                .n = UINT64_C(1) << 40, .k = 1 << 20, .b = 700, .k_b = 4075 + (uint64_t)i},
            1));
    for (int i = 2; i <= 40; i++) {
        /* second difference of log E[C(X, c)] in c: about -1/c */
        double second = value[i] - 2.0 * value[i - 1] + value[i - 2];
        ck_assert_msg(fabs(second + 1.0 / 4095.0) < 4e-6, "%d: %g", i, second);
    }
}
END_TEST

/* The smallest b that reaches the target, by trying every b. */
static uint64_t scan(struct rcm_topk p, struct rcm_target target)
{
    for (p.b = 1; p.b <= p.n; p.b++)
        if (rcm_check_deployable(p) == RCM_OK && p.b % (target.align ? target.align : 1) == 0 &&
            (!target.divisors || p.n % p.b == 0) && rcm_reaches(p, target))
            return p.b;
    return 0;
}

START_TEST(smallest_b_is_the_first)
{
    const double losses[] = {0.5, 0.4, 0.2, 0.1, 0.05, 0.01, 1e-3, 1e-6, 1e-12, 0.0};
    uint64_t state = 3;
    for (int i = 0; i < 20000; i++) {
        struct rcm_topk p = random_shape(&state, i % 10 ? 100 : 2000);
        struct rcm_target target = {.loss = losses[i % 10], .align = 1};
        if (i % 3 == 1)
            target.align = random_between(&state, 1, 20);
        if (i % 4 == 1)
            target.divisors = true;
        if (i % 5 == 1) {
            p.valid = random_between(&state, p.k, p.n);
            p.assignment = (enum rcm_assignment)(i / 5 % 3);
        }
        uint64_t want = scan(p, target), got = rcm_smallest_b(p, target);
        ck_assert_msg(got == want,
                      TOPK_FMT " loss %g align %" PRIu64 " divisors %d: got %" PRIu64
                               " want %" PRIu64,
                      TOPK_ARG(p), target.loss, target.align, target.divisors, got, want);
    }
}
END_TEST

START_TEST(exact_ends)
{
    /* R = 1: no bucket can overflow. k = 1 and k_b = k: one bucket is enough. */
    struct rcm_topk p = {.n = 1000, .k = 100, .k_b = 10};
    ck_assert_uint_eq(rcm_smallest_b(p, (struct rcm_target){.loss = 0.0}), 100);
    p.k_b = 100;
    ck_assert_uint_eq(rcm_smallest_b(p, (struct rcm_target){.loss = 0.0}), 1);
    p = (struct rcm_topk){.n = 1000, .k = 1, .k_b = 1};
    ck_assert_uint_eq(rcm_smallest_b(p, (struct rcm_target){.loss = 0.0}), 1);
    for (size_t i = 0; rcm_rule(i); i++)
        for (double loss = 0.0; loss < 0.3; loss += 0.1) {
            p = (struct rcm_topk){.n = 1000, .k = 1, .k_b = 1};
            ck_assert_msg(rcm_rule_b(rcm_rule(i), p, loss) == 1, "%s, k = 1", rcm_rule(i)->name);
        }
    /* A loss below the smallest double does not count as no loss. */
    p = (struct rcm_topk){.n = RCM_N_MAX, .k = 100000, .b = UINT64_C(1) << 40, .k_b = 4000};
    ck_assert(!rcm_reaches(p, (struct rcm_target){.loss = 0.0}) &&
              rcm_reaches(p, (struct rcm_target){.loss = 1e-300}));
    /* Decimal targets are exact: the loss (n/b - 1)(k - 1)/(2 (n - 1)) for k = 2 can be exactly
     * 1/10. */
    p = (struct rcm_topk){
        .n = 6, .k = 2, .b = 3, .k_b = 1}; /* loss = (1/2) 3 C(2,2) / C(6,2) = 1/10 */
    ck_assert_double_eq_tol(rcm_loss_exact(p), 0.1, 1e-15);
    ck_assert(rcm_reaches(p, (struct rcm_target){.loss = 0.1}) &&
              rcm_reaches(p, (struct rcm_target){.loss = 1.0 - 0.9}));
    /* Below 1 - 1/e the fewest buckets are enough. */
    uint64_t state = 4;
    for (int i = 0; i < 2000; i++) {
        p = random_shape(&state, RCM_N_MAX);
        ck_assert_msg(rcm_smallest_b(p, (struct rcm_target){.loss = 0.3679}) ==
                          rcm_deployable_b(p).low,
                      TOPK_FMT, TOPK_ARG(p));
    }
}
END_TEST

START_TEST(rules_hold)
{
    /* Our rule: its b reaches the target, for every k_b. The rules of Chern and of Samaga: the loss
     * does not exceed the one that they state, where they are bounds (b | n for Samaga's). */
    const double losses[] = {0.3, 0.1, 0.05, 0.01, 1e-3, 1e-5};
    uint64_t state = 5;
    for (int i = 0; i < 20000; i++) {
        struct rcm_topk p = random_shape(&state, i % 2 ? 400 : RCM_N_MAX);
        double loss = losses[i % 6];
        if (rcm_loss_exact(p) < 1e-290)
            continue;
        for (size_t j = 0; rcm_rule(j); j++) {
            const struct rcm_rule *rule = rcm_rule(j);
            if (!rule->applies(p)) {
                ck_assert(rcm_rule_b(rule, p, loss) == 0);
                continue;
            }
            bool bound =
                strcmp(rule->name, "factorial_moment") == 0 || strcmp(rule->name, "chern") == 0;
            if (bound || p.n % p.b == 0)
                ck_assert_msg(rule->loss(p) >= rcm_loss_exact(p) * (1.0 - 1e-11),
                              TOPK_FMT " %s states %.17g, loss %.17g", TOPK_ARG(p), rule->name,
                              rule->loss(p), rcm_loss_exact(p));
            if (bound) {
                p.b = rcm_rule_b(rule, p, loss);
                struct rcm_range range = rcm_deployable_b(p);
                ck_assert_msg(rcm_loss_exact(p) <= loss * (1.0 + 1e-11) || p.b == range.high,
                              TOPK_FMT " %s for loss %g has %.17g", TOPK_ARG(p), rule->name, loss,
                              rcm_loss_exact(p));
                ck_assert(rcm_check_deployable(p) == RCM_OK);
            }
        }
    }
    /* Numbers worked out by hand: n 262144, k 1024, R 0.99. */
    struct rcm_topk p = {.n = 262144, .k = 1024, .b = 1, .k_b = 1};
    ck_assert_double_eq_tol(rcm_rule(0)->b(p, 0.01), 1023.0 / 0.02, 1e-9);
    ck_assert_double_eq_tol(rcm_rule(1)->b(p, 0.01), 262144.0 / (1.0 + 0.02 * 262143.0 / 1023.0),
                            1e-9);
    ck_assert_double_eq_tol(rcm_rule(2)->b(p, 0.01), 1024.0 / (2.0 * (0.01 + 1024.0 / 524288.0)),
                            1e-9);
    ck_assert_double_eq_tol(rcm_rule(4)->b(p, 0.01), 101788.0, 1.0);
    p.k_b = 4; /* (C(1024, 5) / (1024 0.01))^(1/4) */
    ck_assert_double_eq_tol(rcm_rule(0)->b(p, 0.01), pow(9291185992704.0 / 10.24, 0.25), 1e-9);
}
END_TEST

/* The quartic form of Samaga et al. by exact counting, all b | n: with s = n/b and x = k/n, the
 * share C(n-s, k)/C(n, k) of rows without a top element in a bucket is at most (1 - x)^s, expanded
 * to x^4. */
START_TEST(quartic_by_counting)
{
    static int128 choose[81][81];
    const struct rcm_rule *rule = rcm_rule(3);
    ck_assert_str_eq(rule->name, "samaga_quartic");
    int shapes = 0;
    for (int n = 0; n <= 80; n++)
        for (int i = 0; i <= n; i++)
            choose[n][i] = i == 0 ? 1 : choose[n - 1][i - 1] + choose[n - 1][i];
    for (int n = 1; n <= 80; n++)
        for (int s = 1; s <= n; s++)
            for (int k = 1; n % s == 0 && k <= n; k++, shapes++) {
                struct rcm_topk p = {
                    .n = (uint64_t)n, .k = (uint64_t)k, .b = (uint64_t)(n / s), .k_b = 1};
                int128 N = n, K = k, unit = N * N * N * N, first = unit - s * K * N * N * N,
                       rest = choose[s][2] * K * K * N * N - choose[s][3] * K * K * K * N +
                              choose[s][4] * K * K * K * K;
                ck_assert_msg(choose[n - s][k] * unit <= choose[n][k] * (first + rest), TOPK_FMT,
                              TOPK_ARG(p));
                double form = (double)p.b / k * (double)rest / (double)unit;
                ck_assert_double_eq_tol(rule->loss(p), form, 1e-12 * (1.0 + form));
            }
    ck_assert_int_eq(shapes, 16506);
    /* Where b does not divide n it can state less than the loss: 42641 buckets for R = .99. */
    struct rcm_topk p = {.n = 262144, .k = 1024, .k_b = 1};
    p.b = rcm_rule_b(rule, p, .01);
    ck_assert_uint_eq(p.b, 42641);
    ck_assert_double_eq_tol(rcm_recall_exact(p), .98997, 1e-6);
    /* From b = 2k the bound is within .0006 of the loss. */
    for (p.b = 2 * p.k; p.b <= p.n; p.b *= 2)
        ck_assert_double_eq_tol(rule->loss(p), rcm_loss_exact(p), .0006);
}
END_TEST

START_TEST(divisors_by_trial)
{
    for (uint64_t n = 1; n <= 3000; n++) {
        struct rcm_factors factors = rcm_factorise(n);
        uint64_t low = n / 3 + 1, least = 0, greatest = 0, align = n % 7 + 1;
        for (uint64_t d = 1; d <= n; d++)
            if (n % d == 0 && d % align == 0) {
                if (d >= low && least == 0)
                    least = d;
                if (d <= low)
                    greatest = d;
            }
        ck_assert_msg(rcm_next_b(n, low, align, &factors) == least,
                      "n %" PRIu64 " low %" PRIu64 " align %" PRIu64, n, low, align);
        ck_assert_msg(rcm_previous_b(n, low, align, &factors) == greatest,
                      "n %" PRIu64 " high %" PRIu64 " align %" PRIu64, n, low, align);
        uint64_t multiple = (low + align - 1) / align * align;
        ck_assert_uint_eq(rcm_next_b(n, low, align, NULL), multiple <= n ? multiple : 0);
        ck_assert_uint_eq(rcm_previous_b(n, low, align, NULL), low / align * align);
    }
    const struct {
        uint64_t n;
        unsigned primes;
    } large[] = {
        {UINT64_C(9007199254740881), 1},              /* the largest prime below 2^53 */
        {UINT64_C(94906249) * UINT64_C(94906247), 2}, /* two primes of 27 bits */
        {UINT64_C(94906249) * UINT64_C(94906249), 1}, /* a square */
        {UINT64_C(1) << 52, 1},
        {RCM_N_MAX, 3}, /* 6361 69431 20394401 */
        {UINT64_C(200560490130), 11},
        {UINT64_C(2653751), 0}, /* product of the first 11 primes; KGC's n */
    };
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        struct rcm_factors factors = rcm_factorise(large[i].n);
        uint64_t product = 1;
        for (unsigned j = 0; j < factors.count; j++)
            for (unsigned e = 0; e < factors.exponent[j]; e++)
                product *= factors.prime[j];
        ck_assert_msg(product == large[i].n, "%" PRIu64 ": product %" PRIu64, large[i].n, product);
        if (large[i].primes > 1 || i == 0)
            ck_assert_msg(factors.count >= large[i].primes, "%" PRIu64 ": %u primes", large[i].n,
                          factors.count);
    }
    ck_assert_uint_eq(rcm_factorise(UINT64_C(9007199254740881)).count, 1);
    ck_assert_uint_eq(rcm_factorise(RCM_N_MAX).count, 3);
    ck_assert_uint_eq(rcm_factorise(0).count, 0);
    ck_assert_uint_eq(rcm_factorise(RCM_N_MAX + 1).count, 0);
}
END_TEST

TEST_MAIN("bounds", series_brackets_the_loss, series_ends_in_the_loss, first_term_by_hand,
          smallest_b_is_the_first, exact_ends, rules_hold, quartic_by_counting, divisors_by_trial)
