/* library.h - a function of a library that was opened at run time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <dlfcn.h>
#include <string.h>

/* `function` points to a pointer to a function: NULL where the library has none of that name. */
static inline void library_find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
}

#endif
