/* bucket_lists.h - the keys of each bucket, and visits of whole buckets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BUCKET_LISTS_H
#define BUCKET_LISTS_H

#include <stdint.h>

#include <attention/method.h>

struct bucket_lists {
    uint32_t clusters, n;
    uint32_t *start; /* [clusters + 1]: bucket c has keys[start[c]] .. keys[start[c + 1] - 1] */
    uint32_t *keys;  /* [n], rising within a bucket */
};

/* The lists of n keys, of which key j is in bucket[j] < clusters. The caller frees them. */
struct bucket_lists bucket_lists_make(const uint32_t *bucket, uint32_t n, uint32_t clusters);
void bucket_lists_free(struct bucket_lists *lists);

/* C sum of p_c^2, where p_c is the share of bucket c among the keys first .. n - 1: 1 if the
 * buckets are equal, C if all keys are in one. NaN if there are no keys. */
double bucket_lists_imbalance(const struct bucket_lists *lists, uint32_t first);

/* Writes the `wanted` buckets with the largest scores into `chosen`, in no particular order; of
 * equal scores the first bucket. 0 <= wanted <= clusters; scores are not NaN. */
void best_buckets(const double *scores, uint32_t clusters, uint32_t wanted, uint32_t *chosen);

/* Visits all keys of the range that are in the `count` chosen buckets. Sets keys, length and
 * largest_bucket; index_bytes becomes 4 bytes for each key visited. */
void visit_buckets(struct visit *visit, const struct bucket_lists *lists, const uint32_t *chosen,
                   uint32_t count, struct key_range range);

#endif
