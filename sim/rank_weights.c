/* rank_weights.c - see rank_weights.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rank_weights.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <sim/rows/normal_top.h>
#include <sim/selection/key.h>
#include <sim/selection/quickselect.h>

#include "softmax.h"

#define SEED 1 /* of normal scores */

/* Goes through the rows that weigh anything. */
struct weigher {
    const struct rank_scores *scores;
    size_t n, k;
    uint64_t next, rows, weighed; /* next: the number of a row */
    double *x, *share;            /* share: of each rank, in the row that was weighed last */
    double topk_mass;             /* of its row; NAN: not known */
    uint64_t *keys, *scratch;     /* scratch: also the bytes of a row */
    uint32_t *at;
    struct normal_top top;
    struct message error;
    int failed; /* 0, or -1: with one line in `error` */
};

static void weigher_begin(struct weigher *w, const struct rank_scores *scores, uint64_t k,
                          struct message error)
{
    const bool drawn = !scores->file;
    const uint64_t most = RANK_ELEMENTS / k + 1;
    *w = (struct weigher){.scores = scores, .n = (size_t)scores->n, .k = (size_t)k, .error = error};
    const size_t room = drawn ? w->k : w->n;
    w->rows = !drawn ? scores->file->rows : most < RANK_ROWS ? most : RANK_ROWS;
    w->x = malloc(room * sizeof *w->x);
    w->share = malloc(w->k * sizeof *w->share);
    bool could = w->x && w->share;
    if (drawn) {
        could = could && normal_top_begin(&w->top, scores->n, k, SEED) == 0;
    } else {
        w->keys = malloc(room * sizeof *w->keys);
        w->scratch = malloc(2 * room * sizeof *w->scratch);
        w->at = malloc(room * sizeof *w->at);
        could = could && w->keys && w->scratch && w->at;
    }
    if (!could)
        w->failed = message_set(error, "has rows that do not fit into memory");
}

/* Returns 0; or -1 if something failed, or no row weighs anything. */
static int weigher_end(struct weigher *w)
{
    free(w->x);
    free(w->share);
    free(w->keys);
    free(w->scratch);
    free(w->at);
    free(w->top.values);
    if (!w->failed && w->weighed == 0)
        w->failed = message_set(w->error, "has no row with a number in it");
    return w->failed;
}

/* Weighs the top k of the row in w->x. Their mass, in units of the largest weight; 0 if nothing
 * weighs. */
static double weigh_file_row(struct weigher *w)
{
    const double temperature = w->scores->temperature;
    const bool probabilities = w->scores->probabilities;
    double all = 0.0, mass = 0.0;
    for (size_t i = 0; i < w->n; i++)
        w->keys[i] = recall_key_of(w->x[i]);
    select_largest(w->keys, w->n, w->k, w->scratch, w->at);
    sort_by_rank(w->keys, w->at, w->k, w->scratch);
    const double largest = w->x[w->at[0]];
    if (!softmax_weighs(largest, probabilities))
        return 0.0;
    for (size_t i = 0; i < w->n; i++)
        all += softmax_weight(w->x[i], largest, temperature, probabilities);
    for (size_t j = 0; j < w->k; j++)
        mass += w->share[j] = softmax_weight(w->x[w->at[j]], largest, temperature, probabilities);
    w->topk_mass = mass / all;
    return mass;
}

static double weigh_normal_row(struct weigher *w)
{
    double mass = 0.0;
    normal_top_draw(&w->top, w->next, w->x);
    for (size_t j = 0; j < w->k; j++)
        mass += w->share[j] =
            exp((w->x[j] - w->x[0]) * w->scores->score_sd / w->scores->temperature);
    w->topk_mass = NAN;
    return mass;
}

/* Only the fewest largest that have this share of the mass keep their weights. Their sum. */
static double keep_nucleus(double *weight, size_t k, double mass, double top_p)
{
    double sum = 0.0;
    for (size_t j = 0; j < k; j++) {
        if (sum >= top_p * mass)
            weight[j] = 0.0;
        sum += weight[j];
    }
    return sum;
}

/* Weighs the next row that weighs anything. Returns whether there was one. */
static bool weigh_next(struct weigher *w)
{
    const struct rank_scores *scores = w->scores;
    double mass = 0.0;
    for (; !(mass > 0.0); w->next++) {
        if (!w->failed && w->next < w->rows && scores->file)
            w->failed = row_file_get(scores->file, w->next, w->x, w->scratch, w->error);
        if (w->failed || w->next == w->rows)
            return false;
        mass = scores->file ? weigh_file_row(w) : weigh_normal_row(w);
    }
    w->weighed++;
    if (scores->top_p < 1.0)
        mass = keep_nucleus(w->share, w->k, mass, scores->top_p);
    for (size_t j = 0; j < w->k; j++)
        w->share[j] /= mass;
    return true;
}

/* ---- mean weights */

static void add_row(struct rank_weights *weights, const struct weigher *w, uint64_t step)
{
    const size_t k = w->k;
    for (size_t j = 0; j < k; j++) {
        weights->share[j] += w->share[j];
        weights->square[j] += w->share[j] * w->share[j];
    }
    weights->topk_mass += w->topk_mass;
    if (weights->rows++ % step == 0)
        memcpy(weights->kept + k * weights->kept_rows++, w->share, k * sizeof *w->share);
}

int rank_weights(struct rank_weights *weights, const struct rank_scores *scores, uint64_t k,
                 struct message error)
{
    struct weigher w;
    weigher_begin(&w, scores, k, error);
    const uint64_t most = k < RANK_ELEMENTS ? RANK_ELEMENTS / k : 1,
                   step = (w.rows + most - 1) / most, kept = (w.rows + step - 1) / step;
    *weights = (struct rank_weights){.n = scores->n,
                                     .k = k,
                                     .share = calloc((size_t)k, sizeof *weights->share),
                                     .square = calloc((size_t)k, sizeof *weights->square),
                                     .kept = malloc((size_t)(k * kept) * sizeof *weights->kept)};
    if (!w.failed && !(weights->share && weights->square && weights->kept))
        w.failed = message_set(error, "has rows that do not fit into memory");
    while (weigh_next(&w))
        add_row(weights, &w, step);
    weights->topk_mass /= (double)weights->rows;
    for (size_t j = 0; j < w.k && !w.failed; j++) {
        weights->share[j] /= (double)weights->rows;
        weights->square[j] /= (double)weights->rows;
    }
    return weigher_end(&w);
}

void rank_weights_free(struct rank_weights *weights)
{
    free(weights->share);
    free(weights->square);
    free(weights->kept);
}
