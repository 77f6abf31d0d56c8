/* array.c - see array.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "array.h"

#include <stdint.h>
#include <stdlib.h>

void *array_try_grow(void *items, size_t length, size_t *capacity, size_t item_size)
{
    if (length < *capacity)
        return items;
    const size_t larger = *capacity ? 2 * *capacity : 16;
    void *array = larger > SIZE_MAX / item_size ? NULL : realloc(items, larger * item_size);
    if (array)
        *capacity = larger;
    return array;
}
