/* fit.c - see fit.h. The model and why it is fitted so: docs/models.md 14.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fit.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Residuals beyond this (10 % of a time) count by their size and no longer by its square. */
#define OUTLIER 0.1
/* How far a parameter may go from where it begins: e^7 = 1100 times. */
#define FARTHEST 7.0
/* Draws each parameter to where it begins, so that what the runs do not determine stays there; as strong as one run that is off by so much. */
#define PRIOR 1e-2

double predicted_us(const struct rcm_profile *profile, const struct run *run)
{
    if (run->kind == RUN_EXACT)
        return rcm_predict_exact(profile, run->p);
    const struct rcm_prediction r = rcm_predict(profile, run->p);
    return run->kind == RUN_STAGE1 ? r.stage1_us : r.time_us;
}

struct problem {
    const struct run *runs;
    size_t length;
    struct rcm_profile profile;
    size_t free_count;
    const struct rcm_time_parameter *free[FIT_PARAMETERS]; /* those that are fitted, blocks_at_once not among them */
    bool searched;                                         /* blocks_at_once is */
};

static void set_parameters(struct problem *problem, const gsl_vector *x)
{
    for (size_t i = 0; i < problem->free_count; i++) {
        const double at = gsl_vector_get(x, i), off = fmin(fmax(at, -FARTHEST), FARTHEST);
        rcm_set_time_value(&problem->profile, problem->free[i], problem->free[i]->start * exp(off));
    }
}

/* Its square is the loss of an error in log time: r^2 for small ones, 2 OUTLIER |r| for large ones. */
static double robust(double r)
{
    const double u = r / OUTLIER;
    return copysign(OUTLIER * sqrt(2.0 * (sqrt(1.0 + u * u) - 1.0)), r);
}

static double residual(const struct problem *problem, size_t i)
{
    return robust(log(predicted_us(&problem->profile, &problem->runs[i]) / problem->runs[i].time_us));
}

static int residuals_at(const gsl_vector *x, void *context, gsl_vector *f)
{
    struct problem *problem = context;
    set_parameters(problem, x);
    for (size_t i = 0; i < problem->length; i++)
        gsl_vector_set(f, i, residual(problem, i));
    for (size_t i = 0; i < problem->free_count; i++)
        gsl_vector_set(f, problem->length + i, PRIOR * gsl_vector_get(x, i));
    return GSL_SUCCESS;
}

static double loss(const struct problem *problem)
{
    double sum = 0.0;
    for (size_t i = 0; i < problem->length; i++) {
        const double r = residual(problem, i);
        sum += r * r;
    }
    return sum;
}

/* Times jump where a wave more is needed, so this parameter is searched for: in steps of 1 % around where it is, the middle of the best. */
static bool search_blocks_at_once(struct problem *problem)
{
    double *blocks = &problem->profile.blocks_at_once;
    const double before = *blocks;
    double best = before, best_to = before, least = loss(problem);
    for (double at = before / 4.0; at < before * 4.0; at *= 1.01) {
        *blocks = at;
        const double found = loss(problem);
        if (found < least * (1.0 - 1e-9)) {
            least = found;
            best = best_to = at;
        } else if (found <= least && at > best) {
            best_to = at;
        }
    }
    *blocks = sqrt(best * best_to);
    return fabs(*blocks / before - 1.0) > 0.005;
}

/* ---- which parameters the runs speak about */

static bool any_k_b(const struct problem *problem, uint64_t k_b)
{
    for (size_t i = 0; i < problem->length; i++)
        if (problem->runs[i].kind != RUN_EXACT && problem->runs[i].p.k_b == k_b)
            return true;
    return false;
}

