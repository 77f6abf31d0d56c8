/* short_model.c - the fit of the short model: see fit_models.h and docs/models.md 14.
 *
 * The model has six parameters. Every subset of those that the runs can tell apart is fitted, and
 * Schwarz's criterion decides.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fit_models.h"

#define SHORT_PARAMETERS 6
#define EXACT_MISFIT 1e-8 /* of a run: below 0.01 % nothing is better than anything else */

/* The time that run i would take if the parameter were `value` and the other ones 0, over the time
 * that it took. */
static double share_of(struct problem *problem, const struct rcm_time_parameter *parameter,
                       double value, size_t i)
{
    rcm_set_time_value(&problem->profile, parameter, value);
    const double share =
        predicted_us(&problem->profile, &problem->runs[i]) / problem->runs[i].time_us;
    rcm_set_time_value(&problem->profile, parameter, 0.0);
    return share > 0.0 ? share : 0.0; /* NaN: it does not affect the run */
}

/* The start of a parameter: its term alone explains 70 % of the time of one run and no more of any
 * other. 0 if it affects no run. */
static double starting_value(struct problem *problem, const struct rcm_time_parameter *parameter)
{
    double most = 0.0, doubled = 0.0;
    for (size_t i = 0; i < problem->length; i++) {
        most = fmax(most, share_of(problem, parameter, parameter->start[RCM_TIME_SHORT], i));
        doubled =
            fmax(doubled, share_of(problem, parameter, 2.0 * parameter->start[RCM_TIME_SHORT], i));
    }
    return !(most > 0.0)    ? 0.0
           : doubled > most ? 0.7 * parameter->start[RCM_TIME_SHORT] / most
                            : parameter->start[RCM_TIME_SHORT] * most / 0.7;
}

/* Do the two differ by the same factor in all runs, to 1 %? No fit can tell them apart then. */
static bool indistinguishable(struct problem *problem, const struct rcm_time_parameter *a,
                              const struct rcm_time_parameter *b)
{
    double low = INFINITY, high = 0.0;
    for (size_t i = 0; i < problem->length; i++) {
        const double x = share_of(problem, a, a->start[RCM_TIME_SHORT], i),
                     y = share_of(problem, b, b->start[RCM_TIME_SHORT], i);
        if (x == 0.0 && y == 0.0)
            continue;
        low = fmin(low, y > 0.0 ? x / y : 0.0);
        high = fmax(high, y > 0.0 ? x / y : INFINITY);
    }
    return high <= 1.01 * low;
}

static bool one_k_b(const struct problem *problem)
{
    const struct run *first = NULL;
    for (size_t i = 0; i < problem->length; i++)
        if (problem->runs[i].kind != RUN_EXACT) {
            first = first ? first : &problem->runs[i];
            if (problem->runs[i].p.k_b != first->p.k_b)
                return false;
        }
    return true;
}

/* Lists the parameters that play a part in the runs, with their starts, but for those that the runs
 * cannot tell from an earlier one: if all runs have the same m, a candidate of one row from one of
 * all rows; if all have the same k_b, operations from bytes. Returns how many. */
static size_t list_parameters(struct problem *problem,
                              const struct rcm_time_parameter *listed[SHORT_PARAMETERS],
                              double starts[SHORT_PARAMETERS])
{
    static const size_t order[SHORT_PARAMETERS] = {offsetof(struct rcm_profile, launch_us),
                                                   offsetof(struct rcm_profile, roof_bytes_per_s),
                                                   offsetof(struct rcm_profile, operations_per_s),
                                                   offsetof(struct rcm_profile, select_launch_us),
                                                   offsetof(struct rcm_profile, select_batch_us),
                                                   offsetof(struct rcm_profile, select_element_us)};
    size_t count = 0;
    for (size_t i = 0; i < SHORT_PARAMETERS; i++) {
        const struct rcm_time_parameter *parameter = parameter_at(order[i]);
        bool usable = (starts[count] = starting_value(problem, parameter)) > 0.0;
        usable = usable &&
                 !(order[i] == offsetof(struct rcm_profile, operations_per_s) && one_k_b(problem));
        for (size_t j = 0; usable && j < count; j++)
            usable = !indistinguishable(problem, listed[j], parameter);
        if (usable)
            listed[count++] = parameter;
    }
    return count;
}

/* Runs of one k_b do not tell operations from bytes. More k_b cost more all the same: by the
 * prior. */
static void keep_operations(struct problem *problem)
{
    if (one_k_b(problem))
        problem->profile.operations_per_s = problem->prior.operations_per_s;
}

/* Fits the parameters of a subset, one bit each; the others are 0. Returns Schwarz's criterion, of
 * which less is better, or NaN if there is no fit. */
static double fit_subset(struct problem *problem, const struct rcm_time_parameter *const *listed,
                         const double *starts, size_t count, unsigned subset, struct fit *fit)
{
    double x[RCM_TIME_PARAMETERS] = {0}, errors[RCM_TIME_PARAMETERS];
    problem->free_count = 0;
    for (size_t i = 0; i < count; i++) {
        rcm_set_time_value(&problem->profile, listed[i], 0.0);
        if (subset >> i & 1)
            add_free_parameter(problem, listed[i], starts[i]);
    }
    for (size_t i = 0; i < problem->free_count; i++)
        rcm_set_time_value(&problem->profile, problem->free[i], problem->start[i]);
    for (size_t i = 0; i < problem->length; i++)
        if (!(predicted_us(&problem->profile, &problem->runs[i]) > 0.0))
            return NAN;
    const int status = levenberg_marquardt(problem, x, fit, errors);
    if (status == 0) {
        set_parameters(problem, x);
        set_fit_errors(problem, errors, fit);
    }
    const double runs = (double)problem->length;
    return status == 0 ? runs * log(fmax(misfit_of(problem) / runs, EXACT_MISFIT)) +
                             (double)problem->free_count * log(runs)
                       : NAN;
}

int fit_short_model(struct problem *problem, struct fit *fit, struct message error)
{
    const struct rcm_time_parameter *listed[SHORT_PARAMETERS], *parameter;
    double starts[SHORT_PARAMETERS + 1], least = INFINITY;
    unsigned best = 0;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        rcm_set_time_value(&problem->profile, parameter, 0.0);
    const size_t count = list_parameters(problem, listed, starts);
    keep_operations(problem);
    for (unsigned subset = 1; subset < 1u << count; subset++) {
        if (2 * (size_t)__builtin_popcount(subset) > problem->length)
            continue;
        const double criterion = fit_subset(problem, listed, starts, count, subset, fit);
        if (criterion < least) {
            least = criterion;
            best = subset;
        }
    }
    if (best == 0 || isnan(fit_subset(problem, listed, starts, count, best, fit)))
        return message_set(error, "the fit failed");
    fit->parameters = (unsigned)problem->free_count;
    return 0;
}
