/* least_squares.c - see least_squares.h. Residuals are those of the logarithm of the time;
 * trust_region.c does the rest.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "least_squares.h"

#include <math.h>

#include "trust_region.h"

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

static void residuals_at(const double *x, void *context, double *f)
{
    struct problem *problem = context;
    set_parameters(problem, x);
    for (size_t i = 0; i < problem->length; i++)
        f[i] = residual(problem, i);
    for (size_t i = 0; i < problem->free_count; i++)
        f[problem->length + i] = pull_of(problem, x[i]);
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

int levenberg_marquardt(struct problem *problem, double *x, struct fit *fit, double *errors)
{
    const size_t count = problem->free_count;
    const struct least_squares system = {.residuals_at = residuals_at,
                                         .context = problem,
                                         .residuals = problem->length + count,
                                         .parameters = count,
                                         .most_steps = STEPS_MOST,
                                         .step_tolerance = STEP_TOLERANCE,
                                         .gradient_tolerance = GRADIENT_TOLERANCE};
    const struct trust_region_result result = minimise_squares(&system, x, errors);
    if (result.end == TRUST_REGION_FAILED)
        return -1;
    /* the pulls to a prior count as runs, one for each parameter */
    const double fitted = problem->has_prior ? 0.0 : (double)count;
    const double freedom = fmax(1.0, (double)problem->length - fitted);
    for (size_t i = 0; i < count; i++)
        errors[i] = sqrt(result.norm * result.norm / freedom * errors[i]);
    fit->steps += result.steps;
    return 0;
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
