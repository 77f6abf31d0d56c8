/* lsh_magicpig.c - MagicPIG: keys that share the hash of the query in at least two tables; as they
 * are, or as a sample from which the attention to all keys is estimated.
 *
 * The knob is the number of tables, and after the last one (hash_stage) a table has a bit less in
 * each stage. What collides in r bits collides in the first r - 1 of them, so that the visited sets
 * are nested.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <attention/method.h>
#include <attention/methods/all.h>
#include <base/memory.h>

#include "hashing.h"

struct magicpig {
    struct hashing hashing;
    float *centre;    /* [d]: the mean of the keys first .. built - 1 */
    uint32_t *hashes; /* [tables][n - first]: of the keys less the centre */
};

static const char *fault(const struct method_options *options, uint32_t d)
{
    (void)d;
    return options->tables >= 2 ? NULL
                                : MEMBER
               "tables is below 2, but a key counts if it collides in two "
               "tables; give 2 or more, such as 150";
}

/* Down to one bit in each table. */
static uint32_t all_stages(const struct method_options *options, const struct key_head *head)
{
    (void)head;
    return hash_knob_max(options->tables, options->bits);
}

static void *build(const struct method *self, const struct method_options *options,
                   const struct key_head *head)
{
    (void)self;
    struct magicpig *index = require_memory(malloc(sizeof *index));
    const size_t d = head->d, count = head->n - head->first;
    index->hashing = (struct hashing){
        .tables = options->tables, .columns = options->bits, .d = head->d, .hash = hash_signs};
    hashing_draw(&index->hashing, options->seed, head->group);
    double *sum = require_memory(calloc(d, sizeof *sum));
    for (size_t j = head->first; j < head->built; j++)
        for (size_t i = 0; i < d; i++)
            sum[i] += (double)head->keys[j * d + i];
    index->centre = require_memory(malloc(d * sizeof *index->centre));
    for (size_t i = 0; i < d; i++)
        index->centre[i] = (float)(sum[i] / (double)(head->built - head->first));
    free(sum);
    index->hashes = require_memory(malloc(options->tables * count * sizeof *index->hashes));
    hash_rows(&index->hashing, head->keys + head->first * d, count, index->centre, index->hashes,
              head->watch);
    return index;
}

static void free_index(void *index)
{
    struct magicpig *magicpig = index;
    if (magicpig) {
        free(magicpig->hashing.directions);
        free(magicpig->centre);
        free(magicpig->hashes);
    }
    free(magicpig);
}

/* The probability of at least two collisions in `tables` tables, where one has probability c:
 * 1 - (1 - c)^t - t c (1 - c)^(t - 1). Where that would cancel, the sum of the terms from two on,
 * whose ratios fall. */
static double two_or_more(double c, uint32_t tables)
{
    const double t = tables;
    if (c >= 1)
        return 1;
    if (t * c >= 1)
        return 1 - exp(t * log1p(-c)) - t * c * exp((t - 1) * log1p(-c));
    double term = 0.5 * t * (t - 1) * c * c * exp((t - 2) * log1p(-c)), sum = 0;
    for (uint32_t i = 2; i <= tables && term > 0x1p-60 * sum; i++) {
        sum += term;
        term *= (t - i) / (i + 1.0) * c / (1 - c);
    }
    return sum;
}

/* The same in tables of two stages: where one of the first s.count has the probability c, and one
 * of the others c_other. Positive terms: two of the first; one of them and some other; two others.
 */
static double two_or_more_of(struct hash_stage s, double c, double c_other)
{
    const uint32_t others = s.used - s.count;
    const double two = two_or_more(c, s.count);
    if (others == 0 || c >= 1) /* then they all collide */
        return two;
    const double none = exp(s.count * log1p(-c)), one = s.count * c / (1 - c) * none,
                 some = -expm1(others * log1p(-c_other));
    return two + one * some + none * two_or_more(c_other, others);
}

/* The reciprocal of the probability that a key is visited, from the angle to the query. */
static float weight_of(const float *q, const float *key, const float *centre, size_t d,
                       uint32_t bits, struct hash_stage s)
{
    const double pi = 3.14159265358979323846;
    double dot = 0, square_q = 0, square_key = 0;
    for (size_t i = 0; i < d; i++) {
        const double x = (double)q[i], y = (double)(key[i] - centre[i]);
        dot += x * y;
        square_q += x * x;
        square_key += y * y;
    }
    const double length = sqrt(square_q) * sqrt(square_key);
    const double cosine = length > 0 ? fmax(-1, fmin(1, dot / length)) : 0;
    const double agree = 1 - acos(cosine) / pi;
    const double weight =
        1 / two_or_more_of(s, pow(agree, bits - s.stage), pow(agree, bits - s.stage + 1));
    return weight < 1e30 ? (float)weight : 1e30f;
}

