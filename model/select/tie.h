/* tie.h - internal to model/: which of the shapes with nearly the same bound to take.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TIE_H
#define TIE_H

#include "search.h"

/* Can ties be broken, that is, does a profile stand in for the device? Puts it into *stand_in. */
bool tie_can_break(const struct rcm_selection *selection, struct rcm_profile *stand_in);

/* The shape of the k_b of `point` that the stand-in runs fastest, of those from its b on whose
 * bound is at most RCM_BOUND_TIE of `least`, or of that of the point where that is larger; and its
 * time by the stand-in. divisors_of: the factors of n where b must divide it, otherwise NULL. */
struct tie {
    struct rcm_point point;
    double us;
};
struct tie tie_break(const struct rcm_selection *selection, const struct rcm_profile *stand_in,
                     struct rcm_point point, double least, const struct rcm_factors *divisors_of);

#endif