/* Does the time of a run depend on it? A k_b = 3 between five other knots is interpolated: a profile has at most twenty parameters. */
static bool speaks(struct problem *problem, const struct rcm_time_parameter *parameter)
{
    const double value = rcm_time_value(&problem->profile, parameter);
    bool matters = false;
    if (parameter->k_b)
        return any_k_b(problem, parameter->k_b) && !(parameter->k_b == 3 && any_k_b(problem, 1) && any_k_b(problem, 2) && any_k_b(problem, 4) &&
                                                     any_k_b(problem, 8) && any_k_b(problem, 16));
    for (size_t i = 0; i < problem->length && !matters; i++) {
        const double with = predicted_us(&problem->profile, &problem->runs[i]);
        rcm_set_time_value(&problem->profile, parameter, 2.0 * value);
        matters = predicted_us(&problem->profile, &problem->runs[i]) != with;
        rcm_set_time_value(&problem->profile, parameter, value);
    }
    return matters;
}

static const struct rcm_time_parameter *blocks_at_once(void)
{
    size_t i = 0;
    while (rcm_time_parameter(i)->offset != offsetof(struct rcm_profile, blocks_at_once))
        i++;
    return rcm_time_parameter(i);
}

static int choose_parameters(struct problem *problem, char error[CSV_ERROR])
{
    const struct rcm_time_parameter *parameter;
    problem->free_count = 0;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        rcm_set_time_value(&problem->profile, parameter, parameter->k_b == 0 || any_k_b(problem, parameter->k_b) ? parameter->start : 0.0);
    for (size_t i = 0; i < problem->length; i++)
        if (problem->runs[i].kind != RUN_EXACT && problem->runs[i].p.k_b > problem->profile.kernel->k_b_max) {
            snprintf(error, CSV_ERROR, "the kernel %s has k_b up to %llu, and a run has k_b = %llu", problem->profile.kernel->name, (unsigned long long)problem->profile.kernel->k_b_max,
                     (unsigned long long)problem->runs[i].p.k_b);
            return -1;
        } else if (!(predicted_us(&problem->profile, &problem->runs[i]) > 0.0)) {
            snprintf(error, CSV_ERROR, "no time can be predicted for n = %llu, b = %llu, k_b = %llu: runs must have k_b = 1, 2, 3, 4, 8 or 16, or lie between two of these",
                     (unsigned long long)problem->runs[i].p.n, (unsigned long long)problem->runs[i].p.b, (unsigned long long)problem->runs[i].p.k_b);
            return -1;
        }
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        if (!speaks(problem, parameter))
            rcm_set_time_value(&problem->profile, parameter, parameter->always ? parameter->start : 0.0);
        else if (parameter != blocks_at_once())
            problem->free[problem->free_count++] = parameter;
    problem->searched = speaks(problem, blocks_at_once());
    return 0;
}

/* ---- the fit */

static int levenberg_marquardt(struct problem *problem, gsl_vector *x, struct fit *fit, double *errors)
{
    const gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_fdf system = {.f = residuals_at, .n = problem->length + problem->free_count, .p = problem->free_count, .params = problem};
    gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, system.n, system.p);
    gsl_matrix *covariance = gsl_matrix_alloc(system.p, system.p);
    int info, status = w && covariance ? gsl_multifit_nlinear_init(x, &system, w) : GSL_ENOMEM;
    if (status == GSL_SUCCESS) {
        status = gsl_multifit_nlinear_driver(100, 1e-4, 1e-8, 0.0, NULL, NULL, &info, w);
        if (status == GSL_EMAXITER || status == GSL_ENOPROG)
            status = GSL_SUCCESS; /* as near as it comes */
        fit->steps += (unsigned)gsl_multifit_nlinear_niter(w);
        gsl_vector_memcpy(x, gsl_multifit_nlinear_position(w));
        double norm = gsl_blas_dnrm2(gsl_multifit_nlinear_residual(w));
        gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(w), 0.0, covariance);
        const double variance = norm * norm / fmax(1.0, (double)problem->length - (double)system.p);
        for (size_t i = 0; i < system.p; i++)
            errors[i] = sqrt(variance * gsl_matrix_get(covariance, i, i));
    }
    if (covariance)
        gsl_matrix_free(covariance);
    if (w)
        gsl_multifit_nlinear_free(w);
    return status == GSL_SUCCESS ? 0 : -1;
}

