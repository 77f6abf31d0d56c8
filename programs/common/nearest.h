/* nearest.h - "did you mean": of several names the one that was most likely meant.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>

/* Begin with {.typed = .., .length = ..}; then try each name. `name` is the nearest so far, or NULL
 * if none is near. A name is near if at most a third of its letters must be inserted, left
 * out, replaced or swapped with a neighbour, or if it contains what was typed and that has three
 * letters or more, best at its beginning. Case does not count. */
struct nearest {
    const char *typed;
    size_t length;
    const char *name;
    unsigned distance; /* of `name` */
};

void nearest_try(struct nearest *nearest, const char *name);

#endif
