/* table_cells.h - internal to the tables: what table.c keeps and table_print.c prints.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TABLE_CELLS_H
#define TABLE_CELLS_H

#include "table.h"

struct cell {
    enum { CELL_NULL, CELL_COUNT, CELL_REAL, CELL_TEXT, CELL_BOOL } kind;
    union {
        uint64_t count;
        double real;
        char *text;
        bool truth;
    };
};

struct table {
    struct column *columns; /* strings owned */
    size_t width, column_capacity;
    struct cell *cells; /* row by row */
    size_t length, cell_capacity;
    bool *marked;
    size_t rows, row_capacity;
    size_t row_size;
};

static inline const struct cell *cell_at(const struct table *table, size_t row, size_t column)
{
    return &table->cells[row * table->width + column];
}

#endif
