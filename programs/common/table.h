/* table.h - rows of one struct, printed as an aligned table, as CSV or as JSON by one description
 * of its columns.
 *
 *     struct cost_row {
 *         const char *model;
 *         double cost;
 *     };
 *     static const struct column cost_columns[] = {
 *         {FIELD(struct cost_row, model), EVERYWHERE("model")},
 *         {FIELD(struct cost_row, cost), EVERYWHERE("cost"), .style = STYLE_COST},
 *     };
 *
 * A row is computed once. Whatever prints it reads it, and computes nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "format.h"
#include "json.h"

/* Types of a field. Null is NO_COUNT, UINT32_MAX as an unsigned, a real that is not finite, a text
 * that is NULL, and -1 as an int, which else is true or false. */
enum column_type {
    COLUMN_COUNT,
    COLUMN_UNSIGNED,
    COLUMN_REAL,
    COLUMN_TEXT,
    COLUMN_CHARS,
    COLUMN_BOOL,
    COLUMN_BOOL_OR_NULL
};

struct columns;

struct column {
    enum column_type type;
    size_t at;           /* where the field lies in the row */
    const char *csv;     /* name in CSV; NULL: not there */
    const char *json;    /* path in JSON, '/' between levels; NULL: not there */
    const char *heading; /* in the aligned table, '\n' between its lines; NULL: not there */
    enum style style;
    int drop;       /* a table wider than TABLE_WIDTH leaves columns out, highest first; 0: never */
    unsigned when;  /* bits: the column exists in a table that has one of these parts; 0: always */
    unsigned shown; /* bits: as `when`, but the column leaves the aligned table alone */
    bool positive;  /* a real that is not above 0 is null, too */

    /* Instead of a field: the columns of a struct in the row; if `name` is not NULL, of each of
     * `times` structs, in whose columns "%s" is the name of the i-th. */
    const struct columns *part;
    size_t times;
    const char *(*name)(size_t i);
};

/* The columns of a struct of `size` bytes. */
struct columns {
    const struct column *items;
    size_t length, size;
};

/* The field itself decays to a pointer, so that a pointer to it tells an array from a pointer. */
#define TYPE_OF(row, field) \
    _Generic(&((row *)0)->field, char ** : COLUMN_TEXT, default : TYPE_OF_VALUE(((row *)0)->field))
#define TYPE_OF_VALUE(value) \
    _Generic(value,                                                                                \
        unsigned long: sizeof(long) == 8 ? COLUMN_COUNT : COLUMN_UNSIGNED,                         \
        unsigned long long: COLUMN_COUNT,                                                          \
        unsigned: COLUMN_UNSIGNED,                                                                 \
        double: COLUMN_REAL,                                                                       \
        const char *: COLUMN_TEXT,                                                                 \
        char *: COLUMN_CHARS,                                                                      \
        bool: COLUMN_BOOL,                                                                         \
        int: COLUMN_BOOL_OR_NULL)

/* Where a column's values are: a field of the row. An array of characters is a text in the row. */
#define FIELD(row, field) .type = TYPE_OF(row, field), .at = offsetof(row, field)

/* A real of which 0 says that it is not known. */
#define POSITIVE(row, field) FIELD(row, field), .positive = true

/* A struct of the row, or an array of structs. */
#define PART(row, field, columns) .at = offsetof(row, field), .part = &(columns)

#define COLUMNS(row, items) \
    { \
        items, sizeof(items) / sizeof *(items), sizeof(row) \
    }

/* Where a column is shown. */
#define IN_DATA(name) .csv = name, .json = name
#define HEADED(name, title) IN_DATA(name), .heading = title
#define EVERYWHERE(name) HEADED(name, name)

#define TABLE_WIDTH 100

struct table;

/* A table without rows. parts: the bits of `when` that hold. */
struct table *table_of(const struct columns *columns, unsigned parts);
void table_free(struct table *table);

/* Puts behind the columns of a table without rows those of a struct that lies `at` bytes into the
 * row, in which "%s" is `name`. */
void table_part(struct table *table, const struct columns *columns, size_t at, const char *name);

/* Another heading of the columns of this name in JSON, or else in CSV, or else in the aligned
 * table; NULL: that does not show them. */
void table_heading(struct table *table, const char *name, const char *heading);

/* Adds a copy of a row and of its texts. `marked` rows stand out in the aligned table. */
#define table_add(table, row, marked) table_add_row(table, row, sizeof *(row), marked)
void table_add_row(struct table *table, const void *row, size_t size, bool marked);

/* Moves the rows of another table of the same columns behind its own, and frees that table. */
void table_take(struct table *table, struct table *rows);

/* "count", "real", "text", "true or false" */
const char *column_type_name(const struct column *column);

size_t table_rows(const struct table *table);

/* The columns that it has. Names of repeated parts are whole; `when` has the bits of the parts
 * around a column, too. */
const struct column *table_columns(const struct table *table, size_t *length);

void table_print(const struct table *table, FILE *file, bool colour);
void table_print_csv(const struct table *table, FILE *file, bool header);
json_t *table_json(const struct table *table);                 /* an array of objects */
json_t *table_row_json(const struct table *table, size_t row); /* one of them */

/* As table_json(), and row 0 alone; both free the table. */
json_t *rows_as_json(struct table *table);
json_t *row_as_json(struct table *table);

#endif
