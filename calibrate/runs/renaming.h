/* renaming.h - internal to timings.c: a table whose columns get the names of runs.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RENAMING_H
#define RENAMING_H

#include "timing_names.h"
#include "timings.h"

enum { N, K, M, B, K_B, COUNTS, DTYPE = COUNTS, KERNEL, DEVICE, TIME, WANTED };
struct wanted {
    const char *name, *kept; /* kept: where --columns names another for it */
    const char *others;      /* blanks around each */
};
extern const struct wanted timings_wanted[WANTED];

#define RENAMING_NUMBER 48
struct renaming {
    struct csv *csv;
    const struct timings_options *options;
    size_t from[WANTED];                    /* columns; csv->columns: none */
    size_t factor;                          /* of m: --columns m=batch*heads */
    char constant[COUNTS][RENAMING_NUMBER]; /* from --columns k=64; "": none */
    bool *dropped;
    struct timing_meaning time;
    struct message notes, error;
};

/* Has the table a column for what is wanted? Is a column left out, or found for something? */
bool renaming_found(const struct renaming *r, size_t i);
bool renaming_used(const struct renaming *r, size_t column);

/* Writes r->notes. */
void renaming_note(struct renaming *r);

#endif
