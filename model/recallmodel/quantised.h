/* recallmodel/quantised.h - scores that are products of quantised vectors: how far do they keep the
 * order of the exact ones, if queries and keys are stored in 8 or 4 bits?
 *
 * Implemented in the folder mass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_QUANTISED_H
#define RECALLMODEL_QUANTISED_H

#include "rounding.h"

RCM_BEGIN

/* What the scale is, which maps the largest magnitude of a block to the largest number. */
enum rcm_scale {
    RCM_SCALE_REAL,         /* that quotient */
    RCM_SCALE_E4M3,         /* the nearest f8e4m3 number, with one real factor for all */
    RCM_SCALE_POWER_OF_TWO, /* 2^(floor(log2(largest magnitude)) - exponent of the largest number),
                               so that up to a fourth may saturate */
};

/* A way to store vectors: each element divided by the scale of its block and rounded to the
 * nearest number, ties to even; beyond the largest it becomes the largest. A registry row:
 * rcm_quantised(0), .. until NULL. By name: NULL if there is none.
 *   f8e4m3, f8e5m2, int8   a real scale for each vector
 *   nvfp4                  f4e2m1, an f8e4m3 scale for 16 elements
 *   mxfp4                  f4e2m1, a power of two for 32 elements (OCP Microscaling v1.0) */
struct rcm_quantised {
    const char *name;
    double bits;                /* of an element, with its share of the scale of its block */
    struct rcm_format elements; /* `last` is the largest number */
    unsigned block;             /* 0: the whole vector */
    enum rcm_scale scale;
};
const struct rcm_quantised *rcm_quantised(size_t index);
const struct rcm_quantised *rcm_quantised_by_name(const char *name);

/* The correlation of the exact and the quantised scores of one query with the keys of its row, as
 * the largest `share` of them shows it: rcm_overlap_bucketed() turns it into what a selection
 * keeps. The error of a product grows with its score, so it is lower for a smaller share. Query and
 * keys are quantised alike.
 * Domain    a row of the registry, 16 <= d < 2^32 elements in a vector, 0 < share < 1; otherwise
 *           NaN.
 * Assumes   elements that are independent and normal, of any sd. Real ones: docs/quantised.md.
 * Accuracy  the loss of exact top-k that rcm_overlap_bucketed() gives with it errs by at most
 *           RCM_QUANTISED_MAX_RELERR of it, beside its own error (vectors that are drawn, d = 64
 *           and 128, share <= 1/4).
 * Time      2 to 50 ms.
 * Source    docs/models.md, "Quantised products". */
#define RCM_QUANTISED_MAX_RELERR 0.03
double rcm_quantised_correlation(const struct rcm_quantised *stored, uint64_t d, double share);

RCM_END

#endif
