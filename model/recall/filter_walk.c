/* filter_walk.c - see filter_walk.h.
 *
 * The state is how many elements were appended since the last compaction. In each state there are
 * `width` numbers. The first is its probability. Two for each wave: the mean of exp(i t s) over the
 * rows that are in it, s what was appended up to that compaction. One for each limit: the
 * probability without the rows whose buffer ever held more.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "filter_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEVER 1e-13 /* probabilities that are left out: of each step, and of each state */
#define FAR 8.0     /* standard deviations, and as many elements, that none goes beyond */
#define TOGETHER 8  /* numbers that a compiler adds at once; width is a multiple */

struct walk {
    struct filter_walk *asked;
    uint64_t k, more;
    size_t width;
    double *now, *next, *fine[2]; /* states 0 .. more + block - 1 */
    double *zero;                 /* rows that were just compacted */
    double *share;                /* of each number of elements that are appended, from `low` on */
    uint64_t low, high;
};

static size_t wave_at(size_t i)
{
    return 1 + 2 * i;
}

static size_t limit_at(const struct filter_walk *asked, size_t j)
{
    return 1 + 2 * asked->waves + j;
}

/* ---- steps */

/* Of the next x elements behind `seen`, so many exceed the a-th appended one, which is the k + a
 * largest of those seen. */
static void expect(const struct walk *w, uint64_t seen, uint64_t x, uint64_t a, double *mean,
                   double *sd)
{
    const double s = (double)seen + 1.0, part = (double)(w->k + a) / s;
    *mean = (double)x * part;
    *sd = sqrt(*mean * (1.0 - part) * ((s + (double)x) / (s + 1.0)));
}

/* Sets share[c - low] for each c = low .. high that counts: the probability that c of the next x
 * exceed; but no c from `end` - a on. Each next element does with probability (k + a + those before
 * it that did)/(seen + those before it + 1). */
static void exceeding(struct walk *w, uint64_t seen, uint64_t x, uint64_t a, uint64_t end)
{
    const double rank = (double)(w->k + a);
    const uint64_t last = x < end - 1 - a ? x : end - 1 - a;
    double mean, sd, sum, most, *const share = w->share;
    uint64_t c;
    expect(w, seen, x, a, &mean, &sd);
    for (double away = FAR;; away *= 2.0) { /* upwards, from where it is next to nothing */
        const double from = floor(mean - away * (sd + 1.0));
        double here = 1.0;
        w->low = c = from > 0.0 ? (uint64_t)from : 0;
        sum = most = share[0] = here;
        for (; c < last && (here >= NEVER * most || (double)c < mean); c++) {
            here *= (double)(x - c) * (rank + (double)c) /
                    (((double)c + 1.0) * (double)(seen + x - w->k - a - c));
            share[c + 1 - w->low] = here;
            sum += here;
            most = here > most ? here : most;
        }
        if (w->low == 0 || most * NEVER > 1.0)
            break;
    }
    w->high = c;
    for (c = 0; c <= w->high - w->low; c++)
        share[c] /= sum;
}

/* to += times from, of a width that is a multiple of TOGETHER, which compilers make use of. */
static void add_times(double *restrict to, const double *restrict from, double times, size_t width)
{
    width -= width % TOGETHER;
    for (size_t i = 0; i < width; i++)
        to[i] += times * from[i];
}

/* From state a to those of `to` below `end`, by the next x elements. */
static void spread(struct walk *w, double *to, const double *from, uint64_t a, uint64_t seen,
                   uint64_t x, uint64_t end)
{
    if (from[0] < NEVER)
        return;
    exceeding(w, seen, x, a, end);
    for (uint64_t c = w->low; c <= w->high; c++)
        add_times(to + (a + c) * w->width, from, w->share[c - w->low], w->width);
    w->asked->sums += (double)(w->high - w->low + 1) * (double)w->width;
}

/* Adds the numbers of one state to `to`: waves turn by what the compaction ends. */
static void turn(const struct walk *w, double *to, const double *from, uint64_t appended)
{
    const struct filter_walk *asked = w->asked;
    to[0] += from[0];
    for (size_t i = 0; i < asked->waves; i++) {
        const double angle = asked->step * (double)(asked->first_wave + i) * (double)appended;
        const double re = from[wave_at(i)], im = from[wave_at(i) + 1];
        to[wave_at(i)] += cos(angle) * re - sin(angle) * im;
        to[wave_at(i) + 1] += sin(angle) * re + cos(angle) * im;
    }
    for (size_t j = 0; j < asked->limits; j++)
        to[limit_at(asked, j)] += from[limit_at(asked, j)];
}

/* Drops the rows whose buffer holds so many elements from those limits that are lower. */
static void limit_to(const struct walk *w, double *row, uint64_t held)
{
    const struct filter_walk *asked = w->asked;
    for (size_t j = 0; j < asked->limits && asked->low + j * asked->apart < held; j++)
        row[limit_at(asked, j)] = 0.0;
}

/* ---- from one block to a later one */

/* May state a reach a compaction by the next x elements? */
static bool may_compact(const struct walk *w, uint64_t seen, uint64_t x, uint64_t a)
{
    double mean, sd;
    expect(w, seen, x, a, &mean, &sd);
    return (double)a + mean + FAR * (sd + 1.0) >= (double)w->more;
}

