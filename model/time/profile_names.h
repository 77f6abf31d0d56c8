/* profile_names.h - internal to model/time/: kernels, profiles and runs by how their names begin.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_NAMES_H
#define PROFILE_NAMES_H

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* Letters in lower case, and '_' for what joins them. */
static inline int name_plain(char c)
{
    return strchr("-./ ", c) && c ? '_' : tolower((unsigned char)c);
}

/* How many letters `name` begins with that are all of `beginning`; 0: it begins otherwise, or goes
 * on with a letter. */
static inline size_t name_begins(const char *name, const char *beginning)
{
    size_t i = 0;
    while (beginning[i] && name_plain(name[i]) == name_plain(beginning[i]))
        i++;
    return beginning[i] || (name[i] && name_plain(name[i]) != '_') ? 0 : i;
}

#endif
