/* Order and quantiles: against GMP's rationals and GSL.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gmp.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include <base/statistics.h>
#include <tests/test.h>

#define MOST 300

/* Values of very different sizes and both signs; every fourth repeats the one before. */
static void draw_values(uint64_t *state, double *values, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const double fraction = (double)(int64_t)next_random(state) * 0x1p-63;
        values[i] = ldexp(fraction, (int)(next_random(state) % 80) - 40);
        if (i > 0 && next_random(state) % 4 == 0)
            values[i] = values[i - 1];
    }
}

START_TEST(comparing)
{
    const double values[] = {-INFINITY, -1.0, -0x1p-1074, 0.0, 0x1p-1074, 1.0, INFINITY};
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++)
            ck_assert_int_eq(compare_doubles(&values[i], &values[j]), (i > j) - (i < j));
    const double minus_zero = -0.0;
    ck_assert_int_eq(compare_doubles(&minus_zero, &values[3]), 0);
}
END_TEST

START_TEST(sorting)
{
    uint64_t state = 1;
    double ours[MOST], theirs[MOST];
    sort_doubles(NULL, 0);
    for (size_t length = 1; length <= MOST; length++) {
        draw_values(&state, ours, length);
        memcpy(theirs, ours, sizeof ours);
        sort_doubles(ours, length);
        gsl_sort(theirs, 1, length);
        for (size_t i = 0; i < length; i++)
            ck_assert_msg(ours[i] == theirs[i], "length %zu, place %zu: got %.17g want %.17g",
                          length, i, ours[i], theirs[i]);
    }
}
END_TEST

/* The quantile less `got`, exactly. The neighbours between which it lies go to x and y. */
static double error_of(const double *sorted, size_t length, double share, double got, double *x,
                       double *y)
{
    mpq_t at, value, other;
    mpz_t whole;
    mpq_inits(at, value, other, NULL);
    mpz_init(whole);
    mpq_set_d(at, share);
    mpq_set_ui(other, length - 1, 1);
    mpq_mul(at, at, other);
    mpz_fdiv_q(whole, mpq_numref(at), mpq_denref(at));
    const size_t below = mpz_get_ui(whole);
    *x = sorted[below];
    *y = sorted[below + 1 < length ? below + 1 : below];
    mpq_set_z(other, whole);
    mpq_sub(at, at, other);
    mpq_set_d(value, *x);
    mpq_set_d(other, *y);
    mpq_sub(other, other, value);
    mpq_mul(other, other, at);
    mpq_add(value, value, other);
    mpq_set_d(other, got);
    mpq_sub(value, value, other);
    const double error = mpq_get_d(value);
    mpq_clears(at, value, other, NULL);
    mpz_clear(whole);
    return error;
}

START_TEST(quantiles)
{
    uint64_t state = 2;
    double values[MOST], x, y;
    for (int round = 0; round < 20000; round++) {
        const size_t length = 1 + next_random(&state) % (round % 2 ? 8 : MOST);
        const uint64_t kind = next_random(&state) % 8;
        const double any = (double)(next_random(&state) >> 11) * 0x1p-53;
        const double share = kind == 0 ? 0.0 : kind == 1 ? 1.0 : kind == 2 ? 0.5 : any;
        draw_values(&state, values, length);
        sort_doubles(values, length);
        const double got = sorted_quantile(values, length, share);
        const double error = error_of(values, length, share, got, &x, &y);
        const double allowed = QUANTILE_MAX_ERROR * (double)length * (fabs(x) + fabs(y));
        ck_assert_msg(fabs(error) <= allowed, "length %zu share %.17g: got %.17g, off by %.3g",
                      length, share, got, error);
        const double gsl = gsl_stats_quantile_from_sorted_data(values, 1, length, share);
        ck_assert_msg(fabs(gsl - got) <= 2.0 * allowed,
                      "length %zu share %.17g: got %.17g, GSL has %.17g", length, share, got, gsl);
    }
}
END_TEST

START_TEST(exact_quantiles)
{
    const double values[] = {0.1, 0.7, 1.3, 2.9, 3.1};
    ck_assert(isnan(sorted_quantile(values, 0, 0.5)));
    for (size_t length = 1; length <= 5; length++) {
        ck_assert_double_eq(sorted_quantile(values, length, 0.0), values[0]);
        ck_assert_double_eq(sorted_quantile(values, length, 1.0), values[length - 1]);
    }
    for (int i = 0; i < 5; i++)
        ck_assert_double_eq(sorted_quantile(values, 5, 0.25 * i), values[i]);
    ck_assert_double_eq(sorted_quantile((const double[]){1, 2, 4, 8}, 4, 0.5), 3.0);
}
END_TEST

START_TEST(z_of_a_mean)
{
    ck_assert_double_eq(z_score(0.75, 0.5, 0.5, 16.0), 2.0);
    ck_assert_double_eq(z_score(0.25, 0.5, 0.5, 16.0), -2.0);
    ck_assert(isnan(z_score(0.75, 0.5, 0.0, 16.0)));
    ck_assert(isnan(z_score(0.75, 0.5, NAN, 16.0)));
}
END_TEST

TEST_MAIN("statistics", comparing, sorting, quantiles, exact_quantiles, z_of_a_mean)
