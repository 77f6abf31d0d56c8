/* fit.h - the parameters of a profile, fitted to measured runs: least squares on the logarithm of
 * the time, with outliers damped.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FIT_H
#define FIT_H

#include <calibrate/runs/residuals.h>

struct fit {
    unsigned parameters; /* how many were fitted or searched for */
    /* The relative standard error of each; NaN if it was not fitted; INFINITY if it is that of the
     * prior. blocks_at_once is searched for, so its error is NaN too. */
    double error[RCM_TIME_PARAMETERS];
    unsigned steps; /* of Levenberg and Marquardt */
    size_t runs; /* that it was fitted to: with more than FIT_RUNS_MOST, the size of the sample */
};

/* If there are more runs than this, a sample of them is fitted to (for a kernel of which only the
 * times are known: more than FIT_SHORT_MOST). It has as many runs of each kind and k_b as there is
 * room for, and is the same if the same runs come in the same order. Ranges and errors of the
 * profile are those of all runs. */
#define FIT_RUNS_MOST 2400
#define FIT_SHORT_MOST 800

/* A fit that begins from a prior, and that of a short model, need at least so many runs. */
#define FIT_LEAST 8

/* What is known before the runs: the parameters of the stand-in for the card (rcm_stand_in_for),
 * carried to it; prior.source is the name of that profile. Without one all are 0 and prior.source
 * is NULL: for exact top-k alone, for a CPU, and where the stand-in has another model. device:
 * NULL, or without rates: nothing is known of the card, and the stand-in is taken as it is. */
struct rcm_profile fit_prior(const struct rcm_device *device, const struct rcm_kernel *kernel,
                             enum rcm_dtype dtype);

/* Sets the parameters of the profile, whose kernel and dtype are given. It comes with those of the
 * prior: the fit begins there, and what the runs do not determine stays there. Without a prior the
 * fit needs two runs a parameter, and what they do not determine becomes 0. It is an error if the
 * time of a run cannot be predicted, or if all runs are of exact top-k. A kernel of which only the
 * times are known has the short model (docs/models.md 14): those parameters that the runs
 * determine, at most one for two runs. Its runs may all be of exact top-k. Returns 0, or -1 with a
 * line in `error`. */
int fit_profile(const struct run *runs, size_t length, struct rcm_profile *profile, struct fit *fit,
                struct message error);

/* After fit_profile(): sets the parameters of contiguous buckets, and their band, by runs of such
 * buckets, of those whose k_b interleaved ones have. What these told stays as it is. The kernel has
 * buckets. A fit of one or two parameters is not tried on runs that it did not see: the band is
 * that of the runs themselves. Returns 0, or -1 with a line in `error`. */
int fit_contiguous(const struct run *runs, size_t length, struct rcm_profile *profile,
                   struct fit *fit, struct message error);

/* Fits to the runs that are not `out` and predicts those that are; the predictions of the others
 * are NaN. `like` has kernel, dtype and the prior. Half of FIT_LEAST runs are enough here. Returns
 * 0, or -1 with a line in `error`. */
int predict_held_out(const struct run *runs, size_t length, const struct rcm_profile *like,
                     const bool *out, double *predicted, struct message error);

#endif
