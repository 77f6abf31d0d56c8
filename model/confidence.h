/* confidence.h - internal to model/: does a shape reach what a selection asks for, on the mean or
 * in a row?
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONFIDENCE_H
#define CONFIDENCE_H

#include "recallmodel.h"

enum verdict { MISSES, REACHES, UNKNOWN }; /* UNKNOWN: there is no law of this row (rcm_lost) */

enum verdict confidence_verdict(const struct rcm_selection *selection, struct rcm_topk p);

/* The same if the lost elements were normal: for where to begin. */
bool confidence_seems(const struct rcm_selection *selection, struct rcm_topk p);

/* The smallest deployable b that reaches it, before restrictions; 0: none does, or it is not known.
 */
uint64_t confidence_smallest_b(const struct rcm_selection *selection, struct rcm_topk p);

#endif
