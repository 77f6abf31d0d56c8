/* generate_fit.c - the sink and the needles of generated tensors: keys whose shares of mass are
 * fitted to the other keys.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "generate_parts.h"
#include "products.h"

#define BLOCK 4096 /* keys whose logits are computed at a time */
#define STEPS 100  /* of a bisection */

/* ln of the sum of exp(logit) over the keys of a block, for all queries: log_sums[i], -infinity
 * where the block has no key for the query. Key 0 is left out. */
static void block_log_sums(const struct context *context, uint32_t first, uint32_t last,
                           float *logits, double *log_sums)
{
    const uint32_t queries = context->query_heads * context->n_q, d = context->d;
    products_transposed(logits, context->queries, queries, context->keys + (size_t)first * d,
                        last - first, d, context->scale, 0);
    for (uint32_t i = 0; i < queries; i++) {
        const float *row = logits + (size_t)i * (last - first);
        const uint32_t position = context->n - context->n_q + i % context->n_q;
        const uint32_t end = position + 1 < last ? position + 1 : last;
        double most = -INFINITY, sum = 0;
        for (uint32_t j = first ? first : 1; j < end; j++)
            most = fmax(most, (double)row[j - first]);
        for (uint32_t j = first ? first : 1; j < end; j++)
            sum += exp((double)row[j - first] - most);
        log_sums[i] = sum > 0 ? most + log(sum) : -INFINITY;
    }
}

static double add_logs(double a, double b)
{
    const double most = fmax(a, b);
    return most == -INFINITY ? most : most + log1p(exp(fmin(a, b) - most));
}

/* The same over all keys but key 0. The caller frees them. */
static double *all_log_sums(const struct context *context)
{
    const size_t queries = (size_t)context->query_heads * context->n_q;
    const size_t blocks = (context->n + (size_t)BLOCK - 1) / BLOCK;
    double *of_blocks = require_memory(malloc(blocks * queries * sizeof *of_blocks));
    double *sums = require_memory(malloc(queries * sizeof *sums));
#pragma omp parallel
    {
        float *logits = require_memory(malloc(queries * BLOCK * sizeof *logits));
#pragma omp for schedule(dynamic)
        for (size_t b = 0; b < blocks; b++) {
            const size_t last = (b + 1) * BLOCK;
            block_log_sums(context, (uint32_t)(b * BLOCK),
                           last < context->n ? (uint32_t)last : context->n, logits,
                           of_blocks + b * queries);
        }
        free(logits);
    }
    for (size_t i = 0; i < queries; i++) {
        sums[i] = -INFINITY;
        for (size_t b = 0; b < blocks; b++)
            sums[i] = add_logs(sums[i], of_blocks[b * queries + i]);
    }
    free(of_blocks);
    return sums;
}

static double product(const float *a, const float *b, uint32_t d)
{
    double sum = 0;
    for (uint32_t c = 0; c < d; c++)
        sum += (double)a[c] * (double)b[c];
    return sum;
}

/* The mean over queries of the share of a key with the logits strength * along[i]. */
static double mean_share(const double *along, const double *log_sums, size_t queries,
                         double strength)
{
    double sum = 0;
    for (size_t i = 0; i < queries; i++)
        sum += 1 / (1 + exp(log_sums[i] - strength * along[i]));
    return sum / (double)queries;
}

/* Key 0 becomes strength times the direction of the mean query, so that its mean share is that of
 * `sink`. Adds its weight to the log-sums. At position 0 RoPE changes nothing. */
