/* heads.c - see heads.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "heads.h"

#include <base/arena.h>

struct head_floats head_floats_in(struct arena *arena, const struct head_shape *shape)
{
    const size_t queries = (size_t)shape->query_heads * shape->n_q, n = shape->n, d = shape->d;
    return (struct head_floats){
        .queries = arena_array(arena, queries, d, sizeof(float)),
        .queries_unroped = shape->unroped ? arena_array(arena, queries, d, sizeof(float)) : NULL,
        .keys = arena_array(arena, n, d, sizeof(float)),
        .keys_unroped = shape->unroped ? arena_array(arena, n, d, sizeof(float)) : NULL,
        .values = shape->d_v ? arena_array(arena, n, shape->d_v, sizeof(float)) : NULL};
}

void *head_floats_new(const struct head_shape *shape, struct head_floats *floats)
{
    struct arena arena = {0};
    head_floats_in(&arena, shape);
    void *memory = arena_open(&arena);
    if (memory)
        *floats = head_floats_in(&arena, shape);
    return memory;
}