/* twice[i] = 1 if key range.first + i collides with the query in two of the tables in use. Counts
 * the entries of all buckets that are opened, and those of the largest. */
static uint64_t collide(const struct magicpig *index, const struct key_head *head,
                        const struct attention_query *query, struct hash_stage s, uint8_t *twice,
                        uint32_t *largest)
{
    const uint32_t n = query->range.last - query->range.first;
    const size_t count = head->n - head->first;
    uint8_t *once = require_memory(calloc((size_t)n + 1, 1));
    uint32_t *hashes = require_memory(malloc(((size_t)s.used + 1) * sizeof *hashes));
    uint64_t entries = 0;
    *largest = 0;
    hash_vector(&index->hashing, query->q, s.used, hashes);
    for (uint32_t t = 0; t < s.used; t++) {
        const uint32_t without = 32 - index->hashing.columns + hash_stage_of(s, t),
                       mask = UINT32_MAX >> without;
        const uint32_t *row = index->hashes + t * count + (query->range.first - head->first);
        const uint32_t hash = hashes[t] & mask;
        uint32_t in_bucket = 0;
        for (uint32_t i = 0; i < n; i++) {
            const uint8_t hit = (row[i] & mask) == hash;
            twice[i] |= once[i] & hit;
            once[i] |= hit;
            in_bucket += hit;
        }
        entries += in_bucket;
        *largest = in_bucket > *largest ? in_bucket : *largest;
    }
    free(hashes);
    free(once);
    return entries;
}

static int compare_hashes(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* C sum p_i^2 with C = 2^bits, the mean over the tables. */
static double imbalance(const struct key_head *head, const void *index)
{
    const struct magicpig *magicpig = index;
    const size_t count = head->n - head->first;
    uint32_t *sorted = require_memory(malloc((count + 1) * sizeof *sorted));
    double squares = 0;
    for (size_t t = 0; t < magicpig->hashing.tables && !watch_stops(head->watch); t++) {
        memcpy(sorted, magicpig->hashes + t * count, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, compare_hashes);
        for (size_t i = 0, first = 0; i < count; i++)
            if (i + 1 == count || sorted[i + 1] != sorted[i]) {
                squares += pow((double)(i + 1 - first), 2);
                first = i + 1;
            }
    }
    free(sorted);
    return ldexp(squares / ((double)count * (double)count) / magicpig->hashing.tables,
                 (int)magicpig->hashing.columns);
}

static void visit_collisions(const struct method *self, const struct method_options *options,
                             const struct key_head *head, const void *index,
                             const struct attention_query *query, uint32_t count, uint32_t knob,
                             struct visit *visit)
{
    (void)count;
    const struct magicpig *magicpig = index;
    const struct hash_stage s = hash_stage(knob, options->tables);
    const struct key_range range = query->range;
    uint8_t *twice = require_memory(calloc((size_t)(range.last - range.first) + 1, 1));
    const uint64_t entries = collide(magicpig, head, query, s, twice, &visit->largest_bucket);
    visit_marked(visit, twice, range, self->samples);
    free(twice);
    /* The number of each key in the buckets, and where each bucket begins and ends. */
    visit->index_bytes = ((double)entries + 2.0 * s.used) * HASH_ENTRY_BYTES;
    for (size_t i = 0; self->samples && i < visit->length; i++)
        visit->weights[i] = weight_of(query->q, head->keys + (size_t)visit->keys[i] * head->d,
                                      magicpig->centre, head->d, options->bits, s);
}

const struct method method_lsh_magicpig = {
    .name = "lsh-magicpig",
    .knob = "tables",
    .summary = "keys with the hash of the query in two or more of many tables",
    .source = "Chen et al. 2024",
    .fault = fault,
    .knob_max = all_stages,
    .build = build,
    .free_index = free_index,
    .visit = visit_collisions,
    .imbalance = imbalance,
};

const struct method method_lsh_sampled = {
    .name = "lsh-magicpig-sampled",
    .knob = "tables",
    .summary = "the same keys as a sample, each weighted by the reciprocal of its probability",
    .source = "Chen et al. 2024",
    .samples = true,
    .fault = fault,
    .knob_max = all_stages,
    .build = build,
    .free_index = free_index,
    .visit = visit_collisions,
    .imbalance = imbalance,
};
