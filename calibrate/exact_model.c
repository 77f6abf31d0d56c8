/* exact_model.c - the fit of the model of kernels that only find the exact top-k: see fit_models.h
 * and docs/models.md 19.
 *
 * long_n makes the time jump, so it is searched for: between each two neighbouring n of the runs,
 * with a fit of the others. Then each of the others is left out if Schwarz's criterion says so.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "fit_models.h"

#define EXACT_MISFIT 1e-8    /* of a run: below 0.01 % nothing is better than anything else */
#define SAME_MISFIT 1.000001 /* a longer way must be better by this factor */

/* The parameters but long_n. */
static const size_t offsets[] = {
    offsetof(struct rcm_profile, launch_us),      offsetof(struct rcm_profile, roof_bytes_per_s),
    offsetof(struct rcm_profile, row_us),         offsetof(struct rcm_profile, row_element_us),
    offsetof(struct rcm_profile, rows_at_once),   offsetof(struct rcm_profile, long_us),
    offsetof(struct rcm_profile, long_element_us)};
#define FITTED (sizeof offsets / sizeof *offsets)

/* A fit: the profile, which of `offsets` it has (a bit each), its misfit and its errors. */
struct candidate {
    struct rcm_profile profile;
    unsigned subset;
    double misfit, errors[FITTED];
};

/* Lets the parameters of a subset be fitted, from their starts; the others become 0. */
static void set_free(struct problem *problem, unsigned subset)
{
    problem->free_count = 0;
    for (size_t i = 0; i < FITTED; i++) {
        const struct rcm_time_parameter *parameter = parameter_at(offsets[i]);
        const double start = parameter_start(problem->profile.kernel, parameter);
        rcm_set_time_value(&problem->profile, parameter, subset >> i & 1 ? start : 0.0);
        if (subset >> i & 1)
            add_free_parameter(problem, parameter, start);
    }
}

/* Fits the parameters of a subset, with the long_n that the profile of the problem has. Returns
 * whether there is a fit. */
static bool fit_subset(struct problem *problem, unsigned subset, struct fit *fit,
                       struct candidate *result)
{
    set_free(problem, subset);
    for (size_t i = 0; i < problem->length; i++)
        if (!(predicted_us(&problem->profile, &problem->runs[i]) > 0.0))
            return false;
    double x[FITTED] = {0};
    const bool success = levenberg_marquardt(problem, x, fit, result->errors) == 0;
    set_parameters(problem, x);
    result->profile = problem->profile;
    result->subset = subset;
    result->misfit = misfit_of(problem);
    return success && isfinite(result->misfit);
}

static unsigned count_of(const struct candidate *c)
{
    return (unsigned)__builtin_popcount(c->subset) + (c->profile.long_n > 0.0);
}

/* Schwarz's criterion, of which less is better. */
static double criterion_of(const struct candidate *c, size_t length)
{
    const double runs = (double)length;
    return runs * log(fmax(c->misfit / runs, EXACT_MISFIT)) + (double)count_of(c) * log(runs);
}

/* Which parameters the time of a run depends on: those of a way only if a run goes it. */
static unsigned usable(struct problem *problem)
{
    unsigned subset = 0;
    bool goes_long = false, goes_short = false;
    set_free(problem, 1u);
    for (size_t i = 0; i < problem->length; i++) {
        const char *way = rcm_predict_exact_unpadded(&problem->profile, problem->runs[i].p).stage2;
        goes_long = goes_long || (way && *way == 'l');
        goes_short = goes_short || (way && *way == 's');
    }
    for (size_t i = 0; i < FITTED; i++) {
        const size_t at = offsets[i];
        const bool of_long = at == offsetof(struct rcm_profile, long_us) ||
                             at == offsetof(struct rcm_profile, long_element_us),
                   of_short = at == offsetof(struct rcm_profile, row_us) ||
                              at == offsetof(struct rcm_profile, row_element_us);
        if ((!of_long || goes_long) && (!of_short || goes_short))
            subset |= 1u << i;
    }
    return subset;
}

/* The best long_n: none, or between two neighbouring n of the runs. */
static bool search_long_n(struct problem *problem, struct fit *fit, struct candidate *best)
{
    uint64_t *sizes = malloc((problem->length + 1) * sizeof *sizes);
    const bool known = problem->profile.kernel->splits != NULL;
    const size_t count = sizes ? sizes_of(problem->runs, problem->length, sizes) : 0;
    bool found = false;
    for (size_t i = 0; i < (known && count > 1 ? 1 : count); i++) {
        struct candidate next;
        const double low = i > 0 ? (double)sizes[i - 1] : 0.0;
        problem->profile.long_n = i > 0 ? round(sqrt(low * (double)sizes[i])) : 0.0;
        if (fit_subset(problem, usable(problem), fit, &next) &&
            (!found || next.misfit * SAME_MISFIT < best->misfit)) {
            *best = next;
            found = true;
        }
    }
    free(sizes);
    return found;
}

/* Leaves out one parameter after the other, each time the one that the fit needs least, as long as
 * the criterion becomes less or there are more parameters than half the runs. */
static void leave_out(struct problem *problem, struct fit *fit, struct candidate *best)
{
    for (bool improved = true; improved;) {
        struct candidate least = {.misfit = INFINITY}, next;
        problem->profile.long_n = best->profile.long_n;
        for (size_t i = 0; i < FITTED; i++)
            if (best->subset >> i & 1 &&
                fit_subset(problem, best->subset & ~(1u << i), fit, &next) &&
                next.misfit < least.misfit)
                least = next;
        improved = isfinite(least.misfit) &&
                   (2 * (size_t)count_of(best) > problem->length ||
                    criterion_of(&least, problem->length) < criterion_of(best, problem->length));
        if (improved)
            *best = least;
    }
}

int fit_exact_model(struct problem *problem, struct fit *fit, struct message error)
{
    struct candidate best;
    const struct rcm_time_parameter *parameter;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        rcm_set_time_value(&problem->profile, parameter, 0.0);
    if (!search_long_n(problem, fit, &best))
        return message_set(error, "the fit failed; runs of exact top-k need k < n");
    leave_out(problem, fit, &best);
    set_free(problem, best.subset);
    problem->profile = best.profile;
    set_fit_errors(problem, best.errors, fit);
    fit->parameters = count_of(&best);
    return 0;
}
