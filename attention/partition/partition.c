/* partition.c - see partition.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "bucket_lists.h"
#include <attention/products.h>
#include "seeding.h"
#include <attention/watch_loop.h>

enum { LANES = 4 };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t lane_mask __attribute__((vector_size(LANES * sizeof(int32_t))));

static void set_half_norms(struct partition *p)
{
    for (uint32_t c = 0; c < p->clusters; c++) {
        double sum = 0.0;
        for (uint32_t i = 0; i < p->d && !p->spherical; i++) {
            const double x = (double)p->centroids[(size_t)c * p->d + i];
            sum += x * x;
        }
        p->half_norms[c] = (float)(sum / 2.0);
    }
}

struct partition *partition_new(uint32_t clusters, uint32_t d, bool spherical,
                                const float *centroids)
{
    struct partition *p = require_memory(calloc(1, sizeof *p));
    const size_t size = (size_t)clusters * d * sizeof(float);
    *p = (struct partition){.clusters = clusters, .d = d, .spherical = spherical};
    p->centroids = require_memory(malloc(size));
    p->half_norms = require_memory(malloc(clusters * sizeof *p->half_norms));
    memcpy(p->centroids, centroids, size);
    set_half_norms(p);
    return p;
}

void partition_free(struct partition *partition)
{
    if (!partition)
        return;
    free(partition->centroids);
    free(partition->half_norms);
    free(partition);
}

/* ---- assignment */

/* For each column i of scores [clusters][PARTITION_BLOCK]: the c with the largest score - half.
 * `best` has room for PARTITION_BLOCK. A row of the scores is read at a time, so that the cache
 * sees a stream; the first of equal ones stays. */
static void largest_of_columns(const float *scores, const float *half, uint32_t clusters,
                               float *best, uint32_t *which)
{
    for (uint32_t i = 0; i < PARTITION_BLOCK; i++) {
        best[i] = scores[i] - half[0];
        which[i] = 0;
    }
    for (uint32_t c = 1; c < clusters; c++) {
        const float *row = scores + (size_t)c * PARTITION_BLOCK;
        const int32_t index = (int32_t)c;
        for (uint32_t i = 0; i < PARTITION_BLOCK; i += LANES) {
            lanes x, top;
            lane_mask place;
            memcpy(&x, row + i, sizeof x);
            memcpy(&top, best + i, sizeof top);
            memcpy(&place, which + i, sizeof place);
            x -= half[c];
            const lane_mask larger = x > top;
            top = (lanes)((larger & (lane_mask)x) | (~larger & (lane_mask)top));
            place = (larger & (lane_mask){index, index, index, index}) | (~larger & place);
            memcpy(best + i, &top, sizeof top);
            memcpy(which + i, &place, sizeof place);
        }
    }
}

/* One block at most; `scratch` has room for (clusters + d + 2) PARTITION_BLOCK floats. A short
 * block is filled up with zeros, so that a key's bucket does not depend on its neighbours. */
static void assign_block(const struct partition *p, const float *keys, uint32_t rows,
                         float *scratch, uint32_t *bucket)
{
    float *scores = scratch, *best = scores + (size_t)p->clusters * PARTITION_BLOCK;
    uint32_t *which = (uint32_t *)(best + PARTITION_BLOCK);
    float *full = best + 2 * PARTITION_BLOCK;
    if (rows < PARTITION_BLOCK) {
        memset(full, 0, (size_t)PARTITION_BLOCK * p->d * sizeof *full);
        memcpy(full, keys, (size_t)rows * p->d * sizeof *full);
        keys = full;
    }
    products_transposed(scores, p->centroids, p->clusters, keys, PARTITION_BLOCK, p->d, 1.0f, 0.0f);
    largest_of_columns(scores, p->half_norms, p->clusters, best, which);
    memcpy(bucket, which, rows * sizeof *which);
}

bool partition_assign_watched(const struct partition *p, const float *keys, uint32_t n,
                              uint32_t *bucket, const struct watch *watch)
{
    bool stopped = false;
    const uint32_t blocks = n / PARTITION_BLOCK + (n % PARTITION_BLOCK > 0);
    const size_t size = ((size_t)p->clusters + p->d + 2) * PARTITION_BLOCK * sizeof(float);
#pragma omp parallel
    {
        float *scratch = require_memory(malloc(size));
#pragma omp for schedule(dynamic, 8)
        for (uint32_t block = 0; block < blocks; block++) {
            if (watch_skips(watch, &stopped))
                continue;
            const size_t first = (size_t)block * PARTITION_BLOCK;
            const uint32_t left = n - (uint32_t)first;
            assign_block(p, keys + first * p->d, left < PARTITION_BLOCK ? left : PARTITION_BLOCK,
                         scratch, bucket + first);
        }
        free(scratch);
    }
    return !stopped;
}

