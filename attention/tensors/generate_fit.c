/* generate_fit.c - the sink and the needles of generated tensors: keys whose shares of mass are
 * fitted to the other keys.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "generate_parts.h"
#include <attention/products.h>

#define BLOCK 4096 /* keys whose logits are computed at a time */
#define STEPS 100  /* of a bisection */
#define NEEDLE_ROUNDS 30
/* Of a logit w, from one round to the next. A mass p moves by p (1 - p) dw, so by at most 2.5e-4 in
 * the round after which this is reached; what is left is less, as each round shrinks it 20 times
 * and more: 9e-6 of mass for 100 needles in 8192 keys after 4 rounds. 1e-6 takes 7. */
#define NEEDLE_ERROR 1e-3
/* Of |q|^2: a query whose part at right angles to the mean query has less is 1.8 degrees from it.
 * That part would make the needle more than sqrt(1 / LEAST_APART) = 32 times as long as q does. */
#define LEAST_APART 1e-3

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

/* The direction of the mean of rows x d, a unit vector that the caller frees. */
static float *mean_direction(const float *x, size_t rows, uint32_t d)
{
    float *mean = require_memory(calloc(d, sizeof *mean));
    for (size_t i = 0; i < rows; i++)
        for (uint32_t c = 0; c < d; c++)
            mean[c] += x[i * d + c];
    const double norm = sqrt(product(mean, mean, d));
    for (uint32_t c = 0; c < d; c++)
        mean[c] = norm > 0 ? (float)((double)mean[c] / norm) : c == 0;
    return mean;
}

static size_t query_of(const struct generator *g, const struct needle *needle)
{
    return (size_t)(needle->query_head % generator_group(g)) * g->n_q + needle->query;
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
 * `sink`. At position 0 RoPE changes nothing. */
static void fit_sink(const struct generator *g, const struct context *context,
                     struct generated_head *to)
{
    double *log_sums = all_log_sums(context);
    const size_t queries = (size_t)context->query_heads * g->n_q;
    float *mean = mean_direction(context->queries, queries, g->d);
    double *along = require_memory(malloc(queries * sizeof *along));
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
    free(log_sums);
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
    const double lift = (wanted * sqrt(d) - product(key, query, d)) / product(part, query, d);
    for (uint32_t c = 0; c < d; c++)
        unroped[c] = (float)((double)key[c] + lift * (double)part[c]);
    rope_remove(&rope, unroped, 1, d, j);
    memcpy(key, unroped, d * sizeof *key);
    rope_apply(&rope, key, 1, d, j);
}

/* The part of each needle's query that is at right angles to the mean query, which all share; the
 * query itself, if that is nothing. [needles][d]; the caller frees it. */
static float *needle_parts(const struct generator *g, const struct generated_head *to)
{
    const size_t queries = (size_t)generator_group(g) * g->n_q;
    float *mean = mean_direction(to->queries, queries, g->d);
    float *parts = require_memory(malloc(to->needle_count * g->d * sizeof *parts));
    for (size_t t = 0; t < to->needle_count; t++) {
        const float *query = to->queries + query_of(g, &to->needles[t]) * g->d;
        const double along = product(query, mean, g->d), all = product(query, query, g->d);
        const bool apart = all - along * along > LEAST_APART * all;
        for (uint32_t c = 0; c < g->d; c++)
            parts[t * g->d + c] = (float)((double)query[c] - (apart ? along * (double)mean[c] : 0));
    }
    free(mean);
    return parts;
}

/* The needles' places: which keys, for which queries, spread over these, each at most once. */
static void place_needles(const struct generator *g, uint32_t head, struct random_key draws,
                          struct generated_head *to)
{
    const uint32_t group = generator_group(g), queries = group * g->n_q;
    for (uint32_t t = 0; t < (uint32_t)g->needles; t++) {
        const uint32_t i = (uint32_t)((uint64_t)t * queries / (uint64_t)g->needles);
        const uint32_t key = free_key(g, draws, t, to);
        to->needles[to->needle_count++] = (struct needle){
            .key = key, .query_head = head * group + i / g->n_q, .query = i % g->n_q};
    }
}

/* The logit of needle s for the query of needle t. */
static double needle_logit(const struct generator *g, const struct generated_head *to, size_t s,
                           size_t t)
{
    return product(to->keys + (size_t)to->needles[s].key * g->d,
                   to->queries + query_of(g, &to->needles[t]) * g->d, g->d) /
           sqrt(g->d);
}

/* Raises the needles one after the other, each beside the others as they are, and again, until
 * their shares stay. without[t]: what the keys that are no needles weigh for the query of t. */
static void raise_needles(const struct generator *g, const double *without,
                          struct generated_head *to)
{
    float *parts = needle_parts(g, to);
    double farthest = 1;
    for (int round = 0; round < NEEDLE_ROUNDS && farthest > NEEDLE_ERROR; round++) {
        farthest = 0;
        for (size_t t = 0; t < to->needle_count; t++) {
            const size_t i = query_of(g, &to->needles[t]);
            double others = without[t];
            for (size_t s = 0; s < to->needle_count; s++)
                if (s != t)
                    others = add_logs(others, needle_logit(g, to, s, t));
            const double wanted = others + log(g->needle_mass / (1 - g->needle_mass));
            farthest = fmax(farthest, fabs(wanted - needle_logit(g, to, t, t)));
            raise_key(g, to->needles[t].key, to->queries + i * g->d, parts + t * g->d, wanted, to);
        }
    }
    free(parts);
}

static void fit_needles(const struct generator *g, const struct context *context,
                        struct generated_head *to)
{
    const size_t count = to->needle_count;
    double *log_sums = all_log_sums(context);
    double *without = require_memory(malloc(count * sizeof *without));
    for (size_t t = 0; t < count; t++) {
        const size_t i = query_of(g, &to->needles[t]);
        const float *query = to->queries + i * g->d;
        double share = 0;
        without[t] = add_logs(log_sums[i], product(to->keys, query, g->d) / sqrt(g->d));
        for (size_t s = 0; s < count; s++)
            share += exp(needle_logit(g, to, s, t) - without[t]);
        without[t] += log1p(-fmin(share, 1 - 1e-9));
    }
    if (g->needle_mass > 0)
        raise_needles(g, without, to);
    for (size_t t = 0; t < count; t++) {
        double all = without[t];
        for (size_t s = 0; s < count; s++)
            all = add_logs(all, needle_logit(g, to, s, t));
        to->needles[t].mass = exp(needle_logit(g, to, t, t) - all);
    }
    free(without);
    free(log_sums);
}

void generate_fit(const struct generator *g, uint32_t head, struct random_key draws,
                  struct generated_head *to)
{
    const struct context context = generated_context(g, to);
    to->needle_count = 0;
    if (g->sink > 0)
        fit_sink(g, &context, to);
    if (g->needles == 0)
        return;
    place_needles(g, head, draws, to);
    fit_needles(g, &context, to);
}

struct context generated_context(const struct generator *g, const struct generated_head *head)
{
    return (struct context){
        .query_heads = generator_group(g),
        .key_heads = 1,
        .n = g->n,
        .n_q = g->n_q,
        .d = g->d,
        .d_v = g->d,
        .scale = (float)(1 / sqrt(g->d)),
        .queries = head->queries,
        .keys = head->keys,
        .values = head->values,
        .queries_unroped = head->queries_unroped,
        .keys_unroped = head->keys_unroped,
    };
}
