/* nearest.c - see nearest.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define LONGEST 32 /* of a name; what is longer is near to none */

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Letters without their case. */
static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static bool begins(const char *name, const char *typed, size_t length)
{
    size_t i = 0;
    while (i < length && name[i] && same(name[i], typed[i]))
        i++;
    return i == length;
}

static bool contains(const char *name, const char *typed, size_t length)
{
    for (; *name; name++)
        if (begins(name, typed, length))
            return true;
    return false;
}

/* Letters to type, leave out, replace or swap with their neighbour (Damerau; each place edited
 * once). */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= a_length; i++)
        for (size_t j = 0; j <= b_length; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (unsigned)(i + j);
                continue;
            }
            d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1,
                            d[i - 1][j - 1] + !same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a_length][b_length];
}

void nearest_try(struct nearest *nearest, const char *name)
{
    const size_t length = strlen(name), typed = nearest->length;
    if (length > LONGEST || typed > LONGEST || typed == 0)
        return;
    unsigned away = distance(nearest->typed, typed, name, length);
    const size_t letters = typed - strspn(nearest->typed, "-");
    if (letters >= 3 && typed < length && begins(name, nearest->typed, typed))
        away = 1; /* the beginning of the name */
    else if (letters >= 3 && typed < length && contains(name, nearest->typed, typed))
        away = least(away, 2); /* "4090" of "RTX-4090" */
    else if (3 * away > length - strspn(name, "-"))
        return;
    if (nearest->name && away >= nearest->distance)
        return;
    nearest->name = name;
    nearest->distance = away;
}
