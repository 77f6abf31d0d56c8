/* tallies.h - the tallies of a simulation: one for the rows of each rho, one for each result.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TALLIES_H
#define TALLIES_H

#include <base/arena.h>

#include "tally.h"

struct tallies {
    size_t rhos, results;
    struct tally_lengths lengths;
    struct row_tally *rows;   /* of each rho */
    struct tally *of_results; /* sim_result_index() */
    void *memory;             /* of tallies_make() */
};

/* Allocates tallies of nothing. Returns false if memory runs out. tallies_free() in any case. */
bool tallies_make(struct tallies *tallies, size_t rhos, size_t results,
                  struct tally_lengths lengths);
void tallies_free(struct tallies *tallies);

/* The same in the memory of an arena, to measure it or to use it. */
void tallies_lay_out(struct tallies *tallies, size_t rhos, size_t results,
                     struct tally_lengths lengths, struct arena *arena);

/* Sets them to nothing again. */
void tallies_clear(struct tallies *tallies);

/* Adds tallies of the same size. Returns false if memory runs out. */
bool tallies_merge(struct tallies *into, const struct tallies *from);

/* Writes them as text, and adds such a text, in which no row lost more than k elements, to others;
 * *text then points behind it. Returns false if the text is damaged or memory runs out. */
void tallies_print(FILE *file, const struct tallies *tallies);
bool tallies_add_text(struct tallies *tallies, uint64_t k, const char **text);

#endif
