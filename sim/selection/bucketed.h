/* bucketed.h - bucketed approximate top-k of one row, written out: stage 1 with a queue for each
 * bucket, stage 2 with one queue.
 *
 * Slow and literal. The tests compare the faster counting in repetition.c with it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BUCKETED_H
#define BUCKETED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assignment.h"

/* The approximate top-k of keys (key.h); equal keys rank by index. */
struct bucketed {
    size_t candidates;   /* of stage 1 */
    size_t length;       /* min(k, candidates) */
    uint32_t *candidate; /* indices, bucket by bucket */
    uint32_t *result;    /* indices, the largest key first */
    bool certified; /* at least k candidates are >= the largest (k_b + 1)-th key of any bucket */
};

/* 1 <= k <= valid <= n < 2^32, 1 <= b <= n, 1 <= k_b. Only the first `valid` elements exist.
 * Returns false if memory runs out. bucketed_free() in any case. */
bool bucketed_topk(const uint64_t *keys, size_t n, size_t valid, size_t k, uint64_t b, uint64_t k_b,
                   enum sim_assignment assignment, struct bucketed *result);
void bucketed_free(struct bucketed *result);

#endif
