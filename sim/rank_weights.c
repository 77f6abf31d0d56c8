/* rank_weights.c - see rank_weights.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rank_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <base/statistics.h>
#include <sim/rows/random.h>
#include <sim/selection/key.h>
#include <sim/selection/quickselect.h>

#include "softmax.h"

struct room {
    double *x, *weight;
    uint64_t *keys, *scratch; /* scratch: also the bytes of a row */
    uint32_t *at;
};

static int make_room(struct room *room, size_t n, size_t k)
{
    *room = (struct room){malloc(n * sizeof *room->x), malloc(k * sizeof *room->weight),
                          malloc(n * sizeof *room->keys), malloc(2 * n * sizeof *room->scratch),
                          malloc(n * sizeof *room->at)};
    return room->x && room->weight && room->keys && room->scratch && room->at ? 0 : -1;
}

static void free_room(struct room *room)
{
    free(room->x);
    free(room->weight);
    free(room->keys);
    free(room->scratch);
    free(room->at);
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

/* How rows are weighed, and what is done with each: room->weight has the shares by rank. */
struct weighing {
    uint64_t k;
    double temperature, top_p;
    struct rank_weights *means;
    void (*take)(struct weighing *how, const double *share);
    double *share, *square;  /* of rank_weights() */
    struct drawing *drawing; /* of rank_loss() */
};

/* Weighs the row in room->x. */
static void weigh_row(struct weighing *how, struct room *room, size_t n)
{
    const size_t k = (size_t)how->k;
    double all = 0.0, mass = 0.0;
    for (size_t i = 0; i < n; i++)
        room->keys[i] = recall_key_of(room->x[i]);
    select_largest(room->keys, n, k, room->scratch, room->at);
    sort_by_rank(room->keys, room->at, k, room->scratch);
    const double largest = room->x[room->at[0]];
    if (!(largest > -INFINITY))
        return;
    for (size_t i = 0; i < n; i++)
        all += softmax_weight(room->x[i], largest, how->temperature);
    for (size_t j = 0; j < k; j++)
        mass += room->weight[j] = softmax_weight(room->x[room->at[j]], largest, how->temperature);
    how->means->rows++;
    how->means->topk_mass += mass / all;
    if (how->top_p < 1.0)
        mass = keep_nucleus(room->weight, k, mass, how->top_p);
    for (size_t j = 0; j < k; j++)
        room->weight[j] /= mass;
    how->take(how, room->weight);
}

static int weigh_rows(struct weighing *how, const struct row_file *file, struct message error)
{
    struct room room;
    int failed = make_room(&room, (size_t)file->row, (size_t)how->k);
    if (failed)
        message_set(error, "has rows that do not fit into memory");
    *how->means = (struct rank_weights){0};
    for (uint64_t r = 0; r < file->rows && !failed; r++) {
        failed = row_file_get(file, r, room.x, room.scratch, error);
        if (!failed)
            weigh_row(how, &room, (size_t)file->row);
    }
    free_room(&room);
    if (!failed && how->means->rows == 0)
        failed = message_set(error, "has no row with a number in it");
    how->means->topk_mass /= (double)how->means->rows;
    return failed;
}

/* ---- mean weights */

static void add_shares(struct weighing *how, const double *share)
{
    for (uint64_t j = 0; j < how->k; j++) {
        how->share[j] += share[j];
        how->square[j] += share[j] * share[j];
    }
}

int rank_weights(const struct row_file *file, uint64_t k, double temperature, double top_p,
                 double *share, double *square, struct rank_weights *means, struct message error)
{
    struct weighing how = {.k = k,
                           .temperature = temperature,
                           .top_p = top_p,
                           .means = means,
                           .take = add_shares,
                           .share = share,
                           .square = square};
    memset(share, 0, (size_t)k * sizeof *share);
    memset(square, 0, (size_t)k * sizeof *square);
    const int failed = weigh_rows(&how, file, error);
    for (uint64_t r = 0; r < k && !failed; r++) {
        share[r] /= (double)means->rows;
        square[r] /= (double)means->rows;
    }
    return failed;
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

static void draw_losses(struct weighing *how, const double *share)
{
    struct drawing *d = how->drawing;
    const struct random_key key = random_key(d->to.seed, RANDOM_PLACEMENT, d->to.b);
    for (uint64_t i = 0; i < d->each; i++) {
        struct random_stream stream = random_stream(key, d->length);
        d->loss[d->length++] = lose(d, share, how->k, &stream);
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

int rank_loss(const struct row_file *file, uint64_t k, double temperature, double top_p,
              struct rank_placement placement, double rest, struct rank_loss *loss,
              struct message error)
{
    struct rank_weights means;
    struct drawing d = {
        .to = placement, .n = file->row, .each = (RANK_DRAWS - 1) / (file->rows + 1) + 1};
    struct weighing how = {.k = k,
                           .temperature = temperature,
                           .top_p = top_p,
                           .means = &means,
                           .take = draw_losses,
                           .drawing = &d};
    d.in = malloc((size_t)placement.b * sizeof *d.in);
    d.loss = malloc((size_t)(file->rows * d.each + 1) * sizeof *d.loss);
    int failed = d.in && d.loss ? 0 : message_set(error, "has too many rows for this memory");
    if (!failed)
        failed = weigh_rows(&how, file, error);
    if (!failed)
        set_loss(&d, rest, loss);
    free(d.in);
    free(d.loss);
    return failed;
}
