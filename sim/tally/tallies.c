/* tallies.c - see tallies.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tallies.h"

#include <stdlib.h>
#include <string.h>

/* Both lists; an empty one is NULL. */
static bool make_lists(struct tally *tally, struct tally_lengths lengths)
{
    if (lengths.ranks)
        tally->survived = calloc(lengths.ranks, sizeof *tally->survived);
    if (lengths.groups)
        tally->by_group = calloc(lengths.groups, sizeof *tally->by_group);
    return (tally->survived || !lengths.ranks) && (tally->by_group || !lengths.groups);
}

bool tallies_make(struct tallies *tallies, size_t rhos, size_t results,
                  struct tally_lengths lengths)
{
    *tallies = (struct tallies){.rhos = rhos,
                                .results = results,
                                .lengths = lengths,
                                .rows = calloc(rhos, sizeof *tallies->rows),
                                .of_results = calloc(results, sizeof *tallies->of_results)};
    bool good = tallies->rows && tallies->of_results;
    for (size_t i = 0; i < results && good; i++)
        good = make_lists(&tallies->of_results[i], lengths);
    return good;
}

void tallies_free(struct tallies *tallies)
{
    for (size_t i = 0; i < tallies->results && tallies->of_results; i++)
        tally_free(&tallies->of_results[i]);
    free(tallies->of_results);
    free(tallies->rows);
    *tallies = (struct tallies){0};
}

double tallies_bytes(size_t results, struct tally_lengths lengths)
{
    return (double)results * ((double)sizeof(struct tally) + 8.0 * (double)lengths.ranks +
                              (double)sizeof(struct group_tally) * (double)lengths.groups);
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
        struct tally tally = {0};
        good = make_lists(&tally, tallies->lengths) &&
               tally_parse(text, &tally, tallies->lengths, k) &&
               tally_merge(&tallies->of_results[i], &tally, tallies->lengths);
        tally_free(&tally);
    }
    return good;
}
