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

/* What is taken together of the cells so far. */
struct sums {
    double *regrets, sum;
    size_t cells, doubled, exact_fastest, exact_chosen;
};

/* Adds the cell of one target among the configurations of one n, k and m, if it is one: at least
 * two reach the target, and, with exact top-k among them, both it and buckets. */
static void add_cell(struct sums *sums, const struct entry *entries, size_t length, double loss,
                     bool with_exact)
{
    const struct entry *choice = NULL, *fastest = NULL;
    size_t buckets = 0, exact = 0;
    for (size_t i = 0; i < length; i++) {
        const struct entry *e = &entries[i];
        if (!(e->loss <= loss * (1.0 + RCM_TARGET_SLACK)))
            continue;
        exact += e->run->kind == RUN_EXACT;
        buckets += e->run->kind != RUN_EXACT;
        if (!fastest || e->run->time_us < fastest->run->time_us)
            fastest = e;
        if (e->score < (choice ? choice->score : INFINITY))
            choice = e;
    }
    if (!choice || (with_exact ? exact < 1 || buckets < 1 : buckets < 2))
        return;
    const double regret = choice->run->time_us / fastest->run->time_us;
    sums->regrets[sums->cells++] = regret;
    sums->sum += regret;
    sums->doubled += regret > 2.0;
    sums->exact_fastest += fastest->run->kind == RUN_EXACT;
    sums->exact_chosen += choice->run->kind == RUN_EXACT;
}

/* Sorts the runs that take part into their cells. Returns how many they are. */
static size_t fill_entries(struct entry *entries, const struct run *runs, const double *loss,
                           const double *score, const bool *in, size_t length, bool with_exact)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        if ((runs[i].kind == RUN_TWO_STAGE || (with_exact && runs[i].kind == RUN_EXACT)) &&
            (!in || in[i]))
            entries[count++] =
                (struct entry){&runs[i], score[i], loss ? loss[i] : rcm_loss_exact(runs[i].p)};
    if (count > 0)
        qsort(entries, count, sizeof *entries, by_cell);
    return count;
}

static int regret_among(const struct run *runs, const double *loss, const double *score,
                        const bool *in, size_t length, bool with_exact, struct regret *regret)
{
    struct entry *entries = malloc((length + 1) * sizeof *entries);
    struct sums s = {.regrets = malloc((REGRET_TARGETS * length + 1) * sizeof *s.regrets)};
    if (!entries || !s.regrets) {
        free(entries);
        free(s.regrets);
        return -1;
    }
    const size_t count = fill_entries(entries, runs, loss, score, in, length, with_exact);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && is_same_cell(entries[first].run, entries[end].run);
             end++)
            ;
        for (size_t t = 0; t < REGRET_TARGETS; t++)
            add_cell(&s, entries + first, end - first, target_losses[t], with_exact);
    }
    sort_doubles(s.regrets, s.cells);
    *regret = (struct regret){.mean = s.cells ? s.sum / (double)s.cells : NAN,
                              .median = sorted_quantile(s.regrets, s.cells, 0.5),
                              .p95 = sorted_quantile(s.regrets, s.cells, 0.95),
                              .max = sorted_quantile(s.regrets, s.cells, 1.0),
                              .cells = s.cells,
                              .doubled = s.doubled,
                              .exact_fastest = s.exact_fastest,
                              .exact_chosen = s.exact_chosen};
    free(entries);
    free(s.regrets);
    return 0;
}

int regret_of_losses(const struct run *runs, const double *loss, const double *score,
                     const bool *in, size_t length, struct regret *regret)
{
    return regret_among(runs, loss, score, in, length, false, regret);
}

int regret_with_exact(const struct run *runs, const double *loss, const double *score,
                      const bool *in, size_t length, struct regret *regret)
{
    return regret_among(runs, loss, score, in, length, true, regret);
}
