/* sparq.c - SparQ: scores from the largest components of the query, then the top-k of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <attention/method.h>
#include <attention/methods/all.h>
#include <attention/products.h>
#include <attention/top_keys.h>
#include <base/memory.h>

#include "bucketed.h"

/* The sums of the values are kept at every so many keys. */
#define SUM_EVERY 256

/* sums[i][e] is the sum of component e of the values 0 .. i SUM_EVERY - 1. */
struct sparq {
    double *sums;
};

static const char *fault(const struct method_options *options, uint32_t d)
{
    return options->components <= d ? NULL
                                    : MEMBER "components is more than those of a key; give a whole "
                                             "number from 1 to d, such as 16";
}

static void *build(const struct method *self, const struct method_options *options,
                   const struct key_head *head)
{
    (void)self;
    struct sparq *index = require_memory(calloc(1, sizeof *index));
    if (!options->mean_value || !head->values)
        return index;
    const size_t d_v = head->d_v, blocks = head->n / SUM_EVERY + 1;
    index->sums = require_memory(malloc(blocks * d_v * sizeof *index->sums));
    double *sum = require_memory(calloc(d_v, sizeof *sum));
    for (size_t j = 0; j <= head->n; j++) {
        if (j % SUM_EVERY == 0)
            for (size_t e = 0; e < d_v; e++)
                index->sums[j / SUM_EVERY * d_v + e] = sum[e];
        for (size_t e = 0; j < head->n && e < d_v; e++)
            sum[e] += (double)head->values[j * d_v + e];
    }
    free(sum);
    return index;
}

static void free_index(void *index)
{
    if (index)
        free(((struct sparq *)index)->sums);
    free(index);
}

/* The query with all but its r largest components in size set to 0; of equal ones the first are
 * kept. `*share` becomes the sum of their sizes over that of all components, or 1 if that is 0. */
static void keep_components(float *kept, const float *q, uint32_t d, uint32_t r, double *share)
{
    double all = 0, used = 0;
    for (uint32_t i = 0; i < d; i++) {
        uint32_t before = 0; /* components that come before this one */
        for (uint32_t j = 0; j < d; j++)
            before += fabsf(q[j]) > fabsf(q[i]) || (j < i && fabsf(q[j]) == fabsf(q[i]));
        kept[i] = before < r ? q[i] : 0.0f;
        all += fabs((double)q[i]);
        used += fabs((double)kept[i]);
    }
    *share = all > 0 ? used / all : 1;
}

/* alpha: which share of the softmax of scores * factor over the keys 0 .. position lies on the keys
 * that are attended, the dense part and the visited ones. */
static double share_attended(const float *scores, double factor,
                             const struct attention_query *query, const struct visit *visit)
{
    const struct key_range range = query->range;
    double largest = -INFINITY, all = 0, attended = 0;
    for (uint32_t j = 0; j <= query->position; j++)
        largest = fmax(largest, factor * (double)scores[j]);
    for (uint32_t j = 0; j <= query->position; j++) {
        const double weight = exp(factor * (double)scores[j] - largest);
        all += weight;
        if (j < range.first || j >= range.last)
            attended += weight;
    }
    for (size_t i = 0; i < visit->length; i++)
        attended += exp(factor * (double)scores[visit->keys[i]] - largest);
    return fmin(attended / all, 1);
}

/* The mean of the values 0 .. position. */
static void mean_value(float *mean, const struct key_head *head, const double *sums,
                       uint32_t position)
{
    const size_t count = (size_t)position + 1, block = count / SUM_EVERY, d_v = head->d_v;
    for (size_t e = 0; e < d_v; e++) {
        double sum = sums[block * d_v + e];
        for (size_t j = block * SUM_EVERY; j < count; j++)
            sum += (double)head->values[j * d_v + e];
        mean[e] = (float)(sum / (double)count);
    }
}

static void visit_sparq(const struct method *self, const struct method_options *options,
                        const struct key_head *head, const void *index,
                        const struct attention_query *query, uint32_t count, uint32_t knob,
                        struct visit *visit)
{
    (void)count;
    const struct sparq *sparq = index;
    const struct key_range range = query->range;
    const bool correct = sparq->sums != NULL;
    /* The correction needs the scores of the dense part, too. */
    const struct key_range scored = correct ? (struct key_range){0, query->position + 1} : range;
    const size_t keys = scored.last - scored.first, d = head->d;
    float *q = require_memory(malloc(d * sizeof *q));
    float *scores = require_memory(malloc((size_t)head->n * sizeof *scores));
    double share;
    keep_components(q, query->q, head->d, options->components, &share);
    products_vector(scores + scored.first, head->keys + scored.first * d, keys, d, q, 1.0f);
    if (self->two_stages)
        visit_bucketed(visit, scores, range, knob, options);
    else
        visit_top(visit, scores, range, knob);
    visit->index_bytes = (double)keys * stored_key_bytes(options, options->components);
    visit->largest_bucket = 0;
    if (correct) {
        visit_reserve_correction(visit, head->d_v);
        visit->correction_weight =
            1 - share_attended(scores, (double)query->scale / sqrt(share), query, visit);
        mean_value(visit->correction, head, sparq->sums, query->position);
        visit->index_bytes += (double)head->d_v * options->element_bytes;
    }
    free(scores);
    free(q);
}

const struct method method_sparq = {
    .name = "sparq",
    .knob = "keys",
    .summary = "the top-k of scores from the largest components of the query",
    .source = "Ribar et al. 2023",
    .counts_keys = true,
    .corrects = true,
    .fault = fault,
    .build = build,
    .free_index = free_index,
    .visit = visit_sparq,
};

const struct method method_sparq_bucketed = {
    .name = "sparq-bucketed",
    .knob = "keys",
    .summary = "the same scores, then the approximate top-k in two stages",
    .source = "Ribar et al. 2023, Key et al. 2024",
    .counts_keys = true,
    .corrects = true,
    .two_stages = true,
    .fault = fault,
    .build = build,
    .free_index = free_index,
    .visit = visit_sparq,
};
