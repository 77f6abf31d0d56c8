/* validate.c - see validate.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "validate.h"

#include <math.h>
#include <stdlib.h>

const char *score_name(size_t score)
{
    return score == 0 ? "calibrated" : rcm_cost_model(score - 1)->name;
}

int validation_begin(struct validation *v, const struct run *runs, size_t length)
{
    *v = (struct validation){.sizes = malloc((length + 1) * sizeof *v->sizes), .left_out = calloc(length + 1, sizeof *v->left_out),
                             .left_out_regret = calloc(length + 1, sizeof *v->left_out_regret)};
    if (!v->sizes || !v->left_out || !v->left_out_regret)
        return -1;
    v->size_count = sizes_of(runs, length, v->sizes);
    return 0;
}

void validation_free(struct validation *v)
{
    free(v->sizes);
    free(v->left_out);
    free(v->left_out_regret);
    *v = (struct validation){0};
}

struct work {
    const struct run *runs;
    size_t length;
    const struct rcm_profile *like;
    bool *out, *in;
    double *predicted, *each, *scores;
};

static int set_regrets(const struct work *w, const double *predicted, const bool *out, struct regret regrets[SCORES])
{
    int status = 0;
    for (size_t i = 0; i < w->length; i++)
        w->in[i] = (!out || out[i]) && isfinite(predicted[i]);
    for (size_t score = 0; score < SCORES && status == 0; score++) {
        for (size_t i = 0; i < w->length; i++)
            w->scores[i] = score == 0 ? predicted[i] : rcm_cost(rcm_cost_model(score - 1), w->runs[i].p).approximate;
        status = regret_of(w->runs, w->scores, w->in, w->length, &regrets[score]);
    }
    return status;
}

/* Each run of a size that others are enough for is predicted by a fit to them. */
static int leave_out_each(struct validation *v, struct work *w, bool (*tick)(void *), void *context)
{
    char ignored[CSV_ERROR];
    for (size_t s = 0; s < v->size_count; s++) {
        for (size_t i = 0; i < w->length; i++)
            w->out[i] = w->runs[i].p.n == v->sizes[s];
        const bool fitted = predict_held_out(w->runs, w->length, w->like, w->out, w->predicted, ignored) == 0;
        for (size_t i = 0; i < w->length; i++) {
            if (!fitted)
                w->predicted[i] = NAN;
            if (w->out[i])
                w->each[i] = w->predicted[i];
        }
        if (residuals_of(w->runs, w->predicted, w->out, w->length, &v->left_out[s]) != 0 || set_regrets(w, w->predicted, w->out, v->left_out_regret[s]) != 0)
            return -1;
        if (tick(context))
            return 1;
    }
    return residuals_of(w->runs, w->each, NULL, w->length, &v->each) != 0 || set_regrets(w, w->each, NULL, v->each_regret) != 0 ? -1 : 0;
}

int validate(struct validation *v, const struct run *runs, size_t length, const struct rcm_profile *like, const bool *together, bool (*tick)(void *), void *context,
             char error[CSV_ERROR])
{
    struct work w = {.runs = runs, .length = length, .like = like, .out = malloc(length + 1), .in = malloc(length + 1), .predicted = malloc((length + 1) * sizeof *w.predicted),
                     .each = malloc((length + 1) * sizeof *w.each), .scores = malloc((length + 1) * sizeof *w.scores)};
    int status = w.out && w.in && w.predicted && w.each && w.scores ? 0 : -1;
    snprintf(error, CSV_ERROR, "not enough memory");
    if (status == 0 && v->size_count > 1)
        status = leave_out_each(v, &w, tick, context);
    char reason[CSV_ERROR];
    if (status == 0 && together && predict_held_out(runs, length, like, together, w.predicted, reason) != 0) {
        snprintf(error, CSV_ERROR, "without the sizes that are left out: %.250s", reason);
        status = -1;
    }
    if (status == 0 && together)
        status = residuals_of(runs, w.predicted, together, length, &v->together) != 0 || set_regrets(&w, w.predicted, together, v->together_regret) != 0 ? -1 : 0;
    free(w.out);
    free(w.in);
    free(w.predicted);
    free(w.each);
    free(w.scores);
    return status;
}
