/* regret.h - what a model's choice costs: for each n, k, m and recall target (0.8, 0.9, 0.95, 0.99)
 * with at least two measured configurations that reach it, the measured time of the one that the
 * model likes best over that of the fastest.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REGRET_H
#define REGRET_H

#include "runs.h"

struct regret {
    double mean, median, p95, max; /* percentiles linear between cells; NaN of none */
    size_t cells;
};

/* score[i]: what the model says of run i, less being better; of equal ones the first of the list is
 * taken. in: which runs take part, NULL: all. Only runs of two stages do. Returns -1 without
 * memory. */
int regret_of(const struct run *runs, const double *score, const bool *in, size_t length,
              struct regret *regret);

/* The same where the losses, rcm_loss_exact of each run, are known already (NULL: they are not). */
int regret_of_losses(const struct run *runs, const double *loss, const double *score,
                     const bool *in, size_t length, struct regret *regret);

#endif
