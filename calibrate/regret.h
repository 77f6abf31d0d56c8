/* regret.h - regret: what a model's choice costs.
 *
 * A cell is a recall target (0.8, 0.9, 0.95, 0.99) for one n, k, m and number of threads, with at
 * least two measured configurations that reach it. Its regret is the measured time of the
 * configuration that the model prefers, over that of the fastest.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REGRET_H
#define REGRET_H

#include <calibrate/runs/runs.h>

struct regret {
    double mean, median, p95, max; /* over cells; NaN without cells */
    size_t cells;
    size_t doubled;                     /* cells with a regret above 2 */
    size_t exact_fastest, exact_chosen; /* cells, with exact top-k among the configurations */
};

/* score[i]: what the model says of run i; less is better, and of equal ones the first of the list
 * is taken. loss[i]: its rcm_loss_exact() (NULL: computed here). `in`: which runs take part (NULL:
 * all); only runs of two stages do. Returns 0, or -1 if memory runs out. */
int regret_of_losses(const struct run *runs, const double *loss, const double *score,
                     const bool *in, size_t length, struct regret *regret);

/* The same with exact top-k among the configurations, which loses nothing: over the cells of which
 * it was measured, too, and at least one with buckets reaches the target. */
int regret_with_exact(const struct run *runs, const double *loss, const double *score,
                      const bool *in, size_t length, struct regret *regret);

#endif
