/* lost_inversion.h - internal to model/: the distribution of the lost elements by Fourier
 * inversion.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LOST_INVERSION_H
#define LOST_INVERSION_H

#include <model/recallmodel/recall.h>

struct lost_precision;
extern const struct lost_precision lost_full, lost_coarse;

/* k_b < k; sd is the standard deviation of the lost elements, above 0.
 * Returns   0; or -1 if memory runs out, where the distribution is longer than `longest`, or where
 *           it would take more than some 3 s, which is decided beforehand. */
int lost_by_inversion(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b, double sd,
                      size_t longest, const struct lost_precision *precision,
                      struct rcm_lost *dist);

#endif
