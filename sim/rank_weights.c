/* rank_weights.c - see rank_weights.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rank_weights.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <base/statistics.h>
#include <sim/rows/normal_top.h>
#include <sim/rows/random.h>
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
    double all = 0.0, mass = 0.0;
    for (size_t i = 0; i < w->n; i++)
        w->keys[i] = recall_key_of(w->x[i]);
    select_largest(w->keys, w->n, w->k, w->scratch, w->at);
    sort_by_rank(w->keys, w->at, w->k, w->scratch);
    const double largest = w->x[w->at[0]];
    if (!(largest > -INFINITY))
        return 0.0;
    for (size_t i = 0; i < w->n; i++)
        all += softmax_weight(w->x[i], largest, temperature);
    for (size_t j = 0; j < w->k; j++)
        mass += w->share[j] = softmax_weight(w->x[w->at[j]], largest, temperature);
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

int rank_weights(const struct rank_scores *scores, uint64_t k, double *share, double *square,
                 struct rank_weights *means, struct message error)
{
    struct weigher w;
    *means = (struct rank_weights){0};
    memset(share, 0, (size_t)k * sizeof *share);
    memset(square, 0, (size_t)k * sizeof *square);
    weigher_begin(&w, scores, k, error);
    while (weigh_next(&w)) {
        for (size_t j = 0; j < w.k; j++) {
            share[j] += w.share[j];
            square[j] += w.share[j] * w.share[j];
        }
        means->topk_mass += w.topk_mass;
    }
    means->rows = w.weighed;
    means->topk_mass /= (double)w.weighed;
    for (size_t j = 0; j < w.k; j++) {
        share[j] /= (double)w.weighed;
        square[j] /= (double)w.weighed;
    }
    return weigher_end(&w);
}

/* ---- what is lost */

struct drawing {
    struct rank_placement to;
    uint64_t n, each; /* draws of a row */
    uint32_t *in;     /* elements that a bucket has */
    double *loss;     /* of each draw */
    size_t length;
};

/* The share that is lost if the ranks, the largest first, are placed one after the other. A place
 * in a bucket is free with probability (its elements - those in it)/its elements. */
static double lose(struct drawing *d, const double *share, uint64_t k, struct random_stream *stream)
{
    double lost = 0.0;
    memset(d->in, 0, (size_t)d->to.b * sizeof *d->in);
    for (uint64_t j = 0; j < k;) {
        const uint64_t place = random_below(stream, d->n), bucket = place % d->to.b;
        if (place / d->to.b < d->in[bucket])
            continue;
        if (++d->in[bucket] > d->to.k_b)
            lost += share[j];
        j++;
    }
    return lost;
}

static void draw_losses(struct drawing *d, const double *share, uint64_t k)
{
    const struct random_key key = random_key(d->to.seed, RANDOM_PLACEMENT, d->to.b);
    for (uint64_t i = 0; i < d->each; i++) {
        struct random_stream stream = random_stream(key, d->length);
        d->loss[d->length++] = lose(d, share, k, &stream);
    }
}

static void set_loss(struct drawing *d, double rest, struct rank_loss *loss)
{
    const double count = (double)d->length;
    double square = 0.0;
    loss->mean = 0.0;
    for (size_t i = 0; i < d->length; i++)
        loss->mean += d->loss[i] / count;
    for (size_t i = 0; i < d->length; i++)
        square += (d->loss[i] - loss->mean) * (d->loss[i] - loss->mean) / count;
    loss->sd = sqrt(square);
    sort_doubles(d->loss, d->length);
    const size_t beyond = (size_t)(rest * count);
    loss->quantile = d->loss[d->length - 1 - (beyond < d->length ? beyond : d->length - 1)];
}

int rank_loss(const struct rank_scores *scores, uint64_t k, struct rank_placement placement,
              double rest, struct rank_loss *loss, struct message error)
{
    struct weigher w;
    weigher_begin(&w, scores, k, error);
    struct drawing d = {
        .to = placement, .n = scores->n, .each = (RANK_DRAWS - 1) / (w.rows + 1) + 1};
    d.in = malloc((size_t)placement.b * sizeof *d.in);
    d.loss = malloc((size_t)(w.rows * d.each + 1) * sizeof *d.loss);
    if (!w.failed && !(d.in && d.loss))
        w.failed = message_set(error, "has too many rows for this memory");
    while (weigh_next(&w))
        draw_losses(&d, w.share, k);
    const int failed = weigher_end(&w);
    if (!failed)
        set_loss(&d, rest, loss);
    free(d.in);
    free(d.loss);
    return failed;
}
