/* resonance.h - internal to model/: the wavelengths of a RoPE, worked out once for many b.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RESONANCE_H
#define RESONANCE_H

#include <model/recallmodel/rope.h>

/* The turns that each pair makes from one position to the next; they fall. */
struct rope_turns {
    unsigned pairs; /* 0: no RoPE, or outside the domain */
    double of[RCM_HEAD_DIM_MOST / 2];
    uint64_t stretch; /* of the rope */
};

void rope_turns_set(struct rope_turns *turns, struct rcm_rope rope);

/* As rcm_rope_resonance(). */
struct rcm_resonance rope_least_drift(const struct rope_turns *turns, uint64_t n, uint64_t b);

#endif
