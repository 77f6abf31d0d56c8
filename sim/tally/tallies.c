/* tallies.c - see tallies.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tallies.h"

#include <stdlib.h>
#include <string.h>

void tallies_lay_out(struct tallies *tallies, size_t rhos, size_t results,
                     struct tally_lengths lengths, struct arena *arena)
{
    tallies->rhos = rhos;
    tallies->results = results;
    tallies->lengths = lengths;
    tallies->rows = arena_array(arena, rhos, 1, sizeof *tallies->rows);
    tallies->of_results = arena_array(arena, results, 1, sizeof *tallies->of_results);
    uint64_t *survived = arena_array(arena, results, lengths.ranks, sizeof *survived);
    struct group_tally *groups = arena_array(arena, results, lengths.groups, sizeof *groups);
    for (size_t i = 0; i < results && tallies->of_results; i++) {
        tallies->of_results[i].survived = survived + i * lengths.ranks;
        tallies->of_results[i].by_group = groups + i * lengths.groups;
    }
}

bool tallies_make(struct tallies *tallies, size_t rhos, size_t results,
                  struct tally_lengths lengths)
{
    struct arena arena = {0};
    *tallies = (struct tallies){0};
    tallies_lay_out(tallies, rhos, results, lengths, &arena);
    tallies->memory = arena_open(&arena);
    if (tallies->memory)
        tallies_lay_out(tallies, rhos, results, lengths, &arena);
    return tallies->memory;
}

void tallies_free(struct tallies *tallies)
{
    for (size_t i = 0; i < tallies->results && tallies->of_results; i++)
        free(tallies->of_results[i].lost.count);
    free(tallies->memory);
    *tallies = (struct tallies){0};
}

void tallies_clear(struct tallies *tallies)
{
    memset(tallies->rows, 0, tallies->rhos * sizeof *tallies->rows);
    for (size_t i = 0; i < tallies->results; i++)
        tally_clear(&tallies->of_results[i], tallies->lengths);
}

bool tallies_merge(struct tallies *into, const struct tallies *from)
{
    bool good = true;
    for (size_t i = 0; i < into->rhos; i++)
        row_tally_merge(&into->rows[i], &from->rows[i]);
    for (size_t i = 0; i < into->results; i++)
        good = tally_merge(&into->of_results[i], &from->of_results[i], into->lengths) && good;
    return good;
}

void tallies_print(FILE *file, const struct tallies *tallies)
{
    for (size_t i = 0; i < tallies->rhos; i++)
        row_tally_print(file, &tallies->rows[i]);
    for (size_t i = 0; i < tallies->results; i++)
        tally_print(file, &tallies->of_results[i], tallies->lengths);
}

bool tallies_add_text(struct tallies *tallies, uint64_t k, const char **text)
{
    bool good = true;
    for (size_t i = 0; i < tallies->rhos && good; i++) {
        struct row_tally rows = {0};
        good = row_tally_parse(text, &rows);
        if (good)
            row_tally_merge(&tallies->rows[i], &rows);
    }
    for (size_t i = 0; i < tallies->results && good; i++) {
        struct tallies one;
        good = tallies_make(&one, 0, 1, tallies->lengths) &&
               tally_parse(text, one.of_results, tallies->lengths, k) &&
               tally_merge(&tallies->of_results[i], one.of_results, tallies->lengths);
        tallies_free(&one);
    }
    return good;
}
