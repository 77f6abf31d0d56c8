/* least_squares.c - see least_squares.h. Residuals are those of the logarithm of the time;
 * GSL's trust region does the rest (docs/models.md 14, "Least squares").
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "least_squares.h"

#include <math.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>

/* Residuals beyond this (10 % of a time) count by their size and no longer by its square. A time
 * that is known to +- 10 % weighs half as much as one that is known well. */
#define OUTLIER 0.1

/* How far a parameter may go from its start: e^7 = 1100 times. */
#define FARTHEST 7.0

/* Draws each parameter to its start, so that what the runs do not determine stays there. A factor
 * of e counts as much as one run whose time is off by 1 %, from a prior at least 3 %: of ten runs,
 * 10 % make the worst choice of docs/calibrating.md worse. */
#define PULL 1e-2
#define PRIOR_PULL 3e-2

#define STEPS_MOST 100
#define STEP_TOLERANCE 1e-4
#define GRADIENT_TOLERANCE 1e-8

const struct rcm_time_parameter *parameter_at(size_t offset)
{
    size_t i = 0;
    while (rcm_time_parameter(i)->offset != offset)
        i++;
    return rcm_time_parameter(i);
}

double parameter_start(const struct rcm_kernel *kernel, const struct rcm_time_parameter *parameter)
{
    return parameter->start[kernel->model];
}

void add_free_parameter(struct problem *problem, const struct rcm_time_parameter *parameter,
                        double start)
{
    problem->free[problem->free_count] = parameter;
    problem->start[problem->free_count++] = start;
}

void set_parameters(struct problem *problem, const double *x)
{
    for (size_t i = 0; i < problem->free_count; i++) {
        const double off = fmin(fmax(x[i], -FARTHEST), FARTHEST);
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

/* What a parameter adds that is e^x times its start. A prior of the kernel itself draws harder the
 * farther the parameter goes: a factor of 3 counts as much as a run that is off by 7 %, a factor
 * of 8 as one that is off by 48 %. So one run of ten that the model does not fit moves no constant
 * of the kernel beyond what differs between cards. */
static double pull_of(const struct problem *problem, double x)
{
    return !problem->has_prior                ? PULL * x
           : problem->profile.kernel->borrows ? PRIOR_PULL * x
                                              : PRIOR_PULL * 0.5 * sinh(2.0 * x);
}

static int residuals_at(const gsl_vector *x, void *context, gsl_vector *f)
{
    struct problem *problem = context;
    set_parameters(problem, gsl_vector_const_ptr(x, 0));
    for (size_t i = 0; i < problem->length; i++)
        gsl_vector_set(f, i, residual(problem, i));
    for (size_t i = 0; i < problem->free_count; i++)
        gsl_vector_set(f, problem->length + i, pull_of(problem, gsl_vector_get(x, i)));
    return GSL_SUCCESS;
}

double misfit_of(const struct problem *problem)
{
    double sum = 0.0;
    for (size_t i = 0; i < problem->length; i++) {
        const double r = residual(problem, i);
        sum += r * r;
    }
    const double known = problem->prior.blocks_at_once, is = problem->profile.blocks_at_once;
    const double drawn = known > 0.0 && is > 0.0 ? pull_of(problem, log(is / known)) : 0.0;
    return sum + drawn * drawn;
}

/* Solves from the position of the workspace on, and sets the errors for residuals of variance 1.
 * Ends that are no minimum (too many steps, no progress) are ends: x is the best that was found. */
static int solve(gsl_multifit_nlinear_workspace *w, gsl_multifit_nlinear_fdf *system, double *x,
                 gsl_matrix *covariance)
{
    const gsl_vector_view from = gsl_vector_view_array(x, system->p);
    int status = gsl_multifit_nlinear_init(&from.vector, system, w), reason;
    if (status != GSL_SUCCESS)
        return status;
    gsl_multifit_nlinear_driver(STEPS_MOST, STEP_TOLERANCE, GRADIENT_TOLERANCE, 0.0, NULL, NULL,
                                &reason, w);
    for (size_t i = 0; i < system->p; i++)
        x[i] = gsl_vector_get(gsl_multifit_nlinear_position(w), i);
    return gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(w), 0.0, covariance);
}

int levenberg_marquardt(struct problem *problem, double *x, struct fit *fit, double *errors)
{
    const size_t count = problem->free_count;
    gsl_multifit_nlinear_fdf system = {
        .f = residuals_at, .n = problem->length + count, .p = count, .params = problem};
    if (count == 0)
        return -1;
    const gsl_multifit_nlinear_parameters usual = gsl_multifit_nlinear_default_parameters();
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    gsl_multifit_nlinear_workspace *w =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &usual, system.n, count);
    gsl_matrix *covariance = gsl_matrix_alloc(count, count);
    int status = w && covariance ? solve(w, &system, x, covariance) : GSL_ENOMEM;
    if (status == GSL_SUCCESS) {
        /* the pulls to a prior count as runs, one for each parameter */
        const double fitted = problem->has_prior ? 0.0 : (double)count;
        const double freedom = fmax(1.0, (double)problem->length - fitted);
        const double scale = gsl_blas_dnrm2(gsl_multifit_nlinear_residual(w)) / sqrt(freedom);
        for (size_t i = 0; i < count; i++)
            errors[i] = scale * sqrt(gsl_matrix_get(covariance, i, i));
        fit->steps += (unsigned)gsl_multifit_nlinear_niter(w);
    }
    gsl_matrix_free(covariance);
    gsl_multifit_nlinear_free(w);
    gsl_set_error_handler(handler);
    return status == GSL_SUCCESS ? 0 : -1;
}

void set_fit_errors(const struct problem *problem, const double *errors, struct fit *fit)
{
    for (size_t i = 0; rcm_time_parameter(i); i++) {
        const double known = rcm_time_value(&problem->prior, rcm_time_parameter(i));
        const double is = rcm_time_value(&problem->profile, rcm_time_parameter(i));
        fit->error[i] = known > 0.0 && is == known ? INFINITY : NAN;
        for (size_t j = 0; j < problem->free_count; j++)
            if (problem->free[j] == rcm_time_parameter(i))
                fit->error[i] = errors[j];
    }
}
