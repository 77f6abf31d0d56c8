/* table.h - one list of named values, printed as an aligned table, as CSV or as JSON.
 *
 * A row is put value by value; the first row defines the columns, so that a column's names and its
 * value stand in one place.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "format.h"

struct column {
    const char *csv;     /* name in CSV; NULL: not there */
    const char *json;    /* path in JSON, '/' between levels; NULL: not there */
    const char *heading; /* in the aligned table, '\n' between its lines; NULL: not there */
    enum style style;
    int drop; /* a table wider than TABLE_WIDTH leaves columns out, highest first; 0: never */
};

#define TABLE_WIDTH 100

struct table;

struct table *table_new(void);
void table_free(struct table *table);

/* Begins a row; `marked` rows stand out in the aligned table. */
void table_row(struct table *table, bool marked);

/* Moves the rows of another table of the same columns behind its own, and frees that table. */
void table_take(struct table *table, struct table *rows);

/* Puts the next value of the row. A real that is not finite is null. */
void table_count(struct table *table, struct column column, uint64_t value);
void table_real(struct table *table, struct column column, double value);
void table_text(struct table *table, struct column column, const char *value); /* NULL: null */
void table_bool(struct table *table, struct column column, bool value);
void table_null(struct table *table, struct column column);

/* A column of the same name everywhere. */
static inline struct column column(const char *name, enum style style)
{
    return (struct column){name, name, name, style, 0};
}

/* A column of one name in CSV and JSON, and of another in the aligned table. */
static inline struct column headed(const char *name, const char *heading, enum style style)
{
    return (struct column){name, name, heading, style, 0};
}

/* As headed(), for a column that a wide table leaves out, the highest `drop` first. */
static inline struct column dropped(int drop, const char *name, const char *heading,
                                    enum style style)
{
    return (struct column){name, name, heading, style, drop};
}

/* A column of CSV and JSON that the aligned table does not show. */
static inline struct column in_data(const char *name)
{
    return (struct column){.csv = name, .json = name};
}

/* A column of one form of output alone. */
static inline struct column in_csv(const char *name)
{
    return (struct column){.csv = name};
}

static inline struct column in_json(const char *name)
{
    return (struct column){.json = name};
}

static inline struct column in_table(const char *heading, enum style style)
{
    return (struct column){.heading = heading, .style = style};
}

void table_print(const struct table *table, FILE *file, bool colour);
void table_print_csv(const struct table *table, FILE *file, bool header);
json_t *table_json(const struct table *table);                 /* an array of objects */
json_t *table_row_json(const struct table *table, size_t row); /* one of them */
size_t table_rows(const struct table *table);

/* As table_json(), and row 0 alone; both free the table. */
json_t *rows_as_json(struct table *table);
json_t *row_as_json(struct table *table);

#endif
