/* oracle.c - the buckets of k-means in the order of the attention that the query really gives them:
 * what a perfect query model would do. It reads all keys to know that, and saves nothing. It says
 * how much of a loss is due to the partition, and how much to the ranking of its buckets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <attention/method.h>
#include <attention/methods/all.h>
#include <attention/methods/partitioned.h>
#include <attention/products.h>
#include <base/memory.h>

/* Adds the softmax of the query over the keys of its range, summed in each bucket. The logits are
 * those after RoPE, wherever the partition was made. Keys are added in rising order. */
static void add_mass(const struct key_head *head, const struct bucket_lists *lists,
                     const struct attention_query *query, double *scores)
{
    const struct key_range range = query->range;
    const uint32_t length = range.last - range.first;
    float *own = NULL;
    const float *logits = query->logits ? query->logits + range.first : NULL;
    if (!logits) {
        own = require_memory(malloc(((size_t)length + 1) * sizeof *own));
        products_vector(own, head->keys + (size_t)range.first * head->d, length, head->d, query->q,
                        query->scale);
        logits = own;
    }
    double largest = -INFINITY, sum = 0.0;
    for (uint32_t j = 0; j < length; j++)
        largest = fmax(largest, (double)logits[j]);
    for (uint32_t j = 0; j < length; j++)
        sum += exp((double)logits[j] - largest);
    for (uint32_t c = 0; c < lists->clusters; c++)
        for (uint32_t i = lists->start[c]; i < lists->start[c + 1]; i++) {
            const uint32_t key = lists->keys[i];
            if (key >= range.first && key < range.last)
                scores[c] += exp((double)logits[key - range.first] - largest) / sum;
        }
    free(own);
}

/* Several queries rank the buckets by the sum of what they give them. */
static void visit_oracle(const struct method *self, const struct method_options *options,
                         const struct key_head *head, const void *index,
                         const struct attention_query *queries, uint32_t count, uint32_t knob,
                         struct visit *visit)
{
    (void)self;
    const struct partitioned *partitioned = index;
    const struct key_range range = queries->range;
    double *scores =
        require_memory(calloc((size_t)partitioned->partition->clusters + 1, sizeof *scores));
    for (uint32_t i = 0; i < count && range.first < range.last; i++)
        add_mass(head, &partitioned->lists, &queries[i], scores);
    partitioned_visit(partitioned, scores, knob, 0.0, range, visit);
    if (knob > 0) /* every open key is read for its score; those attended are not read again */
        visit->index_bytes += ((double)(range.last - range.first) - (double)visit->length) *
                              stored_key_bytes(options, head->d);
    free(scores);
}

const struct method method_kmeans_oracle = {
    .name = "kmeans-oracle",
    .summary = "the buckets of kmeans that get most attention, by the scores of all keys",
    .together = true,
    .oracle = true,
    .visit = visit_oracle,
    PARTITIONED,
};

const struct method method_kmeans_unroped_oracle = {
    .name = "kmeans-unroped-oracle",
    .summary = "the same for the buckets of kmeans-unroped",
    .unroped = true,
    .together = true,
    .oracle = true,
    .visit = visit_oracle,
    PARTITIONED,
};
