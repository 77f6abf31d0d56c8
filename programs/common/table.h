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

#include "json_value.h"

/* How a value looks in the aligned table (CSV and JSON always have all digits). */
enum style {
    STYLE_PLAIN,   /* integers, text, short reals */
    STYLE_GIVEN,   /* a number that was given: all its digits */
    STYLE_Z,       /* -1.23 */
    STYLE_RECALL,  /* 0.962956: cut, not rounded, but for 2e-12; -1.30e61 below 0 */
    STYLE_LOSS,    /* 3.70e-2 */
    STYLE_COST,    /* 786432 or 8.81e7 */
    STYLE_SPEEDUP, /* 42.0x */
    STYLE_TIME,    /* 12.3 */
    STYLE_US,      /* 54.6 us or 92 ms, of a value in us */
    STYLE_PERCENT, /* 4.0 % for 0.04 */
    STYLE_TERA,    /* 3.35 for 3.35e12 */
    STYLE_SHARE,   /* 0.9025: rounded to four digits; 1 only where it is */
};

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
struct json *table_json(const struct table *table);                 /* an array of objects */
struct json *table_row_json(const struct table *table, size_t row); /* one of them */
size_t table_rows(const struct table *table);

/* As the aligned table shows it. */
void format_styled(char *buffer, size_t size, enum style style, double value);

/* The shortest decimal that reads back as the same double. */
void format_real(char *buffer, size_t size, double value);

#endif
