/* bucketed.c - the two-stage top-k of the exact logits: the algorithm of this project.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "bucketed.h"

#include <math.h>
#include <stdlib.h>

#include <attention/methods/all.h>
#include <attention/top_keys.h>
#include <base/memory.h>
#include <sim/selection/key.h>
#include <sim/selection/quickselect.h>

/* Up to this k_b each bucket has a queue; above, each bucket is selected from by itself. */
#define QUEUE_MOST 16

/* The best scores of each bucket so far, best first: those of bucket i begin at i k_b. */
struct queues {
    float *score;
    uint32_t *place;
    uint32_t *length;
    uint32_t k_b;
};

/* Places come in rising order, so that an equal score that comes later ranks behind. */
static inline void offer(struct queues *queues, uint64_t bucket, float score, uint32_t place)
{
    float *best = queues->score + bucket * queues->k_b;
    uint32_t *at = queues->place + bucket * queues->k_b;
    uint32_t length = queues->length[bucket];
    if (length == queues->k_b) {
        if (!(score > best[length - 1]))
            return;
        length--;
    } else {
        queues->length[bucket]++;
    }
    for (; length > 0 && score > best[length - 1]; length--) {
        best[length] = best[length - 1];
        at[length] = at[length - 1];
    }
    best[length] = score;
    at[length] = place;
}

/* Where bucket i ends, for contiguous buckets. */
static uint64_t end_of(const struct buckets *s, uint64_t i)
{
    if (s->assignment == SIM_CONTIGUOUS_FLOOR)
        return (s->n * (i + 1) + s->b - 1) / s->b;
    return i < s->longer ? (i + 1) * (s->size + 1) : s->run + (i + 1 - s->longer) * s->size;
}

static void offer_all(struct queues *queues, const struct buckets *s, const float *row)
{
    if (s->assignment == SIM_INTERLEAVED) {
        for (uint64_t i = 0; i < s->n; i += s->b) {
            const uint64_t last = s->n - i < s->b ? s->n - i : s->b;
            for (uint64_t bucket = 0; bucket < last; bucket++)
                offer(queues, bucket, row[i + bucket], (uint32_t)(i + bucket));
        }
        return;
    }
    for (uint64_t bucket = 0, i = 0; bucket < s->b; bucket++)
        for (const uint64_t end = end_of(s, bucket); i < end; i++)
            offer(queues, bucket, row[i], (uint32_t)i);
}

/* Stage 1 with a queue for each bucket: kept[i] becomes the score of a candidate. */
static void keep_by_queues(float *kept, const struct buckets *s, uint32_t k_b, const float *row)
{
    struct queues queues = {.score = require_memory(malloc(s->b * k_b * sizeof(float))),
                            .place = require_memory(malloc(s->b * k_b * sizeof(uint32_t))),
                            .length = require_memory(calloc(s->b, sizeof(uint32_t))),
                            .k_b = k_b};
    offer_all(&queues, s, row);
    for (uint64_t bucket = 0; bucket < s->b; bucket++)
        for (uint32_t j = 0; j < queues.length[bucket]; j++)
            kept[queues.place[bucket * k_b + j]] = queues.score[bucket * k_b + j];
    free(queues.score);
    free(queues.place);
    free(queues.length);
}

/* Stage 1 bucket by bucket: O(n) for any k_b. */
static void keep_by_selection(float *kept, const struct buckets *s, uint64_t k_b, const float *row)
{
    const bool interleaved = s->assignment == SIM_INTERLEAVED;
    const uint64_t most = s->size + 1, stride = interleaved ? s->b : 1;
    uint64_t *ordered = require_memory(malloc(2 * most * sizeof *ordered));
    uint32_t *at = require_memory(malloc(most * sizeof *at));
    for (uint64_t bucket = 0; bucket < s->b; bucket++) {
        const uint64_t first = interleaved ? bucket : bucket ? end_of(s, bucket - 1) : 0;
        const uint64_t end = interleaved ? s->n : end_of(s, bucket);
        uint64_t length = 0;
        for (uint64_t i = first; i < end; i += stride)
            ordered[length++] = key_of((double)row[i]);
        const uint64_t keep = k_b < length ? k_b : length;
        if (keep > 0)
            select_largest(ordered, length, keep, ordered + most, at);
        for (uint64_t j = 0; j < keep; j++)
            kept[first + at[j] * stride] = row[first + at[j] * stride];
    }
    free(ordered);
    free(at);
}

void visit_bucketed(struct visit *visit, const float *scores, struct key_range range, size_t wanted,
                    const struct method_options *options)
{
    const uint64_t n = range.last - range.first, k_b = options->k_b;
    /* Keeps none, all, or as many in each bucket as are wanted: exact. */
    if (wanted == 0 || wanted >= n || k_b >= wanted) {
        visit_top(visit, scores, range, wanted);
        return;
    }
    const uint64_t b = (options->ratio * (uint64_t)wanted + k_b - 1) / k_b;
    const struct buckets s = buckets_of(options->assignment, n, b < n ? b : n);
    float *kept = require_memory(malloc(n * sizeof *kept));
    for (size_t i = 0; i < n; i++)
        kept[i] = -INFINITY;
    if (k_b <= QUEUE_MOST)
        keep_by_queues(kept, &s, (uint32_t)k_b, scores + range.first);
    else
        keep_by_selection(kept, &s, k_b, scores + range.first);
    visit_top(visit, kept, (struct key_range){0, (uint32_t)n}, wanted);
    for (size_t i = 0; i < visit->length; i++)
        visit->keys[i] += range.first;
    free(kept);
}

static void visit_by_buckets(const struct method *self, const struct method_options *options,
                             const struct key_head *head, const void *index,
                             const struct attention_query *queries, uint32_t count, uint32_t knob,
                             struct visit *visit)
{
    (void)self, (void)index, (void)count;
    float *own = queries->logits ? NULL : require_memory(malloc(head->n * sizeof *own));
    visit_bucketed(visit, query_logits(head, queries, own), queries->range, knob, options);
    free(own);
    const double keys = (double)(queries->range.last - queries->range.first);
    visit->index_bytes = (keys - (double)visit->length) * stored_key_bytes(options, head->d);
    visit->largest_bucket = 0;
}

const struct method method_bucketed = {
    .name = "bucketed",
    .knob = "keys",
    .summary = "the approximate top-k of the exact scores, in two stages",
    .source = "Key et al. 2024, Samaga et al. 2025",
    .counts_keys = true,
    .visit = visit_by_buckets,
};
