/* measured.h - internal to model/select/: what was measured here, before what is predicted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SELECT_MEASURED_H
#define SELECT_MEASURED_H

#include <model/recallmodel/answer.h>

/* The exact top-k that was timed for just these rows, as contenders. Returns how many there are. */
size_t measured_exact(const struct rcm_selection *selection,
                      struct rcm_contender of[RCM_EXACT_MOST]);

/* Of the buckets with this k_b that were timed for just these rows and that reach the target, the
 * fastest. INFINITY: there are none. */
struct rcm_point measured_buckets(const struct rcm_selection *selection, uint64_t k_b);

/* The measurement of the buckets p, of several the fastest; NULL: there is none. */
const struct rcm_measured *measured_of(const struct rcm_selection *selection, struct rcm_topk p);

/* Measured over predicted time of the exact top-k of that name, for rows like these, and the band
 * around it, as ratios of it; each 0: not known. */
struct measured_ratio {
    double mean, low, high;
};
struct measured_ratio measured_exact_ratio(const struct rcm_selection *selection, const char *name);

#endif
