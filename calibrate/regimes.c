/* regimes.c - see regimes.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "regimes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/statistics.h>

void regime_name(const struct rcm_profile *profile, const struct run *run, char name[REGIME_NAME])
{
    if (run->kind == RUN_EXACT) {
        snprintf(name, REGIME_NAME, "exact top-k, %s",
                 rcm_predict_exact_unpadded(profile, run->p).stage2);
        return;
    }
    const struct rcm_prediction r = rcm_predict(profile, run->p);
    if (run->kind == RUN_STAGE1 || strcmp(r.stage2, "none") == 0)
        snprintf(name, REGIME_NAME, "stage 1: %s", r.bound);
    else
        snprintf(name, REGIME_NAME, "%s; stage 2: %s", r.bound, r.stage2);
}

struct run_ratio {
    char name[REGIME_NAME];
    double ratio;
};

/* By name, then by the ratio, so that the middle of a regime is its median. */
static int by_name(const void *a, const void *b)
{
    const struct run_ratio *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : (x->ratio > y->ratio) - (x->ratio < y->ratio);
}

/* The regime of items that have one name; ratios and errors have room for them. */
static struct regime regime_of(const struct run_ratio *items, size_t length, double *ratios,
                               double *errors)
{
    struct regime regime;
    strcpy(regime.name, items->name);
    for (size_t i = 0; i < length; i++) {
        ratios[i] = items[i].ratio;
        errors[i] = fabs(items[i].ratio - 1.0);
    }
    regime.median_ratio = sorted_quantile(ratios, length, 0.5);
    regime.errors = residuals_of_errors(errors, length, 0);
    return regime;
}

int regimes_of(const struct rcm_profile *profile, const struct run *runs, const double *predicted,
               size_t length, struct regime **regimes, size_t *count)
{
    struct run_ratio *items = malloc((length + 1) * sizeof *items);
    double *ratios = malloc((length + 1) * sizeof *ratios),
           *errors = malloc((length + 1) * sizeof *errors);
    size_t predictions = 0, room = 0;
    int status = items && ratios && errors ? 0 : -1;
    *regimes = NULL;
    *count = 0;
    for (size_t i = 0; status == 0 && i < length; i++)
        if (isfinite(predicted[i])) {
            regime_name(profile, &runs[i], items[predictions].name);
            items[predictions++].ratio = predicted[i] / runs[i].time_us;
        }
    if (predictions > 0)
        qsort(items, predictions, sizeof *items, by_name);
    for (size_t i = 0; i < predictions; i++)
        room += i == 0 || strcmp(items[i - 1].name, items[i].name) != 0;
    if (status == 0 && !(*regimes = malloc((room + 1) * sizeof **regimes)))
        status = -1;
    for (size_t first = 0, end; status == 0 && first < predictions; first = end) {
        for (end = first + 1; end < predictions && strcmp(items[end].name, items[first].name) == 0;
             end++)
            ;
        (*regimes)[(*count)++] = regime_of(items + first, end - first, ratios, errors);
    }
    free(items);
    free(ratios);
    free(errors);
    return status;
}

size_t worst_runs(const struct run *runs, const double *predicted, size_t length, size_t most,
                  size_t *worst)
{
    size_t count = 0;
    for (size_t i = 0; most > 0 && i < length; i++) {
        const double off = fabs(log(predicted[i] / runs[i].time_us));
        size_t at = count < most ? count : most;
        while (at > 0 && off > fabs(log(predicted[worst[at - 1]] / runs[worst[at - 1]].time_us)))
            at--;
        if (at == most || !isfinite(off))
            continue;
        count += count < most;
        for (size_t j = count - 1; j > at; j--)
            worst[j] = worst[j - 1];
        worst[at] = i;
    }
    return count;
}
