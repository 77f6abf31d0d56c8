/* memory.h - allocation that does not return without memory: it says so and exits with status 1.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

/* Room for one more item in an array that grows by doubling; items and capacity start as NULL and 0. */
void *grown(void *items, size_t length, size_t *capacity, size_t item_size);
char *copied(const char *text);
void *checked(void *allocated);

#endif
