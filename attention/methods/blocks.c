/* blocks.c - two levels: the blocks of keys with the best scores, then the exact top-k in them. A
 * block has the score of its best key, for which all keys are read, or that of its mean key.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <attention/method.h>
#include <attention/methods/all.h>
#include <attention/products.h>
#include <attention/top_keys.h>
#include <base/memory.h>

#include "pages.h"

/* All keys, or none, where the knob says so. */
static bool visit_all_or_none(struct key_range range, uint32_t knob, struct visit *visit)
{
    const uint32_t keys = range.last - range.first;
    visit->index_bytes = visit->largest_bucket = 0;
    if (knob > 0 && knob < keys)
        return false;
    visit_top(visit, NULL, range, knob);
    return true;
}

/* ---- by the best key */

static void visit_blocks(const struct method *self, const struct method_options *options,
                         const struct key_head *head, const void *index,
                         const struct attention_query *queries, uint32_t count, uint32_t knob,
                         struct visit *visit)
{
    (void)self, (void)index, (void)count;
    const struct key_range range = queries->range;
    const uint32_t block = options->block;
    if (visit_all_or_none(range, knob, visit)) {
        visit->index_bytes = ((double)(range.last - range.first) - (double)visit->length) *
                             stored_key_bytes(options, head->d);
        return;
    }
    const struct key_range blocks = pages_of(block, range);
    float *maxima = require_memory(malloc(blocks.last * sizeof *maxima));
    float *own = queries->logits ? NULL : require_memory(malloc(head->n * sizeof *own));
    struct attention_query query = *queries;
    query.logits = query_logits(head, queries, own);
    for (uint32_t p = blocks.first; p < blocks.last; p++) {
        const struct key_range keys = keys_of_page(block, p, range);
        maxima[p] = query.logits[keys.first];
        for (uint32_t j = keys.first + 1; j < keys.last; j++)
            maxima[p] = query.logits[j] > maxima[p] ? query.logits[j] : maxima[p];
    }
    visit_in_pages(visit, head, &query, maxima, block, options->block_factor, knob);
    visit->index_bytes =
        (double)(range.last - range.first - knob) * stored_key_bytes(options, head->d);
    free(own);
    free(maxima);
}

/* ---- by the mean key */

/* The mean of the keys of a block, in double. */
static void put_mean(float *mean, const float *keys, struct key_range of, uint32_t d)
{
    for (uint32_t i = 0; i < d; i++) {
        double sum = 0;
        for (uint32_t j = of.first; j < of.last; j++)
            sum += (double)keys[(size_t)j * d + i];
        mean[i] = (float)(sum / (of.last - of.first));
    }
}

/* [blocks][d]: the mean keys; the keys before head->first belong to no block. */
static void *build_means(const struct method *self, const struct method_options *options,
                         const struct key_head *head)
{
    (void)self;
    const struct key_range all = {head->first, head->n}, blocks = pages_of(options->block, all);
    const size_t d = head->d;
    float *means = require_memory(calloc(blocks.last * d + 1, sizeof *means));
    for (uint32_t p = blocks.first; p < blocks.last && all.first < all.last; p++)
        put_mean(means + p * d, head->keys, keys_of_page(options->block, p, all), head->d);
    return means;
}

/* The last block may lie partly outside the range. It is ranked by its keys inside, so that no
 * later key has an effect. */
static void visit_means(const struct method *self, const struct method_options *options,
                        const struct key_head *head, const void *index,
                        const struct attention_query *queries, uint32_t count, uint32_t knob,
                        struct visit *visit)
{
    (void)self, (void)count;
    const struct key_range range = queries->range;
    const uint32_t block = options->block;
    const size_t d = head->d;
    if (visit_all_or_none(range, knob, visit))
        return;
    const struct key_range blocks = pages_of(block, range);
    const size_t whole = blocks.last - blocks.first;
    const float *means = index;
    float *scores = require_memory(malloc((blocks.last + d) * sizeof *scores));
    float *last = scores + blocks.last;
    products_vector(scores + blocks.first, means + blocks.first * d, whole, head->d, queries->q,
                    queries->scale);
    put_mean(last, head->keys, keys_of_page(block, blocks.last - 1, range), head->d);
    products_vector(scores + blocks.last - 1, last, 1, head->d, queries->q, queries->scale);
    const size_t held =
        visit_in_pages(visit, head, queries, scores, block, options->block_factor, knob);
    visit->index_bytes = (double)whole * head->d * options->element_bytes +
                         (double)(held - knob) * stored_key_bytes(options, head->d);
    free(scores);
}

const struct method method_blocks = {
    .name = "blocks",
    .knob = "keys",
    .summary = "the blocks of keys with the largest scores, then the exact top-k in them",
    .source = "DeepSeek V4.1",
    .counts_keys = true,
    .visit = visit_blocks,
};

const struct method method_hisa = {
    .name = "hisa",
    .knob = "keys",
    .summary = "the blocks whose mean keys score best, then the exact top-k in them",
    .source = "Xu et al. 2026",
    .counts_keys = true,
    .build = build_means,
    .free_index = free,
    .visit = visit_means,
};
