/* contiguous_fit.c - what contiguous buckets take more than interleaved ones: see fit.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "least_squares.h"

/* Frees those parameters that the kernel's model has. */
static void free_parameters(struct problem *problem)
{
    static const size_t offsets[] = {offsetof(struct rcm_profile, contiguous_ratio),
                                     offsetof(struct rcm_profile, contiguous_us),
                                     offsetof(struct rcm_profile, contiguous_bucket_us)};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        const struct rcm_time_parameter *parameter = parameter_at(offsets[i]);
        const double start = parameter_start(problem->profile.kernel, parameter);
        rcm_set_time_value(&problem->profile, parameter, start);
        if (start > 0.0)
            add_free_parameter(problem, parameter, start);
    }
}

static int check_predictions(const struct problem *problem, struct message error)
{
    if (problem->length < FIT_LEAST)
        return message_set(error, "%zu runs of contiguous buckets are too few; give at least %d",
                           problem->length, FIT_LEAST);
    for (size_t i = 0; i < problem->length; i++) {
        const struct rcm_topk *p = &problem->runs[i].p;
        if (!(predicted_us(&problem->profile, &problem->runs[i]) > 0.0))
            return message_set(error,
                               "no time can be predicted for contiguous buckets with n = %llu, b "
                               "= %llu, k_b = %llu; give runs of k_b that interleaved ones have",
                               (unsigned long long)p->n, (unsigned long long)p->b,
                               (unsigned long long)p->k_b);
    }
    return 0;
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

int fit_contiguous(const struct run *runs, size_t length, struct rcm_profile *profile,
                   struct fit *fit, struct message error)
{
    double x[FIT_PARAMETERS] = {0}, errors[FIT_PARAMETERS] = {0};
    struct problem problem = {.runs = runs, .length = length, .profile = *profile};
    free_parameters(&problem);
    if (check_predictions(&problem, error) != 0)
        return -1;
    int status = levenberg_marquardt(&problem, x, fit, errors);
    set_parameters(&problem, x);
    if (status == 0)
        status = set_band(&problem);
    if (status != 0)
        return message_set(error, "the fit of contiguous buckets failed: not enough memory");
    *profile = problem.profile;
    for (size_t i = 0; i < problem.free_count; i++)
        for (size_t j = 0; rcm_time_parameter(j); j++)
            if (rcm_time_parameter(j) == problem.free[i])
                fit->error[j] = errors[i];
    fit->parameters += (unsigned)problem.free_count;
    return 0;
}
