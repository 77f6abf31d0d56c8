/* adam.c - see adam.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "adam.h"

#include <math.h>
#include <stdlib.h>

#include <base/memory.h>

static const double keep_mean = 0.9, keep_square = 0.999, epsilon = 1e-8;

struct adam adam_new(size_t length)
{
    struct adam adam = {.length = length};
    adam.mean = require_memory(calloc(length + 1, sizeof *adam.mean));
    adam.square = require_memory(calloc(length + 1, sizeof *adam.square));
    return adam;
}

void adam_free(struct adam *adam)
{
    free(adam->mean);
    free(adam->square);
    *adam = (struct adam){0};
}

void adam_step(struct adam *adam, float *x, const float *gradient, const float *decay, double rate,
               double weight_decay)
{
    adam->steps++;
    const float a = (float)keep_mean, b = (float)keep_square, small = (float)epsilon,
                step = (float)(rate / (1.0 - pow(keep_mean, (double)adam->steps))),
                shrink = (float)(1.0 / (1.0 - pow(keep_square, (double)adam->steps))),
                decays = (float)(rate * weight_decay);
    float *restrict mean = adam->mean, *restrict square = adam->square;
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < adam->length; i++) {
        mean[i] = a * mean[i] + (1.0f - a) * gradient[i];
        square[i] = b * square[i] + (1.0f - b) * gradient[i] * gradient[i];
        x[i] -= decays * decay[i] * x[i] + step * mean[i] / (sqrtf(square[i] * shrink) + small);
    }
}
