/* csv_line.h - one line of a table: what separates its fields, and the fields.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CSV_LINE_H
#define CSV_LINE_H

#include <stdbool.h>

/* Two blanks or more between the fields, as pandas prints a table: a name may hold one. ' ' stands
 * for one blank or more. */
#define CSV_BLANKS 'b'

/* Of the fields of a header, and so of all rows: , ; | (Markdown), a tab, or blanks. */
char csv_separator(const char *header);

/* Makes a line one that csv_next_field() can cut, in place: without the bars at the ends of a
 * Markdown row, and with a tab for blanks. Returns where it begins; *separator becomes the
 * character to cut at. */
char *csv_prepare_line(char *line, char *separator);

/* Cuts the next field off a line, in place: without the blanks around it, and without the quotes.
 * Returns   what follows it, NULL after the last; *broken: its quotes are broken. */
char *csv_next_field(char *at, char separator, char **field, bool *broken);

/* Is it the line below the header of a Markdown table: |---|:-:|? */
bool csv_is_rule(const char *line);

/* Puts a point for the comma of a decimal number, in place. True if there was one. */
bool csv_point_for_comma(char *field);

/* Does a number have a point? Beside decimal commas, that separates thousands. */
bool csv_has_point(char *field);

#endif
