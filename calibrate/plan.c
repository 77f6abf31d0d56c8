/* plan.c - see plan.h. The method is greedy D-optimal design: docs/calibrating.md.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cblas.h>

#include "least_squares.h"

#define NOISE 0.05 /* of a measured time, relative */

/* Standard deviation of the log of a parameter before anything is measured: a factor of 20. */
#define UNKNOWN 3.0

#define STEP 1e-4 /* of the logarithm, for derivatives */
#define GRID_MOST 4096
#define SIZES 6 /* different n at least, if so many fit */

struct grid_shape {
    struct rcm_topk p;
    /* The derivative of the log of the time by that of each parameter, over the noise. */
    double slope[RCM_TIME_PARAMETERS];
    bool taken; /* it is in the plan */
};

/* How uncertain the parameters are: the covariance of their logarithms. */
struct belief {
    size_t count;
    const struct rcm_time_parameter *parameters[RCM_TIME_PARAMETERS];
    double covariance[RCM_TIME_PARAMETERS][RCM_TIME_PARAMETERS]; /* its upper triangle */
};

/* ---- the grid */

/* Adds a shape with the next b that the kernel takes, if it can run and fits into `bytes`. */
static void add_shape(const struct rcm_profile *q, struct rcm_topk p, double bytes,
                      struct grid_shape *grid, size_t *length)
{
    const struct rcm_restriction any = {1, NULL};
    p.b = q->kernel->next_b(p, p.b, &any);
    if (p.b == 0 || rcm_check_deployable(p) != RCM_OK ||
        (double)p.n * (double)p.m * rcm_dtype_bytes(q->dtype) > bytes)
        return;
    if (*length < GRID_MOST && rcm_predict(q, p).time_us > 0.0)
        grid[(*length)++] = (struct grid_shape){.p = p};
}

/* The shapes of one n, m and k_b: three k, each with four numbers of candidates. */
static void add_shapes(const struct rcm_profile *q, uint64_t n, uint64_t m, uint64_t k_b,
                       double bytes, struct grid_shape *grid, size_t *length)
{
    static const uint64_t shares[] = {1, 4, 16, 64};
    const uint64_t ks[] = {16, 256, n / 128};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 4; j++) {
            const uint64_t k = ks[i], b = k * shares[j] / k_b;
            const struct rcm_topk p = {.n = n, .k = k, .b = b ? b : 1, .k_b = k_b, .m = m};
            add_shape(q, p, bytes, grid, length);
        }
}

static size_t make_grid(const struct rcm_profile *q, double bytes, struct grid_shape *grid)
{
    static const uint64_t rows[] = {1, 8, 64, 512}, k_bs[] = {1, 2, 4, 8, 16};
    size_t length = 0;
    for (uint64_t n = 1 << 10; n <= 1 << 26; n *= 4)
        for (size_t i = 0; i < 4; i++)
            for (size_t j = 0; j < 5 && k_bs[j] <= q->kernel->k_b_max; j++)
                add_shapes(q, n, rows[i], k_bs[j], bytes, grid, &length);
    return length;
}

/* ---- how much a shape tells */

static void set_slopes(struct rcm_profile *q, const struct belief *belief, struct grid_shape *c)
{
    const double time = log(rcm_predict(q, c->p).time_us);
    for (size_t i = 0; i < belief->count; i++) {
        const double value = rcm_time_value(q, belief->parameters[i]);
        rcm_set_time_value(q, belief->parameters[i], value * exp(STEP));
        c->slope[i] = (log(rcm_predict(q, c->p).time_us) - time) / STEP / NOISE;
        rcm_set_time_value(q, belief->parameters[i], value);
    }
}

/* How uncertain the time of a shape still is, over the noise, squared: the slopes by `by`, which
 * gets the covariance times the slopes. */
static double uncertainty(const struct belief *belief, const struct grid_shape *c,
                          double by[RCM_TIME_PARAMETERS])
{
    const int count = (int)belief->count;
    cblas_dsymv(CblasRowMajor, CblasUpper, count, 1.0, *belief->covariance, RCM_TIME_PARAMETERS,
                c->slope, 1, 0.0, by, 1);
    return cblas_ddot(count, by, 1, c->slope, 1);
}

/* Updates the belief as if the shape had been measured. Returns the parameter whose variance
 * shrinks by the largest factor. */
static const struct rcm_time_parameter *learn(struct belief *belief, const struct grid_shape *c)
{
    double by[RCM_TIME_PARAMETERS], most = -1.0;
    const double scale = 1.0 + uncertainty(belief, c, by);
    size_t shrunk = 0;
    for (size_t i = 0; i < belief->count; i++)
        if (by[i] * by[i] / scale / belief->covariance[i][i] > most) {
            most = by[i] * by[i] / scale / belief->covariance[i][i];
            shrunk = i;
        }
    cblas_dsyr(CblasRowMajor, CblasUpper, (int)belief->count, -1.0 / scale, by, 1,
               *belief->covariance, RCM_TIME_PARAMETERS);
    return belief->parameters[shrunk];
}

