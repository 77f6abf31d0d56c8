/* lost_pair.h - internal to model/: the distribution of the lost elements where only two buckets
 * are not empty. Derivation: docs/models.md 12.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LOST_PAIR_H
#define LOST_PAIR_H

#include <model/recallmodel/recall.h>

/* k_b < k, and at least one of the sizes is above k_b.
 * Returns   0; or -1 if memory runs out or where the distribution is longer than `most`.
 * Accuracy  terms that are left out sum to less than 1e-18.
 * Time      10 ns for each element of the distribution. */
int lost_of_pair(uint64_t size, uint64_t other_size, uint64_t k, uint64_t k_b, size_t most,
                 struct rcm_lost *dist);

#endif
