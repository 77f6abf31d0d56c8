/* classes.h - internal to model/: functions of the classes of buckets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLASSES_H
#define CLASSES_H

#include <model/recallmodel/shape.h>

/* Sum of size times count; 0 if that exceeds RCM_N_MAX. */
uint64_t classes_elements(const struct rcm_buckets *buckets);

/* The most that stage 1 can keep: the sum over buckets of min(k_b, size), at most n. */
uint64_t classes_room(const struct rcm_buckets *buckets, uint64_t k_b);

/* Are the buckets, k and k_b in the domain? */
bool classes_legal(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b);

/* The fewest and the most top elements that a row can lose: where the top k spread as evenly as
 * k_b allows, and where they fill the largest buckets one after the other. For buckets that
 * classes_legal() accepts. */
uint64_t classes_least_lost(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b);
uint64_t classes_most_lost(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b);

#endif
