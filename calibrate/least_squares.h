/* least_squares.h - internal to calibrate/: the parameters of a profile that are fitted, and their
 * fit by least squares.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LEAST_SQUARES_H
#define LEAST_SQUARES_H

#include "fit.h"

/* Some parameters of a profile, fitted to runs; the others keep the values that the profile has. A
 * vector x holds, for each fitted parameter, the logarithm of its value over its start. */
struct problem {
    const struct run *runs;
    size_t length;
    struct rcm_profile profile, prior; /* the prior: its parameters alone, if it has_prior */
    bool has_prior;
    size_t free_count;
    const struct rcm_time_parameter *free[RCM_TIME_PARAMETERS]; /* those that are fitted */
    double start[RCM_TIME_PARAMETERS];                          /* where each of them begins */
};

/* The parameter of a profile at an offset in the struct. */
const struct rcm_time_parameter *parameter_at(size_t offset);

/* Where the fit of a parameter begins for a kernel without a prior; 0: the kernel's model does not
 * have it. */
double parameter_start(const struct rcm_kernel *kernel, const struct rcm_time_parameter *parameter);

/* Lets one more parameter be fitted. */
void add_free_parameter(struct problem *problem, const struct rcm_time_parameter *parameter,
                        double start);

/* Sets the fitted parameters of the profile to those of x. */
void set_parameters(struct problem *problem, const double *x);

/* The misfit of the profile: the sum over runs of the squared residuals, outliers damped. */
double misfit_of(const struct problem *problem);

/* Fits the parameters by the method of Levenberg and Marquardt, from x on; x gets the result, which
 * set_parameters() puts into the profile. errors[i]: the relative standard error of free[i]. Adds
 * its steps to fit->steps. Returns 0, or -1 if memory ran out or no parameter is free. */
int levenberg_marquardt(struct problem *problem, double *x, struct fit *fit, double *errors);

/* Puts the errors of the fitted parameters into fit->error, and NaN for the rest. */
void set_fit_errors(const struct problem *problem, const double *errors, struct fit *fit);

#endif
