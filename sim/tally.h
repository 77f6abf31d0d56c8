/* tally.h - what a simulation counts. Integers only, so that the order in which threads, ranks and
 * runs add up never shows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TALLY_H
#define TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How many rows had each value: a dense window of values that grows. */
struct histogram {
    uint64_t first; /* value of count[0] */
    size_t length;
    uint64_t *count;
};

/* Lost shares of a row, in [0, 1], in units of 2^-SHARE_BITS: how many rows, their 128-bit sum, and
 * the worst. */
#define SHARE_BITS 62
struct shares {
    uint64_t rows, sum_high, sum_low, worst;
};

/* The rank that the k-th largest candidate has in its row, less k: how many rows, sum, sum of
 * squares (128 bits each), largest. */
struct reaching {
    uint64_t rows, sum_high, sum_low, squares_high, squares_low, largest;
};

/* Of one configuration. */
struct tally {
    struct histogram lost;     /* by rank */
    uint64_t lost_by_value;    /* summed over rows */
    uint64_t certified;        /* rows that lost nothing by value */
    struct shares mass, value; /* lost shares of softmax mass and of value */
    struct reaching reaching;
    uint64_t *survived; /* of each rank that is followed: rows in which it survived */
};

/* Of the rows themselves. */
struct row_tally {
    uint64_t rows;
    uint64_t with_nan, short_rows; /* rows with a NaN; with fewer than k values above -inf */
    struct shares
        outside; /* share of the softmax mass of the row that is outside of its exact top-k */
};

/* Functions that return bool: false when memory ran out. */
bool histogram_add(struct histogram *histogram, uint64_t value, uint64_t count);
void shares_add(struct shares *shares, double lost);
void reaching_add(struct reaching *reaching, uint64_t beyond);
bool tally_merge(struct tally *into, const struct tally *from, size_t ranks);
void row_tally_merge(struct row_tally *into, const struct row_tally *from);
void tally_clear(struct tally *tally, size_t ranks);
void tally_free(struct tally *tally);

/* As lines of text, and back: false where the text is none that the first one wrote. Nothing can be
 * lost more than k times. */
void tally_print(FILE *file, const struct tally *tally, size_t ranks);
void row_tally_print(FILE *file, const struct row_tally *tally);
bool tally_parse(const char **text, struct tally *tally, size_t ranks, uint64_t k);
bool row_tally_parse(const char **text, struct row_tally *tally);

/* Figures from the sums, each rounded once. */
double shares_mean(const struct shares *shares);  /* of the lost share; NaN without rows */
double shares_worst(const struct shares *shares); /* largest lost share; NaN without rows */

/* Mean, sd (rows - 1) and largest of what was added; NaN without rows, the sd also with one. */
double reaching_mean(const struct reaching *reaching);
double reaching_sd(const struct reaching *reaching);
double reaching_largest(const struct reaching *reaching);

/* Of the values in a histogram. */
struct spread {
    uint64_t rows;
    double mean, sd; /* sd with rows - 1; NaN below two rows */
    uint64_t largest;
};
struct spread histogram_spread(const struct histogram *histogram);

/* The largest value that at least `percent` % of the rows reach or exceed. */
uint64_t histogram_upper(const struct histogram *histogram, unsigned percent);

#endif
