/* recallmodel/rounding.h - what rounding the scores costs: how many of its top k does exact top-k
 * lose if it sees the scores in float16, bfloat16 or 8 bits?
 *
 * Implemented in the folder recall.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_ROUNDING_H
#define RECALLMODEL_ROUNDING_H

#include "threshold_bin.h"

RCM_BEGIN

/* A type of floating-point numbers. A registry row: rcm_format(0), .. until NULL: f16, bf16,
 * f8e4m3, f8e5m2 (the two of OCP; e4m3 has no infinity, and larger numbers become its largest). By
 * name: NULL if there is none. */
struct rcm_format {
    const char *name;
    unsigned fraction_bits;
    int bias;      /* of the exponent */
    uint32_t last; /* the bits of infinity, or of the largest number where there is none */
};
const struct rcm_format *rcm_format(size_t index);
const struct rcm_format *rcm_format_by_name(const char *name);

/* The number of these bits, without a sign, 0 <= bits <= last; that of infinity is where its
 * numbers would go on. */
double rcm_format_value(const struct rcm_format *format, uint32_t bits);

/* The least magnitude that is rounded to these bits, or to more of them: the middle between two
 * neighbours; 0 for bits = 0, and infinity beyond the last. */
double rcm_format_edge(const struct rcm_format *format, uint32_t bits);

/* Which of the elements that are rounded to one number are taken, where not all are. */
enum rcm_ties {
    RCM_TIES_POSITION, /* the first; as good as any at random, where the top k lie anywhere */
    RCM_TIES_WORST,    /* those that were the smallest before */
};

/* Exact top-k of scores that are rounded to the nearest (ties to even): the share of the true top k
 * that it loses, on average. The k-th largest lies in a cell, the scores that are rounded to its
 * number. All above are taken, and so many of the cell as are missing.
 * Domain    1 <= k <= n <= RCM_ROUNDING_N_MOST, a distribution of values, scale > 0, all finite;
 *           otherwise NaN. Scores beyond the largest number of the format are one cell.
 * Accuracy  relative error <= RCM_ROUNDING_MAX_RELERR above 1e-12; by position.
 * Time      0.1 to 200 ms; by RCM_TIES_WORST seconds where a cell has millions of elements.
 * Source    docs/models.md 24. */
#define RCM_ROUNDING_N_MOST (UINT64_C(1) << 44)
#define RCM_ROUNDING_MAX_RELERR 1e-6
double rcm_rounding_loss(uint64_t n, uint64_t k, const struct rcm_format *format,
                         struct rcm_values values, enum rcm_ties ties);

/* P(a row loses more than `lost` of its top k). The least such number that at most this share of
 * the rows exceeds; by position too, since equal elements lie in any order.
 * Domain    as above, share > 0; otherwise NaN, and UINT64_MAX.
 * Accuracy  absolute error <= RCM_ROUNDING_MAX_ERR.
 * Time      1 to 500 ms; a quantile some ten times as long. */
#define RCM_ROUNDING_MAX_ERR 1e-8
double rcm_rounding_loses_more(uint64_t n, uint64_t k, const struct rcm_format *format,
                               struct rcm_values values, enum rcm_ties ties, uint64_t lost);
uint64_t rcm_rounding_quantile(uint64_t n, uint64_t k, const struct rcm_format *format,
                               struct rcm_values values, enum rcm_ties ties, double share);

RCM_END

#endif
