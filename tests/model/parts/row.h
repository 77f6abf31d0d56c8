/* row.h - rows in parts, for their tests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROW_H
#define ROW_H

#include <tests/test.h>

enum { PARTS_MOST = 32 };

/* A row as the functions take it. */
struct row {
    uint64_t k;
    size_t length;
    struct rcm_part of[PARTS_MOST + 1];
};

static inline struct rcm_parts parts_of(const struct row *row)
{
    return (struct rcm_parts){row->k, row->of, row->length};
}

/* What is computed, or counted. */
struct answers {
    double loss, sd, lost, unproved;
};

static inline struct answers computed(const struct row *row)
{
    const struct rcm_parts p = parts_of(row);
    return (struct answers){rcm_parts_loss(p), rcm_parts_sd(p), rcm_parts_probability_lost(p),
                            rcm_parts_probability_unproved(p)};
}

static inline const char *text_of(const struct row *row)
{
    static char text[2000];
    int length = snprintf(text, sizeof text, "k %" PRIu64, row->k);
    for (size_t i = 0; i < row->length; i++)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           ", %" PRIu64 " x %" PRIu64 " send %" PRIu64, row->of[i].count,
                           row->of[i].size, row->of[i].send);
    return text;
}

static inline uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif
