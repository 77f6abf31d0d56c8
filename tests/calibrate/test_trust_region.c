/* test_trust_region.c - calibrate/trust_region.c against GSL's trust region solver: problems whose
 * minimum is known, columns that depend on others, residuals that are not finite, random problems.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>

#include <calibrate/trust_region.h>
#include <tests/test.h>

#define MOST 12 /* parameters */
#define RESIDUALS_MOST 40

struct test_problem {
    const char *name;
    residuals_function *at;
    size_t residuals, parameters;
    double start[MOST];
    double squares; /* the known minimum of |f|^2; NaN: not known */
    bool variances; /* whether to compare them; false: J is singular there */
};

/* ---- the problems: More, Garbow and Hillstrom, ACM Trans. Math. Softw. 7 (1981) */

static void rosenbrock(const double *x, void *context, double *f)
{
    (void)context;
    f[0] = 10.0 * (x[1] - x[0] * x[0]);
    f[1] = 1.0 - x[0];
}

static void powell_singular(const double *x, void *context, double *f)
{
    (void)context;
    f[0] = x[0] + 10.0 * x[1];
    f[1] = sqrt(5.0) * (x[2] - x[3]);
    f[2] = (x[1] - 2.0 * x[2]) * (x[1] - 2.0 * x[2]);
    f[3] = sqrt(10.0) * (x[0] - x[3]) * (x[0] - x[3]);
}

static void powell_badly_scaled(const double *x, void *context, double *f)
{
    (void)context;
    f[0] = 1e4 * x[0] * x[1] - 1.0;
    f[1] = exp(-x[0]) + exp(-x[1]) - 1.0001;
}

static void freudenstein_roth(const double *x, void *context, double *f)
{
    (void)context;
    f[0] = -13.0 + x[0] + ((5.0 - x[1]) * x[1] - 2.0) * x[1];
    f[1] = -29.0 + x[0] + ((x[1] + 1.0) * x[1] - 14.0) * x[1];
}

static void bard(const double *x, void *context, double *f)
{
    static const double y[] = {0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39,
                               0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39};
    (void)context;
    for (size_t i = 0; i < 15; i++) {
        const double u = (double)i + 1.0, v = 16.0 - u;
        f[i] = y[i] - (x[0] + u / (v * x[1] + fmin(u, v) * x[2]));
    }
}

/* Exponentials like Osborne's first problem, with values that the model has at 0.5, 2, -1.5, 0.01
 * and 0.02: the minimum is 0. */
static void two_exponentials(const double *x, void *context, double *f)
{
    (void)context;
    for (size_t i = 0; i < 33; i++) {
        const double t = 10.0 * (double)i, y = 0.5 + 2.0 * exp(-t * 0.01) - 1.5 * exp(-t * 0.02);
        f[i] = x[0] + x[1] * exp(-t * x[3]) + x[2] * exp(-t * x[4]) - y;
    }
}

/* Linear, of rank 1: f_i = i sum_j j x_j - 1; the minimum is m (m - 1) / (2 (2 m + 1)). */
static void rank_one(const double *x, void *context, double *f)
{
    double sum = 0.0;
    (void)context;
    for (size_t j = 0; j < 5; j++)
        sum += ((double)j + 1.0) * x[j];
    for (size_t i = 0; i < 10; i++)
        f[i] = ((double)i + 1.0) * sum - 1.0;
}

/* f does not depend on x[1]. */
static void one_unused(const double *x, void *context, double *f)
{
    (void)context;
    for (size_t i = 0; i < 6; i++)
        f[i] = exp(x[0] * (double)i / 6.0) - (double)(i * i) / 8.0 + 0.1 * x[2];
}

/* The minimum is at 0, where no step is small beside x. */
static void at_zero(const double *x, void *context, double *f)
{
    (void)context;
    f[0] = 1000.0 * (x[0] + x[0] * x[0]);
}

/* No values below 0, where the first steps of Gauss and Newton lead; 0 at x = 0.01. */
static void wall(const double *x, void *context, double *f)
{
    (void)context;
    f[0] = log(x[0]) - log(0.01);
    f[1] = sqrt(x[0]) - 0.1;
}

