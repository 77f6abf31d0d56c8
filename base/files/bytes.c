/* bytes.c - see bytes.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "bytes.h"

#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

void bytes_put(struct bytes *to, const void *from, size_t length)
{
    if (length > to->capacity - to->length) {
        to->capacity = 2 * to->capacity + length;
        to->items = require_memory(realloc(to->items, to->capacity));
    }
    if (length > 0)
        memcpy(to->items + to->length, from, length);
    to->length += length;
}

bool bytes_get(struct byte_reader *from, void *to, size_t length)
{
    if (length > from->left)
        return false;
    memcpy(to, from->at, length);
    from->at += length;
    from->left -= length;
    return true;
}
