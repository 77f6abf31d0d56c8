/* csv_line.c - see csv_line.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "csv_line.h"

#include <stddef.h>
#include <string.h>

#include "text.h"

#define DIGITS "0123456789"

char csv_separator(const char *header)
{
    size_t commas = 0, semicolons = 0, tabs = 0;
    bool quoted = false;
    for (const char *at = header; *at; at++) {
        quoted ^= *at == '"';
        commas += !quoted && *at == ',';
        semicolons += !quoted && *at == ';';
        tabs += !quoted && *at == '\t';
    }
    return *header == '|'         ? '|'
           : tabs > 0             ? '\t'
           : semicolons > commas  ? ';'
           : commas > 0           ? ','
           : strchr(header, '"')  ? ','
           : strstr(header, "  ") ? CSV_BLANKS
           : strchr(header, ' ')  ? ' '
                                  : ',';
}

char *csv_prepare_line(char *line, char *separator)
{
    const size_t least = *separator == CSV_BLANKS ? 2 : 1;
    if (*separator == '|') {
        line = text_trimmed(line) + 1;
        const size_t length = strlen(line);
        if (length > 0 && line[length - 1] == '|')
            line[length - 1] = '\0';
    } else if (*separator == ' ' || *separator == CSV_BLANKS) {
        char *to = line = text_trimmed(line);
        for (const char *at = line; *at;) {
            const size_t blanks = strspn(at, " ");
            *to++ = blanks >= least ? '\t' : *at;
            at += blanks >= least ? blanks : 1;
        }
        *to = '\0';
        *separator = '\t';
    }
    return line;
}

char *csv_next_field(char *at, char separator, char **field, bool *broken)
{
    const char blanks[] = {' ', separator == '\t' ? ' ' : '\t', '\0'};
    char *to = at + strspn(at, blanks);
    *field = to;
    const bool quoted = *to == '"';
    if (quoted) {
        for (at = to + 1; *at && (*at != '"' || at[1] == '"'); *to++ = *at++)
            at += *at == '"';
        *broken = *at == '\0';
        at += *at == '"';
        at += strspn(at, blanks);
        *broken = *broken || (*at && *at != separator);
    } else {
        to = at = at + strcspn(at, (const char[]){separator, '\0'});
    }
    char *const next = *at ? at + 1 : NULL;
    *to = '\0';
    if (!quoted)
        *field = text_trimmed(*field);
    return next;
}

bool csv_is_rule(const char *line)
{
    return strspn(line, "|-: \t") == strlen(line) && strstr(line, "--");
}

/* Is it a number with one mark between digits? Returns the mark's place; NULL: no. */
static char *mark_of(char *field, char mark)
{
    char *at = field + strspn(field, "+-");
    const size_t before = strspn(at, DIGITS);
    at += before;
    const size_t after = *at == mark ? strspn(at + 1, DIGITS) : 0;
    return before + after > 0 && *at == mark &&
                   !at[1 + after + strspn(at + 1 + after, "eE+-" DIGITS)]
               ? at
               : NULL;
}

bool csv_point_for_comma(char *field)
{
    char *const comma = mark_of(field, ',');
    if (comma)
        *comma = '.';
    return comma;
}

bool csv_has_point(char *field)
{
    return mark_of(field, '.');
}
