/* targets.c - see targets.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "targets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include <attention/products.h>
#include <attention/watch_loop.h>

enum { BLOCK_ROWS = 64, BLOCK_LOGITS = 1 << 22 };

/* What all rows share. */
struct target_task {
    const struct context *context;
    const float *queries, *keys; /* after RoPE, of this head and of its key head */
    const uint32_t *bucket;
    uint32_t clusters, candidates;
    struct dense_part dense;
    float *targets;      /* [candidates][clusters] */
    unsigned char *kept; /* [candidates] */
};

/* The number of the query of a candidate: evenly spaced, the last one included. */
static uint32_t query_of(const struct target_task *task, uint32_t candidate)
{
    return (uint32_t)(((uint64_t)candidate + 1) * task->context->n_q / task->candidates - 1);
}

/* The target of a query with these logits. False if the query is left out. */
static bool target_of(const struct target_task *task, const float *logits, uint32_t position,
                      double *sums, float *target)
{
    const struct key_range open = open_keys(task->dense, position);
    uint32_t best = 0;
    for (uint32_t j = 1; j <= position; j++)
        if (logits[j] > logits[best])
            best = j;
    if (open.first == open.last || 2 * (uint64_t)(position - best) < task->dense.window)
        return false;
    float largest = -INFINITY;
    for (uint32_t j = open.first; j < open.last; j++)
        largest = logits[j] > largest ? logits[j] : largest;
    memset(sums, 0, task->clusters * sizeof *sums);
    double sum = 0.0;
    for (uint32_t j = open.first; j < open.last; j++) {
        const double weight = (double)expf(logits[j] - largest);
        sums[task->bucket[j]] += weight;
        sum += weight;
    }
    for (uint32_t c = 0; c < task->clusters; c++)
        target[c] = (float)(sums[c] / sum);
    return true;
}

static void targets_of_block(const struct target_task *task, uint32_t first, uint32_t rows,
                             float *block, float *logits, double *sums)
{
    const struct context *c = task->context;
    for (uint32_t i = 0; i < rows; i++)
        memcpy(block + (size_t)i * c->d, task->queries + (size_t)query_of(task, first + i) * c->d,
               c->d * sizeof *block);
    /* No row of the block attends to keys after the position of the last. */
    const uint32_t keys = c->n - c->n_q + query_of(task, first + rows - 1) + 1;
    products_transposed(logits, block, rows, task->keys, keys, c->d, c->scale, 0.0f);
    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t position = c->n - c->n_q + query_of(task, first + i);
        task->kept[first + i] = target_of(task, logits + (size_t)i * keys, position, sums,
                                          task->targets + (size_t)(first + i) * task->clusters);
    }
}

/* Returns whether it came to the end. */
static bool compute_targets(const struct target_task *task, const struct watch *watch)
{
    bool stopped = false;
    const struct context *c = task->context;
    const uint32_t fits = BLOCK_LOGITS / c->n, block = fits < 1 ? 1 : fits < 64 ? fits : BLOCK_ROWS;
#pragma omp parallel
    {
        float *logits = require_memory(malloc((size_t)block * c->n * sizeof *logits));
        float *rows = require_memory(malloc((size_t)block * c->d * sizeof *rows));
        double *sums = require_memory(malloc(task->clusters * sizeof *sums));
#pragma omp for schedule(dynamic, 1)
        for (uint32_t first = 0; first < task->candidates; first += block) {
            if (watch_skips(watch, &stopped))
                continue;
            const uint32_t left = task->candidates - first;
            targets_of_block(task, first, left < block ? left : block, rows, logits, sums);
        }
        free(logits);
        free(rows);
        free(sums);
    }
    return !stopped;
}

struct query_batch query_targets(const struct context *c, uint32_t head, const uint32_t *bucket,
                                 uint32_t clusters, struct dense_part dense, bool unroped,
                                 uint32_t at_most, const struct watch *watch)
{
    const uint32_t candidates = at_most > 0 && at_most < c->n_q ? at_most : c->n_q;
    const uint32_t key_head = head / (c->query_heads / c->key_heads);
    const size_t offset = (size_t)head * c->n_q * c->d;
    struct target_task task = {c,
                               c->queries + offset,
                               c->keys + (size_t)key_head * c->n * c->d,
                               bucket,
                               clusters,
                               candidates,
                               dense,
                               NULL,
                               NULL};
    task.targets = require_memory(malloc(((size_t)candidates * clusters + 1) * sizeof(float)));
    task.kept = require_memory(malloc((size_t)candidates + 1));
    const bool whole = compute_targets(&task, watch);
    const float *from = (unroped && c->queries_unroped ? c->queries_unroped : c->queries) + offset;
    float *queries = require_memory(malloc(((size_t)candidates * c->d + 1) * sizeof *queries));
    uint32_t rows = 0;
    for (uint32_t i = 0; i < candidates && whole; i++)
        if (task.kept[i]) {
            memcpy(queries + (size_t)rows * c->d, from + (size_t)query_of(&task, i) * c->d,
                   c->d * sizeof *queries);
            memmove(task.targets + (size_t)rows * clusters, task.targets + (size_t)i * clusters,
                    clusters * sizeof(float));
            rows++;
        }
    free(task.kept);
    return (struct query_batch){.rows = rows, .queries = queries, .targets = task.targets};
}

void query_batch_free(struct query_batch *batch)
{
    free((float *)batch->queries);
    free((float *)batch->targets);
    *batch = (struct query_batch){0};
}

struct query_batch query_batch_join(struct query_batch *batches, uint32_t count, uint32_t d,
                                    uint32_t clusters)
{
    size_t rows = 0, at = 0;
    for (uint32_t i = 0; i < count; i++)
        rows += batches[i].rows;
    float *queries = require_memory(malloc((rows * d + 1) * sizeof *queries));
    float *targets = require_memory(malloc((rows * clusters + 1) * sizeof *targets));
    for (uint32_t i = 0; i < count; at += batches[i].rows, i++) {
        memcpy(queries + at * d, batches[i].queries, (size_t)batches[i].rows * d * sizeof(float));
        memcpy(targets + at * clusters, batches[i].targets,
               (size_t)batches[i].rows * clusters * sizeof(float));
    }
    for (uint32_t i = 0; i < count; i++)
        query_batch_free(&batches[i]);
    return (struct query_batch){.rows = (uint32_t)rows, .queries = queries, .targets = targets};
}

double query_batch_entropy(const struct query_batch *batch, uint32_t clusters)
{
    double sum = 0.0;
    for (size_t i = 0; i < (size_t)batch->rows * clusters; i++) {
        const double t = (double)batch->targets[i];
        sum -= t > 0.0 ? t * log(t) : 0.0;
    }
    return sum / batch->rows;
}
