/* partial.c - see partial.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "partial.h"

#include <math.h>

void partial_clear(struct partial *partial, double *values, size_t d_v)
{
    *partial = (struct partial){.max = -INFINITY, .values = d_v ? values : NULL};
    for (size_t c = 0; c < d_v; c++)
        values[c] = 0;
}

/* Raises the maximum, which scales what is there. exp(-inf) = 0 for the empty set. */
static void raise_max(struct partial *partial, double max, size_t d_v)
{
    if (!(max > partial->max))
        return;
    const double scale = exp(partial->max - max);
    partial->max = max;
    partial->sum *= scale;
    partial->plain *= scale;
    for (size_t c = 0; c < d_v; c++)
        partial->values[c] *= scale;
}

static void add_value(double *restrict to, const float *restrict value, size_t d_v, double weight)
{
#pragma omp simd
    for (size_t c = 0; c < d_v; c++)
        to[c] += weight * (double)value[c];
}

void partial_add_range(struct partial *partial, const float *logits, const float *values,
                       size_t d_v, uint32_t first, uint32_t last)
{
    float max = -INFINITY;
    for (uint32_t j = first; j < last; j++)
        max = logits[j] > max ? logits[j] : max;
    raise_max(partial, (double)max, d_v);
    double sum = 0;
    for (uint32_t j = first; j < last; j++) {
        const double weight = exp((double)logits[j] - partial->max);
        sum += weight;
        if (d_v)
            add_value(partial->values, values + (size_t)j * d_v, d_v, weight);
    }
    partial->sum += sum;
    partial->plain += sum;
}

void partial_add_keys(struct partial *partial, const float *logits, const float *values, size_t d_v,
                      const uint32_t *keys, const float *weights, size_t length)
{
    float max = -INFINITY;
    for (size_t i = 0; i < length; i++)
        max = logits[keys[i]] > max ? logits[keys[i]] : max;
    raise_max(partial, (double)max, d_v);
    for (size_t i = 0; i < length; i++) {
        const double plain = exp((double)logits[keys[i]] - partial->max);
        const double weight = weights ? plain * (double)weights[i] : plain;
        partial->plain += plain;
        partial->sum += weight;
        if (d_v)
            add_value(partial->values, values + keys[i] * d_v, d_v, weight);
    }
}

void partial_merge(struct partial *into, const struct partial *other, size_t d_v)
{
    if (other->max == -INFINITY)
        return;
    raise_max(into, other->max, d_v);
    const double scale = exp(other->max - into->max);
    into->sum += scale * other->sum;
    into->plain += scale * other->plain;
    for (size_t c = 0; c < d_v; c++)
        into->values[c] += scale * other->values[c];
}
