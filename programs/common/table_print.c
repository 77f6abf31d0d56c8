/* table_print.c - see table.h: a table as text, CSV and JSON.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <base/csv.h>
#include <base/memory.h>

#include "format.h"
#include "json.h"
#include "table_cells.h"

/* ---- aligned */

static const char *styled(char *buffer, size_t size, const struct cell *cell, enum style style)
{
    switch (cell->kind) {
    case CELL_COUNT:
        snprintf(buffer, size, "%" PRIu64, cell->count);
        return buffer;
    case CELL_REAL:
        format_styled(buffer, size, style, cell->real);
        return buffer;
    case CELL_TEXT:
        return cell->text;
    case CELL_BOOL:
        return cell->truth ? "yes" : "no";
    case CELL_NULL:
        break;
    }
    return "-";
}

/* Line `line` of `lines` of a heading, which stands on the bottom lines: its text and length. */
static const char *heading_line(const char *heading, size_t line, size_t lines, size_t *length)
{
    size_t own = 1;
    for (const char *at = heading; (at = strchr(at, '\n')); at++)
        own++;
    if (line + own < lines) {
        *length = 0;
        return "";
    }
    for (size_t skip = line + own - lines; skip > 0; skip--)
        heading = strchr(heading, '\n') + 1;
    *length = strcspn(heading, "\n");
    return heading;
}

static size_t heading_lines(const struct table *table)
{
    size_t lines = 1;
    for (size_t i = 0; i < table->width; i++) {
        size_t own = 1;
        for (const char *at = table->columns[i].heading; at && (at = strchr(at, '\n')); at++)
            own++;
        lines = own > lines ? own : lines;
    }
    return lines;
}

struct layout {
    size_t width; /* 0: the column is not shown */
    bool text;    /* aligned left */
};

/* Columns two blanks apart (*gap), or one where that is wider than TABLE_WIDTH; if it still is,
 * some are left out. */
static struct layout *lay_out(const struct table *table, size_t lines, int *gap)
{
    char buffer[64];
    struct layout *layout = require_memory(calloc(table->width + 1, sizeof *layout));
    size_t total = 1, shown = 0;
    for (size_t i = 0; i < table->width; i++) {
        if (!table->columns[i].heading)
            continue;
        size_t width = 0, length;
        for (size_t line = 0; line < lines; line++) {
            heading_line(table->columns[i].heading, line, lines, &length);
            width = length > width ? length : width;
        }
        for (size_t row = 0; row < table->rows; row++) {
            length = strlen(
                styled(buffer, sizeof buffer, cell_at(table, row, i), table->columns[i].style));
            width = length > width ? length : width;
            layout[i].text |= cell_at(table, row, i)->kind == CELL_TEXT;
        }
        layout[i].width = width;
        total += width;
        shown++;
    }
    *gap = total + 2 * shown <= TABLE_WIDTH ? 2 : 1;
    while (total + (size_t)*gap * shown > TABLE_WIDTH) {
        size_t worst = table->width;
        for (size_t i = 0; i < table->width; i++)
            if (layout[i].width && table->columns[i].drop &&
                (worst == table->width || table->columns[i].drop > table->columns[worst].drop))
                worst = i;
        if (worst == table->width)
            break;
        total -= layout[worst].width;
        layout[worst].width = 0;
        shown--;
    }
    return layout;
}

/* `length` characters of text in its column; text in the last column is not padded. */
static void print_cell(FILE *file, const char *text, size_t length, struct layout layout, int gap,
                       bool last)
{
    int blanks = (int)(layout.width - length);
    if (last && length == 0)
        return;
    if (layout.text)
        fprintf(file, "%*s%.*s%*s", gap, "", (int)length, text, last ? 0 : blanks, "");
    else
        fprintf(file, "%*s%.*s", gap + blanks, "", (int)length, text);
}

