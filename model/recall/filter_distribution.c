/* filter_distribution.c - the distributions of what a running threshold appends, and of the most
 * that its buffer holds: see recallmodel/filter.h. Derivation: docs/models.md 25.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <model/shape/bisect.h>

#include "filter_walk.h"

#define PI 3.14159265358979323846
#define WAVES 32       /* of one walk */
#define FLAT 1e-9      /* waves below that are left out */
#define FLAT_MOST 1e-6 /* .. but not more than that */
#define AT_LAST 8      /* so many of them */
#define OF_SHARE 1e-2  /* the same, of the share of a quantile */
#define BEYOND 3.0     /* times that may lie near the ends of the window */
#define WINDOW 20.0    /* standard deviations that waves repeat after, and a few elements more */
#define WINDOW_MORE 32.0
#define LIMITS 15 /* of the buffer, tried at once */

/* What is appended: by its waves, of a window that repeats. */
struct appended_distribution {
    struct filter_walk walk; /* the next one */
    double flat;
    uint64_t low, window; /* the values low .. low + window - 1 */
    size_t waves;
    double *wave; /* the real and the imaginary part of waves 1, .. */
    double limit[LIMITS];
};

/* P(at most `value`), of low <= value < low + window. */
static double distribution_at(const struct appended_distribution *dist, uint64_t value)
{
    const double count = (double)(value - dist->low + 1), window = (double)dist->window;
    double sum = count;
    for (size_t i = 1; i <= dist->waves; i++) {
        /* the sum of exp(-i t v) over v = low .. value is a kernel about the middle of them */
        const double half = 0.5 * dist->walk.step * (double)i,
                     middle = 2.0 * half * ((double)dist->low + 0.5 * (count - 1.0)),
                     kernel = sin(half * count) / sin(half);
        const double *const wave = dist->wave + 2 * (i - 1);
        const bool own_image = 2 * i == dist->window;
        sum += (own_image ? 1.0 : 2.0) * kernel * (wave[0] * cos(middle) + wave[1] * sin(middle));
    }
    return fmin(fmax(sum / window, 0.0), 1.0);
}

static double appended_at_most(const struct appended_distribution *dist, uint64_t value)
{
    return value < dist->low                       ? 0.0
           : value - dist->low >= dist->window - 1 ? 1.0
                                                   : distribution_at(dist, value);
}

/* A window of so many values about the mean. */
static void set_window(struct appended_distribution *dist, double mean, double wide)
{
    const struct rcm_filter f = dist->walk.f;
    const uint64_t least = filter_read(f, dist->walk.blocks.first), all = f.n - least + 1;
    dist->window = wide < (double)all ? (uint64_t)wide : all;
    const double from = floor(mean - 0.5 * (double)dist->window);
    dist->low = from > (double)least ? (uint64_t)from : least;
    if (dist->low > f.n - dist->window + 1)
        dist->low = f.n - dist->window + 1;
}

/* Is there next to nothing in the first and the last eighth of the window? What lies beyond one end
 * comes in at the other. */
static bool window_is_wide(const struct appended_distribution *dist)
{
    const struct rcm_filter f = dist->walk.f;
    const uint64_t least = filter_read(f, dist->walk.blocks.first), eighth = dist->window / 8;
    const double little = BEYOND * dist->flat;
    return dist->window == f.n - least + 1 ||
           ((dist->low == least || distribution_at(dist, dist->low + eighth) < little) &&
            1.0 - distribution_at(dist, dist->low + dist->window - 1 - eighth) < little);
}

/* Are those waves flat that came last? */
static bool is_flat(const struct appended_distribution *dist)
{
    bool flat = dist->waves >= AT_LAST;
    for (size_t i = 0; flat && i < AT_LAST; i++) {
        const double *const wave = dist->wave + 2 * (dist->waves - 1 - i);
        flat = hypot(wave[0], wave[1]) < dist->flat;
    }
    return flat;
}

/* Sets the waves of the window: they are enough where those beyond them vanish. The limits of
 * dist->walk come with the first. Returns whether it could. */
