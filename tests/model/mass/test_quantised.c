/* test_quantised.c - the error of products of vectors that are stored in 8 or 4 bits.
 *
 * Against: the numbers of each format by hand; the error of integers in closed form (GSL); vectors
 * that are drawn and stored element by element.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>

#include "stored.h"

START_TEST(numbers_by_hand)
{
    const struct {
        const char *name;
        double largest, bits;
        int count;
    } cases[] = {{"f8e4m3", 448.0, 8.0, 127},
                 {"f8e5m2", 57344.0, 8.0, 124},
                 {"int8", 127.0, 8.0, 128},
                 {"nvfp4", 6.0, 4.5, 8},
                 {"mxfp4", 6.0, 4.25, 8}};
    for (size_t i = 0; i < 5; i++) {
        const struct rcm_quantised *row = rcm_quantised(i);
        const struct list list = list_of(cases[i].name);
        ck_assert_ptr_eq(row, rcm_quantised_by_name(cases[i].name));
        ck_assert_double_eq(row->bits, cases[i].bits);
        ck_assert_int_eq(list.count, cases[i].count);
        ck_assert_uint_eq(row->elements.last + 1, (unsigned)list.count);
        for (int j = 0; j < list.count; j++)
            ck_assert_double_eq(rcm_format_value(&row->elements, (uint32_t)j), list.of[j]);
        ck_assert_double_eq(list.of[list.count - 1], cases[i].largest);
    }
    ck_assert_ptr_null(rcm_quantised(5));
    ck_assert_ptr_null(rcm_quantised_by_name("int4"));
    ck_assert_ptr_null(rcm_quantised_by_name(NULL));
    const struct rcm_quantised *int8 = rcm_quantised_by_name("int8");
    ck_assert(isnan(rcm_quantised_correlation(NULL, 128, 0.1)));
    ck_assert(isnan(rcm_quantised_correlation(int8, 15, 0.1)));
    ck_assert(isnan(rcm_quantised_correlation(int8, UINT64_C(1) << 32, 0.1)));
    ck_assert(isnan(rcm_quantised_correlation(int8, 128, 0.0)));
    ck_assert(isnan(rcm_quantised_correlation(int8, 128, 1.0)));
}
END_TEST

/* ---- the error of integers: a twelfth of the square of the step, max/127, for all but the largest
 * of d, which has none */

struct largest_of {
    double d;
};

/* The share of rows whose largest magnitude is above x, times 2 x. */
static double square_of_largest(double x, void *context)
{
    const struct largest_of *of = context;
    return -2.0 * x * expm1(of->d * log1p(-2.0 * gsl_cdf_ugaussian_Q(x)));
}

START_TEST(integers_in_closed_form)
{
    gsl_integration_workspace *room = gsl_integration_workspace_alloc(1000);
    for (double d = 16.0; d <= 4096.0; d *= 4.0) {
        struct largest_of of = {d};
        gsl_function f = {square_of_largest, &of};
        double square, error;
        gsl_integration_qag(&f, 0.0, 20.0, 1e-12, 1e-10, 1000, GSL_INTEG_GAUSS31, room, &square,
                            &error);
        const double want = square / (127.0 * 127.0 * 12.0) * (d - 1.0) / d;
        /* where the score is 1 the error of a product is its mean: noise + noise (1 + noise) */
        const double r = rcm_quantised_correlation(rcm_quantised_by_name("int8"), (uint64_t)d,
                                                   gsl_cdf_ugaussian_Q(1.0));
        const double got = sqrt(1.0 + (1.0 / (r * r) - 1.0)) - 1.0;
        ck_assert_msg(fabs(got - want) <= 2e-3 * want, "d = %g: %.8g for %.8g", d, got, want);
    }
    gsl_integration_workspace_free(room);
}
END_TEST

/* The error alone: the variance of what is uncorrelated with the element, over the square of the
 * factor. Where the score is 1 it is all that counts: see above. */
