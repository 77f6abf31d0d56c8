/* fit_models.h - internal to calibrate/: how the models of a kernel's time are fitted.
 *
 * Each chooses which parameters of problem->profile the runs determine, fits these, and sets the
 * others to 0 or to their usual value. Each returns 0, or -1 with a line in `error`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FIT_MODELS_H
#define FIT_MODELS_H

#include "least_squares.h"

/* The physical model of a kernel that is known. */
int fit_full_model(struct problem *problem, struct fit *fit, struct message error);

/* The short model of a kernel of which only the times are known (docs/models.md 14). */
int fit_short_model(struct problem *problem, struct fit *fit, struct message error);

/* The model of a kernel that only finds the exact top-k (docs/models.md 19): all runs are exact
 * top-k with k < n. */
int fit_exact_model(struct problem *problem, struct fit *fit, struct message error);

#endif
