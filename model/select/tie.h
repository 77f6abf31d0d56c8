/* tie.h - internal to model/: which of the shapes with nearly the same bound to take.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TIE_H
#define TIE_H

#include "search.h"

/* Takes the points of least bound of each k_b = 1, .., most, and replaces each by the shape within
 * RCM_BOUND_TIE of it, or of the least of all, that the stand-in runs fastest. Returns the fastest
 * of those within RCM_BOUND_TIE of the least of all; where nothing stands in, the least of all.
 * divisors_of: the factors of n where b must divide it, otherwise NULL. */
struct rcm_point tie_fastest(const struct rcm_selection *selection, struct rcm_point *each,
                             uint64_t most, const struct rcm_factors *divisors_of);

#endif
