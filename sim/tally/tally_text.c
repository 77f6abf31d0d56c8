/* tally_text.c - tallies as lines of text, for a checkpoint and for another rank: see tally.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tally.h"

static void shares_print(FILE *file, const struct shares *s)
{
    fprintf(file, " %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64, s->rows, s->sum_high, s->sum_low,
            s->worst);
}

static void reaching_print(FILE *file, const struct reaching *r)
{
    const uint64_t numbers[] = {r->rows,         r->sum_high,    r->sum_low,
                                r->squares_high, r->squares_low, r->largest};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        fprintf(file, " %" PRIx64, numbers[i]);
}

/* Only the groups with rows: their numbers, and what they lost. */
static void groups_print(FILE *file, const struct group_tally *group, size_t groups)
{
    size_t with_rows = 0;
    for (size_t i = 0; i < groups; i++)
        with_rows += group[i].rows > 0;
    fprintf(file, " %zx", with_rows);
    for (size_t i = 0; i < groups; i++)
        if (group[i].rows) {
            fprintf(file, " %zx %" PRIx64 " %" PRIx64, i, group[i].rows, group[i].lost);
            shares_print(file, &group[i].mass);
        }
}

void tally_print(FILE *file, const struct tally *tally, struct tally_lengths lengths)
{
    size_t values = 0;
    for (size_t i = 0; i < tally->lost.length; i++)
        values += tally->lost.count[i] > 0;
    fprintf(file, "tally %" PRIx64 " %" PRIx64, tally->lost_by_value, tally->certified);
    shares_print(file, &tally->mass);
    shares_print(file, &tally->value);
    reaching_print(file, &tally->reaching);
    fprintf(file, " %zx", values);
    for (size_t i = 0; i < tally->lost.length; i++)
        if (tally->lost.count[i])
            fprintf(file, " %" PRIx64 " %" PRIx64, tally->lost.first + i, tally->lost.count[i]);
    for (size_t i = 0; i < lengths.ranks; i++)
        fprintf(file, " %" PRIx64, tally->survived[i]);
    if (lengths.groups)
        groups_print(file, tally->by_group, lengths.groups);
    fputc('\n', file);
}

void row_tally_print(FILE *file, const struct row_tally *tally)
{
    fprintf(file, "rows %" PRIx64 " %" PRIx64 " %" PRIx64, tally->rows, tally->with_nan,
            tally->short_rows);
    shares_print(file, &tally->outside);
    fputc('\n', file);
}

static bool skip_word(const char **text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0)
        return false;
    *text += length;
    return true;
}

/* Reads a blank and a hexadecimal number. */
static bool read_number(const char **text, uint64_t *value)
{
    char *end;
    if (!skip_word(text, " "))
        return false;
    *value = strtoull(*text, &end, 16);
    bool any = end > *text;
    *text = end;
    return any;
}

static bool read_shares(const char **text, struct shares *s)
{
    return read_number(text, &s->rows) && read_number(text, &s->sum_high) &&
           read_number(text, &s->sum_low) && read_number(text, &s->worst);
}

static bool read_reaching(const char **text, struct reaching *r)
{
    return read_number(text, &r->rows) && read_number(text, &r->sum_high) &&
           read_number(text, &r->sum_low) && read_number(text, &r->squares_high) &&
           read_number(text, &r->squares_low) && read_number(text, &r->largest);
}

static bool read_groups(const char **text, struct group_tally *group, size_t groups)
{
    uint64_t with_rows, at;
    if (!read_number(text, &with_rows))
        return false;
    for (; with_rows > 0; with_rows--)
        if (!read_number(text, &at) || at >= groups || !read_number(text, &group[at].rows) ||
            !read_number(text, &group[at].lost) || !read_shares(text, &group[at].mass))
            return false;
    return true;
}

bool tally_parse(const char **text, struct tally *tally, struct tally_lengths lengths, uint64_t k)
{
    uint64_t values, value, count;
    if (!skip_word(text, "tally") || !read_number(text, &tally->lost_by_value) ||
        !read_number(text, &tally->certified) || !read_shares(text, &tally->mass) ||
        !read_shares(text, &tally->value) || !read_reaching(text, &tally->reaching) ||
        !read_number(text, &values))
        return false;
    for (; values > 0; values--)
        if (!read_number(text, &value) || !read_number(text, &count) || value > k ||
            !histogram_add(&tally->lost, value, count))
            return false;
    for (size_t i = 0; i < lengths.ranks; i++)
        if (!read_number(text, &tally->survived[i]))
            return false;
    if (lengths.groups && !read_groups(text, tally->by_group, lengths.groups))
        return false;
    return skip_word(text, "\n");
}

bool row_tally_parse(const char **text, struct row_tally *tally)
{
    return skip_word(text, "rows") && read_number(text, &tally->rows) &&
           read_number(text, &tally->with_nan) && read_number(text, &tally->short_rows) &&
           read_shares(text, &tally->outside) && skip_word(text, "\n");
}
