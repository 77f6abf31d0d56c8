/* check.c - see check.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <base/threads.h>

#include "keys.h"

#define CHUNK 4096 /* elements whose keys are computed at a time */

/* What the check of a row needs. Exact top-k is one bucket. */
struct check {
    const struct cell *cell;
    uint64_t b, k_b;
    bool contiguous;
    const char *x;      /* of the row */
    const char *values; /* its outputs */
    const int32_t *indices;
    uint8_t *seen;  /* by element */
    int64_t *worst; /* by bucket: the key of the worst that was kept */
    struct verdict *verdict;
};

static uint64_t bucket_length(const struct check *c, uint64_t bucket)
{
    return c->cell->n / c->b + (bucket < c->cell->n % c->b);
}

/* Runs, the n mod b longer ones first; or i mod b. */
static uint64_t bucket_of(const struct check *c, uint64_t i)
{
    const uint64_t size = c->cell->n / c->b, longer = c->cell->n % c->b, run = longer * (size + 1);
    if (!c->contiguous)
        return i % c->b;
    return i < run ? i / (size + 1) : longer + (i - run) / size;
}

/* Calls `use` for the keys and the buckets of all elements of the row, in order. */
typedef void use_element(void *to, uint64_t i, uint64_t bucket, int64_t key);
static void each_element(const struct check *c, use_element *use, void *to)
{
    int64_t keys[CHUNK];
    uint64_t bucket = 0, left = bucket_length(c, 0);
    for (uint64_t first = 0; first < c->cell->n; first += CHUNK) {
        const uint64_t rest = c->cell->n - first;
        const size_t count = rest < CHUNK ? (size_t)rest : CHUNK;
        keys_of(c->cell->dtype, c->x, first, count, keys);
        for (size_t i = 0; i < count; i++) {
            use(to, first + i, bucket, keys[i]);
            if (!c->contiguous)
                bucket = bucket + 1 == c->b ? 0 : bucket + 1;
            else if (--left == 0)
                left = ++bucket < c->b ? bucket_length(c, bucket) : 0;
        }
    }
}

/* ---- the outputs by themselves */

/* Output `at` of the row, which should be of that bucket; `last` is the key before it there, or
 * INT64_MAX. Returns its key. */
static int64_t check_output(struct check *c, uint64_t at, uint64_t bucket, int64_t last)
{
    const size_t bytes = dtype_bytes(c->cell->dtype);
    const int64_t index = c->indices[at];
    int64_t key;
    keys_of(c->cell->dtype, c->values, at, 1, &key);
    if (index < 0 || (uint64_t)index >= c->cell->n) {
        c->verdict->invalid++;
        return key;
    }
    c->verdict->repeated += c->seen[index];
    c->seen[index] = 1;
    c->verdict->misplaced += c->b > 1 && bucket_of(c, (uint64_t)index) != bucket;
    c->verdict->altered +=
        memcmp(c->values + at * bytes, c->x + (uint64_t)index * bytes, bytes) != 0;
    c->verdict->unsorted += key > last;
    return key;
}

static void miss(void *to, uint64_t i, uint64_t bucket, int64_t key)
{
    struct check *c = to;
    c->verdict->missed += !c->seen[i] && key > c->worst[bucket];
}

/* Stage 1, or exact top-k as one bucket with k_b = k. */
static void check_buckets(struct check *c, bool sorted)
{
    uint64_t at = 0;
    for (uint64_t bucket = 0; bucket < c->b; bucket++) {
        const uint64_t length = bucket_length(c, bucket);
        int64_t last = INT64_MAX, worst = INT64_MAX;
        for (uint64_t i = 0; i < (c->k_b < length ? c->k_b : length); i++) {
            const int64_t key = check_output(c, at++, bucket, sorted ? last : INT64_MAX);
            last = key;
            worst = key < worst ? key : worst;
        }
        c->worst[bucket] = worst;
    }
    each_element(c, miss, c);
}

/* ---- bucketed top-k */

struct kept {
    uint64_t k_b;
    int64_t *keys;    /* b lists of k_b, the largest first */
    uint64_t *counts; /* by bucket */
};

static void keep(void *to, uint64_t i, uint64_t bucket, int64_t key)
{
    struct kept *kept = to;
    int64_t *list = kept->keys + bucket * kept->k_b;
    uint64_t at = kept->counts[bucket];
    (void)i;
    if (at == kept->k_b && key <= list[at - 1])
        return;
    if (at == kept->k_b)
        at--;
    else
        kept->counts[bucket]++;
    for (; at > 0 && list[at - 1] < key; at--)
        list[at] = list[at - 1];
    list[at] = key;
}

