/* fit.c - see fit.h. The model, and why it is fitted like this: docs/models.md 14.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fit.h"

#include <math.h>
#include <stdlib.h>

#include "fit_models.h"
#include "run_sample.h"

/* Makes the range from *low to *high include the value. */
static void widen(double *low, double *high, double value, bool first)
{
    *low = first || value < *low ? value : *low;
    *high = first || value > *high ? value : *high;
}

/* Sets the ranges of the shapes that the profile was fitted to, and how many runs there were. */
static void set_ranges(struct rcm_profile *q, const struct run *runs, size_t length)
{
    bool first = true, first_bucketed = true;
    q->elements_high = 0.0;
    q->run_count = q->exact_count = 0.0;
    for (size_t i = 0; i < length; i++) {
        const struct rcm_topk *p = &runs[i].p;
        widen(&q->n_low, &q->n_high, (double)p->n, first);
        widen(&q->k_low, &q->k_high, (double)p->k, first);
        widen(&q->m_low, &q->m_high, (double)p->m, first);
        if (q->kernel->model == RCM_TIME_EXACT)
            q->elements_high = fmax(q->elements_high, (double)p->m * (double)p->n);
        first = false;
        if (runs[i].kind == RUN_EXACT) {
            q->exact_count++;
            continue;
        }
        q->run_count++;
        widen(&q->b_low, &q->b_high, (double)p->b, first_bucketed);
        widen(&q->k_b_low, &q->k_b_high, (double)p->k_b, first_bucketed);
        widen(&q->candidates_low, &q->candidates_high, (double)rcm_candidates(*p), first_bucketed);
        first_bucketed = false;
    }
}

/* Sets how far off the profile is for these runs. */
static int set_errors(struct rcm_profile *profile, const struct run *runs, size_t length,
                      struct message error)
{
    struct residuals residuals = {0};
    double *predicted = malloc((length + 1) * sizeof *predicted);
    for (size_t i = 0; predicted && i < length; i++)
        predicted[i] = predicted_us(profile, &runs[i]);
    int status = predicted ? residuals_of(runs, predicted, NULL, length, &residuals) : -1;
    if (status != 0)
        message_set(error, "not enough memory");
    profile->median_error = residuals.median;
    profile->p95_error = residuals.p95;
    profile->worst_error = residuals.worst;
    free(predicted);
    return status;
}

/* How each model is fitted. small: its parameters are few enough that few runs, or runs of exact
 * top-k alone, determine them. */
static const struct fit_model {
    int (*fit)(struct problem *problem, struct fit *fit, struct message error);
    bool small;
} fit_models[RCM_TIME_MODELS] = {
    [RCM_TIME_BY_WORK] = {fit_full_model, false},
    [RCM_TIME_SHORT] = {fit_short_model, true},
    [RCM_TIME_CPU] = {fit_full_model, false},
    [RCM_TIME_EXACT] = {fit_exact_model, true},
};

/* few: a fit to few runs is possible */
static int check_runs(const struct run *runs, size_t length, const struct rcm_kernel *kernel,
                      bool few, size_t least, struct message error)
{
    size_t bucketed = 0;
    for (size_t i = 0; i < length; i++)
        bucketed += runs[i].kind != RUN_EXACT;
    if (length == 0)
        return message_set(error, "there are no runs");
    if (kernel->model == RCM_TIME_EXACT && bucketed > 0)
        return message_set(
            error,
            "the kernel %s only finds the exact top-k, but some runs have buckets; give the "
            "kernel that ran them",
            kernel->name);
    if (few && length < least)
        return message_set(error, "%zu runs are too few for the kernel %s; give at least %zu",
                           length, kernel->name, least);
    if (bucketed == 0 && !fit_models[kernel->model].small)
        return message_set(error, "all runs are exact top-k; add runs with buckets, or give " MEMBER
                                  "kernel exact");
    return 0;
}

static bool has_prior(const struct rcm_profile *profile)
{
    const struct rcm_time_parameter *parameter;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        if (rcm_time_value(profile, parameter) > 0.0)
            return true;
    return false;
}

/* As fit_profile(), but `least` runs are enough where FIT_LEAST are. */
static int fit_from(const struct run *runs, size_t length, size_t least,
                    struct rcm_profile *profile, struct fit *fit, struct message error)
{
    const struct fit_model *model = &fit_models[profile->kernel->model];
    const size_t most = model->small ? FIT_SHORT_MOST : FIT_RUNS_MOST;
    struct problem problem = {.runs = runs,
                              .length = length,
                              .prior = *profile,
                              .has_prior = has_prior(profile),
                              .profile = {.kernel = profile->kernel,
                                          .dtype = profile->dtype,
                                          .l2_bytes = profile->l2_bytes,
                                          .l3_bytes = profile->l3_bytes}};
    struct run *sample = NULL;
    *fit = (struct fit){0};
    if (check_runs(runs, length, profile->kernel, model->small || problem.has_prior, least,
                   error) != 0)
        return -1;
    if (length > most) {
        sample = malloc(most * sizeof *sample);
        problem.length = sample ? sample_runs(runs, length, most, sample) : 0;
        problem.runs = sample;
        if (problem.length == 0) {
            message_set(error, "not enough memory");
            free(sample);
            return -1;
        }
    }
    fit->runs = problem.length;
    const int status = model->fit(&problem, fit, error);
    free(sample);
    if (status != 0)
        return -1;
    for (size_t i = 0; rcm_time_parameter(i); i++)
        rcm_set_time_value(profile, rcm_time_parameter(i),
                           rcm_time_value(&problem.profile, rcm_time_parameter(i)));
    set_ranges(profile, runs, length);
    return set_errors(profile, runs, length, error);
}

int fit_profile(const struct run *runs, size_t length, struct rcm_profile *profile, struct fit *fit,
                struct message error)
{
    return fit_from(runs, length, FIT_LEAST, profile, fit, error);
}

/* ---- without some of the runs */

int predict_held_out(const struct run *runs, size_t length, const struct rcm_profile *like,
                     const bool *out, double *predicted, struct message error)
{
    struct run *kept = calloc(length + 1, sizeof *kept);
    struct rcm_profile profile = *like;
    struct fit fit;
    size_t count = 0;
    if (!kept)
        return message_set(error, "not enough memory");
    for (size_t i = 0; i < length; i++)
        if (!out[i])
            kept[count++] = runs[i];
    int status = fit_from(kept, count, FIT_LEAST / 2, &profile, &fit, error);
    for (size_t i = 0; status == 0 && i < length; i++)
        predicted[i] = out[i] ? predicted_us(&profile, &runs[i]) : NAN;
    free(kept);
    return status;
}
