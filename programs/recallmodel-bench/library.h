/* library.h - functions of a library that is opened at run time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <dlfcn.h>
#include <string.h>

/* Finds a function by its name. `function` points to a pointer to a function, which becomes NULL if
 * the library has none of that name. */
static inline void library_find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
}

#endif
