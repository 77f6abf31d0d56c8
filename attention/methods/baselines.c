/* baselines.c - what the methods are compared with: all keys, none, random ones, and the best.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <attention/method.h>
#include <attention/methods/all.h>
#include <attention/top_keys.h>
#include <base/memory.h>
#include <sim/rows/random.h>

static void visit_all(const struct method *self, const struct method_options *options,
                      const struct key_head *head, const void *index,
                      const struct attention_query *queries, uint32_t count, uint32_t knob,
                      struct visit *visit)
{
    (void)self, (void)options, (void)head, (void)index, (void)count, (void)knob;
    visit_top(visit, NULL, queries->range, SIZE_MAX);
    visit->index_bytes = 0;
    visit->largest_bucket = 0;
}

static void visit_none(const struct method *self, const struct method_options *options,
                       const struct key_head *head, const void *index,
                       const struct attention_query *queries, uint32_t count, uint32_t knob,
                       struct visit *visit)
{
    (void)self, (void)options, (void)head, (void)index, (void)queries, (void)count, (void)knob;
    visit_reserve(visit, 0, false);
    visit->length = 0;
    visit->index_bytes = 0;
    visit->largest_bucket = 0;
}

/* Selection sampling (Knuth 3.4.2, S): key j is taken with probability wanted / left. */
static void visit_random(const struct method *self, const struct method_options *options,
                         const struct key_head *head, const void *index,
                         const struct attention_query *queries, uint32_t count, uint32_t knob,
                         struct visit *visit)
{
    (void)self, (void)index, (void)count;
    const struct key_range range = queries->range;
    size_t left = range.last - range.first, wanted = knob < left ? knob : left;
    const struct random_key key = random_key(options->seed, RANDOM_KEYS, head->group);
    struct random_stream stream =
        random_stream(key, (uint64_t)queries->head << 32 | queries->position);
    visit_reserve(visit, wanted, false);
    visit->length = 0;
    visit->index_bytes = 0;
    visit->largest_bucket = 0;
    for (uint32_t j = range.first; wanted > 0; j++, left--)
        if (random_below(&stream, left) < wanted) {
            visit->keys[visit->length++] = j;
            wanted--;
        }
}

/* scores[j] = the sum over the queries of the softmax over the range, for queries that share keys.
 */
static void sum_softmax(const struct key_head *head, const struct attention_query *queries,
                        uint32_t count, float *scores)
{
    const struct key_range range = queries->range;
    const size_t length = range.last - range.first;
    float *own = require_memory(malloc(head->n * sizeof *own));
    double *weights = require_memory(malloc((length + 1) * sizeof *weights)),
           *sums = require_memory(calloc(length + 1, sizeof *sums));
    for (uint32_t q = 0; q < count; q++) {
        const float *logits = query_logits(head, &queries[q], own) + range.first;
        float most = -INFINITY;
        double sum = 0;
        for (size_t i = 0; i < length; i++)
            most = logits[i] > most ? logits[i] : most;
        for (size_t i = 0; i < length; i++)
            sum += weights[i] = exp((double)logits[i] - (double)most);
        for (size_t i = 0; i < length; i++)
            sums[i] += weights[i] / sum;
    }
    for (size_t i = 0; i < length; i++)
        scores[range.first + i] = (float)sums[i];
    free(own);
    free(weights);
    free(sums);
}

static void visit_best(const struct method *self, const struct method_options *options,
                       const struct key_head *head, const void *index,
                       const struct attention_query *queries, uint32_t count, uint32_t knob,
                       struct visit *visit)
{
    (void)self, (void)index;
    const struct key_range range = queries->range;
    float *own = require_memory(malloc(head->n * sizeof *own));
    const float *scores = own;
    if (count > 1)
        sum_softmax(head, queries, count, own);
    else
        scores = query_logits(head, queries, own);
    visit_top(visit, scores, range, knob);
    free(own);
    const double keys = (double)(range.last - range.first);
    /* All keys are read for their scores; those that are attended are not read again. */
    visit->index_bytes = (keys - (double)visit->length) * stored_key_bytes(options, head->d);
    visit->largest_bucket = 0;
}

/* A selection that is some steps old. The first of the queries have none, and use their own. */
static void visit_best_before(const struct method *self, const struct method_options *options,
                              const struct key_head *head, const void *index,
                              const struct attention_query *queries, uint32_t count, uint32_t knob,
                              struct visit *visit)
{
    struct attention_query before = *queries;
    if (queries->previous) {
        before.q = queries->previous;
        before.logits = NULL;
    }
    visit_best(self, options, head, index, &before, count, knob, visit);
}

/* A selection of another layer. */
static void visit_best_of_layer(const struct method *self, const struct method_options *options,
                                const struct key_head *head, const void *index,
                                const struct attention_query *queries, uint32_t count,
                                uint32_t knob, struct visit *visit)
{
    if (!queries->layer_q) {
        visit_none(self, options, head, index, queries, count, knob, visit);
        return;
    }
    struct attention_query *others = require_memory(malloc((count + 1) * sizeof *others));
    struct key_head layer = *head;
    for (uint32_t i = 0; i < count; i++) {
        others[i] = queries[i];
        others[i].q = queries[i].layer_q;
        others[i].logits = NULL;
    }
    layer.keys = queries->layer_keys;
    visit_best(self, options, &layer, index, others, count, knob, visit);
    visit->index_bytes = 0; /* that layer has read them */
    free(others);
}

const struct method method_full = {
    .name = "full",
    .knob = "",
    .summary = "all keys",
    .together = true,
    .visit = visit_all,
};

const struct method method_streaming = {
    .name = "streaming",
    .knob = "",
    .summary = "nothing but the sink and the window",
    .source = "Xiao et al. 2024",
    .together = true,
    .visit = visit_none,
};

const struct method method_random = {
    .name = "random",
    .knob = "keys",
    .summary = "random keys, without replacement",
    .counts_keys = true,
    .visit = visit_random,
};

const struct method method_topk = {
    .name = "topk",
    .knob = "keys",
    .summary = "the exact top-k of the exact scores: the bound for every method",
    .counts_keys = true,
    .together = true,
    .visit = visit_best,
};

const struct method method_previous_query = {
    .name = "previous-query",
    .knob = "keys",
    .summary = "the exact top-k of the scores of an earlier query: an old selection",
    .counts_keys = true,
    .visit = visit_best_before,
};

const struct method method_previous_layer = {
    .name = "previous-layer",
    .knob = "keys",
    .summary = "the exact top-k of the scores of the same query head in the layer before",
    .counts_keys = true,
    .together = true,
    .reads_layers = true,
    .visit = visit_best_of_layer,
};
