/* statistics.c - see statistics.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>

int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sort_doubles(double *values, size_t length)
{
    if (length > 0)
        qsort(values, length, sizeof *values, compare_doubles);
}

double sorted_quantile(const double *sorted, size_t length, double share)
{
    if (length == 0)
        return NAN;
    const double at = share * (double)(length - 1);
    const size_t below = (size_t)at;
    return below + 1 < length
               ? sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below])
               : sorted[length - 1];
}

double z_score(double mean, double expected, double sd, double count)
{
    return sd > 0.0 ? (mean - expected) / (sd / sqrt(count)) : NAN;
}
