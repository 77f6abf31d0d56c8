/* filter_law.c - the laws of what a running threshold appends, and of the most that its buffer
 * holds: see recallmodel/filter.h. Derivation: docs/models.md 25.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filter_blocks.h"

#define NEVER 1e-13 /* probabilities that are left out: of each block, and of each state */
#define PI 3.14159265358979323846
#define WAVES 40    /* of the law of what is appended, to begin with */
#define FLAT 1e-9   /* waves below that are left out */
#define BEYOND 3e-9 /* of the law: may lie near the ends of its window */
#define WINDOW 20.0 /* standard deviations that waves repeat after, and a few elements more */
#define WINDOW_MORE 32.0
#define LIMITS 15  /* of the buffer, tried at once */
#define TOGETHER 8 /* numbers that a compiler adds at once; width is a multiple */

/* ---- from block to block
 *
 * The state is how many elements were appended since the last compaction. In each state there are
 * `width` numbers. The first is its probability. Two for each wave of angle t: the mean of
 * exp(i t s) over the rows that are in it, s what was appended up to that compaction. One for each
 * limit: the probability without the rows whose buffer ever held more. */
struct walk {
    struct rcm_filter f;
    struct filter_blocks blocks;
    size_t waves, limits, width;
    double step;         /* wave i has the angle i step; i = 0 is the probability */
    uint64_t low, apart; /* limit j is low + j apart */
    double *now, *next, *end;
    double *share; /* of each number of elements that a block appends */
    double *one_over, *one_over_below;
};

static size_t wave_at(size_t i)
{
    return i ? 2 * i - 1 : 0;
}

static size_t limit_at(const struct walk *w, size_t j)
{
    return 2 * w->waves - 1 + j;
}

/* Sets share[c] for each c from *low to *high that counts: that c of the next x elements exceed the
 * a-th appended one, which is the k + a largest of those seen. Each next element does with
 * probability (k + a + c)/(seen + those of x before it + 1). */
static void exceeding(const struct walk *w, uint64_t seen, uint64_t x, uint64_t a, uint64_t *low,
                      uint64_t *high)
{
    const double all = (double)x, s = (double)seen + 1.0, rank = (double)(w->f.k + a),
                 mean = all * rank / s,
                 sd = sqrt(mean * (1.0 - rank / s) * ((s + all) / (s + 1.0)));
    double *const share = w->share, sum, most;
    uint64_t c;
    for (double away = 8.0;; away *= 2.0) { /* upwards, from where it is next to nothing */
        const double from = floor(mean - away * (sd + 1.0));
        double here = 1.0;
        *low = c = from > 0.0 ? (uint64_t)from : 0;
        sum = most = share[c] = here;
        for (; c < x && (here >= NEVER * most || (double)c < mean); c++) {
            here *= (double)(x - c) * (rank + (double)c) * w->one_over[c + 1] *
                    w->one_over_below[a + c];
            share[c + 1] = here;
            sum += here;
            most = here > most ? here : most;
        }
        if (*low == 0 || most * NEVER > 1.0)
            break;
    }
    *high = c;
    const double scale = 1.0 / sum;
    for (uint64_t i = *low; i <= c; i++)
        share[i] *= scale;
}

/* Adds the numbers of one state to `to`: waves turn by what the compaction ends. */
static void turn(const struct walk *w, double *to, const double *from, uint64_t appended)
{
    to[0] += from[0];
    for (size_t i = 1; i < w->waves; i++) {
        const double angle = w->step * (double)i * (double)appended, c = cos(angle), s = sin(angle);
        const double re = from[wave_at(i)], im = from[wave_at(i) + 1];
        to[wave_at(i)] += c * re - s * im;
        to[wave_at(i) + 1] += s * re + c * im;
    }
    for (size_t j = 0; j < w->limits; j++)
        to[limit_at(w, j)] += from[limit_at(w, j)];
}

/* Drops the rows whose buffer holds so many elements from those limits that are lower. */
static void limit(const struct walk *w, double *row, uint64_t held)
{
    for (size_t j = 0; j < w->limits && w->low + j * w->apart < held; j++)
        row[limit_at(w, j)] = 0.0;
}

/* to += times from, of a width that is a multiple of TOGETHER, which compilers make use of. */
static void add_times(double *restrict to, const double *restrict from, double times, size_t width)
{
    width -= width % TOGETHER;
    for (size_t i = 0; i < width; i++)
        to[i] += times * from[i];
}

/* One block of x elements behind `seen`. */
static void block_of(struct walk *w, uint64_t seen, uint64_t x)
{
    const uint64_t k = w->f.k, more = w->f.more;
    const size_t width = w->width;
    memset(w->next, 0, (size_t)(more + x) * width * sizeof *w->next);
    for (uint64_t y = 0; y < more + x; y++)
        w->one_over_below[y] = k + y < seen + x ? 1.0 / (double)(seen + x - k - y) : 0.0;
    for (uint64_t a = 0; a < more; a++) {
        const double *const from = w->now + a * width;
        uint64_t low, high;
        if (from[0] < NEVER)
            continue;
        exceeding(w, seen, x, a, &low, &high);
        for (uint64_t c = low; c <= high; c++)
            add_times(w->next + (a + c) * width, from, w->share[c], width);
    }
    for (uint64_t a = more; a < more + x; a++) {
        double *const row = w->next + a * width;
        if (!(row[0] > 0.0))
            continue;
        limit(w, row, k + a);
        turn(w, w->next, row, a);
    }
    double *const swap = w->now;
    w->now = w->next;
    w->next = swap;
}

