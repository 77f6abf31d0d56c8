/* array.h - an array that grows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ARRAY_H
#define ARRAY_H

#include <stddef.h>

/* Room for one more item in an array that grows by doubling. `items` and `capacity` begin as NULL
 * and 0.
 * Returns   the array, which may have moved; or NULL if memory runs out, and then `items` and
 *           `capacity` are as before. */
void *array_try_grow(void *items, size_t length, size_t *capacity, size_t item_size);

#endif
