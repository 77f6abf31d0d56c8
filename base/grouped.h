/* grouped.h - the mean over rows that come in groups, and Student's t.
 *
 * Rows of one group (one document, one head) may be alike. So the scatter of the mean is taken from
 * the sums of the groups, and not from the rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GROUPED_H
#define GROUPED_H

#include <stddef.h>

/* The sum of a quantity over the rows of one group, and how many rows these are. */
struct group_sum {
    double sum, rows;
};

struct grouped_mean {
    size_t groups; /* those with rows */
    double mean;   /* over all rows; NaN without rows */
    double error;  /* its standard error; NaN below two groups */
};

/* The mean m over the rows of G groups, and its standard error
 *   sqrt(G/(G - 1) sum over groups of (sum - rows m)^2) / all rows.
 * If all groups have the same number of rows, it is the standard deviation of the means of the
 * groups (with G - 1), divided by sqrt(G).
 * Domain    rows >= 0; groups of 0 rows are left out. All finite.
 * Assumes   groups are independent of each other. Of rows of one group it assumes nothing.
 * Source    docs/simulation.md, section "Groups". */
struct grouped_mean grouped_mean(const struct group_sum *group, size_t groups);

/* The t with P(T > t) = tail, where T has Student's distribution with so many degrees of freedom.
 * Domain    0 < tail <= 1/2, freedom >= 1. Otherwise NaN.
 * Accuracy  relative error <= STUDENT_MAX_RELERR for tail >= 1e-9 and freedom <= 1e6. */
#define STUDENT_MAX_RELERR 1e-10
double student_upper(double tail, double freedom);

#endif
