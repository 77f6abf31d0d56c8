/* parts.c - see parts.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <base/threads.h>

#include <sim/selection/key.h>
#include <sim/selection/quickselect.h>

enum { ROWS_AT_ONCE = 64 };

/* Are the parts equal, the first ones one longer? Then they take turns. */
static bool take_turns(const uint64_t *size, size_t parts)
{
    for (size_t p = 1; p < parts; p++)
        if (size[p] > size[p - 1] || size[0] - size[p] > 1)
            return false;
    return true;
}

int sim_deal(const uint64_t *size, size_t parts, uint64_t deal, uint32_t *owner)
{
    uint64_t *left = malloc(parts * sizeof *left), at = 0, all = 0;
    const bool turns = deal == 0 || take_turns(size, parts);
    if (!left)
        return -1;
    for (size_t p = 0; p < parts; p++) {
        left[p] = size[p];
        all += size[p];
    }
    for (size_t next = 0; at < all; next = turns ? (next + 1) % parts : 0) {
        for (size_t p = 1; p < parts && !turns; p++) /* left/size is larger; exact for n < 2^32 */
            if (left[p] * size[next] > left[next] * size[p])
                next = p;
        const uint64_t run = deal && deal < left[next] ? deal : left[next];
        for (uint64_t i = 0; i < run; i++)
            owner[at++] = (uint32_t)next;
        left[next] -= run;
    }
    free(left);
    return 0;
}

/* What one thread needs. */
struct room {
    double *x;
    uint64_t *words, *keys; /* words: also the scratch of the selection */
    uint32_t *at, *count;
};

static void free_room(struct room *room)
{
    free(room->x);
    free(room->words);
    free(room->keys);
    free(room->at);
    free(room->count);
}

static int make_room(struct room *room, const struct sim_parts_spec *spec)
{
    const size_t n = (size_t)spec->n;
    *room = (struct room){malloc(n * sizeof *room->x), malloc((n + 1) * sizeof *room->words),
                          malloc(n * sizeof *room->keys), malloc(n * sizeof *room->at),
                          calloc(spec->parts, sizeof *room->count)};
    return room->x && room->words && room->keys && room->at && room->count ? 0 : -1;
}

/* Reads or generates row r and finds its top k, in room->at. Returns how many of these are values;
 * or -1 with errno. */
static int64_t find_top(const struct sim_parts_spec *spec, uint64_t r, struct room *room)
{
    const size_t n = (size_t)spec->n;
    if (!spec->file)
        row_generate(spec->input, spec->rho, spec->seed, r, room->x, n, room->words);
    else if (row_file_read(spec->file, r, room->x, room->words) != 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        room->keys[i] = recall_key_of(room->x[i]);
    const struct selection top =
        select_largest(room->keys, n, (size_t)spec->k, room->words, room->at);
    return top.threshold == KEY_NOTHING ? (int64_t)top.wanted : (int64_t)spec->k;
}

static struct sim_parts_row count_row(const struct sim_parts_spec *spec, const uint32_t *owner,
                                      struct room *room, int64_t length)
{
    struct sim_parts_row row = {0};
    const double n = (double)spec->n, k = (double)length;
    double scatter = 0.0;
    memset(room->count, 0, spec->parts * sizeof *room->count);
    for (int64_t j = 0; j < length; j++)
        room->count[owner[room->at[j]]]++;
    for (size_t p = 0; p < spec->parts; p++) {
        const uint64_t send = spec->send[p];
        const double share = (double)spec->size[p] / n,
                     distance = (double)room->count[p] - k * share;
        scatter += distance * distance / (k * share * (1.0 - share) * ((n - k) / (n - 1.0)));
        if (send >= spec->size[p] || send >= spec->k)
            continue;
        const double found = (double)room->count[p], grow = send          ? found / (double)send
                                                            : found > 0.0 ? INFINITY
                                                                          : 1.0;
        row.lost += room->count[p] > send ? room->count[p] - (uint32_t)send : 0;
        row.grow = grow > row.grow ? grow : row.grow;
    }
    row.scatter = (float)(scatter / (double)spec->parts);
    return row;
}

/* Rows first .. last - 1. Returns 0, or an errno; -1: the file ended early. */
static int count_rows(const struct sim_parts_spec *spec, const uint32_t *owner, struct room *rooms,
                      uint64_t first, uint64_t last, unsigned threads, struct sim_parts_row *out)
{
    int failed = 0;
    (void)threads;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads((int)threads)
#endif
    for (uint64_t r = first; r < last; r++) {
        struct room *room = &rooms[this_thread()];
        const int64_t length = find_top(spec, r, room);
        if (length < 0) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
            failed = errno ? errno : -1;
            continue;
        }
        for (size_t d = 0; d < spec->deals; d++)
            out[d * spec->rows + r] = count_row(spec, owner + d * spec->n, room, length);
    }
    return failed;
}

uint64_t sim_parts_run(const struct sim_parts_spec *spec, struct sim_parts_row *out,
                       watch_stop *stop, void *context, struct message error)
{
    const unsigned threads = (unsigned)threads_to_be_had(spec->threads);
    uint32_t *owner = malloc(spec->deals * (size_t)spec->n * sizeof *owner);
    struct room *rooms = calloc(threads, sizeof *rooms);
    int failed = owner && rooms ? 0 : ENOMEM;
    uint64_t done = 0;
    for (unsigned t = 0; t < threads && !failed; t++)
        failed = make_room(&rooms[t], spec) ? ENOMEM : 0;
    for (size_t d = 0; d < spec->deals && !failed; d++)
        failed = sim_deal(spec->size, spec->parts, spec->deal[d], owner + d * spec->n) ? ENOMEM : 0;
    while (done < spec->rows && !failed && !(stop && stop(context, done, spec->rows))) {
        const uint64_t last = spec->rows - done < ROWS_AT_ONCE ? spec->rows : done + ROWS_AT_ONCE;
        failed = count_rows(spec, owner, rooms, done, last, threads, out);
        done = failed ? done : last;
    }
    if (failed == ENOMEM)
        message_set(error, "out of memory");
    else if (failed)
        message_set(error, "the file cannot be read: %s",
                    failed > 0 ? strerror(failed) : "it has become shorter");
    for (unsigned t = 0; rooms && t < threads; t++)
        free_room(&rooms[t]);
    free(rooms);
    free(owner);
    return done;
}
