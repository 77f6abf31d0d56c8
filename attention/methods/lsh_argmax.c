/* lsh_argmax.c - Reformer: keys sorted by their hash and then by position, cut into chunks; a query
 * reads the keys with its hash in its own chunk and in the one before, in several tables.
 *
 * The knob is the number of tables. After the last one (hash_stage) it goes on with the next
 * nearest axis of the query in each table, as if that were its hash, until all axes had their turn.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <attention/method.h>
#include <attention/methods/all.h>
#include <attention/products.h>
#include <base/memory.h>
#include <sim/selection/key.h>
#include <sim/selection/quickselect.h>

#include "hashing.h"

/* The tables of one query head, if keys are hashed by their queries; otherwise those of all. */
struct argmax {
    struct hashing hashing;
    uint32_t buckets, heads;
    uint32_t *hashes; /* [heads][tables][n - first] */
    uint32_t *order;  /* [heads][tables][n - first]: keys by hash, then by position */
    uint32_t *start;  /* [heads][tables][buckets + 1]: where a bucket begins in `order` */
};

/* Reformer's chunks have m = 2 n / buckets keys. An even number; at most 2^bits. */
static uint32_t bucket_count(const struct method_options *options, const struct key_head *head)
{
    const uint64_t keys = head->built - head->first;
    const uint64_t wanted = 2 * ((keys + options->chunk - 1) / options->chunk);
    const uint64_t most = UINT64_C(1) << options->bits;
    return (uint32_t)(wanted < most ? wanted : most);
}

static uint32_t all_stages(const struct method_options *options, const struct key_head *head)
{
    return hash_knob_max(options->tables, bucket_count(options, head));
}

/* Sorts the keys of one table: by counting, so that positions rise within a bucket. */
static void sort_table(const uint32_t *hashes, uint32_t count, uint32_t first, uint32_t buckets,
                       uint32_t *order, uint32_t *start)
{
    for (uint32_t bucket = 0; bucket <= buckets; bucket++)
        start[bucket] = 0;
    for (uint32_t i = 0; i < count; i++)
        start[hashes[i] + 1]++;
    for (uint32_t bucket = 0; bucket < buckets; bucket++)
        start[bucket + 1] += start[bucket];
    for (uint32_t i = 0; i < count; i++)
        order[start[hashes[i]]++] = first + i;
    for (uint32_t bucket = buckets; bucket > 0; bucket--)
        start[bucket] = start[bucket - 1];
    start[0] = 0;
}

static void *build(const struct method *self, const struct method_options *options,
                   const struct key_head *head)
{
    const float *hashed = self->hashes_queries ? head->queries : head->keys;
    const uint32_t heads = self->hashes_queries ? head->query_heads : 1;
    if (!hashed)
        return NULL;
    struct argmax *index = require_memory(malloc(sizeof *index));
    const uint32_t buckets = bucket_count(options, head), count = head->n - head->first;
    const size_t all = (size_t)heads * options->tables;
    *index = (struct argmax){.hashing = {.tables = options->tables,
                                         .columns = buckets / 2,
                                         .d = head->d,
                                         .hash = hash_argmax},
                             .buckets = buckets,
                             .heads = heads};
    hashing_draw(&index->hashing, options->seed, head->group);
    index->hashes = require_memory(malloc(all * count * sizeof *index->hashes));
    index->order = require_memory(malloc(all * count * sizeof *index->order));
    index->start = require_memory(malloc(all * (buckets + 1) * sizeof *index->start));
    bool whole = true;
    for (size_t h = 0; h < heads && whole; h++)
        whole = hash_rows(&index->hashing, hashed + (h * head->n + head->first) * head->d, count,
                          NULL, index->hashes + h * options->tables * count, head->watch);
    for (size_t t = 0; t < all && whole && !watch_stops(head->watch); t++)
        sort_table(index->hashes + t * count, count, head->first, buckets, index->order + t * count,
                   index->start + t * (buckets + 1));
    return index;
}

static void free_index(void *index)
{
    struct argmax *argmax = index;
    if (argmax) {
        free(argmax->hashing.directions);
        free(argmax->hashes);
        free(argmax->order);
        free(argmax->start);
    }
    free(argmax);
}

/* One of the tables, and the keys that exist for a query. */
struct table {
    const uint32_t *hashes, *order, *start;
    uint32_t first, n; /* of the head */
    struct key_range range;
};

/* How many keys of the range have at most this hash. */
static uint32_t keys_up_to(const struct table *table, uint32_t hash)
{
    uint32_t keys = table->start[hash + 1];
    for (uint32_t j = table->first; j < table->range.first; j++)
        keys -= table->hashes[j - table->first] <= hash;
    for (uint32_t j = table->range.last; j < table->n; j++)
        keys -= table->hashes[j - table->first] <= hash;
    return keys;
}

