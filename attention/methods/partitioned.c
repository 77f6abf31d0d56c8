/* partitioned.c - see partitioned.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <attention/methods/partitioned.h>
#include <base/memory.h>

void *partitioned_build(const struct method *self, const struct method_options *options,
                        const struct key_head *head)
{
    struct partitioned *index = require_memory(calloc(1, sizeof *index));
    const float *keys = self->unroped && head->keys_unroped ? head->keys_unroped : head->keys;
    index->partition = head->partition;
    index->shared = head->partition && !head->partition_own;
    if (!index->partition) {
        const struct partition_options train = {
            .clusters = options->clusters,
            .iterations = options->iterations,
            .spherical = options->spherical,
            .seed = options->seed,
            .salt = head->group,
        };
        index->own = partition_train(keys + (size_t)head->first * head->d,
                                     head->built - head->first, head->d, &train, head->watch, NULL);
        index->partition = index->own;
    }
    uint32_t *bucket = require_memory(malloc(((size_t)head->n + 1) * sizeof *bucket));
    if (partition_assign_watched(index->partition, keys, head->n, bucket, head->watch))
        index->lists = bucket_lists_make(bucket, head->n, index->partition->clusters);
    free(bucket);
    return index;
}

void partitioned_free(void *index)
{
    struct partitioned *partitioned = index;
    if (!partitioned)
        return;
    partition_free(partitioned->own);
    bucket_lists_free(&partitioned->lists);
    free(partitioned);
}

const struct partition *partitioned_own(const void *index)
{
    return ((const struct partitioned *)index)->own;
}

double partitioned_imbalance(const struct key_head *head, const void *index)
{
    const struct partitioned *partitioned = index;
    return bucket_lists_imbalance(&partitioned->lists, head->first);
}

uint32_t partitioned_knob_max(const struct method_options *options, const struct key_head *head)
{
    return head->partition ? head->partition->clusters : options->clusters;
}

double partitioned_shared_bytes(const struct method_options *options, double elements)
{
    return elements * options->element_bytes / options->batch;
}

const float *partitioned_query(const struct method *self, const struct attention_query *query)
{
    return self->unroped && query->q_unroped ? query->q_unroped : query->q;
}

/* Adds the softmax of scale * inner to the scores. */
static void add_softmax(double *scores, const float *inner, uint32_t clusters, double scale)
{
    double largest = -INFINITY, sum = 0.0;
    for (uint32_t c = 0; c < clusters; c++)
        largest = fmax(largest, scale * (double)inner[c]);
    for (uint32_t c = 0; c < clusters; c++)
        sum += exp(scale * (double)inner[c] - largest);
    for (uint32_t c = 0; c < clusters; c++)
        scores[c] += exp(scale * (double)inner[c] - largest) / sum;
}

void partitioned_score(double *scores, const float *inner, uint32_t clusters, double scale,
                       uint32_t count)
{
    if (count > 1)
        add_softmax(scores, inner, clusters, scale);
    else
        for (uint32_t c = 0; c < clusters; c++)
            scores[c] = (double)inner[c];
}

void partitioned_visit(const struct partitioned *index, const double *scores, uint32_t knob,
                       double scoring_bytes, struct key_range range, struct visit *visit)
{
    const uint32_t clusters = index->partition->clusters,
                   wanted = knob < clusters ? knob : clusters;
    uint32_t *chosen = require_memory(malloc(((size_t)wanted + 1) * sizeof *chosen));
    best_buckets(scores, clusters, wanted, chosen);
    visit_buckets(visit, &index->lists, chosen, wanted, range);
    if (wanted > 0)
        visit->index_bytes += scoring_bytes;
    free(chosen);
}
