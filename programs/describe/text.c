/* text.c - see text.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <ctype.h>
#include <string.h>

/* Splits "name  what it is" or "name: what it is". */
static void split_item(struct text_part *part)
{
    const char *end = part->text + part->length, *at = part->text;
    while (at < end && strncmp(at, "  ", 2) != 0 && strncmp(at, ": ", 2) != 0)
        at++;
    part->name = part->text;
    part->name_length = (size_t)(at - part->text);
    while (at < end && (*at == ' ' || *at == ':'))
        at++;
    part->text = at;
    part->length = (size_t)(end - at);
}

struct text_part text_part(const char **text)
{
    const size_t length = strcspn(*text, "\n"), blanks = strspn(*text, " ");
    struct text_part part = {.kind = TEXT_PARAGRAPH, .text = *text, .length = length};
    if (**text == '\0')
        return (struct text_part){.kind = TEXT_END};
    *text += length + ((*text)[length] == '\n');
    if (length == 0) {
        part.kind = TEXT_GAP;
    } else if (blanks >= 4) {
        part.kind = TEXT_CODE;
        part.text += 4;
        part.length -= 4;
    } else if (blanks == 2) {
        part.kind = TEXT_ITEM;
        part.text += 2;
        part.length -= 2;
        split_item(&part);
    }
    return part;
}

size_t option_at(const char *text, const char *at)
{
    const size_t dashes = strspn(at, "-");
    size_t length = dashes;
    if ((at > text && !strchr(" \n(/", at[-1])) || dashes < 1 || dashes > 2)
        return 0;
    while (isalnum((unsigned char)at[length]) ||
           (length > dashes && at[length] == '-' && isalnum((unsigned char)at[length + 1])))
        length++;
    return length == dashes || (dashes == 1 && length > 2) ? 0 : length;
}

const char *example_line(const char **example, size_t *length)
{
    const char *line = *example + strspn(*example, " \n");
    *length = strcspn(line, "\n");
    *example = line + *length;
    return *length ? line : NULL;
}
