/* memory.h - allocation that does not return without memory: it says so and exits with status 1.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Room for one more item in an array that grows by doubling; items and capacity start as NULL and
 * 0. */
void *grown(void *items, size_t length, size_t *capacity, size_t item_size);
char *copied(const char *text);
void *checked(void *allocated);

/* Bytes that this process can have: the machine's memory, or less by `ulimit -v`. Infinite where
 * the system does not say. */
double memory_bytes(void);

/* Does it have so many? Otherwise one line in `error`, which names the option `what` that asks for
 * them and ends with the mend. */
bool memory_has(double bytes, const char *what, const char *mend, char *error, size_t size);

#endif
