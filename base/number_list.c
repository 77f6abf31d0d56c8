/* number_list.c - see number_list.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "number_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char list_too_long[] = "a list of more than 65536 values";
const char list_backwards[] = "a range that ends before it begins";
static const char list_empty[] = "empty";
static const char no_memory[] = "too long for the available memory";

const char *number_refuse(const char *text)
{
    if (*text == '\0')
        return list_empty;
    if (*text == '-')
        return "negative";
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return "hexadecimal";
    return NULL;
}

bool number_separates(const char *at)
{
    return *at == '_' && isdigit((unsigned char)at[-1]) && isdigit((unsigned char)at[1]);
}

const char *list_each_part(const char *text, const char *(*parse)(char *part, void *list),
                           void *list, char item[ITEM_MAX])
{
    const char *fault = *text ? NULL : list_empty;
    char *copy = malloc(strlen(text) + 1);
    *item = '\0';
    if (!copy)
        return no_memory;
    memcpy(copy, text, strlen(text) + 1);
    for (char *part = copy, *next; part && !fault; part = next) {
        next = strchr(part, ',');
        if (next)
            *next++ = '\0';
        snprintf(item, ITEM_MAX, "%s", part);
        fault = parse(part, list);
    }
    free(copy);
    return fault;
}

const char *list_make_room(void **items, size_t length, size_t size)
{
    if (length >= LIST_MAX)
        return list_too_long;
    if ((length & (length - 1)) == 0) {
        void *larger = realloc(*items, (length ? 2 * length : 1) * size);
        if (!larger)
            return no_memory;
        *items = larger;
    }
    return NULL;
}
