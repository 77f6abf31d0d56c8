/* seeding.c - see seeding.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "seeding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "partition.h"

enum { LANES = 4, SUM_BLOCK = 1024 };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

/* |a - b|^2 without cancellation: a relative error of about d 2^-24. */
static float squared_distance(const float *a, const float *b, uint32_t d)
{
    lanes sum[2] = {{0}, {0}};
    uint32_t c = 0;
    for (; c + 2 * LANES <= d; c += 2 * LANES)
        for (int half = 0; half < 2; half++) {
            lanes x, y;
            memcpy(&x, a + c + half * LANES, sizeof x);
            memcpy(&y, b + c + half * LANES, sizeof y);
            sum[half] += (x - y) * (x - y);
        }
    const lanes both = sum[0] + sum[1];
    float total = (both[0] + both[1]) + (both[2] + both[3]);
    for (; c < d; c++)
        total += (a[c] - b[c]) * (a[c] - b[c]);
    return total;
}

double draw_total(const float *weights, uint32_t n)
{
    double total = 0.0;
    for (uint32_t first = 0; first < n; first += SUM_BLOCK) {
        double sum = 0.0;
        for (uint32_t i = first; i < n && i - first < SUM_BLOCK; i++)
            sum += (double)weights[i];
        total += sum;
    }
    return total;
}

uint32_t draw_weighted(const float *weights, uint32_t n, double total, double unit)
{
    const double target = unit * total;
    double before = 0.0;
    uint32_t last = 0;
    for (uint32_t first = 0; first < n; first += SUM_BLOCK) {
        double sum = 0.0;
        for (uint32_t i = first; i < n && i - first < SUM_BLOCK; i++) {
            sum += (double)weights[i];
            if (weights[i] > 0.0f) {
                last = i;
                if (before + sum > target)
                    return i;
            }
        }
        before += sum;
    }
    return last; /* rounding */
}

/* Which keys may become seeds: all, or PARTITION_SEED_KEYS of them by selection sampling. */
static uint32_t *seed_candidates(uint32_t n, uint32_t *count, struct random_stream *stream)
{
    *count = n < PARTITION_SEED_KEYS ? n : PARTITION_SEED_KEYS;
    uint32_t *candidate = require_memory(malloc((size_t)*count * sizeof *candidate));
    uint32_t wanted = *count, length = 0;
    for (uint32_t i = 0; wanted > 0; i++)
        if (wanted == n - i || random_below(stream, n - i) < wanted) {
            candidate[length++] = i;
            wanted--;
        }
    return candidate;
}

bool seed_centroids(float *centroids, uint32_t clusters, const float *keys, uint32_t n, uint32_t d,
                    struct random_key key, const struct watch *watch)
{
    bool stopped = false;
    struct random_stream stream = random_stream(key, 0);
    uint32_t count;
    uint32_t *candidate = seed_candidates(n, &count, &stream);
    float *nearest = require_memory(malloc((size_t)count * sizeof *nearest));
    for (uint32_t i = 0; i < count; i++)
        nearest[i] = INFINITY;
    for (uint32_t c = 0; c < clusters; c++) {
        stopped = stopped || watch_stops(watch);
        if (stopped) {
            memset(centroids + (size_t)c * d, 0, d * sizeof *centroids);
            continue;
        }
        const double total = c == 0 ? 0.0 : draw_total(nearest, count);
        const uint32_t drawn =
            total > 0.0 ? draw_weighted(nearest, count, total, random_unit(random_next(&stream)))
                        : (uint32_t)random_below(&stream, count);
        float *seed = centroids + (size_t)c * d;
        memcpy(seed, keys + (size_t)candidate[drawn] * d, d * sizeof *seed);
#pragma omp parallel for schedule(static)
        for (uint32_t i = 0; i < count; i++) {
            const float distance = squared_distance(keys + (size_t)candidate[i] * d, seed, d);
            if (distance < nearest[i])
                nearest[i] = distance;
        }
    }
    free(nearest);
    free(candidate);
    return !stopped;
}
