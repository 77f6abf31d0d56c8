/* rounding.h - what exact top-k loses on the rows of a file if their values are rounded.
 *
 * As simulate.h, it uses nothing of model/. NaN and -inf are never missed; equal values rank by
 * index.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROUNDING_H
#define ROUNDING_H

#include <stdbool.h>
#include <stdint.h>

#include <base/message.h>
#include <sim/rows/row_file.h>

/* A type of floating-point numbers: f16 is {10, 15, 65504, true}. */
struct rounding {
    int fraction_bits, bias;
    double largest; /* number */
    bool infinite;  /* what is larger becomes infinite, otherwise the largest */
};

/* The nearest number, ties to even. */
double rounded_to(const struct rounding *to, double x);

/* Means over the rows of a file, of the share of its top k that a row loses: with ties by position,
 * and if of equal values those are taken that were the smallest. Rows without k values count with
 * what they have. */
struct rounding_means {
    uint64_t rows; /* with any value */
    double loss, loss_worst;
    double loss_99; /* the least that 99 % of the rows do not exceed, with ties by position */
};

/* Returns 0; or -1 with one line in `error`. 1 <= k <= file->row. */
int rounding_means(const struct row_file *file, uint64_t k, const struct rounding *to,
                   struct rounding_means *means, struct message error);

#endif
