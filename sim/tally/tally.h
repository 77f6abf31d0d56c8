/* tally.h - what a simulation counts. All of it is integers, so the result does not depend on the
 * order in which threads, ranks and runs are added up.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TALLY_H
#define TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "histogram.h"

/* Shares that rows lost, each in [0, 1], in units of 2^-SHARE_BITS: the number of rows, the sum of
 * the shares in 128 bits, and the worst share. */
#define SHARE_BITS 62
struct shares {
    uint64_t rows, sum_high, sum_low, worst;
};

/* R - k of rows, where R is the rank in its row of the k-th largest candidate: the number of rows,
 * the sum and the sum of squares in 128 bits each, and the largest. */
struct reaching {
    uint64_t rows, sum_high, sum_low, squares_high, squares_low, largest;
};

/* What the rows of one group lost, for one result. */
struct group_tally {
    uint64_t rows, lost; /* of the top-k, by rank, summed over rows */
    struct shares mass;
};

/* How long the lists of a tally are. */
struct tally_lengths {
    size_t ranks, groups;
};

/* What is counted for one result: one rho, shuffle and shape. */
struct tally {
    struct histogram lost;     /* how many of its top-k, by rank, a row lost */
    uint64_t lost_by_value;    /* summed over rows */
    uint64_t certified;        /* rows that lost nothing by value */
    struct shares mass, value; /* lost shares of the softmax mass and of the value */
    struct reaching reaching;
    uint64_t *survived; /* for each rank of the spec: rows in which it survived */
    struct group_tally *by_group;
};

/* What is counted about the rows themselves, for one rho. */
struct row_tally {
    uint64_t rows;
    uint64_t with_nan, short_rows; /* rows with a NaN; rows with fewer than k values above -inf */
    /* The share of a row's softmax mass that lies outside of its exact top-k. */
    struct shares outside;
};

/* Each function that returns a bool returns false if memory ran out. */
void shares_add(struct shares *shares, double lost);
void reaching_add(struct reaching *reaching, uint64_t beyond);
bool tally_merge(struct tally *into, const struct tally *from, struct tally_lengths lengths);
void row_tally_merge(struct row_tally *into, const struct row_tally *from);
void tally_clear(struct tally *tally, struct tally_lengths lengths);

/* A tally as a line of text, and back. Parsing moves *text behind what it read. It returns false if
 * the text is not one that printing wrote, if a row lost more than k elements, or if memory ran
 * out. `survived` and `by_group` have room for what `lengths` says, all 0. */
void tally_print(FILE *file, const struct tally *tally, struct tally_lengths lengths);
void row_tally_print(FILE *file, const struct row_tally *tally);
bool tally_parse(const char **text, struct tally *tally, struct tally_lengths lengths, uint64_t k);
bool row_tally_parse(const char **text, struct row_tally *tally);

/* The mean and the largest of the lost shares, each rounded once; NaN without rows. */
double shares_mean(const struct shares *shares);
double shares_worst(const struct shares *shares);

/* Mean, standard deviation (with rows - 1) and largest of what was added; NaN without rows, and the
 * standard deviation also with one row. */
double reaching_mean(const struct reaching *reaching);
double reaching_sd(const struct reaching *reaching);
double reaching_largest(const struct reaching *reaching);

#endif