static bool set_waves(struct appended_distribution *dist)
{
    struct filter_walk *const walk = &dist->walk;
    const size_t most = (size_t)(dist->window / 2);
    walk->step = 2.0 * PI / (double)dist->window;
    dist->waves = 0;
    do {
        walk->first_wave = dist->waves + 1;
        walk->waves = most - dist->waves < WAVES ? most - dist->waves : WAVES;
        double *const wave =
            realloc(dist->wave, 2 * (dist->waves + walk->waves + 1) * sizeof *dist->wave);
        if (!wave)
            return false;
        dist->wave = wave;
        if (!filter_walk(walk, wave + 2 * dist->waves, dist->limit))
            return false;
        dist->waves += walk->waves;
        walk->limits = 0;
    } while (dist->waves < most && !is_flat(dist));
    return true;
}

/* free(dist->wave) after either. Returns whether it could. */
static bool appended_begin(struct appended_distribution *dist)
{
    const struct rcm_filter_work work = rcm_filter(dist->walk.f);
    double wide = ceil(WINDOW * work.appended_sd + WINDOW_MORE);
    if (isnan(work.appended))
        return false;
    for (;; wide *= 2.0) {
        set_window(dist, work.appended, wide);
        if (!set_waves(dist))
            return false;
        if (window_is_wide(dist))
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
    struct appended_distribution dist = {.walk = {.f = f, .blocks = filter_blocks(f)},
                                         .flat = FLAT};
    if (dist.walk.blocks.first == 0)
        return dist.walk.blocks.count > 0 ? of_whole_row(f, appended) : NAN;
    const double within = appended_begin(&dist) ? appended_at_most(&dist, appended) : NAN;
    free(dist.wave);
    return within;
}

double rcm_filter_buffer_at_most(struct rcm_filter f, uint64_t room)
{
    struct filter_walk walk = {
        .f = f, .blocks = filter_blocks(f), .limits = 1, .low = room, .apart = 1};
    double within, unused;
    if (walk.blocks.first == 0)
        return walk.blocks.count > 0 ? of_whole_row(f, room) : NAN;
    return filter_walk(&walk, &unused, &within) ? fmin(within, 1.0) : NAN;
}

/* ---- quantiles */

struct appended_search {
    const struct appended_distribution *dist;
    double share;
};

static enum answer suffices(void *context, uint64_t value)
{
    const struct appended_search *search = context;
    return 1.0 - appended_at_most(search->dist, value) <= search->share ? YES : NO;
}

/* The limits low, low + apart, .. were tried: sets *low to the first that suffices. All do from the
 * last one on. Returns whether the number before it does not. */
static bool limit_quantile(const double limit[LIMITS], double share, uint64_t *low, uint64_t apart)
{
    size_t j = 0;
    while (j < LIMITS && 1.0 - limit[j] > share)
        j++;
    *low += j * apart;
    return j == 0 || apart == 1;
}

struct rcm_filter_quantiles rcm_filter_quantiles(struct rcm_filter f, double share)
{
    struct rcm_filter_quantiles q = {0, 0};
    struct appended_distribution dist = {
        .walk = {.f = f, .blocks = filter_blocks(f), .limits = LIMITS},
        .flat = fmax(FLAT, fmin(OF_SHARE * share, FLAT_MOST))};
    struct filter_walk *const walk = &dist.walk;
    if (walk->blocks.count == 0 || !(share >= RCM_FILTER_SHARE_LEAST && share < 1.0))
        return q;
    if (walk->blocks.first == 0)
        return (struct rcm_filter_quantiles){f.n, f.n};
    double unused;
    walk->low = filter_read(f, walk->blocks.first);
    walk->apart = (f.k + f.more + f.block - 1 - walk->low) / LIMITS + 1;
    bool could = appended_begin(&dist);
    if (could)
        q.appended = bisect(dist.low, dist.low + dist.window - 1, suffices,
                            &(struct appended_search){&dist, share});
    walk->waves = 0;
    walk->limits = LIMITS;
    while (could && !limit_quantile(dist.limit, share, &walk->low, walk->apart)) {
        walk->low -= walk->apart - 1;
        walk->apart = (walk->apart - 1) / LIMITS + 1;
        could = filter_walk(walk, &unused, dist.limit);
    }
    q.buffer = walk->low;
    free(dist.wave);
    return could ? q : (struct rcm_filter_quantiles){0, 0};
}
