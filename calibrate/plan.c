/* plan.c - see plan.h. The method is greedy D-optimal design: docs/calibrating.md.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include <math.h>
#include <stdlib.h>

#define NOISE 0.05 /* of a measured time, relative */
#define UNKNOWN \
    3.0 /* standard deviation of the log of a parameter before anything is measured: a factor of \
           20 */
#define STEP 1e-4 /* of the logarithm, for derivatives */
#define GRID_MOST 4096
#define SIZES 6 /* different n at least, where so many fit */

struct candidate {
    struct rcm_topk p;
    double slope[FIT_PARAMETERS]; /* of the log of the time by that of each parameter, over the
                                     noise */
    bool taken;
};

/* What is not known yet: the covariance of the parameters' logarithms. */
struct knowledge {
    size_t count;
    const struct rcm_time_parameter *parameters[FIT_PARAMETERS];
    double covariance[FIT_PARAMETERS][FIT_PARAMETERS];
};

/* ---- the grid */

static void add_shape(const struct rcm_profile *q, struct rcm_topk p, double bytes,
                      struct candidate *grid, size_t *length)
{
    const struct rcm_restriction any = {1, NULL};
    p.b = q->kernel->next_b(p, p.b, &any);
    if (p.b == 0 || rcm_check_deployable(p) != RCM_OK ||
        (double)p.n * (double)p.m * rcm_dtype_bytes(q->dtype) > bytes)
        return;
    if (*length < GRID_MOST && rcm_predict(q, p).time_us > 0.0)
        grid[(*length)++] = (struct candidate){.p = p};
}

static size_t make_grid(const struct rcm_profile *q, double bytes, struct candidate *grid)
{
    static const uint64_t rows[] = {1, 8, 64, 512}, kept[] = {1, 2, 4, 8, 16},
                          shares[] = {1, 4, 16, 64};
    size_t length = 0;
    for (uint64_t n = 1 << 10; n <= 1 << 26; n *= 4)
        for (size_t i = 0; i < 4; i++)
            for (size_t j = 0; j < 5 && kept[j] <= q->kernel->k_b_max; j++)
                for (size_t l = 0; l < 3; l++)
                    for (size_t r = 0; r < 4; r++) {
                        const uint64_t k = l == 0   ? 16
                                           : l == 1 ? 256
                                                    : n / 128,
                                       b = k * shares[r] / kept[j];
                        add_shape(q,
                                  (struct rcm_topk){
                                      .n = n, .k = k, .b = b ? b : 1, .k_b = kept[j], .m = rows[i]},
                                  bytes, grid, &length);
                    }
    return length;
}

/* ---- what a shape tells */

static void set_slopes(struct rcm_profile *q, const struct knowledge *know, struct candidate *c)
{
    const double time = log(rcm_predict(q, c->p).time_us);
    for (size_t i = 0; i < know->count; i++) {
        const double value = rcm_time_value(q, know->parameters[i]);
        rcm_set_time_value(q, know->parameters[i], value * exp(STEP));
        c->slope[i] = (log(rcm_predict(q, c->p).time_us) - time) / STEP / NOISE;
        rcm_set_time_value(q, know->parameters[i], value);
    }
}

/* covariance times the slopes, and the slopes by that: how uncertain its time still is, over the
 * noise, squared. */
static double uncertainty(const struct knowledge *know, const struct candidate *c,
                          double by[FIT_PARAMETERS])
{
    double sum = 0.0;
    for (size_t i = 0; i < know->count; i++) {
        by[i] = 0.0;
        for (size_t j = 0; j < know->count; j++)
            by[i] += know->covariance[i][j] * c->slope[j];
        sum += by[i] * c->slope[i];
    }
    return sum;
}

/* Measures it, in thought. Returns the parameter whose variance shrinks by the largest factor. */
static const struct rcm_time_parameter *learn(struct knowledge *know, const struct candidate *c)
{
    double by[FIT_PARAMETERS], most = -1.0;
    const double scale = 1.0 + uncertainty(know, c, by);
    size_t what = 0;
    for (size_t i = 0; i < know->count; i++)
        if (by[i] * by[i] / scale / know->covariance[i][i] > most) {
            most = by[i] * by[i] / scale / know->covariance[i][i];
            what = i;
        }
    for (size_t i = 0; i < know->count; i++)
        for (size_t j = 0; j < know->count; j++)
            know->covariance[i][j] -= by[i] * by[j] / scale;
    return know->parameters[what];
}

/* ---- choosing */

static size_t taken_of(const struct candidate *grid, size_t length, uint64_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += grid[i].taken && grid[i].p.n == n;
    return count;
}

static int by_shape(const void *a, const void *b)
{
    const struct rcm_topk *x = &((const struct planned *)a)->p,
                          *y = &((const struct planned *)b)->p;
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

static size_t choose(struct knowledge *know, struct candidate *grid, size_t length, size_t count,
                     struct planned *plan)
{
    const size_t of_one_n = (count + SIZES - 1) / SIZES;
    size_t chosen = 0;
    for (; chosen < count; chosen++) {
        double most = 0.0, by[FIT_PARAMETERS];
        size_t best = length;
        for (size_t i = 0; i < length; i++) {
            const double told = grid[i].taken ? 0.0 : uncertainty(know, &grid[i], by);
            if (told > most * (1.0 + 1e-9) && taken_of(grid, length, grid[i].p.n) < of_one_n) {
                most = told;
                best = i;
            }
        }
        if (best == length)
            break;
        grid[best].taken = true;
        plan[chosen] = (struct planned){grid[best].p, learn(know, &grid[best])};
    }
    return chosen;
}

size_t plan_shapes(const struct rcm_profile *like, double bytes, size_t count, struct planned *plan)
{
    struct rcm_profile q = *like;
    struct knowledge know = {0};
    struct candidate *grid = malloc(GRID_MOST * sizeof *grid);
    const struct rcm_time_parameter *parameter;
    if (!grid)
        return 0;
    q.kernel = q.kernel->times_only ? rcm_kernel_by_name("ours") : q.kernel;
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++) {
        if (!(rcm_time_value(&q, parameter) > 0.0))
            rcm_set_time_value(&q, parameter, parameter->start);
        if (parameter->k_b <= q.kernel->k_b_max && parameter->k_b != 3 &&
            know.count < RCM_TIME_PARAMETERS_MOST + 1)
            know.parameters[know.count++] = parameter;
    }
    for (size_t i = 0; i < know.count; i++)
        know.covariance[i][i] = UNKNOWN * UNKNOWN;
    size_t length = make_grid(&q, bytes, grid), kept = 0;
    for (size_t i = 0; i < length; i++) { /* the kernel's rule may have made the same of several */
        size_t j = 0;
        while (j < kept && !same_shape(&grid[j].p, &grid[i].p))
            j++;
        if (j < kept)
            continue;
        grid[kept] = grid[i];
        set_slopes(&q, &know, &grid[kept++]);
    }
    const size_t chosen = choose(&know, grid, kept, count, plan);
    if (chosen > 0)
        qsort(plan, chosen, sizeof *plan, by_shape);
    free(grid);
    return chosen;
}
