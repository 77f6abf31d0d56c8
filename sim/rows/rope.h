/* rope.h - rows like attention logits after rotary position embedding: noise, and a cosine for each
 * pair of the head.
 *
 *     x_j = sqrt(1 - share) e_j + sum over pairs i of sqrt(2 share w_i) cos(omega_i j + phase_i)
 *
 * with omega_i = theta^(-2i/head_dim), independent standard normal e_j, phases uniform on the
 * circle and different in each row, and weights w_i >= 0 that sum to 1 and are the same in all
 * rows of a seed, as the rows of one head. Over phases and noise x_j has mean 0 and variance 1, and
 * x_j and x_(j+l) have the correlation share * sum of w_i cos(omega_i l), l > 0. It is not normal.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROPE_H
#define ROPE_H

#include <stddef.h>
#include <stdint.h>

#define SIM_HEAD_DIM_MAX 1024
#define SIM_PAIRS_MAX (SIM_HEAD_DIM_MAX / 2)

struct sim_rope {
    double theta;      /* above 1 */
    unsigned head_dim; /* even, 2 to SIM_HEAD_DIM_MAX */
    double share;      /* of the variance that the cosines have, 0 to 1 */
    /* The weights w_i: in proportion to `weight`, those of the first pairs, the others 0; or, if
     * there are none, to exp(spread g_i) with independent standard normal g_i. */
    double spread;
    const double *weight; /* each >= 0, with a sum above 0 */
    size_t weights;       /* at most head_dim / 2 */
};

/* What stands for a head where nothing is known of it. docs/real-data.md says what was measured. */
extern const struct sim_rope sim_rope_default;

/* The weights of the pairs, which sum to 1: a function of (seed, rope). w has room for
 * head_dim / 2. */
void rope_weights(const struct sim_rope *rope, uint64_t seed, double *w);

/* Generates the row x[0 .. n) of a repetition, n < 2^32. A value is a function of (seed, rope,
 * repetition, index): the noise of (seed, repetition, index), the phases of (seed, repetition,
 * pair). `words` has room for n + 1. */
void rope_generate(const struct sim_rope *rope, uint64_t seed, uint64_t repetition, double *x,
                   size_t n, uint64_t *words);

#endif