void partition_assign(const struct partition *p, const float *keys, uint32_t n, uint32_t *bucket)
{
    partition_assign_watched(p, keys, n, bucket, NULL);
}

/* ---- Lloyd */

struct lloyd {
    struct partition *p;
    const float *keys;
    uint32_t n;
    double squares;              /* sum of |x|^2 */
    uint32_t *bucket, *previous; /* [n] */
    float *next;                 /* [clusters][d], the centroids of the next iteration */
    double *parts;               /* [clusters], of the objective */
    uint32_t *sizes;             /* [clusters] */
    uint32_t reseeded;
};

struct far_key {
    double distance;
    uint32_t key;
};

/* The farthest first; of equal ones the first key. */
static int compare_far(const void *a, const void *b)
{
    const struct far_key *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? 1 : -1;
    return (x->key > y->key) - (x->key < y->key);
}

static double exact_distance(const float *a, const float *b, uint32_t d)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < d; i++) {
        const double difference = (double)a[i] - (double)b[i];
        sum += difference * difference;
    }
    return sum;
}

/* Gives keys to the empty buckets, as the header says. */
static void fill_empty(struct lloyd *l, uint32_t empty)
{
    const struct partition *p = l->p;
    struct far_key *far = require_memory(malloc((size_t)l->n * sizeof *far));
#pragma omp parallel for schedule(static)
    for (uint32_t j = 0; j < l->n; j++)
        far[j] = (struct far_key){exact_distance(l->keys + (size_t)j * p->d,
                                                 p->centroids + (size_t)l->bucket[j] * p->d, p->d),
                                  j};
    qsort(far, l->n, sizeof *far, compare_far);
    uint32_t next = 0;
    for (uint32_t c = 0; c < p->clusters && empty > 0; c++) {
        if (l->sizes[c] > 0)
            continue;
        while (next < l->n && far[next].distance > 0.0 && l->sizes[l->bucket[far[next].key]] < 2)
            next++;
        if (next == l->n || far[next].distance == 0.0)
            break;
        const uint32_t key = far[next++].key;
        l->sizes[l->bucket[key]]--;
        l->sizes[c] = 1;
        l->bucket[key] = c;
        l->reseeded++;
        empty--;
    }
    free(far);
}

enum { AHEAD = 4 }; /* keys that are asked for before they are needed; 64 bytes in a cache line */

/* The sum of the keys of a list, in its order. */
static void sum_of_keys(double *restrict sum, const float *restrict keys, uint32_t d,
                        const uint32_t *list, uint32_t length)
{
    for (uint32_t i = 0; i < d; i++)
        sum[i] = 0.0;
    for (uint32_t at = 0; at < length; at++) {
        const float *restrict key = keys + (size_t)list[at] * d;
        if (at + AHEAD < length)
            for (uint32_t i = 0; i < d; i += 16)
                __builtin_prefetch(keys + (size_t)list[at + AHEAD] * d + i);
#pragma omp simd
        for (uint32_t i = 0; i < d; i++)
            sum[i] += (double)key[i];
    }
}

/* The next centroid of bucket c, which has `size` keys of this sum. Returns its part of the
 * objective. */
static double update_centroid(const struct lloyd *l, uint32_t c, uint32_t size, const double *sum)
{
    const struct partition *p = l->p;
    const float *old = p->centroids + (size_t)c * p->d;
    float *next = l->next + (size_t)c * p->d;
    double length = size, part = 0.0;
    if (p->spherical) {
        double squares = 0.0;
        for (uint32_t i = 0; i < p->d; i++)
            squares += sum[i] * sum[i];
        length = sqrt(squares);
    }
    for (uint32_t i = 0; i < p->d; i++) {
        next[i] = length > 0.0 ? (float)(sum[i] / length) : old[i];
        part += (double)next[i] * (size * (double)next[i] - 2.0 * sum[i]);
    }
    return part;
}

/* Each centroid becomes the mean of its keys. Returns the objective. With S the sum of the N keys
 * of a bucket, the sum of |x - c|^2 is the sum of |x|^2, less 2 S.c, plus N |c|^2. */
static double update_centroids(struct lloyd *l)
{
    const struct partition *p = l->p;
    struct bucket_lists lists = bucket_lists_make(l->bucket, l->n, p->clusters);
#pragma omp parallel
    {
        double *sum = require_memory(malloc(p->d * sizeof *sum));
#pragma omp for schedule(dynamic, 4)
        for (uint32_t c = 0; c < p->clusters; c++) {
            const uint32_t size = lists.start[c + 1] - lists.start[c];
            sum_of_keys(sum, l->keys, p->d, lists.keys + lists.start[c], size);
            l->parts[c] = update_centroid(l, c, size, sum);
        }
        free(sum);
    }
    bucket_lists_free(&lists);
    double objective = l->squares;
    for (uint32_t c = 0; c < p->clusters; c++)
        objective += l->parts[c];
    return objective;
}