void table_print(const struct table *table, FILE *file, bool colour)
{
    char buffer[64];
    int gap;
    size_t lines = heading_lines(table), last = 0, length;
    struct layout *layout = lay_out(table, lines, &gap);
    for (size_t i = 0; i < table->width; i++)
        last = layout[i].width ? i : last;
    for (size_t line = 0; line < lines; line++) {
        fputc(' ', file);
        for (size_t i = 0; i < table->width; i++)
            if (layout[i].width) {
                const char *text = heading_line(table->columns[i].heading, line, lines, &length);
                print_cell(file, text, length, layout[i], gap, i == last);
            }
        fputc('\n', file);
    }
    for (size_t row = 0; row < table->rows; row++) {
        bool bright = colour && table->marked[row];
        fputs(bright ? "\033[1;32m" : "", file);
        fputc(table->marked[row] ? '*' : ' ', file);
        for (size_t i = 0; i < table->width; i++)
            if (layout[i].width) {
                const char *text =
                    styled(buffer, sizeof buffer, cell_at(table, row, i), table->columns[i].style);
                print_cell(file, text, strlen(text), layout[i], gap, i == last);
            }
        fputs(bright ? "\033[0m\n" : "\n", file);
    }
    free(layout);
}

/* ---- CSV */

void table_print_csv(const struct table *table, FILE *file, bool header)
{
    char buffer[64];
    const char *separator = "";
    for (size_t i = 0; i < table->width && header; i++)
        if (table->columns[i].csv) {
            fprintf(file, "%s%s", separator, table->columns[i].csv);
            separator = ",";
        }
    if (header)
        fputc('\n', file);
    for (size_t row = 0; row < table->rows; row++) {
        separator = "";
        for (size_t i = 0; i < table->width; i++) {
            if (!table->columns[i].csv)
                continue;
            fputs(separator, file);
            separator = ",";
            const struct cell *cell = cell_at(table, row, i);
            switch (cell->kind) {
            case CELL_COUNT:
                fprintf(file, "%" PRIu64, cell->count);
                break;
            case CELL_REAL:
                format_real(buffer, sizeof buffer, cell->real);
                fputs(buffer, file);
                break;
            case CELL_TEXT:
                csv_write(file, cell->text);
                break;
            case CELL_BOOL:
                fputs(cell->truth ? "true" : "false", file);
                break;
            case CELL_NULL:
                break;
            }
        }
        fputc('\n', file);
    }
}

/* ---- JSON */

static json_t *cell_json(const struct cell *cell)
{
    switch (cell->kind) {
    case CELL_COUNT:
        return json_integer((json_int_t)cell->count);
    case CELL_REAL:
        return json_number(cell->real);
    case CELL_TEXT:
        return json_text(cell->text);
    case CELL_BOOL:
        return json_boolean(cell->truth);
    case CELL_NULL:
        break;
    }
    return json_null();
}

/* Puts a value at object[a][b].. for the path "a/b/..", making the levels between. */
static void put_at_path(json_t *object, const char *path, json_t *value)
{
    const char *slash;
    while ((slash = strchr(path, '/'))) {
        char *level = text_copy(path);
        level[slash - path] = '\0';
        if (!json_object_get(object, level))
            json_object_set_new(object, level, json_object());
        object = json_object_get(object, level);
        free(level);
        path = slash + 1;
    }
    json_object_set_new(object, path, value);
}

json_t *table_row_json(const struct table *table, size_t row)
{
    json_t *object = json_object();
    for (size_t i = 0; i < table->width; i++)
        if (table->columns[i].json)
            put_at_path(object, table->columns[i].json, cell_json(cell_at(table, row, i)));
    return object;
}

json_t *table_json(const struct table *table)
{
    json_t *array = json_array();
    for (size_t row = 0; row < table->rows; row++)
        json_array_append_new(array, table_row_json(table, row));
    return array;
}

json_t *rows_as_json(struct table *table)
{
    json_t *rows = table_json(table);
    table_free(table);
    return rows;
}

json_t *row_as_json(struct table *table)
{
    json_t *row = table_row_json(table, 0);
    table_free(table);
    return row;
}
