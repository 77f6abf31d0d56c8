/* baselines.c - what the methods are compared with: all keys, none, random ones, and the best.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <attention/method.h>
#include <attention/methods/all.h>
#include <attention/top_keys.h>
#include <base/memory.h>
#include <sim/random.h>

static uint32_t all_keys(const struct method_options *options, const struct key_head *head)
{
    (void)options;
    return head->n - head->first;
}

static uint32_t no_knob(const struct method_options *options, const struct key_head *head)
{
    (void)options;
    (void)head;
    return 0;
}

static void visit_all(const struct method_options *options, const struct key_head *head,
                      const void *index, const struct query *queries, uint32_t count, uint32_t knob,
                      struct visit *visit)
{
    (void)options, (void)head, (void)index, (void)count, (void)knob;
    visit_top(visit, NULL, queries->range, SIZE_MAX);
    visit->index_bytes = 0;
    visit->largest_bucket = 0;
}

static void visit_none(const struct method_options *options, const struct key_head *head,
                       const void *index, const struct query *queries, uint32_t count,
                       uint32_t knob, struct visit *visit)
{
    (void)options, (void)head, (void)index, (void)queries, (void)count, (void)knob;
    visit_reserve(visit, 0, false);
    visit->length = 0;
    visit->index_bytes = 0;
    visit->largest_bucket = 0;
}

/* Selection sampling (Knuth 3.4.2, S): key j is taken with probability wanted / left. */
static void visit_random(const struct method_options *options, const struct key_head *head,
                         const void *index, const struct query *queries, uint32_t count,
                         uint32_t knob, struct visit *visit)
{
    (void)index, (void)count;
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

static void visit_best(const struct method_options *options, const struct key_head *head,
                       const void *index, const struct query *queries, uint32_t count,
                       uint32_t knob, struct visit *visit)
{
    (void)index, (void)count;
    float *own = queries->logits ? NULL : require_memory(malloc(head->n * sizeof *own));
    visit_top(visit, query_logits(head, queries, own), queries->range, knob);
    free(own);
    const double keys = (double)(queries->range.last - queries->range.first);
    /* All keys are read for their scores; those that are attended are not read again. */
    visit->index_bytes = (keys - (double)visit->length) * head->d * options->element_bytes;
    visit->largest_bucket = 0;
}

const struct method method_full = {
    .name = "full",
    .knob = "",
    .summary = "all keys",
    .knob_max = no_knob,
    .visit = visit_all,
};

const struct method method_streaming = {
    .name = "streaming",
    .knob = "",
    .summary = "nothing but the sink and the window",
    .source = "Xiao et al. 2024",
    .knob_max = no_knob,
    .visit = visit_none,
};

const struct method method_random = {
    .name = "random",
    .knob = "keys",
    .summary = "random keys, without replacement",
    .counts_keys = true,
    .knob_max = all_keys,
    .visit = visit_random,
};

const struct method method_topk = {
    .name = "topk",
    .knob = "keys",
    .summary = "the exact top-k of the exact scores: the bound for every method",
    .counts_keys = true,
    .knob_max = all_keys,
    .visit = visit_best,
};