/* Assigns the keys and fills empty buckets. Did any key change its bucket? Not if it was stopped.
 */
static bool reassign(struct lloyd *l, const struct watch *watch)
{
    memcpy(l->previous, l->bucket, l->n * sizeof *l->bucket);
    if (!partition_assign_watched(l->p, l->keys, l->n, l->bucket, watch))
        return false;
    memset(l->sizes, 0, l->p->clusters * sizeof *l->sizes);
    for (uint32_t j = 0; j < l->n; j++)
        l->sizes[l->bucket[j]]++;
    uint32_t empty = 0;
    for (uint32_t c = 0; c < l->p->clusters; c++)
        empty += l->sizes[c] == 0;
    if (empty > 0)
        fill_empty(l, empty);
    return memcmp(l->previous, l->bucket, l->n * sizeof *l->bucket) != 0;
}

static void lloyd(struct lloyd *l, uint32_t iterations, const struct watch *watch,
                  struct partition_report *report)
{
    struct partition *p = l->p;
    report->objective = NAN;
    for (uint32_t i = 0; i < iterations; i++) {
        if (!reassign(l, watch))
            break;
        const double objective = update_centroids(l);
        if (objective >= report->objective)
            break;
        float *swapped = p->centroids;
        p->centroids = l->next;
        l->next = swapped;
        set_half_norms(p);
        report->objective = objective;
        report->iterations++;
        report->reseeded = l->reseeded;
        if (watch_step(watch, i + 1, iterations))
            break;
    }
}

/* ---- keys */

static double square_of(const float *x, uint32_t d)
{
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (uint32_t i = 0; i < d; i++)
        sum += (double)x[i] * (double)x[i];
    return sum;
}

/* Copies of the keys, divided by their norms; a key of zeros stays. */
static float *unit_keys(const float *keys, uint32_t n, uint32_t d)
{
    float *unit = require_memory(malloc(((size_t)n * d + 1) * sizeof *unit));
#pragma omp parallel for schedule(static)
    for (uint32_t j = 0; j < n; j++) {
        const float *key = keys + (size_t)j * d;
        const double norm = sqrt(square_of(key, d));
        for (uint32_t i = 0; i < d; i++)
            unit[(size_t)j * d + i] = norm > 0.0 ? (float)((double)key[i] / norm) : 0.0f;
    }
    return unit;
}

void partition_improve(struct partition *p, const float *keys, uint32_t n, uint32_t iterations,
                       const struct watch *watch, struct partition_report *report)
{
    struct lloyd l = {.p = p, .keys = keys, .n = n};
    struct partition_report own = {0};
    l.bucket = require_memory(malloc((size_t)n * sizeof *l.bucket));
    l.previous = require_memory(malloc((size_t)n * sizeof *l.previous));
    l.next = require_memory(malloc((size_t)p->clusters * p->d * sizeof *l.next));
    l.parts = require_memory(malloc(p->clusters * sizeof *l.parts));
    l.sizes = require_memory(malloc(p->clusters * sizeof *l.sizes));
    memset(l.bucket, 0xff, (size_t)n * sizeof *l.bucket); /* in no bucket yet */
    for (uint32_t j = 0; j < n; j++)
        l.squares += square_of(keys + (size_t)j * p->d, p->d);
    lloyd(&l, iterations, watch, &own);
    if (report)
        *report = own;
    free(l.bucket);
    free(l.previous);
    free(l.next);
    free(l.parts);
    free(l.sizes);
}

struct partition *partition_train(const float *keys, uint32_t n, uint32_t d,
                                  const struct partition_options *options,
                                  const struct watch *watch, struct partition_report *report)
{
    float *unit = options->spherical ? unit_keys(keys, n, d) : NULL;
    if (unit)
        keys = unit;
    const size_t size = (size_t)options->clusters * d * sizeof(float);
    float *seeds = require_memory(malloc(size));
    const bool seeded =
        seed_centroids(seeds, options->clusters, keys, n, d,
                       random_key(options->seed, RANDOM_CENTROIDS, options->salt), watch);
    struct partition *p = partition_new(options->clusters, d, options->spherical, seeds);
    partition_improve(p, keys, n, seeded ? options->iterations : 0, watch, report);
    free(seeds);
    free(unit);
    return p;
}
