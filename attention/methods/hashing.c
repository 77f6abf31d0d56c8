/* hashing.c - see hashing.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "hashing.h"

#include <stdlib.h>

#include <attention/products.h>
#include <attention/watch_loop.h>
#include <base/memory.h>
#include <sim/rows/random.h>

/* Rows and, at least one table, projections of a product. They do not depend on the number of
 * threads, so neither do the bits. */
#define ROWS_AT_ONCE 256
#define PROJECTIONS_AT_ONCE 1024

uint32_t hash_signs(const float *projections, uint32_t columns)
{
    uint32_t hash = 0;
    for (uint32_t i = 0; i < columns; i++)
        hash |= (uint32_t)(projections[i] >= 0) << i;
    return hash;
}

static uint32_t first_equal(const float *values, float value)
{
    uint32_t i = 0;
    while (values[i] != value)
        i++;
    return i;
}

uint32_t hash_argmax(const float *projections, uint32_t columns)
{
    float largest = projections[0], smallest = projections[0];
#pragma omp simd reduction(max : largest) reduction(min : smallest)
    for (uint32_t i = 1; i < columns; i++) {
        largest = projections[i] > largest ? projections[i] : largest;
        smallest = projections[i] < smallest ? projections[i] : smallest;
    }
    if (largest >= -smallest)
        return first_equal(projections, largest);
    return columns + first_equal(projections, smallest);
}

void hashing_draw(struct hashing *hashing, uint64_t seed, uint32_t group)
{
    const struct random_key key = random_key(seed, RANDOM_HASH, group);
    const size_t count = (size_t)hashing->columns * hashing->d;
    uint64_t *words = require_memory(malloc((count + 1) * sizeof *words));
    double *normals = require_memory(malloc(count * sizeof *normals));
    hashing->directions = require_memory(malloc(hashing->tables * count * sizeof(float)));
    for (uint32_t t = 0; t < hashing->tables; t++) {
        random_words(key, t, words, count);
        random_normals(key, t, words, normals, count);
        for (size_t i = 0; i < count; i++)
            hashing->directions[t * count + i] = (float)normals[i];
    }
    free(normals);
    free(words);
}

/* The hashes of rows first .. first + here - 1 in all tables. */
static void hash_some(const struct hashing *hashing, const float *rows, size_t first, size_t here,
                      size_t count, uint32_t tables_at_once, float *projections, uint32_t *hashes)
{
    const size_t columns = hashing->columns, d = hashing->d;
    for (uint32_t t = 0; t < hashing->tables; t += tables_at_once) {
        const uint32_t left = hashing->tables - t;
        const size_t tables = left < tables_at_once ? left : tables_at_once;
        products_transposed(projections, rows, here, hashing->directions + t * columns * d,
                            tables * columns, d, 1.0f, 0.0f);
        for (size_t i = 0; i < here; i++)
            for (size_t u = 0; u < tables; u++)
                hashes[(t + u) * count + first + i] =
                    hashing->hash(projections + (i * tables + u) * columns, hashing->columns);
    }
}

bool hash_rows(const struct hashing *hashing, const float *rows, size_t count, const float *centre,
               uint32_t *hashes, const struct watch *watch)
{
    bool stopped = false;
    const size_t d = hashing->d;
    const uint32_t columns = hashing->columns;
    const size_t at_once = count < ROWS_AT_ONCE ? count : ROWS_AT_ONCE;
    const uint32_t tables_at_once =
        columns < PROJECTIONS_AT_ONCE ? PROJECTIONS_AT_ONCE / columns : 1;
#pragma omp parallel if (count > ROWS_AT_ONCE)
    {
        float *centred = require_memory(malloc((at_once + 1) * d * sizeof *centred));
        float *projections =
            require_memory(malloc((at_once + 1) * tables_at_once * columns * sizeof *projections));
#pragma omp for schedule(static)
        for (size_t first = 0; first < count; first += ROWS_AT_ONCE) {
            if (watch_skips(watch, &stopped))
                continue;
            const size_t here = count - first < ROWS_AT_ONCE ? count - first : ROWS_AT_ONCE;
            for (size_t i = 0; i < here * d; i++)
                centred[i] = rows[first * d + i] - (centre ? centre[i % d] : 0.0f);
            hash_some(hashing, centred, first, here, count, tables_at_once, projections, hashes);
        }
        free(projections);
        free(centred);
    }
    return !stopped;
}

void hash_vector(const struct hashing *hashing, const float *vector, uint32_t tables,
                 uint32_t *hashes)
{
    const size_t columns = hashing->columns;
    float *projections = require_memory(malloc((tables * columns + 1) * sizeof *projections));
    if (tables > 0)
        products_vector(projections, hashing->directions, tables * columns, hashing->d, vector,
                        1.0f);
    for (uint32_t t = 0; t < tables; t++)
        hashes[t] = hashing->hash(projections + t * columns, hashing->columns);
    free(projections);
}

void visit_marked(struct visit *visit, const uint8_t *marks, struct key_range range, bool weighted)
{
    const uint32_t n = range.last - range.first;
    size_t length = 0;
    for (uint32_t i = 0; i < n; i++)
        length += marks[i] != 0;
    visit_reserve(visit, length, weighted);
    visit->length = 0;
    for (uint32_t i = 0; i < n; i++)
        if (marks[i])
            visit->keys[visit->length++] = range.first + i;
}
