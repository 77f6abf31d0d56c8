/* generate_parts.h - internal to attention/: what generate.c and generate_fit.c share.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GENERATE_PARTS_H
#define GENERATE_PARTS_H

#include <sim/rows/random.h>

#include "generate.h"
#include <attention/rope.h>

static inline struct rope generator_rope(const struct generator *generator)
{
    return (struct rope){.theta = generator->theta, .pairing = ROPE_HALF, .factor = 1};
}

static inline uint32_t generator_group(const struct generator *generator)
{
    return generator->query_heads / generator->key_heads;
}

/* Puts the sink and the needles into tensors that are otherwise made. `draws` is the key of the
 * head's random numbers. */
void generate_fit(const struct generator *generator, uint32_t head, struct random_key draws,
                  struct generated_head *to);

/* The repetition of the draws of row `index` of one kind. */
enum draw {
    DRAW_DIRECTION,
    DRAW_CLUSTER,
    DRAW_RUN,
    DRAW_KEY,
    DRAW_FACTOR,
    DRAW_QUERY,
    DRAW_TARGET,
    DRAW_VALUE,
    DRAW_NEEDLE
};

static inline uint64_t draw_of(enum draw kind, uint64_t index)
{
    return (uint64_t)kind << 56 | index;
}

#endif