static void fit_sink(const struct generator *g, const struct context *context, double *log_sums,
                     struct generated_head *to)
{
    const size_t queries = (size_t)context->query_heads * g->n_q;
    float *mean = require_memory(calloc(g->d, sizeof *mean));
    double *along = require_memory(malloc(queries * sizeof *along));
    for (size_t i = 0; i < queries; i++)
        for (uint32_t c = 0; c < g->d; c++)
            mean[c] += context->queries[i * g->d + c];
    const double norm = sqrt(product(mean, mean, g->d));
    for (uint32_t c = 0; c < g->d; c++)
        mean[c] = (float)((double)mean[c] / norm);
    double high = 1;
    for (size_t i = 0; i < queries; i++)
        along[i] = (double)context->scale * product(mean, context->queries + i * g->d, g->d);
    while (mean_share(along, log_sums, queries, high) < g->sink && high < 0x1p30)
        high *= 2;
    double low = -high;
    for (int step = 0; step < STEPS; step++) {
        const double middle = (low + high) / 2;
        if (mean_share(along, log_sums, queries, middle) < g->sink)
            low = middle;
        else
            high = middle;
    }
    for (uint32_t c = 0; c < g->d; c++)
        to->keys[c] = to->keys_unroped[c] = (float)(high * (double)mean[c]);
    for (size_t i = 0; i < queries; i++)
        log_sums[i] = add_logs(log_sums[i], high * along[i]);
    free(mean);
    free(along);
}

/* A key in front of the queries that is neither key 0 nor a needle yet. */
static uint32_t free_key(const struct generator *g, struct random_key draws, uint32_t index,
                         const struct generated_head *to)
{
    const uint32_t open = g->n - g->n_q - 1;
    uint64_t words[2];
    random_words(draws, draw_of(DRAW_NEEDLE, index), words, 2);
    uint32_t key = (uint32_t)(random_unit(words[0]) * open);
    for (size_t i = 0; i < to->needle_count; i++)
        if (to->needles[i].key == key + 1) {
            key = (key + 1) % open;
            i = SIZE_MAX; /* from the first again */
        }
    return key + 1;
}

/* Adds to a key as much of `part` as gives it the logit `wanted` with the query. */
static void raise_key(const struct generator *g, uint32_t j, const float *query, const float *part,
                      double wanted, struct generated_head *to)
{
    const uint32_t d = g->d;
    const struct rope rope = generator_rope(g);
    float *key = to->keys + (size_t)j * d, *unroped = to->keys_unroped + (size_t)j * d;
    if (!(product(part, query, d) > 0))
        part = query;
    const double lift = (wanted * sqrt(d) - product(key, query, d)) / product(part, query, d);
    for (uint32_t c = 0; c < d; c++)
        unroped[c] = (float)((double)key[c] + lift * (double)part[c]);
    rope_remove(&rope, unroped, 1, d, j);
    memcpy(key, unroped, d * sizeof *key);
    rope_apply(&rope, key, 1, d, j);
}

static void fit_needles(const struct generator *g, uint32_t head, struct random_key draws,
                        const float *own, double *log_sums, struct generated_head *to)
{
    const uint32_t group = generator_group(g), queries = group * g->n_q;
    const double scale = 1 / sqrt(g->d);
    for (uint32_t t = 0; t < (uint32_t)g->needles; t++) {
        /* Spread over the queries, each at most once. */
        const uint32_t i = (uint32_t)((uint64_t)t * queries / (uint64_t)g->needles);
        const float *query = to->queries + (size_t)i * g->d;
        const uint32_t j = free_key(g, draws, t, to);
        float *key = to->keys + (size_t)j * g->d;
        const double before = scale * product(key, query, g->d);
        /* What the other keys weigh. */
        const double others = log_sums[i] + log1p(-fmin(exp(before - log_sums[i]), 0.999));
        const double wanted =
            g->needle_mass > 0 ? others + log(g->needle_mass / (1 - g->needle_mass)) : before;
        raise_key(g, j, query, own + (size_t)i * g->d, wanted, to);
        const double after = scale * product(key, query, g->d);
        to->needles[to->needle_count++] = (struct needle){.key = j,
                                                          .query_head = head * group + i / g->n_q,
                                                          .query = i % g->n_q,
                                                          .mass = 1 / (1 + exp(others - after))};
    }
}

void generate_fit(const struct generator *g, uint32_t head, struct random_key draws,
                  const float *own, struct generated_head *to)
{
    to->needle_count = 0;
    if (g->sink == 0 && g->needles == 0)
        return;
    const struct context context = generated_context(g, to);
    double *log_sums = all_log_sums(&context);
    if (g->sink > 0)
        fit_sink(g, &context, log_sums, to);
    fit_needles(g, head, draws, own, log_sums, to);
    free(log_sums);
}
