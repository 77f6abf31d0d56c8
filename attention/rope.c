/* rope.c - see rope.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rope.h"

#include <math.h>
#include <stdlib.h>

#include <base/memory.h>

#define PI 3.14159265358979323846
#define WORTH_THREADS 65536 /* pairs to turn, 1 ms of one thread: what waiting may take */
#define YARN_FAST 32.0      /* turns in the original context: from here on a pair is left alone */
#define YARN_SLOW 1.0       /* from here on it is scaled in full */

static double llama3(const struct rope *rope, double f)
{
    const double turns = rope->original * f / (2 * PI); /* original / wavelength */
    if (turns > rope->high)
        return f;
    if (turns < rope->low)
        return f / rope->factor;
    const double s = (turns - rope->low) / (rope->high - rope->low);
    return (1 - s) * f / rope->factor + s * f;
}

/* The pair, as a real number, that turns so many times in the original context. */
static double pair_of_turns(const struct rope *rope, uint32_t d, double turns)
{
    return d * log(rope->original / (turns * 2 * PI)) / (2 * log(rope->theta));
}

static void scale_yarn(const struct rope *rope, uint32_t d, double *frequencies)
{
    const double first = fmax(floor(pair_of_turns(rope, d, YARN_FAST)), 0);
    double last = fmin(ceil(pair_of_turns(rope, d, YARN_SLOW)), d - 1.0);
    if (last == first)
        last += 0.001; /* a step in place of a line */
    for (uint32_t i = 0; i < d / 2; i++) {
        const double g = fmin(fmax((i - first) / (last - first), 0), 1);
        frequencies[i] = (1 - g) * frequencies[i] + g * frequencies[i] / rope->factor;
    }
}

double rope_frequencies(const struct rope *rope, uint32_t d, double *frequencies)
{
    for (uint32_t i = 0; i < d / 2; i++) {
        const double f = pow(rope->theta, -2.0 * i / d);
        frequencies[i] = rope->scaling == ROPE_LINEAR   ? f / rope->factor
                         : rope->scaling == ROPE_LLAMA3 ? llama3(rope, f)
                                                        : f;
    }
    if (rope->scaling != ROPE_YARN)
        return 1;
    scale_yarn(rope, d, frequencies);
    return rope->attention_factor > 0 ? rope->attention_factor : 0.1 * log(rope->factor) + 1;
}

const char *rope_fault(const struct rope *rope, uint32_t d)
{
    if (d % 2 != 0)
        return "turns pairs of components, and a head has an odd number of them";
    if (!(rope->theta > 1 && isfinite(rope->theta)))
        return "needs a theta above 1, such as 10000";
    if (rope->scaling == ROPE_NONE)
        return NULL;
    if (!(rope->factor >= 1 && isfinite(rope->factor)))
        return "is scaled by a factor that is below 1; give 1 or more";
    if (rope->scaling == ROPE_LINEAR)
        return NULL;
    if (!(rope->original >= 1 && isfinite(rope->original)))
        return "needs the original context length of its scaling, such as 8192";
    if (rope->scaling == ROPE_LLAMA3 && !(rope->low > 0 && rope->low < rope->high))
        return "needs a low frequency factor above 0 and below the high one, such as 1 and 4";
    return NULL;
}

/* Turns each pair by sign * position * f_i, and scales it by yarn's factor, or by its inverse. */
static void turn(const struct rope *rope, float *x, size_t rows, uint32_t d, uint64_t first,
                 double sign)
{
    const uint32_t pairs = d / 2;
    const uint32_t step = rope->pairing == ROPE_HALF ? 1 : 2,
                   other = rope->pairing == ROPE_HALF ? pairs : 1;
    double *frequencies = require_memory(malloc((pairs + 1) * sizeof *frequencies));
    const double factor = rope_frequencies(rope, d, frequencies);
    const double length = sign > 0 ? factor : 1 / factor;
#pragma omp parallel for schedule(static) if (rows * pairs > WORTH_THREADS)
    for (size_t row = 0; row < rows; row++)
        for (uint32_t i = 0; i < pairs; i++) {
            float *a = x + row * d + (size_t)i * step, *b = a + other;
            const double angle = sign * (double)(first + row) * frequencies[i];
            const double cosine = cos(angle) * length, sine = sin(angle) * length;
            const double u = (double)*a, v = (double)*b;
            *a = (float)(u * cosine - v * sine);
            *b = (float)(u * sine + v * cosine);
        }
    free(frequencies);
}

void rope_apply(const struct rope *rope, float *x, size_t rows, uint32_t d, uint64_t first)
{
    turn(rope, x, rows, d, first, 1);
}

void rope_remove(const struct rope *rope, float *x, size_t rows, uint32_t d, uint64_t first)
{
    turn(rope, x, rows, d, first, -1);
}