/* The other parameters have settled on this one, so that a step aside is no better before they are fitted again: tries steps of 6, 3 and 1 %, each with
 * a fit of its own, as long as one helps. */
static int refine_blocks_at_once(struct problem *problem, gsl_vector *x, struct fit *fit, double *errors)
{
    gsl_vector *best = gsl_vector_alloc(x->size);
    int status = best ? 0 : -1;
    double least = loss(problem), blocks = problem->profile.blocks_at_once;
    if (best)
        gsl_vector_memcpy(best, x);
    for (double step = 0.06; status == 0 && step > 0.005; step /= 2.4) {
        for (int side = -1; status == 0 && side <= 1; side += 2) {
            gsl_vector_memcpy(x, best);
            problem->profile.blocks_at_once = blocks * (1.0 + side * step);
            status = levenberg_marquardt(problem, x, fit, errors);
            set_parameters(problem, x);
            if (status == 0 && loss(problem) < least * (1.0 - 1e-6)) {
                least = loss(problem);
                blocks = problem->profile.blocks_at_once;
                gsl_vector_memcpy(best, x);
                side -= 2; /* once more that way */
            }
        }
    }
    if (status == 0) {
        gsl_vector_memcpy(x, best);
        problem->profile.blocks_at_once = blocks;
        status = levenberg_marquardt(problem, x, fit, errors);
        set_parameters(problem, x);
    }
    if (best)
        gsl_vector_free(best);
    return status;
}

static int fit_problem(struct problem *problem, struct fit *fit, char error[CSV_ERROR])
{
    double errors[FIT_PARAMETERS];
    gsl_vector *x = gsl_vector_calloc(problem->free_count);
    int status = x ? 0 : -1;
    bool moved = true;
    for (unsigned round = 0; status == 0 && moved && round < 6; round++) {
        status = levenberg_marquardt(problem, x, fit, errors);
        set_parameters(problem, x);
        moved = status == 0 && problem->searched && search_blocks_at_once(problem);
    }
    if (status == 0 && problem->searched)
        status = refine_blocks_at_once(problem, x, fit, errors);
    if (status != 0)
        snprintf(error, CSV_ERROR, "the fit did not succeed%s", x ? "" : ": not enough memory");
    if (x)
        gsl_vector_free(x);
    for (size_t i = 0; rcm_time_parameter(i); i++) {
        fit->error[i] = NAN;
        for (size_t j = 0; j < problem->free_count; j++)
            if (problem->free[j] == rcm_time_parameter(i))
                fit->error[i] = errors[j];
    }
    return status;
}

static void widen(double *low, double *high, double value, bool first)
{
    *low = first || value < *low ? value : *low;
    *high = first || value > *high ? value : *high;
}

static void set_ranges(struct rcm_profile *q, const struct run *runs, size_t length)
{
    bool first = true, first_bucketed = true;
    q->run_count = q->exact_count = 0.0;
    for (size_t i = 0; i < length; i++) {
        const struct rcm_topk *p = &runs[i].p;
        widen(&q->n_low, &q->n_high, (double)p->n, first);
        widen(&q->k_low, &q->k_high, (double)p->k, first);
        widen(&q->m_low, &q->m_high, (double)p->m, first);
        first = false;
        if (runs[i].kind == RUN_EXACT) {
            q->exact_count++;
            continue;
        }
        q->run_count++;
        widen(&q->b_low, &q->b_high, (double)p->b, first_bucketed);
        widen(&q->k_b_low, &q->k_b_high, (double)p->k_b, first_bucketed);
        first_bucketed = false;
    }
}

