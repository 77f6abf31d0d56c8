/* memory.h - allocation that does not return if memory runs out.
 *
 * Where memory runs out, the handler of the program is called, and it does not return. Each main()
 * installs its own, because only a program knows its name and how it must end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "message.h"

/* Installs the handler that is called when memory runs out. It must not return. Without a handler,
 * the process writes a line to stderr and exits with status 1. */
void on_out_of_memory(void (*handler)(void));

/* Returns `allocated`; calls the handler where that is NULL. */
void *require_memory(void *allocated);

/* As array_try_grow in array.h, but calls the handler if memory runs out. */
void *array_grow(void *items, size_t length, size_t *capacity, size_t item_size);

/* A copy of a text. The caller frees it. */
char *text_copy(const char *text);

/* The bytes that this process can have: the memory of the machine, or less where `ulimit -v` limits
 * it. Infinite where the system does not say. */
double memory_limit_bytes(void);

/* Can the process have so many bytes? Otherwise writes one line into `error`, which names the
 * option `what` that asks for them and ends with `mend`, what to do instead. */
bool memory_fits(double bytes, const char *what, const char *mend, struct message error);

#endif