/* The last block up to which 7 of 8 states, which lie far from a compaction, may step at once. */
static uint64_t step_to(const struct walk *w, uint64_t block)
{
    const struct rcm_filter f = w->asked->f;
    const uint64_t seen = filter_read(f, block);
    uint64_t to = block + 1;
    while (to < w->asked->blocks.count &&
           !may_compact(w, seen, filter_read(f, to + 1) - seen, w->more - w->more / 8))
        to++;
    return to;
}

/* Takes the states from a = near on block by block. Rows that are compacted step to the end at
 * once. */
static void near_states(struct walk *w, uint64_t near, uint64_t block, uint64_t to)
{
    const struct rcm_filter f = w->asked->f;
    const uint64_t end = filter_read(f, to);
    const double *from = w->now;
    for (uint64_t i = block; i < to; i++) {
        double *const fine = w->fine[i % 2];
        const uint64_t seen = filter_read(f, i), read = filter_read(f, i + 1), x = read - seen;
        memset(fine + near * w->width, 0, (size_t)(w->more + x - near) * w->width * sizeof *fine);
        memset(w->zero, 0, w->width * sizeof *w->zero);
        for (uint64_t a = near; a < w->more; a++)
            spread(w, fine, from + a * w->width, a, seen, x, w->more + x);
        for (uint64_t a = w->more; a < w->more + x; a++)
            if (fine[a * w->width] > 0.0) {
                limit_to(w, fine + a * w->width, w->k + a);
                turn(w, w->zero, fine + a * w->width, a);
            }
        if (read == end)
            add_times(w->next, w->zero, 1.0, w->width);
        else
            spread(w, w->next, w->zero, 0, read, end - read, w->more);
        from = fine;
    }
    add_times(w->next + near * w->width, from + near * w->width, 1.0,
              (size_t)(w->more - near) * w->width);
}

static void advance(struct walk *w, uint64_t block, uint64_t to)
{
    const struct rcm_filter f = w->asked->f;
    const uint64_t seen = filter_read(f, block), x = filter_read(f, to) - seen;
    uint64_t near = to == block + 1 ? 0 : w->more;
    while (near > 0 && may_compact(w, seen, x, near - 1))
        near--;
    memset(w->next, 0, (size_t)w->more * w->width * sizeof *w->next);
    for (uint64_t a = 0; a < near; a++)
        spread(w, w->next, w->now + a * w->width, a, seen, x, w->more);
    near_states(w, near, block, to);
    double *const swap = w->now;
    w->now = w->next;
    w->next = swap;
}

/* ---- the walk */

/* The first compaction comes behind the same element in each row. */
static void begin(struct walk *w)
{
    const struct filter_walk *asked = w->asked;
    const uint64_t seen = filter_read(asked->f, asked->blocks.first);
    memset(w->now, 0, (size_t)w->more * w->width * sizeof *w->now);
    memset(w->zero, 0, w->width * sizeof *w->zero);
    w->zero[0] = 1.0;
    for (size_t i = 0; i < asked->waves; i++)
        w->zero[wave_at(i)] = 1.0;
    for (size_t j = 0; j < asked->limits; j++)
        w->zero[limit_at(asked, j)] = 1.0;
    limit_to(w, w->zero, seen);
    turn(w, w->now, w->zero, seen);
}

static void finish(struct walk *w, double *wave, double *limit)
{
    const struct filter_walk *asked = w->asked;
    memset(w->zero, 0, w->width * sizeof *w->zero);
    for (uint64_t a = 0; a < w->more; a++)
        turn(w, w->zero, w->now + a * w->width, a);
    memcpy(wave, w->zero + 1, 2 * asked->waves * sizeof *wave);
    memcpy(limit, w->zero + limit_at(asked, 0), asked->limits * sizeof *limit);
}

bool filter_walk(struct filter_walk *asked, double *wave, double *limit)
{
    struct walk w = {.asked = asked, .k = asked->f.k, .more = asked->f.more};
    const uint64_t states = asked->f.more + asked->f.block;
    bool could = false;
    w.width = (limit_at(asked, asked->limits) + TOGETHER - 1) / TOGETHER * TOGETHER;
    if ((double)states * (double)w.width > RCM_FILTER_DISTRIBUTION_NUMBERS)
        return false;
    const size_t all = (size_t)states * w.width;
    double *const memory = malloc((4 * all + w.width + (size_t)states + 2) * sizeof *memory);
    if (!memory)
        return false;
    w.now = memory;
    w.next = w.now + all;
    w.fine[0] = w.next + all;
    w.fine[1] = w.fine[0] + all;
    w.zero = w.fine[1] + all;
    w.share = w.zero + w.width;
    begin(&w);
    for (uint64_t block = asked->blocks.first, to;; block = to) {
        could = asked->sums <= RCM_FILTER_DISTRIBUTION_SUMS;
        if (!could || block == asked->blocks.count)
            break;
        to = step_to(&w, block);
        advance(&w, block, to);
    }
    if (could)
        finish(&w, wave, limit);
    free(memory);
    return could;
}
