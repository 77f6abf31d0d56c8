/* test_distribution.c - the distribution of the counts: its two evaluations, the quadrature table,
 * double-double arithmetic.
 *
 * Against: each other, powers of x, GSL's pmf, products of all factors, sums to one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gsl/gsl_randist.h>

#include <model/distribution/dd.h>
#include <model/distribution/gauss_legendre.h>
#include <model/distribution/distribution.h>
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

/* A distribution of standard deviation 128 to 256, where both evaluations are fast and exact. */
static struct distribution wide_distribution(uint64_t *state, bool binomial)
{
    struct distribution dist = {.binomial = binomial};
    do {
        dist.n = (int64_t)random_scale(state, 1 << 18, RCM_N_MAX);
        dist.k = (int64_t)random_scale(state, 1 << 16, (uint64_t)dist.n);
        dist.s = (int64_t)random_scale(state, 1, (uint64_t)dist.n);
    } while (distribution_variance(dist) <
                 DISTRIBUTION_STIRLING_MIN_SD * DISTRIBUTION_STIRLING_MIN_SD ||
             distribution_variance(dist) > 256.0 * 256.0);
    return dist;
}

START_TEST(two_evaluations_agree)
{
    uint64_t state = 20261121;
    double worst = 0.0;
    for (int i = 0; i < 400; i++) {
        struct distribution dist = wide_distribution(&state, i % 4 == 0);
        double sd = sqrt(distribution_variance(dist));
        for (double z = 0.0; z < 36.0; z += 2.9) {
            int64_t c = (int64_t)ceil(distribution_mean(dist) + z * sd);
            if (c >= distribution_high(dist) - 1)
                break;
            struct tail a = distribution_upper_by_ratios(dist, c),
                        b = distribution_upper_by_stirling(dist, c);
            double p = distribution_probability_by_ratios(dist, c),
                   q = distribution_probability_by_stirling(dist, c);
            if (a.excess < 1e-290)
                break;
            double error = fmax(fmax(relative_error(b.probability, a.probability),
                                     relative_error(b.excess, a.excess)),
                                fmax(relative_error(b.square, a.square), relative_error(q, p)));
            worst = fmax(worst, error);
            /* Half of the promised error of either; most of it is the rounding of up to 38 sd
             * ratios. */
            ck_assert_msg(error < 0.5 * RCM_LOSS_MAX_RELERR,
                          "n %" PRId64 " k %" PRId64 " s %" PRId64 "%s c %" PRId64 ": %g", dist.n,
                          dist.k, dist.s, dist.binomial ? " binomial" : "", c, error);
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
        struct distribution dist = {.binomial = i % 3 == 0};
        dist.n = (int64_t)random_scale(&state, 2, 100000);
        dist.k = (int64_t)random_scale(&state, 1, (uint64_t)dist.n);
        dist.s = (int64_t)random_scale(&state, 1, (uint64_t)dist.n);
        int64_t x = (int64_t)random_between(&state, 0, (uint64_t)dist.k);
        double got = distribution_probability(dist, x);
        double want =
            dist.binomial
                ? gsl_ran_binomial_pdf((unsigned)x, (double)dist.s / (double)dist.n,
                                       (unsigned)dist.k)
                : gsl_ran_hypergeometric_pdf((unsigned)x, (unsigned)dist.k,
                                             (unsigned)(dist.n - dist.k), (unsigned)dist.s);
        ck_assert_msg(fabs(got - want) <= 1e-8 * want + 1e-300,
                      "n %" PRId64 " k %" PRId64 " s %" PRId64 " x %" PRId64 ": %g, GSL %g", dist.n,
                      dist.k, dist.s, x, got, want);
    }
}
END_TEST

/* C(k, x) (s/n)^x (1 - s/n)^(k - x), by its factors, where one of the two is tiny, and that without
 * replacement. */
START_TEST(points_are_products_of_factors)
{
    const int64_t few[] = {1, 3, 24, 1000000};
    double worst = 0.0;
    for (int64_t k = 1; k <= 40; k++)
        for (int64_t x = 0; x <= k; x++)
            for (int i = 0; i < 16; i++) {
                const int64_t n = i / 8 ? (int64_t)RCM_N_MAX : 3000000, f = few[i % 4];
                const struct distribution d = {n, k, i % 8 < 4 ? f : n - f, i / 8};
                long double want = 1.0L;
                for (int64_t j = 0; j < k; j++) {
                    const int64_t gone = d.binomial ? 0 : j, hits = j < x ? j : x;
                    const int64_t of =
                        j < x ? d.s - (d.binomial ? 0 : j) : n - d.s - (d.binomial ? 0 : j - hits);
                    want *= (long double)(of > 0 ? of : 0) / (long double)(n - gone);
                    want *= j < x ? (long double)(k - j) / (long double)(x - j) : 1.0L;
                }
                if (want < 1e-300L)
                    continue;
                const double error =
                    fabs((double)((long double)distribution_point(d, x) / want - 1.0L));
                worst = fmax(worst, error);
                ck_assert_msg(error <= 1e-12, "k %d x %d of %d: %.17g for %.17Lg", (int)k, (int)x,
                              i, distribution_point(d, x), want);
            }
    printf("measured: points %.1e\n", worst);
}
END_TEST

START_TEST(probabilities_sum_to_one)
{
    uint64_t state = 11;
    for (int i = 0; i < 500; i++) {
        struct distribution dist = {.binomial = i % 3 == 0};
        dist.n = (int64_t)random_scale(&state, 1, 400);
        dist.k = (int64_t)random_scale(&state, 1, (uint64_t)dist.n);
        dist.s = (int64_t)random_scale(&state, 1, (uint64_t)dist.n);
        double sum = 0.0, mean = 0.0, square = 0.0;
        for (int64_t x = 0; x <= dist.k; x++) {
            double p = distribution_probability(dist, x);
            sum += p;
            mean += p * (double)x;
            square += p * distribution_offset(dist, x) * distribution_offset(dist, x);
            if (x < dist.k)
                ck_assert_double_eq_tol(distribution_sf(dist, x) + distribution_cdf(dist, x), 1.0,
                                        1e-14);
        }
        ck_assert_double_eq_tol(sum, 1.0, 1e-13);
        ck_assert_double_eq_tol(mean, distribution_mean(dist),
                                1e-13 * (1.0 + distribution_mean(dist)));
        ck_assert_double_eq_tol(square, distribution_variance(dist),
                                1e-12 * (1.0 + distribution_variance(dist)));
    }
}
END_TEST

TEST_MAIN("counts", quadrature_integrates_powers, double_double_keeps_31_digits,
          two_evaluations_agree, agrees_with_gsl, points_are_products_of_factors,
          probabilities_sum_to_one)
