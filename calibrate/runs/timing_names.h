/* timing_names.h - what a column of a table of times holds, as far as its name says it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TIMING_NAMES_H
#define TIMING_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define TIMING_NAME 64

/* A name in lower case, its words joined by _: "GPU Time (sec)" gpu_time_sec, "Elements{io}"
 * elements, "param:topk" topk. */
void timing_plain_name(char to[TIMING_NAME], const char *name);

/* Does a word of this length stand in a list with blanks around each? */
bool timing_word_is_in(const char *list, const char *word, size_t length);

#define TIMING_UNITS 4
struct timing_unit {
    const char *words, *name;
    double us;
};
extern const struct timing_unit timing_units[TIMING_UNITS];

/* The place of the unit with this name: us, msec, seconds; TIMING_UNITS: none. */
size_t timing_unit_of(const char *word);

/* What a column holds, and the unit that --columns may ask for. The smaller rank goes first. */
struct timing_meaning {
    enum { TIMING_OTHER, TIMING_TIME, TIMING_RATE } what;
    int rank;
    size_t unit;        /* of a time; TIMING_UNITS: not said */
    double bytes_per_s; /* 1 of a rate */
};
struct timing_meaning timing_meaning_of(const char *name);

#endif
