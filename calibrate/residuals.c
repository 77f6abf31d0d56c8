/* residuals.c - how far predictions are from the measured times: see fit.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "fit.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sort_values(double *values, size_t length)
{
    if (length > 0)
        qsort(values, length, sizeof *values, by_value);
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

int residuals_of(const struct run *runs, const double *predicted, const bool *in, size_t length,
                 struct residuals *residuals)
{
    double *errors = malloc((length + 1) * sizeof *errors);
    size_t count = 0, unpredicted = 0;
    if (!errors)
        return -1;
    for (size_t i = 0; i < length; i++)
        if ((!in || in[i]) && isfinite(predicted[i]))
            errors[count++] = fabs(predicted[i] / runs[i].time_us - 1.0);
        else
            unpredicted += !in || in[i];
    sort_values(errors, count);
    *residuals = (struct residuals){sorted_quantile(errors, count, 0.5),
                                    sorted_quantile(errors, count, 0.95),
                                    sorted_quantile(errors, count, 1.0), count, unpredicted};
    free(errors);
    return 0;
}

#define RESOLVED 20 /* so many runs have a 5 % quantile */

int band_of(const struct run *runs, const double *predicted, bool exact, size_t length,
            double *p05_ratio, double *p95_ratio)
{
    double *ratios = malloc((length + 1) * sizeof *ratios);
    size_t count = 0;
    if (!ratios)
        return -1;
    for (size_t i = 0; i < length; i++)
        if ((runs[i].kind == RUN_EXACT) == exact && isfinite(predicted[i]))
            ratios[count++] = runs[i].time_us / predicted[i];
    sort_values(ratios, count);
    const double share = count < RESOLVED ? 0.0 : 0.05;
    *p05_ratio = count < RCM_BAND_RUNS ? 0.0 : sorted_quantile(ratios, count, share);
    *p95_ratio = count < RCM_BAND_RUNS ? 0.0 : sorted_quantile(ratios, count, 1.0 - share);
    free(ratios);
    return 0;
}

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

size_t sizes_of(const struct run *runs, size_t length, uint64_t *sizes)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        sizes[i] = runs[i].p.n;
    if (length > 0)
        qsort(sizes, length, sizeof *sizes, by_size);
    for (size_t i = 0; i < length; i++)
        if (count == 0 || sizes[count - 1] != sizes[i])
            sizes[count++] = sizes[i];
    return count;
}
