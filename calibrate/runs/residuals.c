/* residuals.c - see residuals.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "residuals.h"

#include <math.h>
#include <stdlib.h>

#include <base/number.h>
#include <base/statistics.h>

double predicted_us(const struct rcm_profile *profile, const struct run *run)
{
    struct rcm_profile threaded;
    if (profile->kernel->model == RCM_TIME_CPU && run->threads > 1) {
        threaded = *profile;
        threaded.threads = (double)run->threads;
        profile = &threaded;
    }
    if (run->kind == RUN_EXACT)
        return rcm_predict_exact_unpadded(profile, run->p).time_us;
    const struct rcm_prediction r = rcm_predict(profile, run->p);
    return run->kind == RUN_STAGE1 ? r.stage1_us : r.time_us;
}

struct residuals residuals_of_errors(double *errors, size_t runs, size_t unpredicted)
{
    sort_doubles(errors, runs);
    return (struct residuals){sorted_quantile(errors, runs, 0.5),
                              sorted_quantile(errors, runs, 0.95),
                              sorted_quantile(errors, runs, 1.0), runs, unpredicted};
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
    *residuals = residuals_of_errors(errors, count, unpredicted);
    free(errors);
    return 0;
}

#define RESOLVED 20 /* with so many runs there is a quantile of 5 % */

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
    sort_doubles(ratios, count);
    const double share = count < RESOLVED ? 0.0 : 0.05;
    *p05_ratio = count < RCM_BAND_RUNS ? 0.0 : sorted_quantile(ratios, count, share);
    *p95_ratio = count < RCM_BAND_RUNS ? 0.0 : sorted_quantile(ratios, count, 1.0 - share);
    free(ratios);
    return 0;
}

size_t sizes_of(const struct run *runs, size_t length, uint64_t *sizes)
{
    struct count_list list = {length, sizes};
    for (size_t i = 0; i < length; i++)
        sizes[i] = runs[i].p.n;
    sort_counts(&list);
    return list.length;
}
