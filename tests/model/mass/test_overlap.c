/* test_overlap.c - the overlap of two selections by correlated normal scores.
 *
 * Against: an integral over one of the scores (GSL), closed forms, and pairs that are drawn.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include <tests/test.h>

struct pair {
    double t, correlation;
};

/* P(Y > t | X = x) times the density of X. */
static double above(double x, void *context)
{
    const struct pair *p = context;
    const double sd = sqrt(1.0 - p->correlation * p->correlation);
    return gsl_ran_ugaussian_pdf(x) * gsl_cdf_ugaussian_Q((p->t - p->correlation * x) / sd);
}

START_TEST(by_integrals)
{
    const double shares[] = {1e-4, 0.01, 0.3, 0.5, 0.9}, visited[] = {1e-4, 0.02, 0.25, 0.7};
    const double correlations[] = {-0.99, -0.5, 0.0, 0.3, 0.8, 0.99, 0.9999};
    gsl_integration_workspace *room = gsl_integration_workspace_alloc(1000);
    double worst = 0.0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 4; j++)
            for (int r = 0; r < 7; r++) {
                struct pair p = {gsl_cdf_ugaussian_Qinv(visited[j]), correlations[r]};
                gsl_function f = {above, &p};
                double want, error;
                const double s = gsl_cdf_ugaussian_Qinv(shares[i]);
                /* in pieces, because the conditional probability may be a step */
                want = 0.0;
                for (double x = s; x < 12.0; x += 0.25) {
                    double part;
                    gsl_integration_qag(&f, x, x + 0.25, 1e-15, 1e-11, 1000, GSL_INTEG_GAUSS61,
                                        room, &part, &error);
                    want += part;
                }
                want /= shares[i];
                const double got = rcm_overlap(shares[i], visited[j], correlations[r]);
                worst = fmax(worst, fabs(got - want));
                ck_assert_msg(fabs(got - want) <= 1e-9, "%g %g %g: %.12g for %.12g", shares[i],
                              visited[j], correlations[r], got, want);
            }
    gsl_integration_workspace_free(room);
    printf("measured: overlap by integrals %.1e\n", worst);
}
END_TEST

START_TEST(closed_forms)
{
    const double pi = acos(-1.0);
    for (double r = -0.95; r < 1.0; r += 0.19) /* at the median */
        ck_assert_double_eq_tol(rcm_overlap(0.5, 0.5, r), 0.5 + asin(r) / pi, 1e-12);
    ck_assert_double_eq_tol(rcm_overlap(0.01, 0.2, 0.0), 0.2, 1e-15);
    ck_assert_double_eq(rcm_overlap(0.1, 0.2, 1.0), 1.0);
    ck_assert_double_eq(rcm_overlap(0.4, 0.2, 1.0), 0.5);
    ck_assert_double_eq(rcm_overlap(0.1, 0.2, -1.0), 0.0);
    ck_assert_double_eq_tol(rcm_overlap(0.8, 0.7, -1.0), 0.625, 1e-15);
    ck_assert_double_gt(rcm_overlap(0.01, 0.01, 1.0 - 1e-12), 0.999);
    ck_assert(isnan(rcm_overlap(0.0, 0.5, 0.5)) && isnan(rcm_overlap(0.5, 1.0, 0.5)) &&
              isnan(rcm_overlap(0.5, 0.5, 1.1)) && isnan(rcm_overlap(0.5, 0.5, NAN)));
}
END_TEST

static int larger_first(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* |z| > 5 by chance: 6e-7. The seed is fixed. A row of 4000 is nearly long. */
START_TEST(pairs_that_are_drawn)
{
    enum { N = 4000, K = 200, VISITED = 500, ROWS = 200 };
    static double x[N], y[N], sorted[N];
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    double sum = 0.0, square = 0.0;
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < N; i++) {
            x[i] = gsl_ran_gaussian_ziggurat(rng, 1.0);
            y[i] = 0.8 * x[i] + gsl_ran_gaussian_ziggurat(rng, 0.6);
        }
        memcpy(sorted, x, sizeof x);
        qsort(sorted, N, sizeof *sorted, larger_first);
        const double s = sorted[K - 1];
        memcpy(sorted, y, sizeof y);
        qsort(sorted, N, sizeof *sorted, larger_first);
        double both = 0.0;
        for (int i = 0; i < N; i++)
            both += x[i] >= s && y[i] >= sorted[VISITED - 1];
        sum += both / K;
        square += both / K * (both / K);
    }
    gsl_rng_free(rng);
    const double mean = sum / ROWS, sd = sqrt((square / ROWS - mean * mean) / ROWS);
    const double z = (mean - rcm_overlap((double)K / N, (double)VISITED / N, 0.8)) / sd;
    printf("measured: pairs that are drawn: z %.1f\n", z);
    ck_assert_double_lt(fabs(z), 5.0);
}
END_TEST

TEST_MAIN("overlap", by_integrals, closed_forms, pairs_that_are_drawn)
