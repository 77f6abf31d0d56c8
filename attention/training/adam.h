/* adam.h - internal to attention/: AdamW (Loshchilov and Hutter 2019) on an array of floats.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ADAM_H
#define ADAM_H

#include <stddef.h>
#include <stdint.h>

struct adam {
    size_t length;
    uint64_t steps;
    float *mean, *square; /* [length] running means of the gradient and of its square */
};

/* All running means are 0. */
struct adam adam_new(size_t length);
void adam_free(struct adam *adam);

/* One step, t being its number from 1:
 *   x = x - rate (decay x + m' / (sqrt(v') + 1e-8))
 *   m = .9 m + .1 g,      m' = m / (1 - .9^t)
 *   v = .999 v + .001 g^2, v' = v / (1 - .999^t)
 * decay[i] is 1 where x[i] is to decay, at `weight_decay`, and otherwise 0. */
void adam_step(struct adam *adam, float *x, const float *gradient, const float *decay, double rate,
               double weight_decay);

#endif