static int set_errors(struct rcm_profile *profile, const struct run *runs, size_t length, char error[CSV_ERROR])
{
    struct residuals residuals = {0};
    double *predicted = malloc((length + 1) * sizeof *predicted);
    for (size_t i = 0; predicted && i < length; i++)
        predicted[i] = predicted_us(profile, &runs[i]);
    int status = predicted ? residuals_of(runs, predicted, NULL, length, &residuals) : -1;
    if (status != 0)
        snprintf(error, CSV_ERROR, "not enough memory");
    profile->median_error = residuals.median;
    profile->p95_error = residuals.p95;
    profile->worst_error = residuals.worst;
    free(predicted);
    return status;
}

int fit_profile(const struct run *runs, size_t length, struct rcm_profile *profile, struct fit *fit, char error[CSV_ERROR])
{
    struct problem problem = {.runs = runs, .length = length, .profile = *profile};
    *fit = (struct fit){0};
    size_t bucketed = 0;
    for (size_t i = 0; i < length; i++)
        bucketed += runs[i].kind != RUN_EXACT;
    if (bucketed == 0) {
        snprintf(error, CSV_ERROR, "%s", length ? "all runs are exact top-k; a profile needs runs with buckets, too" : "there are no runs");
        return -1;
    }
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    int status = choose_parameters(&problem, error);
    fit->parameters = (unsigned)problem.free_count + problem.searched;
    if (status == 0 && length < 2 * (size_t)fit->parameters) {
        snprintf(error, CSV_ERROR, "%zu runs are too few for %u parameters; give at least %u", length, fit->parameters, 2 * fit->parameters);
        status = -1;
    }
    status = status == 0 ? fit_problem(&problem, fit, error) : status;
    gsl_set_error_handler(handler);
    if (status != 0)
        return -1;
    *profile = problem.profile;
    set_ranges(profile, runs, length);
    return set_errors(profile, runs, length, error);
}

/* ---- how good it is */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sort_values(double *values, size_t length)
{
    if (length > 0)
        qsort(values, length, sizeof *values, by_value);
}

double sorted_quantile(const double *sorted, size_t length, double share)
{
    if (length == 0)
        return NAN;
    const double at = share * (double)(length - 1);
    const size_t below = (size_t)at;
    return below + 1 < length ? sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]) : sorted[length - 1];
}

int residuals_of(const struct run *runs, const double *predicted, const bool *in, size_t length, struct residuals *residuals)
{
    double *errors = malloc((length + 1) * sizeof *errors);
    size_t count = 0, unpredicted = 0;
    if (!errors)
        return -1;
    for (size_t i = 0; i < length; i++)
        if ((!in || in[i]) && isfinite(predicted[i]))
            errors[count++] = fabs(predicted[i] / runs[i].time_us - 1.0);
        else
            unpredicted += !in || in[i];
    sort_values(errors, count);
    *residuals = (struct residuals){sorted_quantile(errors, count, 0.5), sorted_quantile(errors, count, 0.95), sorted_quantile(errors, count, 1.0), count, unpredicted};
    free(errors);
    return 0;
}

int predict_held_out(const struct run *runs, size_t length, const struct rcm_profile *like, const bool *out, double *predicted, char error[CSV_ERROR])
{
    struct run *kept = calloc(length + 1, sizeof *kept);
    struct rcm_profile profile = {.kernel = like->kernel, .dtype = like->dtype};
    struct fit fit;
    size_t count = 0;
    if (!kept) {
        snprintf(error, CSV_ERROR, "not enough memory");
        return -1;
    }
    for (size_t i = 0; i < length; i++)
        if (!out[i])
            kept[count++] = runs[i];
    int status = fit_profile(kept, count, &profile, &fit, error);
    for (size_t i = 0; status == 0 && i < length; i++)
        predicted[i] = out[i] ? predicted_us(&profile, &runs[i]) : NAN;
    free(kept);
    return status;
}

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

size_t sizes_of(const struct run *runs, size_t length, uint64_t *sizes)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        sizes[i] = runs[i].p.n;
    if (length > 0)
        qsort(sizes, length, sizeof *sizes, by_size);
    for (size_t i = 0; i < length; i++)
        if (count == 0 || sizes[count - 1] != sizes[i])
            sizes[count++] = sizes[i];
    return count;
}
