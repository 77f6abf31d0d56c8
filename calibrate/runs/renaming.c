/* renaming.c - see renaming.h; and what was guessed, in one line.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "renaming.h"

bool renaming_found(const struct renaming *r, size_t i)
{
    return r->from[i] < r->csv->columns;
}

bool renaming_used(const struct renaming *r, size_t column)
{
    bool used = r->dropped[column] || r->factor == column;
    for (size_t i = 0; i < WANTED; i++)
        used |= r->from[i] == column;
    return used;
}

static void note(struct renaming *r, const char *format, const char *a, const char *b)
{
    const size_t used = strlen(r->notes.text);
    snprintf(r->notes.text + used, r->notes.size - used, used ? ", " : "");
    snprintf(r->notes.text + strlen(r->notes.text), r->notes.size - strlen(r->notes.text), format,
             a, b);
}

/* The same value in all rows; NULL: it varies. */
static const char *only_value(const struct csv *csv, size_t column)
{
    for (size_t row = 1; row < csv->rows; row++)
        if (strcmp(csv_field(csv, row, column), csv_field(csv, 0, column)) != 0)
            return NULL;
    return csv->rows ? csv_field(csv, 0, column) : "";
}

static void note_unread(struct renaming *r)
{
    const struct csv *csv = r->csv;
    for (size_t column = 0; column < csv->columns; column++) {
        if (!renaming_used(r, column) && timings_is_setting(csv, column)) {
            const char *const value = only_value(csv, column);
            note(r, value ? "%.40s (%.20s) not read" : "%.40s not read", csv->fields[column],
                 value);
        }
    }
}

void renaming_note(struct renaming *r)
{
    const struct csv *csv = r->csv;
    for (size_t i = 0; i < TIME; i++)
        if (i < COUNTS && *r->constant[i])
            note(r, "%s is %s", timings_wanted[i].name, r->constant[i]);
        else if (renaming_found(r, i) && !(i == M && r->factor < csv->columns) &&
                 strcmp(csv->fields[r->from[i]], timings_wanted[i].name) != 0)
            note(r, "%s is %.40s", timings_wanted[i].name, csv->fields[r->from[i]]);
    if (r->factor < csv->columns)
        note(r, "m is %.40s times %.40s", csv->fields[r->from[M]], csv->fields[r->factor]);
    const char *const time = renaming_found(r, TIME) ? csv->fields[r->from[TIME]] : "";
    if (r->time.what == TIMING_RATE)
        note(r, "the time is that of reading n m values at %.40s%s", time, "");
    else if (*time && (r->options->time_unit || strncmp(time, "time_us", 7) != 0))
        note(r, "the time is %.40s in %s", time,
             r->time.unit < TIMING_UNITS ? timing_units[r->time.unit].name
                                         : "the unit of each field");
    if (csv->decimal_commas)
        note(r, "decimal commas%s%s", "", "");
    const bool without_m = !renaming_found(r, M) && !*r->constant[M];
    if (without_m && *r->notes.text)
        note(r, "m is 1%s%s", "", "");
    if (without_m || *r->notes.text)
        note_unread(r);
}