START_TEST(elements_that_are_drawn)
{
    enum { VECTORS = 128, D = 128 };
    static double x[VECTORS * D], y[VECTORS * D];
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    for (size_t f = 0; f < FORMATS; f++) {
        struct means m = {0};
        for (int tensor = 0; tensor < 100; tensor++) {
            double xx = 0.0, xy = 0.0, yy = 0.0;
            draw(rng, x, VECTORS * D);
            store(rcm_quantised(f)->name, x, y, VECTORS, D);
            for (size_t i = 0; i < VECTORS * D; i++) {
                xx += x[i] * x[i];
                xy += x[i] * y[i];
                yy += (y[i] - x[i]) * (y[i] - x[i]);
            }
            /* yy: of the error e; x e = x y - x^2 */
            const double xe = xy - xx;
            add(&m, (yy - xe * xe / xx) / xx / (xy / xx * xy / xx));
        }
        const double r = rcm_quantised_correlation(rcm_quantised(f), D, gsl_cdf_ugaussian_Q(1.0)),
                     mean = mean_of(&m), se = error_of(&m);
        printf("measured: %s: error %.4g, the model %+.2f %% (%.2f)\n", rcm_quantised(f)->name,
               mean, 100.0 * (1.0 / r - 1.0 - mean) / mean, 100.0 * se / mean);
        ck_assert_double_le(fabs(1.0 / r - 1.0 - mean), 5.0 * se + 2e-3 * mean);
    }
    gsl_rng_free(rng);
}
END_TEST

/* How the square of the error of a product grows with that of its score z: the mean of e^2 (z^2 -
 * 1)/2, by the variance of the score. Short vectors, in which it is large. */
struct sums {
    double xx, xy, grows;
};

static struct sums short_vectors(gsl_rng *rng, const char *name)
{
    enum { KEYS = 2048, D = 16 };
    static double keys[KEYS * D], stored[KEYS * D], x[KEYS], y[KEYS];
    double query[D], other[D];
    struct sums sums = {0.0, 0.0, 0.0};
    draw(rng, query, D);
    draw(rng, keys, KEYS * D);
    store(name, query, other, 1, D);
    store(name, keys, stored, KEYS, D);
    for (int i = 0; i < KEYS; i++) {
        x[i] = y[i] = 0.0;
        for (int j = 0; j < D; j++) {
            x[i] += query[j] * keys[i * D + j];
            y[i] += other[j] * stored[i * D + j];
        }
        sums.xx += x[i] * x[i] / KEYS;
        sums.xy += x[i] * y[i] / KEYS;
    }
    for (int i = 0; i < KEYS; i++) {
        const double e = y[i] * sums.xx / sums.xy - x[i];
        sums.grows += e * e / sums.xx * (x[i] * x[i] / sums.xx - 1.0) / 2.0 / KEYS;
    }
    return sums;
}

START_TEST(errors_grow)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    for (size_t f = 0; f < FORMATS; f++) {
        struct means m = {0};
        double variance[2];
        for (int set = 0; set < 400; set++)
            add(&m, short_vectors(rng, rcm_quantised(f)->name).grows);
        for (int i = 0; i < 2; i++) {
            const double r =
                rcm_quantised_correlation(rcm_quantised(f), 16, gsl_cdf_ugaussian_Q(1.0 + 2.0 * i));
            variance[i] = 1.0 / (r * r) - 1.0;
        }
        const double mean = mean_of(&m), model = (variance[1] - variance[0]) / 8.0,
                     se = error_of(&m);
        printf("measured: %s: error grows by %.3g, the model %+.1f %% (%.1f)\n",
               rcm_quantised(f)->name, mean, 100.0 * (model - mean) / mean, 100.0 * se / mean);
        ck_assert_double_le(fabs(model - mean), 5.0 * se + 0.05 * mean);
    }
    gsl_rng_free(rng);
}
END_TEST

TEST_MAIN("quantised", numbers_by_hand, integers_in_closed_form, elements_that_are_drawn,
          errors_grow)
