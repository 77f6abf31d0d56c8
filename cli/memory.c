/* memory.c - see memory.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/team.h"

void *checked(void *allocated)
{
    if (!allocated) {
        fputs("recallmodel: out of memory; ask for fewer values at once\n", stderr);
        team_abort();
    }
    return allocated;
}

void *grown(void *items, size_t length, size_t *capacity, size_t item_size)
{
    if (length < *capacity)
        return items;
    *capacity = *capacity ? 2 * *capacity : 16;
    return checked(realloc(items, *capacity * item_size));
}

char *copied(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(checked(malloc(size)), text, size);
}
