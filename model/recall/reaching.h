/* reaching.h - internal to model/: a fast estimate of E[R], for searches.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_REACHING_H
#define MODEL_REACHING_H

#include <model/recallmodel/recall.h>

/* E[R] from the first two moments of the survivors. Measured: within 1e-3 of E[R] from k = 64 and
 * b k_b = 1.1 k on; at worst, where b k_b = k, a fifth too large. Takes some microseconds. NaN
 * where R does not exist. */
double reaching_estimate(struct rcm_topk p);

#endif
