/* least_squares.c - see least_squares.h. Residuals are those of the logarithm of the time; GSL's
 * trust region solver does the rest.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "least_squares.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>

/* Residuals beyond this (10 % of a time) count by their size and no longer by its square. A time
 * that is known to +- 10 % weighs half as much as one that is known well. */
#define OUTLIER 0.1

/* How far a parameter may go from its start: e^7 = 1100 times. */
#define FARTHEST 7.0

/* Draws each parameter to its start, so that what the runs do not determine stays there. A factor
 * of e counts as much as one run whose time is off by 1 %. */
#define PRIOR 1e-2

const struct rcm_time_parameter *parameter_at(size_t offset)
{
    size_t i = 0;
    while (rcm_time_parameter(i)->offset != offset)
        i++;
    return rcm_time_parameter(i);
}

double parameter_start(const struct rcm_kernel *kernel, const struct rcm_time_parameter *parameter)
{
    return kernel->exact_only ? parameter->exact_start
           : kernel->cpu      ? parameter->cpu_start
                              : parameter->start;
}

void add_free_parameter(struct problem *problem, const struct rcm_time_parameter *parameter,
                        double start)
{
    problem->free[problem->free_count] = parameter;
    problem->start[problem->free_count++] = start;
}

void set_parameters(struct problem *problem, const gsl_vector *x)
{
    for (size_t i = 0; i < problem->free_count; i++) {
        const double at = gsl_vector_get(x, i), off = fmin(fmax(at, -FARTHEST), FARTHEST);
        rcm_set_time_value(&problem->profile, problem->free[i], problem->start[i] * exp(off));
    }
}

/* The square of the result is what an error r of the logarithm of a time adds to the misfit: r^2 if
 * it is small, 2 OUTLIER |r| if it is large. */
static double damp(double r)
{
    const double u = r / OUTLIER;
    return copysign(OUTLIER * sqrt(2.0 * (sqrt(1.0 + u * u) - 1.0)), r);
}

static double residual(const struct problem *problem, size_t i)
{
    const struct run *run = &problem->runs[i];
    const double noise = run->noise / OUTLIER;
    return damp(log(predicted_us(&problem->profile, run) / run->time_us)) /
           sqrt(1.0 + noise * noise);
}

static int residuals_at(const gsl_vector *x, void *context, gsl_vector *f)
{
    struct problem *problem = context;
    set_parameters(problem, x);
    for (size_t i = 0; i < problem->length; i++)
        gsl_vector_set(f, i, residual(problem, i));
    for (size_t i = 0; i < problem->free_count; i++)
        gsl_vector_set(f, problem->length + i, PRIOR * gsl_vector_get(x, i));
    return GSL_SUCCESS;
}

double misfit_of(const struct problem *problem)
{
    double sum = 0.0;
    for (size_t i = 0; i < problem->length; i++) {
        const double r = residual(problem, i);
        sum += r * r;
    }
    return sum;
}

int levenberg_marquardt(struct problem *problem, gsl_vector *x, struct fit *fit, double *errors)
{
    const gsl_multifit_nlinear_parameters options = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_fdf system = {.f = residuals_at,
                                       .n = problem->length + problem->free_count,
                                       .p = problem->free_count,
                                       .params = problem};
    gsl_multifit_nlinear_workspace *w =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &options, system.n, system.p);
    gsl_matrix *covariance = gsl_matrix_alloc(system.p, system.p);
    int info, status = w && covariance ? gsl_multifit_nlinear_init(x, &system, w) : GSL_ENOMEM;
    if (status == GSL_SUCCESS) {
        status = gsl_multifit_nlinear_driver(100, 1e-4, 1e-8, 0.0, NULL, NULL, &info, w);
        if (status == GSL_EMAXITER || status == GSL_ENOPROG)
            status = GSL_SUCCESS; /* as near as it gets */
        fit->steps += (unsigned)gsl_multifit_nlinear_niter(w);
        gsl_vector_memcpy(x, gsl_multifit_nlinear_position(w));
        double norm = gsl_blas_dnrm2(gsl_multifit_nlinear_residual(w));
        gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(w), 0.0, covariance);
        const double variance = norm * norm / fmax(1.0, (double)problem->length - (double)system.p);
        for (size_t i = 0; i < system.p; i++)
            errors[i] = sqrt(variance * gsl_matrix_get(covariance, i, i));
    }
    if (covariance)
        gsl_matrix_free(covariance);
    if (w)
        gsl_multifit_nlinear_free(w);
    return status == GSL_SUCCESS ? 0 : -1;
}

void set_fit_errors(const struct problem *problem, const double *errors, struct fit *fit)
{
    for (size_t i = 0; rcm_time_parameter(i); i++) {
        fit->error[i] = NAN;
        for (size_t j = 0; j < problem->free_count; j++)
            if (problem->free[j] == rcm_time_parameter(i))
                fit->error[i] = errors[j];
    }
}