/* Sets w->end to the sums over all rows at the end of the row. The first compaction comes behind
 * the same element in each. */
static void walk(struct walk *w)
{
    uint64_t seen = filter_read(w->f, w->blocks.first);
    memset(w->now, 0, (size_t)w->f.more * w->width * sizeof *w->now);
    memset(w->next, 0, w->width * sizeof *w->next);
    for (size_t i = 0; i < w->waves; i++)
        w->next[wave_at(i)] = 1.0;
    for (size_t j = 0; j < w->limits; j++)
        w->next[limit_at(w, j)] = 1.0;
    limit(w, w->next, seen);
    turn(w, w->now, w->next, seen);
    for (uint64_t block = w->blocks.first + 1; block <= w->blocks.count; block++) {
        const uint64_t read = filter_read(w->f, block);
        block_of(w, seen, read - seen);
        seen = read;
    }
    memset(w->end, 0, w->width * sizeof *w->end);
    for (uint64_t a = 0; a < w->f.more; a++)
        turn(w, w->end, w->now + a * w->width, a);
}

/* About how many numbers a walk adds up. */
static double walk_sums(const struct walk *w)
{
    const double block = (double)w->f.block, held = (double)w->f.k + 0.5 * (double)w->f.more;
    double sums = 0.0;
    for (uint64_t i = w->blocks.first; i > 0 && i < w->blocks.count; i++)
        sums +=
            fmin(block, 16.0 * sqrt(block * fmin(held / (double)filter_read(w->f, i), 1.0)) + 8.0);
    return sums * (double)w->f.more * (double)w->width;
}

static bool walk_allocate(struct walk *w)
{
    const uint64_t states = w->f.more + w->f.block;
    if ((double)states * (double)w->width > RCM_FILTER_LAW_NUMBERS ||
        walk_sums(w) > RCM_FILTER_LAW_SUMS)
        return false;
    w->now = malloc((size_t)states * w->width * sizeof *w->now);
    w->next = malloc((size_t)states * w->width * sizeof *w->next);
    w->end = malloc(w->width * sizeof *w->end);
    w->share = malloc((size_t)(w->f.block + 1) * sizeof *w->share);
    w->one_over = malloc((size_t)(w->f.block + 1) * sizeof *w->one_over);
    w->one_over_below = malloc((size_t)states * sizeof *w->one_over_below);
    if (!w->now || !w->next || !w->end || !w->share || !w->one_over || !w->one_over_below)
        return false;
    for (uint64_t i = 1; i <= w->f.block; i++)
        w->one_over[i] = 1.0 / (double)i;
    return true;
}

/* Walks with the waves and limits of w, of a filter whose buffer does not take the whole row.
 * walk_free() after either. Returns whether it could. */
static bool walk_with(struct walk *w)
{
    w->width = (limit_at(w, w->limits) + TOGETHER - 1) / TOGETHER * TOGETHER;
    if (!walk_allocate(w))
        return false;
    walk(w);
    return true;
}

static void walk_free(struct walk *w)
{
    double **const all[] = {&w->now,   &w->next,     &w->end,
                            &w->share, &w->one_over, &w->one_over_below};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(*all[i]);
        *all[i] = NULL;
    }
}

/* ---- what is appended: by its waves, of a window that repeats */

struct appended_law {
    struct walk walk;
    uint64_t low, window; /* the values low .. low + window - 1 */
};

/* P(at most `value`), of low <= value < low + window. */
static double law_at(const struct appended_law *law, uint64_t value)
{
    const struct walk *const w = &law->walk;
    const double count = (double)(value - law->low + 1), window = (double)law->window;
    double sum = count;
    for (size_t i = 1; i < w->waves; i++) {
        /* the sum of exp(-i t v) over v = low .. value is a kernel about the middle of them */
        const double half = 0.5 * w->step * (double)i,
                     middle = 2.0 * half * ((double)law->low + 0.5 * (count - 1.0)),
                     kernel = sin(half * count) / sin(half);
        const bool own_image = 2 * i == law->window;
        sum += (own_image ? 1.0 : 2.0) * kernel *
               (w->end[wave_at(i)] * cos(middle) + w->end[wave_at(i) + 1] * sin(middle));
    }
    return fmin(fmax(sum / window, 0.0), 1.0);
}

static double appended_at_most(const struct appended_law *law, uint64_t value)
{
    return value < law->low ? 0.0 : value - law->low >= law->window - 1 ? 1.0 : law_at(law, value);
}

