/* rank_weights.c - see rank_weights.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rank_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Adds the row in room->x. */
static void add_row(struct room *room, size_t n, size_t k, double temperature, double top_p,
                    double *share, double *square, struct rank_weights *means)
{
    double all = 0.0, mass = 0.0;
    for (size_t i = 0; i < n; i++)
        room->keys[i] = recall_key_of(room->x[i]);
    select_largest(room->keys, n, k, room->scratch, room->at);
    sort_by_rank(room->keys, room->at, k, room->scratch);
    const double largest = room->x[room->at[0]];
    if (!(largest > -INFINITY))
        return;
    for (size_t i = 0; i < n; i++)
        all += softmax_weight(room->x[i], largest, temperature);
    for (size_t j = 0; j < k; j++)
        mass += room->weight[j] = softmax_weight(room->x[room->at[j]], largest, temperature);
    means->rows++;
    means->topk_mass += mass / all;
    if (top_p < 1.0)
        mass = keep_nucleus(room->weight, k, mass, top_p);
    for (size_t j = 0; j < k; j++) {
        const double part = room->weight[j] / mass;
        share[j] += part;
        square[j] += part * part;
    }
}

int rank_weights(const struct row_file *file, uint64_t k, double temperature, double top_p,
                 double *share, double *square, struct rank_weights *means, struct message error)
{
    struct room room;
    int failed = make_room(&room, (size_t)file->row, (size_t)k);
    if (failed)
        message_set(error, "has rows that do not fit into memory");
    *means = (struct rank_weights){0};
    memset(share, 0, (size_t)k * sizeof *share);
    memset(square, 0, (size_t)k * sizeof *square);
    for (uint64_t r = 0; r < file->rows && !failed; r++) {
        failed = row_file_get(file, r, room.x, room.scratch, error);
        if (!failed)
            add_row(&room, (size_t)file->row, (size_t)k, temperature, top_p, share, square, means);
    }
    free_room(&room);
    if (!failed && means->rows == 0)
        failed = message_set(error, "has no row with a number in it");
    const double rows = (double)means->rows;
    means->topk_mass /= rows;
    for (uint64_t r = 0; r < k && !failed; r++) {
        share[r] /= rows;
        square[r] /= rows;
    }
    return failed;
}
