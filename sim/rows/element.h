/* element.h - internal to sim/: what each type of numbers in a file is called, takes and means.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ELEMENT_H
#define ELEMENT_H

#include "row_file.h"

struct element {
    const char *name;        /* for --dtype */
    const char *safetensors; /* its name in the header of such a file; "": not read */
    uint64_t bytes;
    void (*widen)(const void *from, double *x, uint64_t count); /* exactly */
};
extern const struct element elements[SIM_U64 + 1];

#endif
