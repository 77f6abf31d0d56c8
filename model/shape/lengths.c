/* lengths.c - rows of different lengths, and means over them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shape.h"
#include "wide.h"

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Puts neighbours together that are equal, or that are at most `most` rows, but for the ends. */
static void merge(struct rcm_lengths *l, uint64_t most)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; kept++) {
        const uint64_t first = l->length[i];
        uint64_t rows = l->rows[i];
        uint128 sum = (uint128)first * rows;
        for (i++; i < l->count && (l->length[i] == first ||
                                   (kept > 0 && i + 1 < l->count && rows + l->rows[i] <= most));
             i++) {
            sum += (uint128)l->length[i] * l->rows[i];
            rows += l->rows[i];
        }
        l->length[kept] = (uint64_t)((sum + rows / 2) / rows);
        l->rows[kept] = rows;
    }
    l->count = kept;
}

int rcm_lengths_of(const uint64_t *of_row, size_t count, struct rcm_lengths *lengths)
{
    *lengths = (struct rcm_lengths){0};
    for (size_t i = 0; i < count; i++)
        if (of_row[i] > RCM_N_MAX)
            return -1;
    if (count == 0 || count > SIZE_MAX / 2 / sizeof *of_row)
        return -1;
    uint64_t *length = malloc(2 * count * sizeof *length);
    if (!length)
        return -1;
    *lengths = (struct rcm_lengths){count, count, length, length + count};
    memcpy(length, of_row, count * sizeof *length);
    qsort(length, count, sizeof *length, by_value);
    for (size_t i = 0; i < count; i++)
        lengths->rows[i] = 1;
    merge(lengths, 0);
    if (lengths->count > RCM_LENGTHS_MOST) {
        merge(lengths, count / RCM_LENGTHS_MOST);
        merge(lengths, 0); /* means may be equal */
    }
    return 0;
}

void rcm_lengths_free(struct rcm_lengths *lengths)
{
    free(lengths->length);
    *lengths = (struct rcm_lengths){0};
}

bool shape_of_length(struct rcm_topk p, size_t i, struct rcm_topk *of_length)
{
    *of_length = p;
    of_length->valid = p.lengths->length[i];
    of_length->lengths = NULL;
    return of_length->valid > p.k;
}

double shape_share(struct rcm_topk p, size_t i)
{
    return (double)p.lengths->rows[i] / (double)p.lengths->all;
}

double shape_mean(double (*of)(struct rcm_topk), struct rcm_topk p, double whole)
{
    if (rcm_check(p) != RCM_OK)
        return NAN;
    double sum = 0.0;
    for (size_t i = 0; i < p.lengths->count; i++) {
        struct rcm_topk row;
        sum += shape_share(p, i) * (shape_of_length(p, i, &row) ? of(row) : whole);
    }
    return sum;
}