/* Both stages, against the same written out in the plainest way. */
static void check_two_stage(struct check *c, bool sorted)
{
    const uint64_t k = c->cell->k;
    struct kept kept = {.k_b = c->k_b,
                        .keys = require_memory(malloc(c->b * c->k_b * sizeof *kept.keys)),
                        .counts = require_memory(calloc(c->b, sizeof *kept.counts))};
    int64_t *ours = require_memory(malloc(k * sizeof *ours));
    size_t candidates = 0;
    each_element(c, keep, &kept);
    for (uint64_t bucket = 0; bucket < c->b; bucket++)
        for (uint64_t i = 0; i < kept.counts[bucket]; i++)
            kept.keys[candidates++] = kept.keys[bucket * c->k_b + i];
    const uint64_t b = c->b;
    c->b = 1; /* an output may be of any bucket */
    for (uint64_t at = 0; at < k; at++)
        ours[at] = check_output(c, at, 0, sorted && at > 0 ? ours[at - 1] : INT64_MAX);
    c->b = b;
    keys_select(kept.keys, candidates, k);
    keys_sort(kept.keys, k);
    keys_sort(ours, k);
    c->verdict->missed += k - keys_common(kept.keys, k, ours, k);
    free(ours);
    free(kept.keys);
    free(kept.counts);
}

/* ---- all rows */

/* Short rows are not worth a team. */
static inline int row_threads(const struct cell *cell)
{
    const bool alone = cell->m == 1 || cell->m * cell->n < 1 << 18;
    return alone ? 1 : threads_to_be_had(0);
}

static void check_row(const struct cell *cell, bool sorted, uint64_t row, const void *x,
                      const void *values, const int32_t *indices, struct verdict *verdict)
{
    const bool exact = cell->kernel->task == TASK_EXACT;
    const uint64_t b = exact ? 1 : cell->b, results = cell_results(cell);
    const size_t bytes = dtype_bytes(cell->dtype);
    struct check c = {.cell = cell,
                      .b = b,
                      .k_b = exact ? cell->k : cell->k_b,
                      .contiguous = cell->assignment == RCM_CONTIGUOUS,
                      .x = (const char *)x + row * cell->n * bytes,
                      .values = (const char *)values + row * results * bytes,
                      .indices = indices + row * results,
                      .seen = require_memory(calloc(cell->n, 1)),
                      .worst = require_memory(malloc(b * sizeof *c.worst)),
                      .verdict = verdict};
    if (cell->kernel->task == TASK_TWO_STAGE)
        check_two_stage(&c, sorted);
    else
        check_buckets(&c, sorted || cell->kernel->task == TASK_STAGE1);
    free(c.seen);
    free(c.worst);
}

struct verdict check_outputs(const struct cell *cell, bool sorted, const void *x,
                             const void *values, const int32_t *indices)
{
    uint64_t invalid = 0, repeated = 0, misplaced = 0, altered = 0, missed = 0, unsorted = 0;
#pragma omp parallel for schedule(static) num_threads(row_threads(cell)) \
    reduction(+ : invalid, repeated, misplaced, altered, missed, unsorted)
    for (uint64_t row = 0; row < cell->m; row++) {
        struct verdict v = {0};
        check_row(cell, sorted, row, x, values, indices, &v);
        invalid += v.invalid, repeated += v.repeated, misplaced += v.misplaced;
        altered += v.altered, missed += v.missed, unsorted += v.unsorted;
    }
    return (struct verdict){invalid, repeated, misplaced, altered, missed, unsorted};
}

/* ---- recall */

/* The best k of the keys of a row: keys that reach the k-th largest so far are collected, and from
 * time to time all but the best k of them forgotten. */
static void topk_of_row(const struct cell *c, const char *x, int64_t *best)
{
    const size_t k = (size_t)c->k, room = 2 * k + 2 * CHUNK;
    int64_t *held = require_memory(malloc(room * sizeof *held)), keys[CHUNK], least = INT64_MIN;
    size_t length = 0;
    for (uint64_t first = 0; first < c->n; first += CHUNK) {
        const size_t count = c->n - first < CHUNK ? (size_t)(c->n - first) : CHUNK;
        keys_of(c->dtype, x, first, count, keys);
        for (size_t i = 0; i < count; i++)
            if (keys[i] > least || length < k)
                held[length++] = keys[i];
        if (length > room - CHUNK) {
            least = keys_select(held, length, k);
            length = k;
        }
    }
    keys_select(held, length, k);
    memcpy(best, held, k * sizeof *best);
    keys_sort(best, k);
    free(held);
}

void true_topk(const struct cell *cell, const void *x, int64_t *true_keys)
{
    const size_t row_bytes = cell->n * dtype_bytes(cell->dtype);
#pragma omp parallel for schedule(static) num_threads(row_threads(cell))
    for (uint64_t row = 0; row < cell->m; row++)
        topk_of_row(cell, (const char *)x + row * row_bytes, true_keys + row * cell->k);
}

uint64_t count_hits(const struct cell *cell, const int64_t *true_keys, const void *values)
{
    const size_t results = (size_t)cell_results(cell), bytes = dtype_bytes(cell->dtype);
    int64_t *keys = require_memory(malloc(results * sizeof *keys));
    uint64_t hits = 0;
    for (uint64_t row = 0; row < cell->m; row++) {
        keys_of(cell->dtype, (const char *)values + row * results * bytes, 0, results, keys);
        keys_sort(keys, results);
        hits += keys_common(true_keys + row * cell->k, (size_t)cell->k, keys, results);
    }
    free(keys);
    return hits;
}
