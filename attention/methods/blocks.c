/* blocks.c - two levels: the blocks with the largest scores, then the exact top-k in them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <attention/method.h>
#include <attention/methods/all.h>
#include <attention/top_keys.h>
#include <base/memory.h>

#include "pages.h"

static const char *fault(const struct method_options *options, uint32_t d)
{
    (void)d;
    if (options->block < 1)
        return "--block is 0; give a whole number from 1 on, such as 8";
    if (!(options->block_factor > 0) || isinf(options->block_factor))
        return "--block-factor is not above 0; give a number such as 1";
    return NULL;
}

/* Opens `count` blocks: their numbers into visit->keys. Returns how many keys they hold. */
static size_t open_blocks(struct visit *visit, const float *maxima, struct key_range blocks,
                          size_t count, uint32_t block, struct key_range range)
{
    size_t held = 0;
    visit_top(visit, maxima, blocks, count);
    for (size_t i = 0; i < visit->length; i++) {
        const struct key_range keys = keys_of_page(block, visit->keys[i], range);
        held += keys.last - keys.first;
    }
    return held;
}

/* The `wanted` best keys of the range that lie in the best blocks; 1 <= wanted <= its keys. */
static void visit_two_levels(const struct method_options *options, const float *logits,
                             struct key_range range, size_t wanted, struct visit *visit)
{
    const uint32_t block = options->block;
    const struct key_range blocks = pages_of(block, range);
    const double factor = ceil(options->block_factor * (double)wanted);
    size_t all = blocks.last - blocks.first, count = factor < (double)all ? (size_t)factor : all;
    float *maxima = require_memory(malloc(blocks.last * sizeof *maxima));
    float *inside = require_memory(malloc((size_t)range.last * sizeof *inside));
    for (uint32_t p = blocks.first; p < blocks.last; p++) {
        const struct key_range keys = keys_of_page(block, p, range);
        maxima[p] = logits[keys.first];
        for (uint32_t j = keys.first + 1; j < keys.last; j++)
            maxima[p] = logits[j] > maxima[p] ? logits[j] : maxima[p];
    }
    size_t held;
    while ((held = open_blocks(visit, maxima, blocks, count, block, range)) < wanted)
        count += (wanted - held + block - 1) / block; /* at least so many are missing */
    for (uint32_t j = range.first; j < range.last; j++)
        inside[j] = -INFINITY;
    for (size_t i = 0; i < visit->length; i++) {
        const struct key_range keys = keys_of_page(block, visit->keys[i], range);
        for (uint32_t j = keys.first; j < keys.last; j++)
            inside[j] = logits[j];
    }
    visit_top(visit, inside, range, wanted);
    free(inside);
    free(maxima);
}

static void visit_blocks(const struct method *self, const struct method_options *options,
                         const struct key_head *head, const void *index,
                         const struct attention_query *queries, uint32_t count, uint32_t knob,
                         struct visit *visit)
{
    (void)self, (void)index, (void)count;
    const struct key_range range = queries->range;
    const size_t keys = range.last - range.first;
    if (knob == 0 || knob >= keys) {
        visit_top(visit, NULL, range, knob == 0 ? 0 : keys);
    } else {
        float *own = queries->logits ? NULL : require_memory(malloc(head->n * sizeof *own));
        visit_two_levels(options, query_logits(head, queries, own), range, knob, visit);
        free(own);
    }
    visit->index_bytes =
        ((double)keys - (double)visit->length) * stored_key_bytes(options, head->d);
    visit->largest_bucket = 0;
}

const struct method method_blocks = {
    .name = "blocks",
    .knob = "keys",
    .summary = "the blocks of keys with the largest scores, then the exact top-k in them",
    .source = "DeepSeek V4.1",
    .counts_keys = true,
    .fault = fault,
    .visit = visit_blocks,
};
