/* regret.c - see regret.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "regret.h"

#include <math.h>
#include <stdlib.h>

#include <base/statistics.h>

#define REGRET_TARGETS 4
static const double target_losses[REGRET_TARGETS] = {0.2, 0.1, 0.05, 0.01};

struct entry {
    const struct run *run;
    double score, loss;
};

static int by_cell(const void *a, const void *b)
{
    const struct run *x = ((const struct entry *)a)->run, *y = ((const struct entry *)b)->run;
    return x->p.n != y->p.n           ? (x->p.n > y->p.n) - (x->p.n < y->p.n)
           : x->p.k != y->p.k         ? (x->p.k > y->p.k) - (x->p.k < y->p.k)
           : x->p.m != y->p.m         ? (x->p.m > y->p.m) - (x->p.m < y->p.m)
           : x->threads != y->threads ? (x->threads > y->threads) - (x->threads < y->threads)
                                      : (x > y) - (x < y); /* by their place in the list */
}

static bool is_same_cell(const struct run *x, const struct run *y)
{
    return x->p.n == y->p.n && x->p.k == y->p.k && x->p.m == y->p.m && x->threads == y->threads;
}

/* The regret among the configurations of one n, k and m; NaN if fewer than two reach the target. */
static double regret_in(const struct entry *entries, size_t length, double loss)
{
    double score = INFINITY, choice = NAN, fastest = INFINITY;
    size_t reaching = 0;
    for (size_t i = 0; i < length; i++) {
        if (!(entries[i].loss <= loss * (1.0 + RCM_TARGET_SLACK)))
            continue;
        reaching++;
        fastest = fmin(fastest, entries[i].run->time_us);
        if (entries[i].score < score) {
            score = entries[i].score;
            choice = entries[i].run->time_us;
        }
    }
    return reaching >= 2 ? choice / fastest : NAN;
}

int regret_of_losses(const struct run *runs, const double *loss, const double *score,
                     const bool *in, size_t length, struct regret *regret)
{
    struct entry *entries = malloc((length + 1) * sizeof *entries);
    double *regrets = malloc((REGRET_TARGETS * length + 1) * sizeof *regrets), sum = 0.0;
    size_t count = 0, cells = 0;
    for (size_t i = 0; entries && i < length; i++)
        if (runs[i].kind == RUN_TWO_STAGE && (!in || in[i]))
            entries[count++] =
                (struct entry){&runs[i], score[i], loss ? loss[i] : rcm_loss_exact(runs[i].p)};
    if (!entries || !regrets) {
        free(entries);
        free(regrets);
        return -1;
    }
    if (count > 0)
        qsort(entries, count, sizeof *entries, by_cell);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && is_same_cell(entries[first].run, entries[end].run);
             end++)
            ;
        for (size_t t = 0; t < REGRET_TARGETS; t++) {
            const double r = regret_in(entries + first, end - first, target_losses[t]);
            if (!isnan(r)) {
                regrets[cells++] = r;
                sum += r;
            }
        }
    }
    sort_doubles(regrets, cells);
    *regret = (struct regret){
        cells ? sum / (double)cells : NAN, sorted_quantile(regrets, cells, 0.5),
        sorted_quantile(regrets, cells, 0.95), sorted_quantile(regrets, cells, 1.0), cells};
    free(entries);
    free(regrets);
    return 0;
}

int regret_of(const struct run *runs, const double *score, const bool *in, size_t length,
              struct regret *regret)
{
    return regret_of_losses(runs, NULL, score, in, length, regret);
}
