/* part_sums.h - internal to model/parts/: for each part of a row, sums over the tail of its
 * distribution at nodes of a Fourier sum, for several nodes at once. Derivation: docs/models.md 22.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PART_SUMS_H
#define PART_SUMS_H

#include <model/distribution/distribution.h>
#include <model/lost/fourier.h>

#include "row_sum.h"

enum {
    BLOCK = 20,        /* nodes at a time; with many parts, one block is enough */
    TURNS = 512,       /* multiples of each node whose exp is tabulated */
    TERMS_MOST = 8192, /* of a tail */
};

/* A complex struct complex_number for each node of a block. */
struct lanes {
    double re[BLOCK], im[BLOCK];
};

static inline struct complex_number lane(const struct lanes *lanes, size_t j)
{
    return (struct complex_number){lanes->re[j], lanes->im[j]};
}

static inline void set_lane(struct lanes *lanes, size_t j, struct complex_number value)
{
    lanes->re[j] = value.re;
    lanes->im[j] = value.im;
}

/* a times b. A copy, because loops over what may overlap are not vectorised. */
static inline struct lanes lanes_times(struct lanes a, struct lanes b)
{
    struct lanes both;
    for (size_t j = 0; j < BLOCK; j++) {
        both.re[j] = a.re[j] * b.re[j] - a.im[j] * b.im[j];
        both.im[j] = a.re[j] * b.im[j] + a.im[j] * b.re[j];
    }
    return both;
}

/* Nodes t of a turn, from `first` on. */
struct nodes {
    double t[BLOCK];
    struct lanes draw; /* the log of one draw */
    struct lanes row;  /* exp(-i t k) times the product of all F */
    size_t turns;
    struct lanes turn[TURNS]; /* exp(i t j) for j < turns */
};

/* The terms of an upper tail: weights p of x = first + at[j]. */
struct terms {
    int64_t first;
    size_t length;
    double at[TERMS_MOST], p[TERMS_MOST];
};

/* The binomial distribution of a part of this size. */
struct distribution part_distribution(const struct over *over, uint64_t size);

/* The standard deviation of that distribution for a part of entry i, where its terms are not summed
 * one by one: the rule for them resolves no more than 40 radians in one of it. Otherwise 0. */
double part_wide_sd(const struct over *over, size_t i);

/* The nodes first, first + 1, .. of `count` in a turn. */
void make_nodes(struct nodes *nodes, const struct over *over, double first, double count);

/* exp(size times the log of one draw) at node j: the F of `size` elements. */
struct complex_number draws(const struct nodes *nodes, double size, size_t j);

/* For a part of entry i, which can lose: the sums over its tail of
 * p (x - limit)^power exp(i t (x - mean)) for power < `powers`; and the same divided by its F. */
void far_part(const struct over *over, size_t i, struct nodes *nodes, struct terms *terms,
              unsigned powers, struct lanes *sum);
void near_part(const struct over *over, size_t i, struct nodes *nodes, struct terms *terms,
               unsigned powers, struct lanes *sum);

#endif
