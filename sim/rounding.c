/* rounding.c - see rounding.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rounding.h"

#include <math.h>
#include <stdlib.h>

#include <base/statistics.h>
#include <sim/selection/key.h>
#include <sim/selection/quickselect.h>

double rounded_to(const struct rounding *to, double x)
{
    int exponent;
    if (!isfinite(x) || x == 0.0)
        return x;
    frexp(x, &exponent); /* |x| is in [2^(exponent-1), 2^exponent) */
    const int least = 1 - to->bias, unit = (exponent - 1 > least ? exponent - 1 : least);
    const double y = ldexp(nearbyint(ldexp(x, to->fraction_bits - unit)), unit - to->fraction_bits);
    return fabs(y) <= to->largest ? y : copysign(to->infinite ? INFINITY : to->largest, x);
}

struct room {
    double *x;
    uint64_t *keys, *rounded, *scratch;
    uint32_t *at, *rounded_at;
    bool *among;  /* the top k of the row as it is */
    double *each; /* what each row lost */
};

static int make_room(struct room *room, size_t n, size_t rows)
{
    *room = (struct room){.x = malloc(n * sizeof *room->x),
                          .keys = malloc(n * sizeof *room->keys),
                          .rounded = malloc(n * sizeof *room->rounded),
                          .scratch = malloc(n * sizeof *room->scratch),
                          .at = malloc(n * sizeof *room->at),
                          .rounded_at = malloc(n * sizeof *room->rounded_at),
                          .among = calloc(n, sizeof *room->among),
                          .each = malloc((rows + 1) * sizeof *room->each)};
    return room->x && room->keys && room->rounded && room->scratch && room->at &&
                   room->rounded_at && room->among && room->each
               ? 0
               : -1;
}

static void free_room(struct room *room)
{
    free(room->x);
    free(room->keys);
    free(room->rounded);
    free(room->scratch);
    free(room->at);
    free(room->rounded_at);
    free(room->among);
    free(room->each);
}

/* Adds the row in room->x. */
static void add_row(struct room *room, size_t n, size_t k, const struct rounding *to,
                    struct rounding_means *means)
{
    size_t values = 0, kept = 0, alike = 0;
    for (size_t i = 0; i < n; i++) {
        room->keys[i] = recall_key_of(room->x[i]);
        room->rounded[i] =
            room->keys[i] == KEY_NOTHING ? KEY_NOTHING : key_of(rounded_to(to, room->x[i]));
        values += room->keys[i] != KEY_NOTHING;
    }
    const size_t wanted = values < k ? values : k;
    if (wanted == 0)
        return;
    select_largest(room->keys, n, wanted, room->scratch, room->at);
    const struct selection top =
        select_largest(room->rounded, n, wanted, room->scratch, room->rounded_at);
    for (size_t i = 0; i < wanted; i++)
        room->among[room->at[i]] = true;
    for (size_t i = 0; i < wanted; i++) {
        kept += room->among[room->rounded_at[i]];
        alike += room->rounded[room->at[i]] == top.threshold;
    }
    for (size_t i = 0; i < wanted; i++)
        room->among[room->at[i]] = false;
    /* where no tie crosses the border, nothing is lost */
    const size_t others = top.tied > alike ? top.tied - alike : 0;
    room->each[means->rows] = (double)(wanted - kept) / (double)wanted;
    means->loss += room->each[means->rows++];
    means->loss_worst += (double)(alike < others ? alike : others) / (double)wanted;
}

int rounding_means(const struct row_file *file, uint64_t k, const struct rounding *to,
                   struct rounding_means *means, struct message error)
{
    struct room room;
    int failed = make_room(&room, (size_t)file->row, (size_t)file->rows);
    if (failed)
        message_set(error, "has rows that do not fit into memory");
    *means = (struct rounding_means){0};
    for (uint64_t r = 0; r < file->rows && !failed; r++) {
        failed = row_file_get(file, r, room.x, room.scratch, error);
        if (!failed)
            add_row(&room, (size_t)file->row, (size_t)k, to, means);
    }
    if (!failed && means->rows == 0)
        failed = message_set(error, "has no row with a number in it");
    if (!failed) {
        sort_doubles(room.each, (size_t)means->rows);
        means->loss_99 = room.each[means->rows - 1 - means->rows / 100];
    }
    free_room(&room);
    means->loss /= (double)means->rows;
    means->loss_worst /= (double)means->rows;
    return failed;
}
