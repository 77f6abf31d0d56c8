/* full_model.c - the fit of the physical model: see fit_models.h and docs/models.md 14.
 *
 * Times jump where one more wave is needed, so blocks_at_once cannot be fitted by least squares. It
 * is searched for, in turn with the fit of the other parameters.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "fit_models.h"

static const struct rcm_time_parameter *blocks_at_once(void)
{
    return parameter_at(offsetof(struct rcm_profile, blocks_at_once));
}

/* ---- which parameters the runs determine */

static bool any_k_b(const struct problem *problem, uint64_t k_b)
{
    for (size_t i = 0; i < problem->length; i++)
        if (problem->runs[i].kind != RUN_EXACT && problem->runs[i].p.k_b == k_b)
            return true;
    return false;
}

/* Does the time of any run depend on the parameter? If the runs have k_b = 1, 2, 4, 8 and 16, the
 * parameter of k_b = 3 is left to interpolation. */
static bool depends_on(struct problem *problem, const struct rcm_time_parameter *parameter)
{
    const double value = rcm_time_value(&problem->profile, parameter);
    bool depends = false;
    if (parameter->k_b == 3 && any_k_b(problem, 1) && any_k_b(problem, 2) && any_k_b(problem, 4) &&
        any_k_b(problem, 8) && any_k_b(problem, 16))
        return false;
    for (size_t i = 0; i < problem->length && !depends; i++) {
        const double with = predicted_us(&problem->profile, &problem->runs[i]);
        rcm_set_time_value(&problem->profile, parameter, 2.0 * value);
        depends = predicted_us(&problem->profile, &problem->runs[i]) != with;
        rcm_set_time_value(&problem->profile, parameter, value);
    }
    return depends;
}

/* Can the time of each run be predicted? Returns 0, or -1 with a line in `error`. */
static int check_predictions(const struct problem *problem, struct message error)
{
    const struct rcm_kernel *kernel = problem->profile.kernel;
    for (size_t i = 0; i < problem->length; i++) {
        const struct run *run = &problem->runs[i];
        const unsigned long long n = run->p.n, b = run->p.b, k_b = run->p.k_b;
        if (run->kind != RUN_EXACT && run->p.k_b > kernel->k_b_max)
            return message_set(
                error,
                "the kernel %s has k_b up to %llu, but a run has k_b = %llu; give the kernel "
                "that ran it",
                kernel->name, (unsigned long long)kernel->k_b_max, k_b);
        if (!(predicted_us(&problem->profile, run) > 0.0))
            return message_set(
                error,
                "no time can be predicted for n = %llu, b = %llu, k_b = %llu: runs must have "
                "k_b = 1, 2, 3, 4, 8 or 16, or lie between two of these",
                n, b, k_b);
    }
    return 0;
}

static double start_of(const struct problem *problem, const struct rcm_time_parameter *parameter)
{
    const double known = rcm_time_value(&problem->prior, parameter);
    return known > 0.0 ? known : parameter_start(problem->profile.kernel, parameter);
}

/* Lets those parameters be fitted on which the time of a run depends, from their starts. The others
 * get the value of the prior, or their start if they are needed. *search says whether
 * blocks_at_once is to be searched for. */
static int choose_parameters(struct problem *problem, bool *search, struct message error)
{
    const struct rcm_kernel *kernel = problem->profile.kernel;
    const struct rcm_time_parameter *parameter;
    problem->free_count = 0;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        rcm_set_time_value(&problem->profile, parameter,
                           parameter->k_b <= kernel->k_b_max ? start_of(problem, parameter) : 0.0);
    if (check_predictions(problem, error) != 0)
        return -1;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        if (!depends_on(problem, parameter))
            rcm_set_time_value(&problem->profile, parameter,
                               parameter->needed ? start_of(problem, parameter)
                                                 : rcm_time_value(&problem->prior, parameter));
        else if (parameter != blocks_at_once())
            add_free_parameter(problem, parameter, start_of(problem, parameter));
    *search = kernel->model != RCM_TIME_CPU && depends_on(problem, blocks_at_once());
    return 0;
}

/* ---- blocks_at_once */

/* Sets it to the best of the values around it, in steps of 1 %; to the middle of several that are
 * as good. Returns whether it moved. */
static bool search_blocks_at_once(struct problem *problem)
{
    double *blocks = &problem->profile.blocks_at_once;
    const double before = *blocks;
    double best = before, best_end = before, least = misfit_of(problem);
    for (double at = before / 4.0; at < before * 4.0; at *= 1.01) {
        *blocks = at;
        const double here = misfit_of(problem);
        if (here < least * (1.0 - 1e-9)) {
            least = here;
            best = best_end = at;
        } else if (here <= least && at > best) {
            best_end = at;
        }
    }
    *blocks = sqrt(best * best_end);
    return fabs(*blocks / before - 1.0) > 0.005;
}

/* The other parameters fit the present value, so that no other value is better before they are
 * fitted again. Tries steps of 6, 2.5 and 1 % to both sides, each with a fit of its own, as long as
 * one helps. */
static int refine_blocks_at_once(struct problem *problem, double x[RCM_TIME_PARAMETERS],
                                 struct fit *fit, double *errors)
{
    const size_t size = problem->free_count * sizeof *x;
    double best[RCM_TIME_PARAMETERS], least = misfit_of(problem);
    double blocks = problem->profile.blocks_at_once;
    int status = 0;
    memcpy(best, x, size);
    for (double step = 0.06; status == 0 && step > 0.005; step /= 2.4) {
        for (int side = -1; status == 0 && side <= 1; side += 2) {
            memcpy(x, best, size);
            problem->profile.blocks_at_once = blocks * (1.0 + side * step);
            status = levenberg_marquardt(problem, x, fit, errors);
            set_parameters(problem, x);
            if (status == 0 && misfit_of(problem) < least * (1.0 - 1e-6)) {
                least = misfit_of(problem);
                blocks = problem->profile.blocks_at_once;
                memcpy(best, x, size);
                side -= 2; /* the same side once more */
            }
        }
    }
    if (status == 0) {
        memcpy(x, best, size);
        problem->profile.blocks_at_once = blocks;
        status = levenberg_marquardt(problem, x, fit, errors);
        set_parameters(problem, x);
    }
    return status;
}

/* ---- the fit */

static int fit_in_turn(struct problem *problem, bool search, struct fit *fit, struct message error)
{
    double x[RCM_TIME_PARAMETERS] = {0}, errors[RCM_TIME_PARAMETERS] = {0};
    int status = 0;
    bool moved = true;
    for (unsigned round = 0; status == 0 && moved && round < 6; round++) {
        status = levenberg_marquardt(problem, x, fit, errors);
        set_parameters(problem, x);
        moved = status == 0 && search && search_blocks_at_once(problem);
    }
    if (status == 0 && search)
        status = refine_blocks_at_once(problem, x, fit, errors);
    if (status != 0)
        message_set(error, "the fit failed: not enough memory");
    set_fit_errors(problem, errors, fit);
    return status;
}

int fit_full_model(struct problem *problem, struct fit *fit, struct message error)
{
    bool search;
    if (choose_parameters(problem, &search, error) != 0)
        return -1;
    fit->parameters = (unsigned)problem->free_count + search;
    if (!problem->has_prior && problem->length < 2 * (size_t)fit->parameters)
        return message_set(error, "%zu runs are too few for %u parameters; give at least %u",
                           problem->length, fit->parameters, 2 * fit->parameters);
    return fit_in_turn(problem, search, fit, error);
}
