/* top_keys.c - see top_keys.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "top_keys.h"

#include <stdlib.h>

#include <base/memory.h>
#include <sim/selection/key.h>
#include <sim/selection/quickselect.h>

#include "products.h"

static int compare_keys(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void sort_keys(uint32_t *keys, size_t length)
{
    qsort(keys, length, sizeof *keys, compare_keys);
}

void visit_top(struct visit *visit, const float *scores, struct key_range range, size_t wanted)
{
    const size_t n = range.last - range.first;
    if (wanted >= n) {
        visit_reserve(visit, n, false);
        for (size_t i = 0; i < n; i++)
            visit->keys[i] = range.first + (uint32_t)i;
        visit->length = n;
        return;
    }
    visit_reserve(visit, n, false); /* select_largest() needs room for all */
    visit->length = wanted;
    if (wanted == 0)
        return;
    uint64_t *ordered = require_memory(malloc(2 * n * sizeof *ordered));
    for (size_t i = 0; i < n; i++)
        ordered[i] = key_of((double)scores[range.first + i]);
    select_largest(ordered, n, wanted, ordered + n, visit->keys);
    free(ordered);
    /* The first `wanted` are the top: the sure ones, and the first of the tied ones by index. */
    for (size_t i = 0; i < wanted; i++)
        visit->keys[i] += range.first;
    sort_keys(visit->keys, wanted);
}

/* The logits of the keys that are visited. */
static void visited_logits(const struct key_head *head, const struct attention_query *query,
                           const struct visit *visit, uint64_t *ordered)
{
    for (size_t i = 0; i < visit->length; i++) {
        float logit;
        if (query->logits)
            logit = query->logits[visit->keys[i]];
        else
            products_vector(&logit, head->keys + (size_t)visit->keys[i] * head->d, 1, head->d,
                            query->q, query->scale);
        ordered[i] = key_of((double)logit);
    }
}

void visit_keep_best(struct visit *visit, const struct key_head *head,
                     const struct attention_query *query, size_t kept)
{
    const size_t n = visit->length;
    if (kept == n || kept == 0) {
        visit->length = kept;
        return;
    }
    uint64_t *ordered = require_memory(malloc(2 * n * sizeof *ordered));
    uint32_t *at = require_memory(malloc(n * sizeof *at));
    visited_logits(head, query, visit, ordered);
    select_largest(ordered, n, kept, ordered + n, at);
    sort_keys(at, kept);
    for (size_t i = 0; i < kept; i++)
        visit->keys[i] = visit->keys[at[i]]; /* at[i] >= i, so nothing is lost */
    visit->length = kept;
    free(at);
    free(ordered);
}

const float *query_logits(const struct key_head *head, const struct attention_query *query,
                          float *own)
{
    if (query->logits)
        return query->logits;
    const struct key_range range = query->range;
    products_vector(own + range.first, head->keys + (size_t)range.first * head->d,
                    range.last - range.first, head->d, query->q, query->scale);
    return own;
}
