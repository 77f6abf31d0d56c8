/* arena.c - see arena.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "arena.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define ALIGNMENT 64.0 /* of the arrays among each other */

void *arena_array(struct arena *arena, size_t rows, size_t columns, size_t size)
{
    void *array = arena->memory ? arena->memory + (size_t)arena->bytes : NULL;
    arena->bytes += ceil((double)rows * (double)columns * (double)size / ALIGNMENT) * ALIGNMENT;
    return array;
}

void *arena_open(struct arena *arena)
{
    if (arena->bytes < (double)(SIZE_MAX / 2))
        arena->memory = calloc(1, (size_t)arena->bytes + 1);
    arena->bytes = 0;
    return arena->memory;
}
