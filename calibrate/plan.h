/* plan.h - which shapes to time for a profile: few, which together determine its parameters
 * (D-optimal).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PLAN_H
#define PLAN_H

#include "fit.h"

struct plan_shape {
    struct rcm_topk p;
    /* The parameter about which this shape tells the most, after those that were chosen before. */
    struct rcm_time_parameter parameter;
};

#define PLAN_SHAPES 36 /* unless asked otherwise */
/* Of all rows together, at most. The command takes a quarter of the memory if that is less. */
#define PLAN_BYTES (UINT64_C(1) << 30)

/* A shape is determined whose time is known, by the runs and the model, to this standard
 * deviation of its logarithm. */
#define PLAN_DETERMINED 0.2

/* Chooses at most `count` shapes that the kernel of `like` can run, each with at most `bytes` of
 * rows, at most a sixth of them with the same n. They come from a grid of n, m, k, k_b and b, one
 * after the other: each time the one that adds most to the determinant of the parameters'
 * information matrix, for the model at the parameters of `like` (a parameter that is 0 is taken at
 * its start) and errors of 5 %. For a kernel of which only the times are known the plan is that of
 * `ours`, whose parameters cover what a kernel may wait for. The same arguments give the same plan.
 * After `known` runs (length 0: none) it adds to what those tell, and stops when all shapes of the
 * grid are determined.
 * Returns how many, sorted by n, m, k, k_b and b; 0 if memory runs out, or after known runs if
 * nothing is missing. */
size_t plan_shapes(const struct rcm_profile *like, const struct run *known, size_t length,
                   double bytes, size_t count, struct plan_shape *plan);

#endif