/* ---- choosing */

static size_t count_taken(const struct grid_shape *grid, size_t length, uint64_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += grid[i].taken && grid[i].p.n == n;
    return count;
}

static int by_shape(const void *a, const void *b)
{
    const struct rcm_topk *x = &((const struct plan_shape *)a)->p,
                          *y = &((const struct plan_shape *)b)->p;
    return x->n != y->n       ? (x->n > y->n) - (x->n < y->n)
           : x->m != y->m     ? (x->m > y->m) - (x->m < y->m)
           : x->k != y->k     ? (x->k > y->k) - (x->k < y->k)
           : x->k_b != y->k_b ? (x->k_b > y->k_b) - (x->k_b < y->k_b)
                              : (x->b > y->b) - (x->b < y->b);
}

static bool same_shape(const struct rcm_topk *x, const struct rcm_topk *y)
{
    return x->n == y->n && x->m == y->m && x->k == y->k && x->k_b == y->k_b && x->b == y->b;
}

static size_t choose(struct belief *belief, struct grid_shape *grid, size_t length, size_t count,
                     bool until_determined, struct plan_shape *plan)
{
    const size_t of_one_n = (count + SIZES - 1) / SIZES;
    size_t chosen = 0;
    const double enough = PLAN_DETERMINED / NOISE;
    for (; chosen < count; chosen++) {
        double most = until_determined ? enough * enough : 0.0, by[RCM_TIME_PARAMETERS];
        size_t best = length;
        for (size_t i = 0; i < length; i++) {
            const double gain = grid[i].taken ? 0.0 : uncertainty(belief, &grid[i], by);
            if (gain > most * (1.0 + 1e-9) && count_taken(grid, length, grid[i].p.n) < of_one_n) {
                most = gain;
                best = i;
            }
        }
        if (best == length)
            break;
        grid[best].taken = true;
        plan[chosen] = (struct plan_shape){grid[best].p, *learn(belief, &grid[best])};
    }
    return chosen;
}

/* The runs that are known already. */
static void learn_runs(struct rcm_profile *q, struct belief *belief, const struct run *runs,
                       size_t length)
{
    for (size_t i = 0; i < length; i++) {
        struct grid_shape c = {.p = runs[i].p};
        if (runs[i].kind != RUN_TWO_STAGE || !(rcm_predict(q, c.p).time_us > 0.0))
            continue;
        set_slopes(q, belief, &c);
        learn(belief, &c);
    }
}

size_t plan_shapes(const struct rcm_profile *like, const struct run *known, size_t length,
                   double bytes, size_t count, struct plan_shape *plan)
{
    struct rcm_profile q = *like;
    struct belief belief = {0};
    struct grid_shape *grid = malloc(GRID_MOST * sizeof *grid);
    const struct rcm_time_parameter *parameter;
    if (!grid)
        return 0;
    struct rcm_kernel as_ours = *rcm_kernel_by_name("ours"); /* with what the kernel can run */
    if (q.kernel->model == RCM_TIME_SHORT) {
        as_ours.next_b = q.kernel->next_b;
        as_ours.k_b_max = as_ours.k_b_max < q.kernel->k_b_max ? as_ours.k_b_max : q.kernel->k_b_max;
        q.kernel = &as_ours;
    }
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++) {
        const double start = parameter_start(q.kernel, parameter);
        if (start == 0.0) /* of another model */
            continue;
        if (!(rcm_time_value(&q, parameter) > 0.0))
            rcm_set_time_value(&q, parameter, start);
        if (parameter->k_b <= q.kernel->k_b_max && parameter->k_b != 3 &&
            belief.count < RCM_TIME_PARAMETERS_MOST + 1)
            belief.parameters[belief.count++] = parameter;
    }
    for (size_t i = 0; i < belief.count; i++)
        belief.covariance[i][i] = UNKNOWN * UNKNOWN;
    learn_runs(&q, &belief, known, length);
    size_t kept = 0;
    const size_t made = make_grid(&q, bytes, grid);
    /* The kernel's rule for b may have made several shapes of the grid the same. */
    for (size_t i = 0; i < made; i++) {
        size_t j = 0;
        while (j < kept && !same_shape(&grid[j].p, &grid[i].p))
            j++;
        if (j < kept)
            continue;
        grid[kept] = grid[i];
        set_slopes(&q, &belief, &grid[kept++]);
    }
    const size_t chosen = choose(&belief, grid, kept, count, length > 0, plan);
    if (chosen > 0)
        qsort(plan, chosen, sizeof *plan, by_shape);
    free(grid);
    return chosen;
}
