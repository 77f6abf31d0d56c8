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
/* Draws each parameter to where it begins, so that what the runs do not determine stays there; as
 * strong as one run that is off by so much. */
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
    const struct rcm_time_parameter
        *free[FIT_PARAMETERS];    /* those that are fitted, blocks_at_once not among them */
    double start[FIT_PARAMETERS]; /* where each of them begins */
    bool searched;                /* blocks_at_once is */
};

static void set_parameters(struct problem *problem, const gsl_vector *x)
{
    for (size_t i = 0; i < problem->free_count; i++) {
        const double at = gsl_vector_get(x, i), off = fmin(fmax(at, -FARTHEST), FARTHEST);
        rcm_set_time_value(&problem->profile, problem->free[i], problem->start[i] * exp(off));
    }
}

/* Its square is the loss of an error in log time: r^2 for small ones, 2 OUTLIER |r| for large ones.
 */
static double robust(double r)
{
    const double u = r / OUTLIER;
    return copysign(OUTLIER * sqrt(2.0 * (sqrt(1.0 + u * u) - 1.0)), r);
}

static double residual(const struct problem *problem, size_t i)
{
    return robust(
        log(predicted_us(&problem->profile, &problem->runs[i]) / problem->runs[i].time_us));
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

/* Times jump where a wave more is needed, so this parameter is searched for: in steps of 1 % around
 * where it is, the middle of the best. */
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

/* Does the time of a run depend on it? A k_b = 3 between five other knots is interpolated: a
 * profile has at most twenty parameters. */
static bool speaks(struct problem *problem, const struct rcm_time_parameter *parameter)
{
    const double value = rcm_time_value(&problem->profile, parameter);
    bool matters = false;
    if (parameter->k_b)
        return any_k_b(problem, parameter->k_b) &&
               !(parameter->k_b == 3 && any_k_b(problem, 1) && any_k_b(problem, 2) &&
                 any_k_b(problem, 4) && any_k_b(problem, 8) && any_k_b(problem, 16));
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

static void set_free(struct problem *problem, const struct rcm_time_parameter *parameter,
                     double start)
{
    problem->free[problem->free_count] = parameter;
    problem->start[problem->free_count++] = start;
}

static int choose_parameters(struct problem *problem, char error[CSV_ERROR])
{
    const struct rcm_time_parameter *parameter;
    problem->free_count = 0;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        rcm_set_time_value(
            &problem->profile, parameter,
            parameter->k_b == 0 || any_k_b(problem, parameter->k_b) ? parameter->start : 0.0);
    for (size_t i = 0; i < problem->length; i++)
        if (problem->runs[i].kind != RUN_EXACT &&
            problem->runs[i].p.k_b > problem->profile.kernel->k_b_max) {
            snprintf(error, CSV_ERROR, "the kernel %s has k_b up to %llu, and a run has k_b = %llu",
                     problem->profile.kernel->name,
                     (unsigned long long)problem->profile.kernel->k_b_max,
                     (unsigned long long)problem->runs[i].p.k_b);
            return -1;
        } else if (!(predicted_us(&problem->profile, &problem->runs[i]) > 0.0)) {
            snprintf(error, CSV_ERROR,
                     "no time can be predicted for n = %llu, b = %llu, k_b = %llu: runs must have "
                     "k_b = 1, 2, 3, 4, 8 or 16, or lie between two of these",
                     (unsigned long long)problem->runs[i].p.n,
                     (unsigned long long)problem->runs[i].p.b,
                     (unsigned long long)problem->runs[i].p.k_b);
            return -1;
        }
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        if (!speaks(problem, parameter))
            rcm_set_time_value(&problem->profile, parameter,
                               parameter->always ? parameter->start : 0.0);
        else if (parameter != blocks_at_once())
            set_free(problem, parameter, parameter->start);
    problem->searched = speaks(problem, blocks_at_once());
    return 0;
}

/* ---- the fit */

static int levenberg_marquardt(struct problem *problem, gsl_vector *x, struct fit *fit,
                               double *errors)
{
    const gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_fdf system = {.f = residuals_at,
                                       .n = problem->length + problem->free_count,
                                       .p = problem->free_count,
                                       .params = problem};
    gsl_multifit_nlinear_workspace *w =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, system.n, system.p);
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

/* The other parameters have settled on this one, so that a step aside is no better before they are
 * fitted again: tries steps of 6, 3 and 1 %, each with a fit of its own, as long as one helps. */
static int refine_blocks_at_once(struct problem *problem, gsl_vector *x, struct fit *fit,
                                 double *errors)
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

static void set_fit_errors(const struct problem *problem, const double *errors, struct fit *fit)
{
    for (size_t i = 0; rcm_time_parameter(i); i++) {
        fit->error[i] = NAN;
        for (size_t j = 0; j < problem->free_count; j++)
            if (problem->free[j] == rcm_time_parameter(i))
                fit->error[i] = errors[j];
    }
}

static int fit_problem(struct problem *problem, struct fit *fit, char error[CSV_ERROR])
{
    double errors[FIT_PARAMETERS] = {0};
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
    set_fit_errors(problem, errors, fit);
    return status;
}

/* ---- the short model: which of its few parameters the runs determine */

#define SHORT 6
#define EXACT_LOSS 1e-8 /* of a run: below 0.01 % nothing is better than anything else */

static const struct rcm_time_parameter *parameter_at(size_t offset)
{
    size_t i = 0;
    while (rcm_time_parameter(i)->offset != offset)
        i++;
    return rcm_time_parameter(i);
}

/* What the runs would take if only this one were there, over what they took. */
static double share_of(struct problem *problem, const struct rcm_time_parameter *parameter,
                       double value, size_t i)
{
    rcm_set_time_value(&problem->profile, parameter, value);
    const double share =
        predicted_us(&problem->profile, &problem->runs[i]) / problem->runs[i].time_us;
    rcm_set_time_value(&problem->profile, parameter, 0.0);
    return share > 0.0 ? share : 0.0; /* NaN: it has no part in this run */
}

/* The value with which it alone would explain seven tenths of some run and no more of any: where
 * its fit begins. 0: it has no part in any. */
static double short_start(struct problem *problem, const struct rcm_time_parameter *parameter)
{
    double most = 0.0, doubled = 0.0;
    for (size_t i = 0; i < problem->length; i++) {
        most = fmax(most, share_of(problem, parameter, parameter->start, i));
        doubled = fmax(doubled, share_of(problem, parameter, 2.0 * parameter->start, i));
    }
    return !(most > 0.0)    ? 0.0
           : doubled > most ? 0.7 * parameter->start / most
                            : parameter->start * most / 0.7;
}

/* Are the two the same but for a factor, in all these runs? To 1 %: less than that no fit can tell
 * apart. */
static bool alike(struct problem *problem, const struct rcm_time_parameter *a,
                  const struct rcm_time_parameter *b)
{
    double low = INFINITY, high = 0.0;
    for (size_t i = 0; i < problem->length; i++) {
        const double x = share_of(problem, a, a->start, i), y = share_of(problem, b, b->start, i);
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

/* Those with a part in the runs, without what cannot be told from an earlier one: of one m, a
 * candidate of a row from one of all rows; of one k_b, operations from bytes. */
static size_t offer(struct problem *problem, const struct rcm_time_parameter *offered[SHORT],
                    double starts[SHORT])
{
    static const size_t order[SHORT] = {offsetof(struct rcm_profile, launch_us),
                                        offsetof(struct rcm_profile, roof_bytes_per_s),
                                        offsetof(struct rcm_profile, operations_per_s),
                                        offsetof(struct rcm_profile, select_launch_us),
                                        offsetof(struct rcm_profile, select_batch_us),
                                        offsetof(struct rcm_profile, select_element_us)};
    size_t count = 0;
    for (size_t i = 0; i < SHORT; i++) {
        const struct rcm_time_parameter *parameter = parameter_at(order[i]);
        bool told = (starts[count] = short_start(problem, parameter)) > 0.0;
        told = told &&
               !(order[i] == offsetof(struct rcm_profile, operations_per_s) && one_k_b(problem));
        for (size_t j = 0; told && j < count; j++)
            told = !alike(problem, offered[j], parameter);
        if (told)
            offered[count++] = parameter;
    }
    return count;
}

/* Fits the parameters of a subset, a bit each; the others are 0. Returns what it is worth, less
 * being better (Schwarz's criterion), or NaN. */
static double fit_subset(struct problem *problem, const struct rcm_time_parameter *const *offered,
                         const double *starts, size_t count, unsigned subset, struct fit *fit)
{
    double errors[FIT_PARAMETERS];
    problem->free_count = 0;
    for (size_t i = 0; i < count; i++) {
        rcm_set_time_value(&problem->profile, offered[i], 0.0);
        if (subset >> i & 1)
            set_free(problem, offered[i], starts[i]);
    }
    for (size_t i = 0; i < problem->free_count; i++)
        rcm_set_time_value(&problem->profile, problem->free[i], problem->start[i]);
    for (size_t i = 0; i < problem->length; i++)
        if (!(predicted_us(&problem->profile, &problem->runs[i]) > 0.0))
            return NAN;
    gsl_vector *x = gsl_vector_calloc(problem->free_count);
    const int status = x ? levenberg_marquardt(problem, x, fit, errors) : -1;
    if (status == 0) {
        set_parameters(problem, x);
        set_fit_errors(problem, errors, fit);
    }
    if (x)
        gsl_vector_free(x);
    const double runs = (double)problem->length;
    return status == 0 ? runs * log(fmax(loss(problem) / runs, EXACT_LOSS)) +
                             (double)problem->free_count * log(runs)
                       : NAN;
}

static int fit_short(struct problem *problem, struct fit *fit, char error[CSV_ERROR])
{
    const struct rcm_time_parameter *offered[SHORT], *parameter;
    double starts[SHORT + 1], least = INFINITY;
    unsigned best = 0;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++)
        rcm_set_time_value(&problem->profile, parameter, 0.0);
    const size_t count = offer(problem, offered, starts);
    for (unsigned subset = 1; subset < 1u << count; subset++) {
        if (2 * (size_t)__builtin_popcount(subset) > problem->length)
            continue;
        const double worth = fit_subset(problem, offered, starts, count, subset, fit);
        if (worth < least) {
            least = worth;
            best = subset;
        }
    }
    if (best == 0 || isnan(fit_subset(problem, offered, starts, count, best, fit))) {
        snprintf(error, CSV_ERROR, "the fit did not succeed");
        return -1;
    }
    fit->parameters = (unsigned)problem->free_count;
    return 0;
}

/* ---- of many runs some */

struct drawn {
    const struct run *run;
    uint64_t order;
};

/* Runs of one kind and k_b; exact top-k has k_b = k, which makes no groups. */
static uint64_t group_of(const struct run *run)
{
    return run->kind == RUN_EXACT ? 0 : run->p.k_b;
}

static bool same_group(const struct run *a, const struct run *b)
{
    return a->kind == b->kind && group_of(a) == group_of(b);
}

static int by_group(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    const uint64_t group_x = group_of(x->run), group_y = group_of(y->run);
    return x->run->kind != y->run->kind
               ? (x->run->kind > y->run->kind) - (x->run->kind < y->run->kind)
           : group_x != group_y ? (group_x > group_y) - (group_x < group_y)
                                : (x->order > y->order) - (x->order < y->order);
}

/* The i-th of a fixed shuffle: splitmix64's mixing. */
static uint64_t shuffled(uint64_t i)
{
    i = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    i = (i ^ (i >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    i = (i ^ (i >> 27)) * UINT64_C(0x94d049bb133111eb);
    return i ^ (i >> 31);
}

/* How many runs there are if each group gives at most so many. */
static size_t given(const struct drawn *drawn, size_t length, size_t each)
{
    size_t total = 0, in_group = 0;
    for (size_t i = 0; i < length; i++) {
        in_group = i > 0 && same_group(drawn[i - 1].run, drawn[i].run) ? in_group + 1 : 0;
        total += in_group < each;
    }
    return total;
}

/* At most `most` of the runs into `some`: small groups whole, of large ones as many of each.
 * Returns how many, 0 without memory. */
static size_t draw_runs(const struct run *runs, size_t length, size_t most, struct run *some)
{
    struct drawn *drawn = malloc((length + 1) * sizeof *drawn);
    size_t low = 0, high = most, in_group = 0, count = 0;
    if (!drawn)
        return 0;
    for (size_t i = 0; i < length; i++)
        drawn[i] = (struct drawn){&runs[i], shuffled(i)};
    qsort(drawn, length, sizeof *drawn, by_group);
    while (low < high) { /* the most of each group with which all fit */
        const size_t middle = low + (high - low + 1) / 2;
        if (given(drawn, length, middle) <= most)
            low = middle;
        else
            high = middle - 1;
    }
    for (size_t i = 0; i < length && count < most; i++) {
        in_group = i > 0 && same_group(drawn[i - 1].run, drawn[i].run) ? in_group + 1 : 0;
        if (in_group < (low ? low : 1))
            some[count++] = *drawn[i].run;
    }
    free(drawn);
    return count;
}

/* ---- */

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

static int set_errors(struct rcm_profile *profile, const struct run *runs, size_t length,
                      char error[CSV_ERROR])
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

/* Chooses the parameters and fits them to all runs of the problem. */
static int fit_whole(struct problem *problem, struct fit *fit, char error[CSV_ERROR])
{
    if (choose_parameters(problem, error) != 0)
        return -1;
    fit->parameters = (unsigned)problem->free_count + problem->searched;
    if (problem->length < 2 * (size_t)fit->parameters) {
        snprintf(error, CSV_ERROR, "%zu runs are too few for %u parameters; give at least %u",
                 problem->length, fit->parameters, 2 * fit->parameters);
        return -1;
    }
    return fit_problem(problem, fit, error);
}

static int check_runs(const struct run *runs, size_t length, const struct rcm_kernel *kernel,
                      size_t least, char error[CSV_ERROR])
{
    size_t bucketed = 0;
    for (size_t i = 0; i < length; i++)
        bucketed += runs[i].kind != RUN_EXACT;
    if (length == 0)
        snprintf(error, CSV_ERROR, "there are no runs");
    else if (kernel->times_only && length < least)
        snprintf(error, CSV_ERROR, "%zu runs are too few for the kernel %s; give at least %zu",
                 length, kernel->name, least);
    else if (bucketed == 0 && !kernel->times_only)
        snprintf(error, CSV_ERROR,
                 "all runs are exact top-k; a profile needs runs with buckets, too (--kernel "
                 "generic does not)");
    else
        return 0;
    return -1;
}

/* As fit_profile; of a kernel of which only the times are known from `least` runs on. */
static int fit_from(const struct run *runs, size_t length, size_t least,
                    struct rcm_profile *profile, struct fit *fit, char error[CSV_ERROR])
{
    const size_t most = profile->kernel->times_only ? FIT_SHORT_MOST : FIT_RUNS_MOST;
    struct problem problem = {.runs = runs,
                              .length = length,
                              .profile = {.kernel = profile->kernel, .dtype = profile->dtype}};
    struct run *some = NULL;
    *fit = (struct fit){0};
    if (check_runs(runs, length, profile->kernel, least, error) != 0)
        return -1;
    if (length > most) {
        some = malloc(most * sizeof *some);
        problem.length = some ? draw_runs(runs, length, most, some) : 0;
        problem.runs = some;
        if (problem.length == 0) {
            snprintf(error, CSV_ERROR, "not enough memory");
            free(some);
            return -1;
        }
    }
    fit->runs = problem.length;
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    const int status = profile->kernel->times_only ? fit_short(&problem, fit, error)
                                                   : fit_whole(&problem, fit, error);
    gsl_set_error_handler(handler);
    free(some);
    if (status != 0)
        return -1;
    for (size_t i = 0; rcm_time_parameter(i); i++)
        rcm_set_time_value(profile, rcm_time_parameter(i),
                           rcm_time_value(&problem.profile, rcm_time_parameter(i)));
    set_ranges(profile, runs, length);
    return set_errors(profile, runs, length, error);
}

int fit_profile(const struct run *runs, size_t length, struct rcm_profile *profile, struct fit *fit,
                char error[CSV_ERROR])
{
    return fit_from(runs, length, FIT_SHORT_LEAST, profile, fit, error);
}

/* ---- without some of the runs */

int predict_held_out(const struct run *runs, size_t length, const struct rcm_profile *like,
                     const bool *out, double *predicted, char error[CSV_ERROR])
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
    int status = fit_from(kept, count, FIT_SHORT_LEAST / 2, &profile, &fit, error);
    for (size_t i = 0; status == 0 && i < length; i++)
        predicted[i] = out[i] ? predicted_us(&profile, &runs[i]) : NAN;
    free(kept);
    return status;
}