/* A window of so many values about the mean. */
static void set_window(struct appended_law *law, double mean, double wide)
{
    const struct walk *const w = &law->walk;
    const uint64_t least = filter_read(w->f, w->blocks.first), all = w->f.n - least + 1;
    law->window = wide < (double)all ? (uint64_t)wide : all;
    const double from = floor(mean - 0.5 * (double)law->window);
    law->low = from > (double)least ? (uint64_t)from : least;
    if (law->low > w->f.n - law->window + 1)
        law->low = w->f.n - law->window + 1;
}

/* Is there next to nothing in the first and the last eighth of the window? What lies beyond one end
 * comes in at the other. */
static bool window_is_wide(const struct appended_law *law)
{
    const uint64_t least = filter_read(law->walk.f, law->walk.blocks.first),
                   eighth = law->window / 8;
    return law->window == law->walk.f.n - least + 1 ||
           ((law->low == least || law_at(law, law->low + eighth) < BEYOND) &&
            1.0 - law_at(law, law->low + law->window - 1 - eighth) < BEYOND);
}

/* Sets the waves of the window, with the limits of law->walk beside them. Waves are enough where
 * those beyond them vanish. Returns whether it could. */
static bool set_waves(struct appended_law *law)
{
    struct walk *const w = &law->walk;
    const size_t most = (size_t)(law->window / 2 + 1);
    w->step = 2.0 * PI / (double)law->window;
    for (w->waves = most < WAVES ? most : WAVES;;
         w->waves = 2 * w->waves < most ? 2 * w->waves : most) {
        walk_free(w);
        if (!walk_with(w))
            return false;
        const size_t last = wave_at(w->waves - 1);
        if (w->waves == most || hypot(w->end[last], w->end[last + 1]) < FLAT)
            return true;
    }
}

/* walk_free() after either. Returns whether it could. */
static bool appended_begin(struct appended_law *law)
{
    const struct rcm_filter_work work = rcm_filter(law->walk.f);
    double wide = ceil(WINDOW * work.appended_sd + WINDOW_MORE);
    if (isnan(work.appended))
        return false;
    for (;; wide *= 2.0) {
        set_window(law, work.appended, wide);
        if (!set_waves(law))
            return false;
        if (window_is_wide(law))
            return true;
    }
}

/* ---- for one number */

/* A row that the buffer takes whole: everything is appended, and held. */
static double of_whole_row(struct rcm_filter f, uint64_t value)
{
    return value >= f.n ? 1.0 : 0.0;
}

double rcm_filter_appended_at_most(struct rcm_filter f, uint64_t appended)
{
    struct appended_law law = {.walk = {.f = f, .blocks = filter_blocks(f)}};
    if (law.walk.blocks.first == 0)
        return law.walk.blocks.count > 0 ? of_whole_row(f, appended) : NAN;
    const double within = appended_begin(&law) ? appended_at_most(&law, appended) : NAN;
    walk_free(&law.walk);
    return within;
}

double rcm_filter_buffer_at_most(struct rcm_filter f, uint64_t room)
{
    struct walk w = {
        .f = f, .blocks = filter_blocks(f), .waves = 1, .limits = 1, .low = room, .apart = 1};
    if (w.blocks.first == 0)
        return w.blocks.count > 0 ? of_whole_row(f, room) : NAN;
    const double within = walk_with(&w) ? fmin(w.end[limit_at(&w, 0)], 1.0) : NAN;
    walk_free(&w);
    return within;
}

/* ---- quantiles */

static uint64_t appended_quantile(const struct appended_law *law, double share)
{
    uint64_t low = law->low, high = law->low + law->window - 1;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (1.0 - appended_at_most(law, middle) <= share)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The first limit of a walk that suffices; *enough: does the one before it not? All do from the
 * last one on. */
static uint64_t limit_quantile(const struct walk *w, double share, bool *enough)
{
    size_t j = 0;
    while (j < w->limits && 1.0 - w->end[limit_at(w, j)] > share)
        j++;
    *enough = j == 0 || w->apart == 1;
    return w->low + j * w->apart;
}

struct rcm_filter_quantiles rcm_filter_quantiles(struct rcm_filter f, double share)
{
    struct rcm_filter_quantiles q = {0, 0};
    struct appended_law law = {.walk = {.f = f, .blocks = filter_blocks(f)}};
    struct walk *const w = &law.walk;
    if (w->blocks.count == 0 || !(share >= RCM_FILTER_SHARE_LEAST && share < 1.0))
        return q;
    if (w->blocks.first == 0)
        return (struct rcm_filter_quantiles){f.n, f.n};
    const uint64_t most = f.k + f.more + f.block - 1;
    bool enough = false;
    w->limits = LIMITS;
    w->low = filter_read(f, w->blocks.first);
    w->apart = (most - w->low) / LIMITS + 1;
    bool could = appended_begin(&law);
    if (could)
        q.appended = appended_quantile(&law, share);
    while (could && (q.buffer = limit_quantile(w, share, &enough), !enough)) {
        w->waves = 1;
        w->low = q.buffer - w->apart + 1;
        w->apart = (w->apart - 1) / LIMITS + 1;
        walk_free(w);
        could = walk_with(w);
    }
    walk_free(w);
    return could ? q : (struct rcm_filter_quantiles){0, 0};
}
