/* query_shapes.h - which shapes (b, k_b) a query reports on; query.c alone uses it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef QUERY_SHAPES_H
#define QUERY_SHAPES_H

#include <stdio.h>

#include "query.h"

/* How many combinations of n, k, k_b (and b, if it is given) there are, how many of them are left
 * out, and why the first one is. */
struct omissions {
    size_t total, omitted;
    char first[200];
};

#define OMIT(omissions, ...) \
    do { \
        if ((omissions)->omitted++ == 0) \
            snprintf((omissions)->first, sizeof(omissions)->first, __VA_ARGS__); \
    } while (0)

/* One question while its shapes are collected. */
struct collector {
    const struct question *question;
    enum shapes shapes;
    struct rcm_factors factors; /* of n, where b is chosen */
    struct omissions *omissions;
    size_t *shapes_left; /* how many more may be asked for */
};

/* Sets the shapes and the smallest b of a query whose n and k are legal. What is left out is added
 * to the omissions. Returns a status, after one line on stderr where there are too many shapes. */
int collect_shapes(struct query *query, struct collector *c);

#endif