static void constant(const double *x, void *context, double *f)
{
    (void)x;
    (void)context;
    for (size_t i = 0; i < 6; i++)
        f[i] = 1.0;
}

/* A number from 0 to 1 that depends on both. */
static double draw(uint64_t seed, uint64_t i)
{
    uint64_t z = (seed << 20) + i * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

struct decays {
    size_t terms, length;
    uint64_t seed;
};

static void decays_at(const double *x, void *context, double *f)
{
    const struct decays *decays = context;
    for (size_t i = 0; i < decays->length; i++) {
        const double t = 0.1 + (double)i / 10.0;
        double sum = 0.05 * (draw(decays->seed, 100 + i) - 0.5);
        for (size_t j = 0; j < decays->terms; j++)
            sum += exp(-t * exp(x[j])) - exp(-t * exp((double)j + draw(decays->seed, j)));
        f[i] = sum;
    }
}

static const struct test_problem problems[] = {
    {"rosenbrock", rosenbrock, 2, 2, {-1.2, 1.0}, 0.0, true},
    {"powell_singular", powell_singular, 4, 4, {3.0, -1.0, 0.0, 1.0}, 0.0, false},
    {"powell_badly_scaled", powell_badly_scaled, 2, 2, {0.0, 1.0}, 0.0, true},
    {"freudenstein_roth", freudenstein_roth, 2, 2, {0.5, -2.0}, 48.98425367924, false},
    {"bard", bard, 15, 3, {1.0, 1.0, 1.0}, 8.21487730657e-3, true},
    {"two_exponentials", two_exponentials, 33, 5, {0.4, 1.5, -1.0, 0.011, 0.025}, 0.0, true},
    {"rank_one", rank_one, 10, 5, {1.0, 1.0, 1.0, 1.0, 1.0}, 10.0 * 9.0 / 42.0, false},
    {"at_zero", at_zero, 1, 1, {1.0}, 0.0, true},
    {"one_unused", one_unused, 6, 3, {0.5, 0.5, 0.5}, NAN, true},
};
#define PROBLEMS (sizeof problems / sizeof *problems)

/* ---- GSL's answer */

static int for_gsl(const gsl_vector *x, void *context, gsl_vector *f)
{
    const struct least_squares *system = context;
    double values[RESIDUALS_MOST];
    system->residuals_at(x->data, system->context, values);
    for (size_t i = 0; i < f->size; i++) /* f may be a column of a matrix */
        gsl_vector_set(f, i, values[i]);
    return GSL_SUCCESS;
}

static struct trust_region_result by_gsl(const struct least_squares *system, double *x,
                                         double *inverse)
{
    const gsl_multifit_nlinear_parameters options = gsl_multifit_nlinear_default_parameters();
    const size_t p = system->parameters;
    gsl_multifit_nlinear_fdf fdf = {
        .f = for_gsl, .n = system->residuals, .p = p, .params = (void *)system};
    gsl_multifit_nlinear_workspace *w =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &options, fdf.n, p);
    gsl_matrix *covariance = gsl_matrix_alloc(p, p);
    gsl_vector_view start = gsl_vector_view_array(x, p);
    struct trust_region_result result;
    int info = 0;
    gsl_set_error_handler_off();
    gsl_multifit_nlinear_init(&start.vector, &fdf, w);
    const int status =
        gsl_multifit_nlinear_driver(system->most_steps, system->step_tolerance,
                                    system->gradient_tolerance, 0.0, NULL, NULL, &info, w);
    result.end = status == GSL_SUCCESS && info == 1   ? TRUST_REGION_SMALL_STEP
                 : status == GSL_SUCCESS && info == 2 ? TRUST_REGION_SMALL_GRADIENT
                 : info == GSL_ENOPROG                ? TRUST_REGION_NO_PROGRESS
                                                      : TRUST_REGION_MOST_STEPS;
    result.steps = (unsigned)gsl_multifit_nlinear_niter(w);
    result.norm = gsl_blas_dnrm2(gsl_multifit_nlinear_residual(w));
    gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(w), 0.0, covariance);
    for (size_t i = 0; i < p; i++) {
        x[i] = gsl_vector_get(gsl_multifit_nlinear_position(w), i);
        inverse[i] = gsl_matrix_get(covariance, i, i);
    }
    gsl_matrix_free(covariance);
    gsl_multifit_nlinear_free(w);
    return result;
}

static double scale_of(const double *x, size_t length)
{
    double most = 0.0;
    for (size_t i = 0; i < length; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static unsigned other_steps; /* how often the two took another number of steps */

/* Both from the same start: the same end after as many steps, or up to `slack` more or less, and
 * the same x, to `tolerance` of the largest and a thousandth of its standard error. And the same
 * `variances`: differences move the elements of J by some 1e-8, which counts more the nearer J is
 * to a singular one. */
static struct trust_region_result compare(const char *name, const struct least_squares *system,
                                          const double *from, double tolerance, bool variances,
                                          int slack)
{
    double x[MOST], inverse[MOST], gsl_x[MOST], gsl_inverse[MOST];
    const size_t p = system->parameters;
    memcpy(x, from, p * sizeof *x);
    memcpy(gsl_x, from, p * sizeof *x);
    const struct trust_region_result own = minimise_squares(system, x, inverse),
                                     gsl = by_gsl(system, gsl_x, gsl_inverse);
    other_steps += own.steps != gsl.steps;
    ck_assert_msg((own.end == gsl.end || own.steps != gsl.steps) &&
                      abs((int)own.steps - (int)gsl.steps) <= slack,
                  "%s: end %d, GSL %d; %u steps, GSL %u; norm %.17g, GSL %.17g", name, own.end,
                  gsl.end, own.steps, gsl.steps, own.norm, gsl.norm);
    const double close = 1e-4 * (1.0 + sqrt(scale_of(gsl_inverse, p)));
    ck_assert_msg(fabs(own.norm - gsl.norm) <= tolerance * fmax(1.0, gsl.norm),
                  "%s: norm %.17g, GSL %.17g", name, own.norm, gsl.norm);
    for (size_t i = 0; i < p; i++) {
        const double error = gsl.norm * sqrt(gsl_inverse[i]); /* standard, and more */
        ck_assert_msg(fabs(x[i] - gsl_x[i]) <= tolerance * scale_of(gsl_x, p) + 1e-3 * error,
                      "%s: x[%zu] %.17g, GSL %.17g", name, i, x[i], gsl_x[i]);
        if (variances)
            ck_assert_msg(fabs(inverse[i] - gsl_inverse[i]) <= close * gsl_inverse[i],
                          "%s: inverse[%zu] %.17g, GSL %.17g", name, i, inverse[i], gsl_inverse[i]);
    }
    return own;
}

static struct least_squares system_of(const struct test_problem *problem, double tolerance)
{
    return (struct least_squares){.residuals_at = problem->at,
                                  .residuals = problem->residuals,
                                  .parameters = problem->parameters,
                                  .most_steps = 500,
                                  .step_tolerance = tolerance,
                                  .gradient_tolerance = tolerance * 1e-4};
}

START_TEST(known_minima)
{
    for (size_t i = 0; i < PROBLEMS; i++) {
        const struct test_problem *problem = &problems[i];
        struct least_squares system = system_of(problem, 1e-4);
        const struct trust_region_result r =
            compare(problem->name, &system, problem->start, 1e-6, problem->variances, 0);
        const double squares = r.norm * r.norm;
        ck_assert_msg(isnan(problem->squares) ||
                          fabs(squares - problem->squares) <= 1e-8 * fmax(problem->squares, 1e-3),
                      "%s: %.17g, want %.17g", problem->name, squares, problem->squares);
        for (system.most_steps = 1; system.most_steps < 4; system.most_steps++)
            compare(problem->name, &system, problem->start, 1e-6, false, 0);
    }
}
END_TEST

/* What a parameter without effect, or a linear dependency, leaves undetermined. */
START_TEST(columns_that_depend)
{
    double x[MOST], inverse[MOST];
    struct least_squares system = system_of(&problems[PROBLEMS - 1], 1e-4);
    memcpy(x, problems[PROBLEMS - 1].start, sizeof x);
    minimise_squares(&system, x, inverse);
    ck_assert(x[1] == 0.5 && inverse[1] == 0.0 && inverse[0] > 0.0 && inverse[2] > 0.0);
    /* f is constant: no step helps, and all is left over. */
    system.residuals_at = constant;
    memcpy(x, problems[PROBLEMS - 1].start, sizeof x);
    const struct trust_region_result r =
        compare("constant", &system, problems[PROBLEMS - 1].start, 0.0, false, 0);
    ck_assert_int_eq(r.end, TRUST_REGION_NO_PROGRESS);
    minimise_squares(&system, x, inverse);
    ck_assert(x[0] == 0.5 && inverse[0] == 0.0 && inverse[1] == 0.0 && inverse[2] == 0.0);
}
END_TEST

/* Sums of decays with rates near e^x, and noise: as many steps as GSL takes, the same x and the
 * same variances. */
START_TEST(random_problems)
{
    for (uint64_t seed = 1; seed <= 400; seed++) {
        const size_t p = 1 + seed % 4, n = p + (size_t)(draw(seed, 90) * 30.0);
        struct decays decays = {.terms = p, .length = n, .seed = seed};
        struct least_squares system = {.residuals_at = decays_at,
                                       .context = &decays,
                                       .residuals = n,
                                       .parameters = p,
                                       .most_steps = 100,
                                       .step_tolerance = 1e-4,
                                       .gradient_tolerance = 1e-8};
        double start[MOST];
        char name[40];
        for (size_t i = 0; i < p; i++)
            start[i] = i == 0 && seed % 3 == 0 ? 0.0 : (double)i + draw(seed, 50 + i);
        snprintf(name, sizeof name, "seed %u", (unsigned)seed);
        compare(name, &system, start, 1e-6, true, 3);
    }
    ck_assert_uint_le(other_steps, 8); /* 4: a stop is reached a step earlier or later */
}
END_TEST

START_TEST(not_finite)
{
    struct least_squares system = system_of(&problems[0], 1e-6);
    double x[2] = {5.0, 5.0}, inverse[2];
    system.residuals_at = wall;
    system.parameters = 1;
    struct trust_region_result r = minimise_squares(&system, x, inverse);
    ck_assert_msg(fabs(x[0] - 0.01) < 1e-8 && r.norm < 1e-6, "%g after %u, |f| %g", x[0], r.steps,
                  r.norm);
    x[0] = -1.0; /* no values at the start */
    r = minimise_squares(&system, x, inverse);
    ck_assert(r.end == TRUST_REGION_NO_PROGRESS && r.steps == 1 && x[0] == -1.0 && isnan(r.norm));
    x[0] = 0.0; /* log(0) */
    r = minimise_squares(&system, x, inverse);
    ck_assert(r.end == TRUST_REGION_NO_PROGRESS && x[0] == 0.0 && isinf(r.norm));
}
END_TEST

START_TEST(no_system)
{
    struct least_squares system = system_of(&problems[0], 1e-4);
    double x[2] = {3.0, 4.0}, inverse[2] = {5.0, 6.0};
    system.parameters = 0;
    ck_assert_int_eq(minimise_squares(&system, x, inverse).end, TRUST_REGION_FAILED);
    system.parameters = 3; /* more than there are residuals */
    ck_assert_int_eq(minimise_squares(&system, x, inverse).end, TRUST_REGION_FAILED);
    system.parameters = 2;
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* they end the program */
    system.residuals = SIZE_MAX / 8; /* more than there is memory for */
    ck_assert_int_eq(minimise_squares(&system, x, inverse).end, TRUST_REGION_FAILED);
    system.residuals = SIZE_MAX / 256;
    ck_assert_int_eq(minimise_squares(&system, x, inverse).end, TRUST_REGION_FAILED);
#endif
    ck_assert(x[0] == 3.0 && x[1] == 4.0 && inverse[0] == 5.0 && inverse[1] == 6.0);
}
END_TEST

TEST_MAIN("trust_region", known_minima, columns_that_depend, random_problems, not_finite, no_system)
