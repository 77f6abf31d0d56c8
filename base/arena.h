/* arena.h - the arrays of a workspace in one piece of memory. A function that names each array once
 * is called twice: the first call measures, the second hands out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

struct arena { /* all 0 at first, and then it measures */
    char *memory;
    double bytes; /* of the arrays so far */
};

/* The next array, of rows x columns elements, all 0 at first and aligned as by malloc(); NULL while
 * the arena measures. */
void *arena_array(struct arena *arena, size_t rows, size_t columns, size_t size);

/* Allocates what was measured. The same arrays can then be taken, in the same order.
 * Returns   the memory, which the caller frees; or NULL if it runs out. */
void *arena_open(struct arena *arena);

#endif
