/* contiguous_fit.c - what contiguous buckets take more than interleaved ones: see fit.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "least_squares.h"

/* Frees those parameters that the kernel's model has. */
static void free_parameters(struct problem *problem)
{
    const struct rcm_time_parameter *parameter;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++) {
        const double start = parameter_start(problem->profile.kernel, parameter);
        if (!parameter->contiguous)
            continue;
        rcm_set_time_value(&problem->profile, parameter, start);
        if (start > 0.0)
            add_free_parameter(problem, parameter, start);
    }
}

/* Copies those runs whose time interleaved ones tell for the kernel. Returns how many. */
static size_t keep_predicted(const struct rcm_profile *profile, const struct run *runs,
                             size_t length, struct run *kept)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        if (predicted_us(profile, &runs[i]) > 0.0)
            kept[count++] = runs[i];
    return count;
}

static int set_band(struct problem *problem)
{
    struct rcm_profile *q = &problem->profile;
    double *predicted = malloc((problem->length + 1) * sizeof *predicted);
    for (size_t i = 0; predicted && i < problem->length; i++)
        predicted[i] = predicted_us(q, &problem->runs[i]);
    const int status = predicted ? band_of(problem->runs, predicted, false, problem->length,
                                           &q->contiguous_p05_ratio, &q->contiguous_p95_ratio)
                                 : -1;
    q->contiguous_count = (double)problem->length;
    free(predicted);
    return status;
}

static int fit_free(struct problem *problem, struct fit *fit, struct message error)
{
    double x[RCM_TIME_PARAMETERS] = {0}, errors[RCM_TIME_PARAMETERS] = {0};
    if (problem->length < FIT_LEAST)
        return message_set(error,
                           "%zu runs of contiguous buckets, with k_b that interleaved ones have, "
                           "are too few; give at least %d",
                           problem->length, FIT_LEAST);
    int status = levenberg_marquardt(problem, x, fit, errors);
    set_parameters(problem, x);
    if (status == 0)
        status = set_band(problem);
    if (status != 0)
        return message_set(error, "the fit of contiguous buckets failed: not enough memory");
    for (size_t i = 0; i < problem->free_count; i++)
        for (size_t j = 0; rcm_time_parameter(j); j++)
            if (rcm_time_parameter(j) == problem->free[i])
                fit->error[j] = errors[i];
    fit->parameters += (unsigned)problem->free_count;
    return 0;
}

int fit_contiguous(const struct run *runs, size_t length, struct rcm_profile *profile,
                   struct fit *fit, struct message error)
{
    struct run *kept = malloc((length + 1) * sizeof *kept);
    struct problem problem = {.runs = kept, .profile = *profile};
    if (!kept)
        return message_set(error, "the fit of contiguous buckets failed: not enough memory");
    free_parameters(&problem);
    problem.length = keep_predicted(&problem.profile, runs, length, kept);
    const int status = fit_free(&problem, fit, error);
    if (status == 0)
        *profile = problem.profile;
    free(kept);
    return status;
}
