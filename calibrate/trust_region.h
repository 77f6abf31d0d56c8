/* trust_region.h - internal to calibrate/: nonlinear least squares in a few parameters by the
 * method of Levenberg and Marquardt, in a trust region scaled as More does.
 *
 * Derived in docs/models.md 14, "Least squares". Sources: K. Levenberg, Quart. Appl. Math. 2
 * (1944); J. J. More, The Levenberg-Marquardt algorithm, Lecture Notes in Mathematics 630 (1978);
 * H. B. Nielsen, Damping parameter in Marquardt's method, IMM-REP-1999-05 (1999). Difference step,
 * scale, damping and stops are those that the manual of the GNU Scientific Library gives for the
 * default parameters of its gsl_multifit_nlinear_trust.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TRUST_REGION_H
#define TRUST_REGION_H

#include <stddef.h>

/* Writes the residuals at x, as many as the system has, into f. It must be a pure function of x. */
typedef void residuals_function(const double *x, void *context, double *f);

struct least_squares {
    residuals_function *residuals_at;
    void *context;
    size_t residuals, parameters; /* 1 <= parameters <= residuals */
    unsigned most_steps;
    double step_tolerance, gradient_tolerance; /* see below */
};

enum trust_region_end {
    TRUST_REGION_SMALL_STEP,     /* |step_i| < t (|x_i| + t) for each i, t the step tolerance */
    TRUST_REGION_SMALL_GRADIENT, /* |g_i max(x_i, 1)| <= t max(|f|^2/2, 1), g = J'f, for each i */
    TRUST_REGION_MOST_STEPS,
    TRUST_REGION_NO_PROGRESS, /* 16 steps from the last x did not make the sum of squares less */
    TRUST_REGION_FAILED,      /* memory ran out, or the system is not of the shape above */
};

struct trust_region_result {
    enum trust_region_end end;
    unsigned steps;
    double norm; /* |f| at x */
};

/* Looks for a minimum of |f(x)|^2 near x, which gets the result, and writes the diagonal of
 * (J'J)^-1 at the result into inverse[parameters]: the variances of the parameters for residuals of
 * variance 1. Where columns of J depend on others, `inverse` is 0 for those that are left over. J
 * is by forward differences: of x_i by |x_i| sqrt(eps), or sqrt(eps) if x_i is 0.
 *
 * A step to residuals that are not finite is rejected like one uphill; from a start with such
 * residuals there is no progress. Nothing is changed if it failed. The square of a residual must
 * not overflow; where it does, the residual counts as infinite. */
struct trust_region_result minimise_squares(const struct least_squares *system, double *x,
                                            double *inverse);

#endif
