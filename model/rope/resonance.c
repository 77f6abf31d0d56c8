/* resonance.c - which b resonate with a wavelength of RoPE: see rope.h, docs/real-data.md.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "resonance.h"

#include <math.h>

static const double two_pi = 6.283185307179586;

static bool is_rope(struct rcm_rope rope)
{
    return rope.theta > 1.0 && rope.theta < INFINITY && rope.head_dim >= 2 &&
           rope.head_dim <= RCM_HEAD_DIM_MOST && rope.head_dim % 2 == 0;
}

double rcm_rope_wavelength(struct rcm_rope rope, uint64_t pair)
{
    return is_rope(rope) && pair < rope.head_dim / 2
               ? two_pi * pow(rope.theta, 2.0 * (double)pair / (double)rope.head_dim)
               : NAN;
}

void rope_turns_set(struct rope_turns *turns, struct rcm_rope rope)
{
    turns->pairs = is_rope(rope) ? (unsigned)(rope.head_dim / 2) : 0;
    turns->stretch = rope.stretch;
    for (unsigned i = 0; i < turns->pairs; i++)
        turns->of[i] = 1.0 / rcm_rope_wavelength(rope, i);
}

struct rcm_resonance rope_least_drift(const struct rope_turns *turns, uint64_t n, uint64_t b)
{
    struct rcm_resonance least = {.wavelength = NAN, .drift = INFINITY};
    const bool within = turns->stretch > 0 && turns->stretch < n;
    const double elements = (double)(within ? turns->stretch : n) / (double)b;
    if (within && b >= turns->stretch)
        return least;
    for (unsigned i = 0; i < turns->pairs; i++) {
        const double advance = (double)b * turns->of[i], multiple = round(advance);
        if (multiple < 1.0)
            break; /* and so do the longer ones */
        const double drift = elements * fabs(advance - multiple);
        if (drift < least.drift)
            least = (struct rcm_resonance){i, (uint64_t)multiple, 1.0 / turns->of[i], drift};
    }
    return least;
}

struct rcm_resonance rcm_rope_resonance(uint64_t n, uint64_t b, struct rcm_rope rope)
{
    struct rope_turns turns;
    rope_turns_set(&turns, rope);
    if (turns.pairs == 0 || b < 1 || b > n || n > RCM_N_MAX)
        return (struct rcm_resonance){.wavelength = NAN, .drift = NAN};
    return rope_least_drift(&turns, n, b);
}

bool rcm_rope_resonates(uint64_t n, uint64_t b, struct rcm_rope rope)
{
    return rcm_rope_resonance(n, b, rope).drift < 1.0;
}
