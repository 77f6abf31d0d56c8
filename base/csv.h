/* csv.h - a table in memory: a header, then rows with the same number of fields. Empty lines and
 * lines that begin with # are skipped. Fields may stand in double quotes, with quotes doubled
 * inside, but must not span lines. Blanks around a field do not count.
 *
 * Between the fields stand commas, tabs, semicolons (then numbers may have decimal commas), bars (a
 * Markdown table, whatever text is around it) or blanks (what pandas prints, its index left out):
 * the header decides. The file may begin with a byte order mark.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CSV_H
#define CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "message.h"

struct csv {
    char *path, *text;
    char separator;                  /* of the fields: see csv_line.h */
    bool decimal_commas, has_points; /* in numbers between semicolons */
    size_t columns, rows;
    char **fields;      /* the header, then row by row */
    void *made;         /* fields that are not in the text; freed with it */
    size_t *lines;      /* of the header and each row in the file, from 1 */
    const char *remark; /* the first line that begins with #; NULL: there is none */
};

#define CSV_ERROR 300 /* characters that a line has room in */
#define CSV_COLUMNS_MOST 1000

/* A file or a pipe may have at most so many bytes. A device is refused. */
#define CSV_BYTES_MOST (UINT64_C(256) << 20)

/* Reads a file, or `length` bytes in memory (then `path` is a name for messages).
 * Returns   0, or -1 with one line in `error` that names the file, the line and, where there is
 * one, the column. */
int csv_read(const char *path, struct csv *csv, struct message error);
int csv_parse(const char *path, const char *bytes, size_t length, struct csv *csv,
              struct message error);
void csv_free(struct csv *csv);

/* The place of the column with that name; csv->columns if there is none. */
size_t csv_column(const struct csv *csv, const char *name);

/* A field. Rows and columns are counted from 0. */
const char *csv_field(const struct csv *csv, size_t row, size_t column);

/* How an error about a field begins: "FILE:17, column 4 (k_b): ". */
void csv_place(const struct csv *csv, size_t row, size_t column, char place[CSV_ERROR]);

/* Writes one field, with quotes where it needs them; the header and all rows, without remarks. */
void csv_write(FILE *file, const char *field);
void csv_write_rows(FILE *file, const struct csv *csv);

#endif
