/* names.c - see names.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include <model/recallmodel/cost.h>

/* The next character of a name that counts, in lower case; 0 at the end. */
static char next_letter(const char **text)
{
    while (**text == ' ' || **text == '-' || **text == '_')
        ++*text;
    char letter = **text;
    if (letter)
        ++*text;
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static unsigned numbers_in(const char *name)
{
    unsigned count = 0;
    for (char before = 0; *name; before = *name++)
        count += is_digit(*name) && !is_digit(before);
    return count;
}

bool names_equal(const char *name, const char *typed)
{
    const char *a = name, *b = typed;
    char letter;
    do {
        letter = next_letter(&a);
        if (letter != next_letter(&b))
            return false;
    } while (letter);
    return numbers_in(typed) <= numbers_in(name);
}

bool rcm_name_begins(const char *name, const char *prefix)
{
    char wanted, last = 0;
    while ((wanted = next_letter(&prefix))) {
        if (wanted != next_letter(&name))
            return false;
        last = wanted;
    }
    return last && !(is_digit(last) && is_digit(*name)); /* behind a '-' a new number begins */
}
