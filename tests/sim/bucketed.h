/* bucketed.h - bucketed approximate top-k of one row, written out: stage 1 with a queue for each
 * bucket, stage 2 with one queue.
 *
 * Slow and literal: the faster counting in sim/repetition.c is compared with it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BUCKETED_H
#define BUCKETED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <sim/selection/assignment.h>

/* The approximate top-k of keys (key.h); equal keys rank by index. */
struct bucketed {
    size_t candidates;   /* of stage 1 */
    size_t length;       /* min(k, candidates) */
    uint32_t *candidate; /* indices, bucket by bucket */
    uint32_t *result;    /* indices, the largest key first */
    bool certified; /* at least k candidates are >= the largest (k_b + 1)-th key of any bucket */
};

/* The best indices that were offered to it, best first. */
struct queue {
    uint32_t *index;
    size_t length, room;
};

static inline bool better(const uint64_t *keys, uint32_t a, uint32_t b)
{
    return keys[a] > keys[b] || (keys[a] == keys[b] && a < b);
}

static inline void offer(struct queue *queue, const uint64_t *keys, uint32_t index)
{
    size_t at = queue->length;
    if (queue->length < queue->room)
        queue->length++;
    else if (queue->room == 0 || !better(keys, index, queue->index[--at]))
        return;
    for (; at > 0 && better(keys, index, queue->index[at - 1]); at--)
        queue->index[at] = queue->index[at - 1];
    queue->index[at] = index;
}

/* Stage 1 of one bucket: its elements are offered to a queue of k_b + 1. If the queue is full in
 * the end, its last element is the largest that is lost. */
static inline void stage1(const uint64_t *keys, size_t valid, const struct buckets *buckets,
                          uint64_t bucket, size_t k_b, uint32_t *space, struct bucketed *out,
                          bool *any_lost, uint64_t *largest_lost)
{
    struct queue queue = {space, 0, k_b + 1};
    for (uint32_t i = 0; i < valid; i++)
        if (place_of(buckets, i).bucket == bucket)
            offer(&queue, keys, i);
    for (size_t j = 0; j < queue.length && j < k_b; j++)
        out->candidate[out->candidates++] = queue.index[j];
    if (queue.length > k_b) {
        uint64_t lost = keys[queue.index[k_b]];
        *largest_lost = *any_lost && *largest_lost > lost ? *largest_lost : lost;
        *any_lost = true;
    }
}

/* 1 <= k <= valid <= n < 2^32, 1 <= b <= n, 1 <= k_b. Only the first `valid` elements exist.
 * Returns false if memory runs out. bucketed_free() in any case. */
static inline bool bucketed_topk(const uint64_t *keys, size_t n, size_t valid, size_t k, uint64_t b,
                                 uint64_t k_b, enum sim_assignment assignment, struct bucketed *out)
{
    size_t room = k_b < n ? (size_t)k_b : n;
    uint32_t *space = malloc((room + 1) * sizeof *space);
    *out = (struct bucketed){.candidate = malloc(n * sizeof *out->candidate),
                             .result = malloc(k * sizeof *out->result)};
    bool good = space && out->candidate && out->result, any_lost = false;
    uint64_t largest_lost = 0;
    struct buckets buckets = buckets_of(assignment, n, b);
    for (uint64_t bucket = 0; bucket < b && good; bucket++)
        stage1(keys, valid, &buckets, bucket, room, space, out, &any_lost, &largest_lost);
    struct queue stage2 = {out->result, 0, k};
    size_t reaching = 0;
    for (size_t j = 0; j < out->candidates && good; j++) {
        offer(&stage2, keys, out->candidate[j]);
        reaching += !any_lost || keys[out->candidate[j]] >= largest_lost;
    }
    out->length = stage2.length;
    out->certified = reaching >= k;
    free(space);
    return good;
}

static inline void bucketed_free(struct bucketed *result)
{
    free(result->candidate);
    free(result->result);
}

#endif
