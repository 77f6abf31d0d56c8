/* memory.c - see memory.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

static void (*handler)(void);

void on_out_of_memory(void (*own)(void))
{
    handler = own;
}

void *require_memory(void *allocated)
{
    if (allocated)
        return allocated;
    if (handler)
        handler();
    fputs("out of memory\n", stderr);
    exit(1);
}

void *array_grow(void *items, size_t length, size_t *capacity, size_t item_size)
{
    return require_memory(array_try_grow(items, length, capacity, item_size));
}

bool memory_fits(double bytes, const char *what, const char *mend, struct message error)
{
    double has = memory_limit_bytes();
    if (bytes <= has)
        return true;
    message_set(error, "%s takes %.3g GB of memory, but only %.3g GB are available; %s", what,
                bytes * 1e-9, has * 1e-9, mend);
    return false;
}

char *text_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(require_memory(malloc(size)), text, size);
}
