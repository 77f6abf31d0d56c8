/* sparse_needles.c - sparse: the keys that single queries should read, from CSV.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <base/array.h>
#include <base/csv.h>
#include <base/memory.h>

#include "sparse.h"

enum { QUERY_HEAD, QUERY, KEY, COLUMNS };
static const char *const names[COLUMNS] = {"query_head", "query", "key"};

/* A whole number from 0 to most - 1. Returns a status. */
static int read_place(const struct csv *csv, size_t row, size_t column, uint32_t most,
                      uint32_t *value)
{
    char place[CSV_ERROR], *end;
    const char *text = csv_field(csv, row, column);
    const unsigned long number = strtoul(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == '\0' && number < most) {
        *value = (uint32_t)number;
        return STATUS_OK;
    }
    csv_place(csv, row, column, place);
    return usage_error("--needles %s'%.40s' is not a whole number from 0 to %" PRIu32, place, text,
                       most - 1);
}

/* Appends the needles of one document. */
static int read_file(const struct csv *csv, const struct tensors *t, size_t document,
                     struct head_needle **needles, size_t *length, size_t *capacity)
{
    const struct head_shape *shape = &t->heads[document * t->key_heads];
    const uint32_t all = t->files[document * TENSORS + TENSOR_QUERIES].n,
                   left_out = all - shape->n_q, group = shape->query_heads;
    size_t columns[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
        columns[c] = csv_column(csv, names[c]);
        if (columns[c] == csv->columns)
            return usage_error("--needles %.150s has no column %s; give query_head, query and key",
                               csv->path, names[c]);
    }
    for (size_t row = 0; row < csv->rows; row++) {
        uint32_t head, query, key;
        if (read_place(csv, row, columns[QUERY_HEAD], t->query_heads, &head) != STATUS_OK ||
            read_place(csv, row, columns[QUERY], all, &query) != STATUS_OK ||
            read_place(csv, row, columns[KEY], shape->n, &key) != STATUS_OK)
            return STATUS_USAGE;
        if (query < left_out)
            continue; /* of a query that --last leaves out */
        *needles = array_grow(*needles, *length, capacity, sizeof **needles);
        (*needles)[(*length)++] = (struct head_needle){
            .head = document * t->key_heads + head / group,
            .query_head = head % group,
            .query = query - left_out,
            .key = key,
        };
    }
    return STATUS_OK;
}

int read_needles(const struct sparse_settings *settings, const struct tensors *t,
                 struct head_needle **needles, size_t *length)
{
    const struct tensor_paths *paths = &settings->needles.paths;
    size_t capacity = 0;
    int status = STATUS_OK;
    if (paths->length == 0)
        return STATUS_OK;
    if (paths->length != t->documents)
        return usage_error("--needles has %zu files, and --keys has %zu; give one for each "
                           "document",
                           paths->length, t->documents);
    if (t->layers > 1)
        return usage_error("--needles needs files with one layer, and these have %" PRIu32
                           "; give files of three axes",
                           t->layers);
    for (size_t i = 0; i < paths->length && status == STATUS_OK; i++) {
        char error[CSV_ERROR];
        struct csv csv = {0};
        if (csv_read(paths->items[i], &csv, MESSAGE(error)) != 0)
            return usage_error("--needles %s", error);
        status = read_file(&csv, t, i, needles, length, &capacity);
        csv_free(&csv);
    }
    return status;
}