/* The query comes after all keys of the range, so its place s in the sorted keys of the range is
 * the end of the bucket of its hash. Chunk floor(s / m) begins s mod m keys before, the one before
 * it m keys earlier; of these the keys with its hash are marked. Returns how many. */
static uint32_t mark(const struct table *table, uint32_t hash, uint32_t m, uint8_t *marks)
{
    const struct key_range range = table->range;
    const uint64_t reach = (uint64_t)m + keys_up_to(table, hash) % m;
    uint32_t taken = 0;
    for (uint32_t i = table->start[hash + 1]; i > table->start[hash] && taken < reach; i--) {
        const uint32_t key = table->order[i - 1];
        if (key < range.first)
            break;
        if (key < range.last) {
            marks[key - range.first] = 1;
            taken++;
        }
    }
    return taken;
}

/* The `wanted` axes and opposites of a table that are nearest to the query; of equal ones the
 * first. Room: keys[4 columns], axes[2 columns]. */
static void nearest_axes(const float *projections, uint32_t columns, uint32_t wanted,
                         uint64_t *keys, uint32_t *axes)
{
    if (wanted == 1) {
        *axes = hash_argmax(projections, columns);
        return;
    }
    for (uint32_t i = 0; i < columns; i++) {
        keys[i] = key_of((double)projections[i]);
        keys[columns + i] = key_of(-(double)projections[i]);
    }
    select_largest(keys, 2 * (size_t)columns, wanted, keys + 2 * (size_t)columns, axes);
}

/* Visits in the tables of a stage. Returns the entries that were read, and sets how many buckets
 * were, and the most of one. */
static uint64_t mark_tables(const struct argmax *argmax, const struct table *in,
                            const struct attention_query *query, uint32_t m, struct hash_stage s,
                            uint8_t *marks, uint32_t *buckets, uint32_t *largest)
{
    const struct hashing *hashing = &argmax->hashing;
    const uint32_t columns = hashing->columns;
    const size_t keys = in->n - in->first, all = (size_t)s.used * columns;
    float *projections = require_memory(malloc((all + 1) * sizeof *projections));
    uint64_t *ordered = require_memory(malloc(4 * (size_t)columns * sizeof *ordered));
    uint32_t *axes = require_memory(malloc(2 * (size_t)columns * sizeof *axes));
    uint64_t entries = 0;
    *buckets = *largest = 0;
    if (all > 0)
        products_vector(projections, hashing->directions, all, hashing->d, query->q, 1.0f);
    for (uint32_t t = 0; t < s.used; t++) {
        const size_t at = (size_t)(argmax->heads > 1 ? query->head : 0) * hashing->tables + t;
        const uint32_t wanted = hash_stage_of(s, t) + 1;
        struct table table = *in;
        table.hashes = argmax->hashes + at * keys;
        table.order = argmax->order + at * keys;
        table.start = argmax->start + at * (argmax->buckets + 1);
        nearest_axes(projections + (size_t)t * columns, columns, wanted, ordered, axes);
        for (uint32_t i = 0; i < wanted; i++) {
            const uint32_t taken = mark(&table, axes[i], m, marks);
            entries += taken;
            *largest = taken > *largest ? taken : *largest;
        }
        *buckets += wanted;
    }
    free(axes);
    free(ordered);
    free(projections);
    return entries;
}

static void visit_chunks(const struct method *self, const struct method_options *options,
                         const struct key_head *head, const void *index,
                         const struct attention_query *queries, uint32_t count, uint32_t knob,
                         struct visit *visit)
{
    (void)self, (void)count;
    const struct key_range range = queries->range;
    const struct table table = {.first = head->first, .n = head->n, .range = range};
    uint8_t *marks = require_memory(calloc((size_t)(range.last - range.first) + 1, 1));
    uint64_t entries = 0;
    uint32_t buckets = 0;
    visit->largest_bucket = 0;
    if (index)
        entries =
            mark_tables(index, &table, queries, options->chunk, hash_stage(knob, options->tables),
                        marks, &buckets, &visit->largest_bucket);
    visit_marked(visit, marks, range, false);
    free(marks);
    /* The numbers of the keys, and where each bucket begins and ends. */
    visit->index_bytes = ((double)entries + 2.0 * buckets) * HASH_ENTRY_BYTES;
}

const struct method method_lsh_argmax = {
    .name = "lsh-argmax",
    .knob = "tables",
    .summary = "keys with the query's nearest random axis, in its chunk and the one before",
    .source = "Kitaev et al. 2020",
    .knob_max = all_stages,
    .build = build,
    .free_index = free_index,
    .visit = visit_chunks,
};

const struct method method_lsh_argmax_query = {
    .name = "lsh-argmax-query",
    .knob = "tables",
    .summary = "the same, with each key hashed by the query of its own position",
    .source = "Kitaev et al. 2020",
    .hashes_queries = true,
    .knob_max = all_stages,
    .build = build,
    .free_index = free_index,
    .visit = visit_chunks,
};
