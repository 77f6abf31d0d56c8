/* rope.c - see rope.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rope.h"

#include <math.h>

#include "random.h"

/* From one exact cosine to the next, so many come from rotations: they add up 1e-14 at most. */
#define STRETCH 64

const struct sim_rope sim_rope_default = {
    .theta = 10000.0, .head_dim = 128, .share = 0.15, .spread = 1.1};

/* The salts of RANDOM_ROPE. */
enum { NOISE, PHASES, WEIGHTS };

static const double two_pi = 6.283185307179586;

void rope_weights(const struct sim_rope *rope, uint64_t seed, double *w)
{
    const size_t pairs = rope->head_dim / 2;
    uint64_t words[SIM_PAIRS_MAX + 1];
    const struct random_key key = random_key(seed, RANDOM_ROPE, WEIGHTS);
    double sum = 0.0;
    random_words(key, 0, words, pairs);
    random_normals(key, 0, words, w, pairs);
    for (size_t i = 0; i < pairs; i++) {
        w[i] = !rope->weights      ? exp(rope->spread * w[i])
               : i < rope->weights ? rope->weight[i]
                                   : 0.0;
        sum += w[i];
    }
    for (size_t i = 0; i < pairs; i++)
        w[i] /= sum;
}

/* Adds amplitude * cos(omega j + phase) to each x[j]. */
static void add_cosine(double amplitude, double omega, double phase, double *x, size_t n)
{
    const double cos_step = cos(omega), sin_step = sin(omega);
    for (size_t first = 0; first < n; first += STRETCH) {
        const size_t end = n - first < STRETCH ? n : first + STRETCH;
        const double angle = omega * (double)first + phase;
        double c = amplitude * cos(angle), s = amplitude * sin(angle);
        for (size_t j = first; j < end; j++) {
            x[j] += c;
            const double next = c * cos_step - s * sin_step;
            s = s * cos_step + c * sin_step;
            c = next;
        }
    }
}

void rope_generate(const struct sim_rope *rope, uint64_t seed, uint64_t repetition, double *x,
                   size_t n, uint64_t *words)
{
    const size_t pairs = rope->head_dim / 2;
    double w[SIM_PAIRS_MAX];
    uint64_t turns[SIM_PAIRS_MAX + 1];
    const struct random_key key = random_key(seed, RANDOM_ROPE, NOISE);
    random_words(key, repetition, words, n);
    random_normals(key, repetition, words, x, n);
    const double noise = sqrt(1.0 - rope->share);
    for (size_t j = 0; j < n; j++)
        x[j] *= noise;
    rope_weights(rope, seed, w);
    random_words(random_key(seed, RANDOM_ROPE, PHASES), repetition, turns, pairs);
    for (size_t i = 0; i < pairs; i++)
        if (rope->share * w[i] > 0.0)
            add_cosine(sqrt(2.0 * rope->share * w[i]),
                       pow(rope->theta, -2.0 * (double)i / (double)rope->head_dim),
                       two_pi * random_unit(turns[i]), x, n);
}
