/* test_law.c - the law of the counts: its two evaluations, the quadrature table, double-double
 * arithmetic.
 *
 * Against: each other, powers of x, GSL's pmf, sums to one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gsl/gsl_randist.h>

#include <model/law/dd.h>
#include <model/law/gauss_legendre.h>
#include <model/law/law.h>
#include <tests/test.h>

START_TEST(quadrature_integrates_powers)
{
    /* 48 points integrate x^d exactly up to d = 95. */
    for (int d = 0; d < 96; d++) {
        double sum = 0.0;
        for (int i = 0; i < GAUSS_LEGENDRE_PAIRS; i++)
            sum += gauss_legendre[i].weight *
                   (pow(gauss_legendre[i].x, d) + pow(1.0 - gauss_legendre[i].x, d));
        ck_assert_msg(relative_error(sum, 1.0 / (d + 1)) < 2e-15, "x^%d: %.17g", d, sum);
    }
}
END_TEST

START_TEST(double_double_keeps_31_digits)
{
    struct dd third = dd_divide(dd(1.0), dd(3.0));
    struct dd one = dd_scale(third, 3.0);
    ck_assert_double_eq(one.hi, 1.0);
    ck_assert_msg(fabs(one.lo) < 1e-31, "%g", one.lo);
    /* log(2^a 3^b) = a log 2 + b log 3 */
    for (int a = -60; a <= 60; a += 7)
        for (int b = 0; b <= 30; b += 3) {
            struct dd left = dd_log(dd(ldexp(pow(3.0, b), a)));
            struct dd right = dd_add(dd_scale(dd_log(dd(2.0)), a), dd_scale(dd_log(dd(3.0)), b));
            double off = dd_subtract(left, right).hi;
            ck_assert_msg(fabs(off) < 1e-29, "2^%d 3^%d: %g", a, b, off);
        }
    int128 large = ((int128)0x123456789abcdef << 40) + 77;
    struct dd split = dd_from_int128(large);
    ck_assert((int128)split.hi + (int128)split.lo == large);
}
END_TEST

/* A law of standard deviation 128 to 256, where both evaluations are fast and exact. */
static struct law wide_law(uint64_t *state, bool binomial)
{
    struct law law = {.binomial = binomial};
    do {
        law.n = (int64_t)random_scale(state, 1 << 18, RCM_N_MAX);
        law.k = (int64_t)random_scale(state, 1 << 16, (uint64_t)law.n);
        law.s = (int64_t)random_scale(state, 1, (uint64_t)law.n);
    } while (law_variance(law) < LAW_STIRLING_MIN_SD * LAW_STIRLING_MIN_SD ||
             law_variance(law) > 256.0 * 256.0);
    return law;
}

START_TEST(two_evaluations_agree)
{
    uint64_t state = 20261121;
    double worst = 0.0;
    for (int i = 0; i < 400; i++) {
        struct law law = wide_law(&state, i % 4 == 0);
        double sd = sqrt(law_variance(law));
        for (double z = 0.0; z < 36.0; z += 2.9) {
            int64_t c = (int64_t)ceil(law_mean(law) + z * sd);
            if (c >= law_high(law) - 1)
                break;
            struct tail a = law_upper_by_ratios(law, c), b = law_upper_by_stirling(law, c);
            double p = law_probability_by_ratios(law, c), q = law_probability_by_stirling(law, c);
            if (a.excess < 1e-290)
                break;
            double error = fmax(fmax(relative_error(b.probability, a.probability),
                                     relative_error(b.excess, a.excess)),
                                fmax(relative_error(b.square, a.square), relative_error(q, p)));
            worst = fmax(worst, error);
            /* Half of the promised error of either; most of it is the rounding of up to 38 sd
             * ratios. */
            ck_assert_msg(error < 0.5 * RCM_LOSS_MAX_RELERR,
                          "n %" PRId64 " k %" PRId64 " s %" PRId64 "%s c %" PRId64 ": %g", law.n,
                          law.k, law.s, law.binomial ? " binomial" : "", c, error);
        }
    }
    printf("two evaluations of a tail differ by at most %.1e\n", worst);
}
END_TEST

START_TEST(agrees_with_gsl)
{
    /* GSL's pmf goes through log-gamma: good to about 1e-10 here, and an independent
     * implementation. */
    uint64_t state = 5;
    for (int i = 0; i < 2000; i++) {
        struct law law = {.binomial = i % 3 == 0};
        law.n = (int64_t)random_scale(&state, 2, 100000);
        law.k = (int64_t)random_scale(&state, 1, (uint64_t)law.n);
        law.s = (int64_t)random_scale(&state, 1, (uint64_t)law.n);
        int64_t x = (int64_t)random_between(&state, 0, (uint64_t)law.k);
        double got = law_probability(law, x);
        double want =
            law.binomial
                ? gsl_ran_binomial_pdf((unsigned)x, (double)law.s / (double)law.n, (unsigned)law.k)
                : gsl_ran_hypergeometric_pdf((unsigned)x, (unsigned)law.k,
                                             (unsigned)(law.n - law.k), (unsigned)law.s);
        ck_assert_msg(fabs(got - want) <= 1e-8 * want + 1e-300,
                      "n %" PRId64 " k %" PRId64 " s %" PRId64 " x %" PRId64 ": %g, GSL %g", law.n,
                      law.k, law.s, x, got, want);
    }
}
END_TEST

START_TEST(probabilities_sum_to_one)
{
    uint64_t state = 11;
    for (int i = 0; i < 500; i++) {
        struct law law = {.binomial = i % 3 == 0};
        law.n = (int64_t)random_scale(&state, 1, 400);
        law.k = (int64_t)random_scale(&state, 1, (uint64_t)law.n);
        law.s = (int64_t)random_scale(&state, 1, (uint64_t)law.n);
        double sum = 0.0, mean = 0.0, square = 0.0;
        for (int64_t x = 0; x <= law.k; x++) {
            double p = law_probability(law, x);
            sum += p;
            mean += p * (double)x;
            square += p * law_offset(law, x) * law_offset(law, x);
            if (x < law.k)
                ck_assert_double_eq_tol(law_sf(law, x) + law_cdf(law, x), 1.0, 1e-14);
        }
        ck_assert_double_eq_tol(sum, 1.0, 1e-13);
        ck_assert_double_eq_tol(mean, law_mean(law), 1e-13 * (1.0 + law_mean(law)));
        ck_assert_double_eq_tol(square, law_variance(law), 1e-12 * (1.0 + law_variance(law)));
    }
}
END_TEST

TEST_MAIN("counts", quadrature_integrates_powers, double_double_keeps_31_digits,
          two_evaluations_agree, agrees_with_gsl, probabilities_sum_to_one)
