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
#include <sim/softmax.h>

#define SEED 1 /* of normal scores */

/* Goes through the rows that weigh anything. */
struct weigher {
    const struct rank_scores *scores;
    size_t n, k, shown;
    uint64_t next, rows, weighed; /* next: the number of a row */
    double *x;
    double *share;            /* of each rank, in the row that was weighed last; */
    double *weight[2];        /* of those shown: chain_row; */
    double rest;              /* what the others weigh, and .. */
    double topk_mass;         /* .. the share of the top k; NAN: not known */
    double *room;             /* of the chain, with .. */
    uint32_t *left;           /* .. what it keeps */
    uint64_t *keys, *scratch; /* scratch: also the bytes of a row */
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
    const uint64_t shown = !scores->change             ? k
                           : RANK_SHOWN(k) < scores->n ? RANK_SHOWN(k)
                                                       : scores->n;
    *w = (struct weigher){.scores = scores,
                          .n = (size_t)scores->n,
                          .k = (size_t)k,
                          .shown = (size_t)shown,
                          .error = error};
    const size_t room = drawn ? w->shown : w->n;
    w->rows = !drawn ? scores->file->rows : most < RANK_ROWS ? most : RANK_ROWS;
    w->x = malloc(room * sizeof *w->x);
    w->share = malloc(w->k * sizeof *w->share);
    w->weight[0] = malloc(2 * w->shown * sizeof *w->weight[0]);
    w->room = malloc(2 * w->shown * sizeof *w->room);
    w->left = malloc(w->shown * sizeof *w->left);
    bool could = w->x && w->share && w->weight[0] && w->room && w->left;
    if (could)
        w->weight[1] = w->weight[0] + w->shown;
    if (drawn) {
        could = could && normal_top_begin(&w->top, scores->n, shown, SEED) == 0;
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
    free(w->weight[0]);
    free(w->room);
    free(w->left);
    free(w->keys);
    free(w->scratch);
    free(w->at);
    free(w->top.values);
    if (!w->failed && w->weighed == 0)
        w->failed = message_set(w->error, "has no row with a number in it");
    return w->failed;
}

/* score: less that of the largest. */
static void set_weight(struct weigher *w, size_t rank, double score, double temperature)
{
    w->weight[1][rank] = exp(score / temperature);
    w->weight[0][rank] = temperature == 1.0 ? w->weight[1][rank] : exp(score);
}

/* Weighs the row in w->x. Returns whether anything weighs. */
static bool take_file_row(struct weigher *w)
{
    const struct chain *chain = &w->scores->chain;
    const bool probabilities = w->scores->probabilities;
    const double temperature = chain_temperature(chain), whole = chain_row_temperature(chain);
    double all = 0.0, mass = 0.0;
    for (size_t i = 0; i < w->n; i++)
        w->keys[i] = recall_key_of(w->x[i]);
    select_largest(w->keys, w->n, w->shown, w->scratch, w->at);
    sort_by_rank(w->keys, w->at, w->shown, w->scratch);
    const double largest = w->x[w->at[0]];
    if (!softmax_weighs(largest, probabilities))
        return false;
    w->rest = 0.0;
    for (size_t i = 0; i < w->n; i++) {
        all += softmax_weight(w->x[i], largest, temperature, probabilities);
        if (!isnan(whole))
            w->rest += softmax_weight(w->x[i], largest, whole, probabilities);
    }
    for (size_t j = 0; j < w->shown; j++) {
        const double score = softmax_score(w->x[w->at[j]], largest, probabilities);
        set_weight(w, j, score, temperature);
        mass += j < w->k ? w->weight[1][j] : 0.0;
        if (!isnan(whole))
            w->rest = fmax(w->rest - exp(score / whole), 0.0);
    }
    w->topk_mass = mass / all;
    return true;
}

static double normal_below(double z)
{
    return 0.5 * erfc(-z / sqrt(2.0));
}

/* P(a normal number is below -t) over the density there, from t = 5 on: a continued fraction. */
static double normal_beyond(double t)
{
    double below = t;
    for (int i = 40; i > 0; i--)
        below = t + i / below;
    return 1.0 / below;
}

/* What the scores below those shown weigh on average: each is normal, but below z. Far below sd,
 * which takes the first factor out of range, they weigh as those at z do. */
static double normal_rest(const struct weigher *w, double temperature)
{
    const double sd = w->scores->score_sd / temperature, z = w->x[w->shown - 1], gap = sd - z;
    const double below = gap < 5.0 ? exp(sd * (0.5 * sd - w->x[0])) * normal_below(-gap)
                                   : exp(sd * (z - w->x[0]) - 0.5 * z * z) /
                                         sqrt(2.0 * acos(-1.0)) * normal_beyond(gap);
    return (double)(w->n - w->shown) * below / normal_below(z);
}

static void take_normal_row(struct weigher *w)
{
    const double temperature = chain_temperature(&w->scores->chain),
                 whole = chain_row_temperature(&w->scores->chain);
    normal_top_draw(&w->top, w->next, w->x);
    for (size_t j = 0; j < w->shown; j++)
        set_weight(w, j, (w->x[j] - w->x[0]) * w->scores->score_sd, temperature);
    w->rest = isnan(whole) ? 0.0 : normal_rest(w, whole);
    w->topk_mass = NAN;
}

/* What the chain keeps of the exact top k, as shares of it. */
static void weigh_row(struct weigher *w)
{
    const struct chain *chain = &w->scores->chain;
    const struct chain_row row = {{w->weight[0], w->weight[1]}, w->shown, w->rest};
    const size_t left = chain_kept(chain, row, w->k, NULL, w->left, w->room);
    double mass = 0.0;
    for (size_t j = 0; j < w->k; j++)
        w->share[j] = 0.0;
    for (size_t i = 0; i < left; i++)
        mass += w->share[w->left[i]] = w->weight[1][w->left[i]];
    for (size_t j = 0; j < w->k; j++)
        w->share[j] /= mass;
}

/* Weighs the next row that weighs anything. Returns whether there was one. */
static bool weigh_next(struct weigher *w)
{
    const struct rank_scores *scores = w->scores;
    for (bool weighs = false; !weighs; w->next++) {
        if (!w->failed && w->next < w->rows && scores->file)
            w->failed = row_file_get(scores->file, w->next, w->x, w->scratch, w->error);
        if (w->failed || w->next == w->rows)
            return false;
        weighs = !scores->file || take_file_row(w);
        if (!scores->file)
            take_normal_row(w);
    }
    w->weighed++;
    weigh_row(w);
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
    if (weights->rows++ % step != 0)
        return;
    if (weights->shown_weights) {
        double *const to = weights->shown_weights + (2 * w->shown + 1) * weights->kept_rows;
        memcpy(to, w->weight[0], 2 * w->shown * sizeof *to);
        to[2 * w->shown] = w->rest;
    }
    memcpy(weights->kept + k * weights->kept_rows++, w->share, k * sizeof *w->share);
}

int rank_weights(struct rank_weights *weights, const struct rank_scores *scores, uint64_t k,
                 struct message error)
{
    struct weigher w;
    weigher_begin(&w, scores, k, error);
    const uint64_t most = w.shown < RANK_ELEMENTS ? RANK_ELEMENTS / w.shown : 1,
                   step = (w.rows + most - 1) / most, kept = (w.rows + step - 1) / step;
    *weights = (struct rank_weights){.n = scores->n,
                                     .k = k,
                                     .share = calloc((size_t)k, sizeof *weights->share),
                                     .square = calloc((size_t)k, sizeof *weights->square),
                                     .kept = malloc((size_t)(k * kept) * sizeof *weights->kept),
                                     .shown = w.shown,
                                     .drawn = !scores->file};
    if (scores->change)
        weights->shown_weights =
            malloc((2 * w.shown + 1) * (size_t)kept * sizeof *weights->shown_weights);
    if (!w.failed && !(weights->share && weights->square && weights->kept &&
                       (weights->shown_weights || !scores->change)))
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
    free(weights->shown_weights);
}
