/* statistics.h - order and quantiles of doubles, and the z of a mean.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STATISTICS_H
#define STATISTICS_H

#include <stddef.h>

/* Compares two doubles, neither of them NaN, by value: -1, 0 or 1. For qsort(). */
int compare_doubles(const void *a, const void *b);

/* Sorts values, none of them NaN, in rising order. */
void sort_doubles(double *values, size_t length);

/* The quantile of values that are sorted in rising order: the value at the place
 * share (length - 1), counted from 0, with a straight line between neighbours (the default of NumPy
 * and type 7 of R). A share of 0.5 gives the median.
 * Domain    0 <= share <= 1, length < 2^53, values finite.
 * Returns   NaN if length is 0; exactly the first value for share 0, the last for share 1, and the
 *           value itself where share (length - 1) is a whole number in double.
 * Accuracy  absolute error <= QUANTILE_MAX_ERROR length (|x| + |y|), x and y being the neighbours.
 *           The factor `length` is there because share (length - 1) is rounded. */
#define QUANTILE_MAX_ERROR 0x1p-51
double sorted_quantile(const double *sorted, size_t length, double share);

/* How many standard errors the mean of `count` samples lies from the expected mean; sd is the
 * standard deviation of one sample. NaN unless sd > 0. */
double z_score(double mean, double expected, double sd, double count);

#endif
