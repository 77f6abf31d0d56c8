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
    uint64_t *sizes = malloc((length + 1) * sizeof *sizes);
    *v = (struct validation){.size_count = sizes ? sizes_of(runs, length, sizes) : 0};
    v->sizes = calloc(v->size_count + 1, sizeof *v->sizes);
    for (size_t s = 0; v->sizes && s < v->size_count; s++)
        v->sizes[s].n = sizes[s];
    free(sizes);
    if (!sizes || !v->sizes)
        return -1;
    const size_t most = length > FIT_RUNS_MOST ? VALIDATION_FOLDS_MANY : VALIDATION_FOLDS;
    v->folds = v->size_count < 2 ? 0 : v->size_count < most ? v->size_count : most;
    return 0;
}

void validation_free(struct validation *v)
{
    free(v->sizes);
    *v = (struct validation){0};
}

/* The runs sorted by n, and what every fold needs of them. */
struct sorted_runs {
    struct run *runs; /* those of one n in the order in which they came */
    size_t length;
    size_t *from;  /* the place of each in the list that came */
    size_t *first; /* of each size: its first run; then the end */
    const struct rcm_profile *like;
    bool *out, *in;
    double *predicted, *each; /* by the present fit; by the fit that left the run's fold out */
    double *losses, *scores[SCORES]; /* scores[0]: the predictions */
};

struct size_and_place {
    uint64_t n;
    size_t from;
};

static int by_n(const void *a, const void *b)
{
    const struct size_and_place *x = a, *y = b;
    return x->n != y->n ? (x->n > y->n) - (x->n < y->n) : (x->from > y->from) - (x->from < y->from);
}

static void sorted_runs_free(struct sorted_runs *w)
{
    free(w->runs);
    free(w->from);
    free(w->first);
    free(w->out);
    free(w->in);
    free(w->predicted);
    free(w->each);
    free(w->losses);
    for (size_t score = 1; score < SCORES; score++)
        free(w->scores[score]);
}

static bool sorted_runs_allocate(struct sorted_runs *w, size_t length, size_t sizes)
{
    const size_t doubles = (length + 1) * sizeof(double);
    bool all = (w->runs = malloc((length + 1) * sizeof *w->runs)) &&
               (w->from = malloc((length + 1) * sizeof *w->from)) &&
               (w->first = malloc((sizes + 1) * sizeof *w->first)) &&
               (w->out = malloc(length + 1)) && (w->in = malloc(length + 1)) &&
               (w->predicted = malloc(doubles)) && (w->each = malloc(doubles)) &&
               (w->losses = malloc(doubles));
    for (size_t score = 1; score < SCORES; score++)
        all = all && (w->scores[score] = malloc(doubles));
    w->length = length;
    return all;
}

/* The cost of a run in a cost model. */
static double cost_of(size_t score, const struct run *run)
{
    const struct rcm_cost cost = rcm_cost(rcm_cost_model(score - 1), run->p);
    return run->kind == RUN_EXACT ? cost.exact : cost.approximate;
}

/* Sorts the runs by n, and computes their losses and costs. Returns 0, or -1 if memory runs out. */
static int sorted_runs_fill(struct sorted_runs *w, const struct run *runs,
                            const struct validation *v)
{
    struct size_and_place *places = malloc((w->length + 1) * sizeof *places);
    size_t size = 0;
    if (!places)
        return -1;
    for (size_t i = 0; i < w->length; i++)
        places[i] = (struct size_and_place){runs[i].p.n, i};
    if (w->length > 0)
        qsort(places, w->length, sizeof *places, by_n);
    for (size_t i = 0; i < w->length; i++) {
        w->from[i] = places[i].from;
        w->runs[i] = runs[w->from[i]];
        if (i == 0 || places[i].n != places[i - 1].n)
            w->first[size++] = i;
        w->losses[i] = rcm_loss_exact(w->runs[i].p);
        for (size_t score = 1; score < SCORES; score++)
            w->scores[score][i] = cost_of(score, &w->runs[i]);
    }
    w->first[v->size_count] = w->length;
    free(places);
    return 0;
}

/* regret_of_losses() or regret_with_exact() */
typedef int regret_function(const struct run *runs, const double *loss, const double *score,
                            const bool *in, size_t length, struct regret *regret);

/* The regret of each score among those runs first .. end - 1 that have a prediction and are `out`
 * (NULL: all). Returns 0, or -1 if memory runs out. */
static int set_regrets(struct sorted_runs *w, double *predicted, const bool *out, size_t first,
                       size_t end, regret_function *of, struct regret regrets[SCORES])
{
    int status = 0;
    w->scores[0] = predicted;
    for (size_t i = first; i < end; i++)
        w->in[i] = (!out || out[i]) && isfinite(predicted[i]);
    for (size_t score = 0; score < SCORES && status == 0; score++)
        status = of(w->runs + first, w->losses + first, w->scores[score] + first, w->in + first,
                    end - first, &regrets[score]);
    return status;
}

