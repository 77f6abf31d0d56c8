/* full.c - see full.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "full.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "products.h"

/* BLOCK keys have a product; PART keys are one piece of work, and have a softmax of their own. */
enum { BLOCK = 512, PART = 1 << 16, LANES = 4 };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t lane_mask __attribute__((vector_size(LANES * sizeof(int32_t))));

/* The softmax of a part, not divided: for each query m = the largest logit, s = sum exp(l - m) and
 * o = sum exp(l - m) v. */
struct part {
    float *largest, *sum, *out; /* [count], [count], [count][d_v] */
};

/* exp(x) for x <= 0, to about 2e-7 of it; 2^-125 and the like for all x below -87.
 * x = k ln 2 + r with |r| <= ln 2 / 2, and exp(r) by its series: the term r^8/8! is 5e-9. Adding
 * 1.5 2^23 rounds to a whole number, which is then in the last bits of the sum. */
static inline lanes exp_lanes(lanes x)
{
    static const float magic = 0x1.8p23f, ln2_high = 0x1.62ep-1f, ln2_low = 0x1.0bfbe8p-15f;
    const lanes least = {-87.0f, -87.0f, -87.0f, -87.0f};
    const lane_mask small = x < least;
    x = (lanes)((small & (lane_mask)least) | (~small & (lane_mask)x));
    const lanes rounded = x * 0x1.715476p+0f + magic, k = rounded - magic;
    const lanes r = (x - k * ln2_high) - k * ln2_low;
    lanes p = r * (1.0f / 5040) + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    return p * (lanes)(((lane_mask)rounded << 23) + 0x3f800000);
}

static float largest_of(const float *x, uint32_t length)
{
    lanes top = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    uint32_t j = 0;
    for (; j + LANES <= length; j += LANES) {
        lanes next;
        memcpy(&next, x + j, sizeof next);
        const lane_mask larger = next > top;
        top = (lanes)((larger & (lane_mask)next) | (~larger & (lane_mask)top));
    }
    float largest = fmaxf(fmaxf(top[0], top[1]), fmaxf(top[2], top[3]));
    for (; j < length; j++)
        largest = fmaxf(largest, x[j]);
    return largest;
}

/* Turns logits into exp(l - largest). Returns their sum. */
static float weights_of(float *x, uint32_t length, float largest)
{
    lanes sum = {0};
    uint32_t j = 0;
    for (; j + LANES <= length; j += LANES) {
        lanes next;
        memcpy(&next, x + j, sizeof next);
        next = exp_lanes(next - largest);
        sum += next;
        memcpy(x + j, &next, sizeof next);
    }
    float total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    for (; j < length; j++) {
        const lanes one = exp_lanes((lanes){x[j] - largest, 0, 0, 0});
        x[j] = one[0];
        total += x[j];
    }
    return total;
}

/* Raises the largest logit of query i; what was summed is scaled. */
static void raise_largest(struct part *part, uint32_t i, uint32_t d_v, float largest)
{
    if (!(largest > part->largest[i]))
        return;
    const float factor = expf(part->largest[i] - largest); /* 0 at first */
    part->largest[i] = largest;
    part->sum[i] *= factor;
    for (uint32_t c = 0; c < d_v; c++)
        part->out[(size_t)i * d_v + c] *= factor;
}

struct batch {
    const float *queries, *keys, *values;
    uint32_t count, n_q, n, d, d_v;
    float scale;
};

/* How many of the keys at .. at + length - 1 query i sees. */
static uint32_t seen_of(const struct batch *b, uint32_t i, uint32_t at, uint32_t length)
{
    const uint32_t end = b->n - b->n_q + 1 + i % b->n_q; /* behind its position */
    return end <= at ? 0 : end - at < length ? end - at : length;
}

static void attend_part(const struct batch *b, struct part *part, uint32_t first, uint32_t last,
                        float *logits)
{
    for (uint32_t i = 0; i < b->count; i++) {
        part->largest[i] = -INFINITY;
        part->sum[i] = 0.0f;
    }
    memset(part->out, 0, (size_t)b->count * b->d_v * sizeof *part->out);
    for (uint32_t at = first; at < last; at += BLOCK) {
        const uint32_t keys = last - at < BLOCK ? last - at : BLOCK;
        products_transposed(logits, b->queries, b->count, b->keys + (size_t)at * b->d, keys, b->d,
                            b->scale, 0.0f);
        for (uint32_t i = 0; i < b->count; i++) {
            float *row = logits + (size_t)i * keys;
            const uint32_t seen = seen_of(b, i, at, keys);
            memset(row + seen, 0, (keys - seen) * sizeof *row);
            if (seen == 0)
                continue;
            raise_largest(part, i, b->d_v, largest_of(row, seen));
            part->sum[i] += weights_of(row, seen, part->largest[i]);
        }
        products(part->out, logits, b->count, b->values + (size_t)at * b->d_v, keys, b->d_v, 1.0f,
                 1.0f);
    }
}

static struct part part_new(const struct batch *b)
{
    struct part part;
    part.largest = require_memory(malloc(2 * (size_t)b->count * sizeof(float)));
    part.sum = part.largest + b->count;
    part.out = require_memory(malloc((size_t)b->count * b->d_v * sizeof(float)));
    return part;
}

/* Adds the second part to the first (log-sum-exp), of which every query sees a key. */
static void merge(struct part *into, const struct part *other, const struct batch *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        raise_largest(into, i, b->d_v, other->largest[i]);
        const float factor = expf(other->largest[i] - into->largest[i]);
        into->sum[i] += factor * other->sum[i];
        for (uint32_t c = 0; c < b->d_v; c++)
            into->out[(size_t)i * b->d_v + c] += factor * other->out[(size_t)i * b->d_v + c];
    }
}

void full_attention(float *out, const float *queries, uint32_t count, uint32_t n_q,
                    const float *keys, const float *values, uint32_t n, uint32_t d, uint32_t d_v,
                    float scale)
{
    const struct batch b = {queries, keys, values, count, n_q, n, d, d_v, scale};
    const uint32_t parts = n / PART + (n % PART > 0);
    struct part *part = require_memory(malloc(parts * sizeof *part));
    for (uint32_t p = 0; p < parts; p++)
        part[p] = part_new(&b);
#pragma omp parallel
    {
        float *logits = require_memory(malloc((size_t)count * BLOCK * sizeof *logits));
#pragma omp for schedule(dynamic, 1)
        for (uint32_t p = 0; p < parts; p++) {
            const uint32_t first = p * PART;
            attend_part(&b, &part[p], first, n - first < PART ? n : first + PART, logits);
        }
        free(logits);
    }
    for (uint32_t p = 1; p < parts; p++)
        merge(&part[0], &part[p], &b);
    for (size_t i = 0; i < (size_t)count * d_v; i++)
        out[i] = part[0].out[i] / part[0].sum[i / d_v];
    for (uint32_t p = 0; p < parts; p++) {
        free(part[p].largest);
        free(part[p].out);
    }
    free(part);
}
