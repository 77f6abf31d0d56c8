/* recallmodel/threshold_bin.h - exact top-k by a histogram: how many elements does the bin hold in
 * which the k-th largest lies, and do they fit into the room that a kernel has for them?
 *
 * Such a kernel counts the elements of a row in bins, takes all that lie above the bin of the k-th
 * largest (the threshold bin), and must sort the T elements of that bin. Implemented in the folder
 * recall, on whose distributions it builds.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_THRESHOLD_BIN_H
#define RECALLMODEL_THRESHOLD_BIN_H

#include "shape.h"

RCM_BEGIN

/* A distribution of the values of a row. above(x) = P(X >= x) for any x, also infinite. A registry
 * row: rcm_values_distribution(0), .. until NULL: normal (0, 1), lognormal (exp of it), uniform on
 * [0, 1), exponential of mean 1. By name: NULL if there is none. */
struct rcm_values_distribution {
    const char *name;
    double (*above)(double x);
};
const struct rcm_values_distribution *rcm_values_distribution(size_t index);
const struct rcm_values_distribution *rcm_values_distribution_by_name(const char *name);

/* The values of a row: independent, shift + scale X with X of the distribution. scale != 0; -1 asks
 * for the smallest. */
struct rcm_values {
    const struct rcm_values_distribution *dist;
    double shift, scale;
};

/* 2^bits bins, the larger values in the later ones; 1 <= bits <= 16.
 *   RCM_BINS_FLOAT16  the leading bits of the order-preserving key of the nearest float16 (ties to
 *                     even). bits = 9: 512 bins, of an eighth of an octave each.
 *   RCM_BINS_FLOAT32  the leading bits of the key of the float32: the first digit of a radix select
 *   RCM_BINS_EQUAL    bins of equal width on [0, 1); the outermost also take what lies outside */
enum rcm_bins_kind { RCM_BINS_FLOAT16, RCM_BINS_FLOAT32, RCM_BINS_EQUAL };
struct rcm_bins {
    enum rcm_bins_kind kind;
    unsigned bits;
};

/* The smallest value in bin j, 0 <= j <= 2^bits: -infinity for j = 0, infinity for j = 2^bits and
 * for bins that hold no number. For float16 it is the middle between two neighbours, because the
 * value is rounded; zeros of either sign lie in the bin that begins at 0. NaN outside the domain.
 */
double rcm_bin_edge(struct rcm_bins bins, uint64_t j);

/* T, the number of elements in the threshold bin of one row.
 *   mean      E[T], the k-th largest and whatever shares its bin
 *   overflow  P(T > places): the share of rows that a kernel with so many places cannot take
 * Domain    1 <= k <= n < 2^31, 1 <= bits <= 16, a distribution, scale != 0, all finite; otherwise
 *           NaN.
 * Accuracy  of the mean 1e-9, relative; of the overflow 1e-9, absolute.
 * Source    docs/models.md, "The threshold bin". */
struct rcm_threshold_bin {
    double mean, overflow;
};
struct rcm_threshold_bin rcm_threshold_bin(uint64_t n, uint64_t k, struct rcm_bins bins,
                                           struct rcm_values values, uint64_t places);

RCM_END

#endif