/* Predicts the runs of each fold by a fit to the others; they stay unpredicted if these are too
 * few. Returns 0, 1 if it was stopped, or -1 if memory runs out. */
static int leave_out_each(struct validation *v, struct sorted_runs *w, const struct watch *watch)
{
    char ignored[CSV_ERROR];
    for (size_t fold = 0; fold < v->folds; fold++) {
        for (size_t s = 0; s < v->size_count; s++)
            for (size_t i = w->first[s]; i < w->first[s + 1]; i++)
                w->out[i] = s % v->folds == fold;
        const bool success = predict_held_out(w->runs, w->length, w->like, w->out, w->predicted,
                                              MESSAGE(ignored)) == 0;
        for (size_t i = 0; i < w->length; i++)
            if (w->out[i])
                w->each[i] = success ? w->predicted[i] : NAN;
        if (watch_step(watch, fold + 1, v->folds))
            return 1;
    }
    for (size_t s = 0; s < v->size_count; s++) {
        const size_t first = w->first[s], end = w->first[s + 1];
        struct validated_size *size = &v->sizes[s];
        if (residuals_of(w->runs + first, w->each + first, NULL, end - first, &size->left_out) !=
                0 ||
            set_regrets(w, w->each, NULL, first, end, regret_of_losses, size->regret) != 0)
            return -1;
    }
    return residuals_of(w->runs, w->each, NULL, w->length, &v->each) != 0 ||
                   set_regrets(w, w->each, NULL, 0, w->length, regret_of_losses, v->each_regret) !=
                       0 ||
                   set_regrets(w, w->each, NULL, 0, w->length, regret_with_exact,
                               v->each_with_exact) != 0 ||
                   band_of(w->runs, w->each, false, w->length, &v->p05_ratio, &v->p95_ratio) != 0 ||
                   band_of(w->runs, w->each, true, w->length, &v->exact_p05_ratio,
                           &v->exact_p95_ratio) != 0
               ? -1
               : 0;
}

/* Predicts the runs of `together` by a fit to the others. */
static int leave_out_together(struct validation *v, struct sorted_runs *w, const bool *together,
                              struct message error)
{
    char reason[CSV_ERROR];
    for (size_t i = 0; i < w->length; i++)
        w->out[i] = together[w->from[i]];
    if (predict_held_out(w->runs, w->length, w->like, w->out, w->predicted, MESSAGE(reason)) != 0)
        return message_set(error, "without the sizes that are left out: %.250s", reason);
    return residuals_of(w->runs, w->predicted, w->out, w->length, &v->together) != 0 ||
                   set_regrets(w, w->predicted, w->out, 0, w->length, regret_of_losses,
                               v->together_regret) != 0 ||
                   set_regrets(w, w->predicted, w->out, 0, w->length, regret_with_exact,
                               v->together_with_exact) != 0
               ? -1
               : 0;
}

int validate(struct validation *v, const struct run *runs, size_t length,
             const struct rcm_profile *like, const bool *together, const struct watch *watch,
             struct message error)
{
    struct sorted_runs w = {.like = like};
    int status =
        sorted_runs_allocate(&w, length, v->size_count) && sorted_runs_fill(&w, runs, v) == 0 ? 0
                                                                                              : -1;
    message_set(error, "not enough memory");
    if (status == 0 && v->folds > 0)
        status = leave_out_each(v, &w, watch);
    if (status == 0 && together)
        status = leave_out_together(v, &w, together, error);
    sorted_runs_free(&w);
    return status;
}

/* The next k above `k` that a run has; 0: none. */
static uint64_t next_k(const struct run *runs, size_t length, uint64_t k)
{
    uint64_t next = 0;
    for (size_t i = 0; i < length; i++)
        if (runs[i].p.k > k && (next == 0 || runs[i].p.k < next))
            next = runs[i].p.k;
    return next;
}

int validate_by_k(const struct run *runs, size_t length, const struct rcm_profile *like,
                  struct residuals *residuals)
{
    char ignored[CSV_ERROR];
    bool *out = malloc(length + 1);
    double *predicted = malloc((length + 1) * sizeof *predicted),
           *each = malloc((length + 1) * sizeof *each);
    const uint64_t first = next_k(runs, length, 0);
    int status = out && predicted && each ? 0 : -1;
    *residuals = (struct residuals){0};
    for (uint64_t k = first; status == 0 && k; k = next_k(runs, length, k)) {
        for (size_t i = 0; i < length; i++)
            out[i] = runs[i].p.k == k;
        const bool success =
            predict_held_out(runs, length, like, out, predicted, MESSAGE(ignored)) == 0;
        for (size_t i = 0; i < length; i++)
            if (out[i])
                each[i] = success ? predicted[i] : NAN;
    }
    if (status == 0 && next_k(runs, length, first))
        status = residuals_of(runs, each, NULL, length, residuals);
    free(out);
    free(predicted);
    free(each);
    return status;
}
