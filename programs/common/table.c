/* table.c - see table.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "table_cells.h"

void table_free(struct table *table)
{
    for (size_t i = 0; i < table->width; i++) {
        free((void *)table->columns[i].csv);
        free((void *)table->columns[i].json);
        free((void *)table->columns[i].heading);
    }
    for (size_t i = 0; i < table->length; i++)
        if (table->cells[i].kind == CELL_TEXT)
            free(table->cells[i].text);
    free(table->columns);
    free(table->cells);
    free(table->marked);
    free(table);
}

/* ---- columns */

/* "cost/%s/exact", "basic": "cost/basic/exact". A copy where there is no name; NULL for NULL. */
static char *composed(const char *text, const char *name)
{
    char whole[100];
    if (!text || !name)
        return text ? text_copy(text) : NULL;
    snprintf(whole, sizeof whole, text, name);
    return text_copy(whole);
}

static void add_columns(struct table *table, const struct columns *columns, size_t at,
                        unsigned parts, unsigned when, const char *name)
{
    for (size_t i = 0; i < columns->length; i++) {
        struct column c = columns->items[i];
        if (c.when && !(c.when & parts))
            continue;
        for (size_t t = 0; c.part && t < (c.name ? c.times : 1); t++)
            add_columns(table, c.part, at + c.at + t * c.part->size, parts, when | c.when,
                        c.name ? c.name(t) : name);
        if (c.part)
            continue;
        c.at += at;
        c.when |= when;
        c.csv = composed(c.csv, name);
        c.json = composed(c.json, name);
        c.heading = c.shown && !(c.shown & parts) ? NULL : composed(c.heading, name);
        table->columns =
            array_grow(table->columns, table->width, &table->column_capacity, sizeof c);
        table->columns[table->width++] = c;
    }
}

struct table *table_of(const struct columns *columns, unsigned parts)
{
    struct table *table = require_memory(calloc(1, sizeof *table));
    table->row_size = columns->size;
    add_columns(table, columns, 0, parts, 0, NULL);
    return table;
}

void table_part(struct table *table, const struct columns *columns, size_t at, const char *name)
{
    table->row_size = at + columns->size;
    add_columns(table, columns, at, 0, 0, name);
}

static bool is_named(const struct column *c, const char *name)
{
    const char *own = c->json ? c->json : c->csv ? c->csv : c->heading;
    return own && strcmp(own, name) == 0;
}

void table_heading(struct table *table, const char *name, const char *heading)
{
    for (size_t i = 0; i < table->width; i++)
        if (is_named(&table->columns[i], name)) {
            free((void *)table->columns[i].heading);
            table->columns[i].heading = heading ? text_copy(heading) : NULL;
        }
}

/* ---- rows */

static struct cell cell_of(const struct column *column, const void *field)
{
    static const struct cell null = {.kind = CELL_NULL};
    double real;
    uint64_t count;
    const char *text;
    switch (column->type) {
    case COLUMN_COUNT:
        count = *(const uint64_t *)field;
        return count == NO_COUNT ? null : (struct cell){.kind = CELL_COUNT, .count = count};
    case COLUMN_UNSIGNED:
        count = *(const unsigned *)field;
        return count == UINT32_MAX ? null : (struct cell){.kind = CELL_COUNT, .count = count};
    case COLUMN_REAL:
        real = *(const double *)field;
        return isfinite(real) && (real > 0.0 || !column->positive)
                   ? (struct cell){.kind = CELL_REAL, .real = real}
                   : null;
    case COLUMN_TEXT:
    case COLUMN_CHARS:
        text = column->type == COLUMN_TEXT ? *(const char *const *)field : field;
        return text ? (struct cell){.kind = CELL_TEXT, .text = text_copy(text)} : null;
    case COLUMN_BOOL:
        return (struct cell){.kind = CELL_BOOL, .truth = *(const bool *)field};
    case COLUMN_BOOL_OR_NULL:
        break;
    }
    const int truth = *(const int *)field;
    return truth < 0 ? null : (struct cell){.kind = CELL_BOOL, .truth = truth != 0};
}

static void require_row(const struct table *table, size_t size)
{
    if (size == table->row_size)
        return;
    fprintf(stderr, "recallmodel: a row of another struct than its columns\n");
    abort();
}

static void append_row(struct table *table, bool marked)
{
    table->marked =
        array_grow(table->marked, table->rows, &table->row_capacity, sizeof *table->marked);
    table->marked[table->rows++] = marked;
}

static void append_cell(struct table *table, struct cell cell)
{
    table->cells = array_grow(table->cells, table->length, &table->cell_capacity, sizeof cell);
    table->cells[table->length++] = cell;
}

void table_add_row(struct table *table, const void *row, size_t size, bool marked)
{
    require_row(table, size);
    append_row(table, marked);
    for (size_t i = 0; i < table->width; i++)
        append_cell(table, cell_of(&table->columns[i], (const char *)row + table->columns[i].at));
}

const char *column_type_name(const struct column *column)
{
    static const char *const names[] = {
        [COLUMN_COUNT] = "count",
        [COLUMN_UNSIGNED] = "count",
        [COLUMN_REAL] = "real",
        [COLUMN_TEXT] = "text",
        [COLUMN_CHARS] = "text",
        [COLUMN_BOOL] = "true or false",
        [COLUMN_BOOL_OR_NULL] = "true or false",
    };
    return names[column->type];
}

const struct column *table_columns(const struct table *table, size_t *length)
{
    *length = table->width;
    return table->columns;
}

size_t table_rows(const struct table *table)
{
    return table->rows;
}

void table_take(struct table *table, struct table *rows)
{
    require_row(table, rows->row_size);
    if (rows->width != table->width)
        require_row(table, 0);
    for (size_t i = 0; i < rows->rows; i++)
        append_row(table, rows->marked[i]);
    for (size_t i = 0; i < rows->length; i++)
        append_cell(table, rows->cells[i]);
    rows->length = 0; /* their texts are the table's now */
    table_free(rows);
}
