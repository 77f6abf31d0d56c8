/* sampler.c - see sampler.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sampler.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <base/clock.h>
#include <base/memory.h>
#include <base/statistics.h>

const struct sampling sampling_grid = {.noise = 0.005, .seconds = 0.15, .least = 7};
const struct sampling sampling_tail = {.least = 10000};

#define WARM_UP 4                        /* calls before the first sample */
static const double look_every_s = 0.01; /* at the state of the device */

/* Waiting for the device to cool down, in all measurements of this process: at most, and so far. */
static const double cooling_most_s = 60;
static double total_cooling_s;

static double noise_of(const double *times, size_t count)
{
    double sum = 0.0, squares = 0.0, n = (double)count;
    for (size_t i = 0; i < count; i++)
        sum += times[i];
    for (size_t i = 0; i < count; i++)
        squares += (times[i] - sum / n) * (times[i] - sum / n);
    return count > 1 ? sqrt(squares / (n - 1.0)) / (sum / n) : INFINITY;
}

/* The number of samples below the true median is binomial (count, 1/2): with probability 0.95
 * within 1.96 sqrt(count)/2 of count/2. The interval is between the order statistics at these
 * places. */
void summarise(double *times, size_t count, struct timing *timing)
{
    double n = (double)count;
    sort_doubles(times, count);
    double below = floor((n - 1.96 * sqrt(n)) / 2.0), above = ceil((n + 1.96 * sqrt(n)) / 2.0);
    timing->samples = count;
    timing->median_us = sorted_quantile(times, count, 0.5);
    timing->most_us[0] = sorted_quantile(times, count, 0.99);
    timing->most_us[1] = sorted_quantile(times, count, 0.999);
    timing->most_us[2] = times[count - 1];
    timing->low_us = times[below < 1.0 ? 0 : (size_t)below - 1];
    timing->high_us = times[above >= n ? count - 1 : (size_t)above];
    timing->noise = noise_of(times, count);
}

/* ---- samples */

/* What is timed: the work itself, or the other with which it takes turns. */
struct contestant {
    const void *work;
    void *graph;
    double *times;
    size_t count, capacity;
    size_t good; /* samples that are known to have been taken at full speed */
    unsigned call;
};

struct sampler {
    const struct stopwatch *watch;
    struct device *device;
    const struct sampling *rules;
    struct contestant contestants[2];
    unsigned count; /* of contestants */

    double begin, last_look_s, cooling_s; /* cooling_s: how much was spent on waiting */
    unsigned dropped;                     /* samples of the first contestant */
    bool quiet;                           /* is the noise below what the rules ask for? */
    bool hot;                             /* did samples of a hot device have to count? */
    unsigned clock_mhz;                   /* the lowest; 0: unknown */
    int power_capped;                     /* -1: unknown */
};

static int take_sample(struct sampler *s, struct contestant *c)
{
    const bool flush = s->rules->flush;
    double time_us;
    const int status = c->graph
                           ? s->watch->time_graph(s->device, c->graph, flush, &time_us)
                           : s->watch->time_call(s->device, c->work, c->call++, flush, &time_us);
    if (status != 0)
        return status;
    c->times = array_grow(c->times, c->count, &c->capacity, sizeof *c->times);
    c->times[c->count++] = time_us;
    return 0;
}

/* Samples that do not count, before the first that does: of calls, and one of the graph. */
static int warm_up(struct sampler *s, struct contestant *c)
{
    int status = 0;
    for (unsigned call = 0; call < WARM_UP && status == 0; call++)
        status = take_sample(s, c);
    if (status == 0 && s->rules->graph)
        status = s->watch->create_graph(s->device, c->work, GRAPH_CALLS, &c->graph);
    if (status == 0 && s->rules->graph)
        status = take_sample(s, c);
    c->count = 0;
    return status;
}

static bool is_quiet(const struct sampler *s)
{
    for (unsigned i = 0; i < s->count; i++)
        if (!(noise_of(s->contestants[i].times, s->contestants[i].count) < s->rules->noise))
            return false;
    return true;
}

/* Drops the samples since the last look, and waits. */
static void cool_down(struct sampler *s)
{
    const struct timespec pause = {0, 100000000};
    s->dropped += (unsigned)(s->contestants[0].count - s->contestants[0].good);
    for (unsigned i = 0; i < s->count; i++)
        s->contestants[i].count = s->contestants[i].good;
    nanosleep(&pause, NULL);
    const double now = clock_seconds();
    s->cooling_s += now - s->last_look_s;
    total_cooling_s += now - s->last_look_s;
    s->last_look_s = now;
    s->quiet = false;
}

/* Looks at the state of the device. Returns whether the samples since the last look count. */
static bool look_at_device(struct sampler *s)
{
    const struct pace pace = s->watch->look(s->device);
    if (pace.clock_mhz && (!s->clock_mhz || pace.clock_mhz < s->clock_mhz))
        s->clock_mhz = pace.clock_mhz;
    if (s->power_capped <= 0)
        s->power_capped = pace.power_capped;
    if (pace.throttled && total_cooling_s < cooling_most_s) {
        cool_down(s);
        return false;
    }
    s->hot |= pace.throttled;
    for (unsigned i = 0; i < s->count; i++)
        s->contestants[i].good = s->contestants[i].count;
    s->last_look_s = clock_seconds();
    return true;
}

/* Samples the contestants alternately until the rules are met. */
static int sample_alternately(struct sampler *s)
{
    const struct contestant *first = &s->contestants[0];
    s->begin = s->last_look_s = clock_seconds();
    for (;;) {
        for (unsigned i = 0; i < s->count; i++) {
            const int status = take_sample(s, &s->contestants[i]);
            if (status != 0)
                return status;
        }
        const double now = clock_seconds();
        const bool look = now - s->last_look_s >= look_every_s;
        const bool enough = first->count >= s->rules->least;
        /* The noise takes time that grows with the samples: from 50 on not after each. */
        if (enough && (first->count < 50 || look))
            s->quiet = is_quiet(s);
        const bool over =
            s->quiet || (enough && now - s->begin - s->cooling_s >= s->rules->seconds);
        if ((over || look) && look_at_device(s) && over)
            return 0;
    }
}

int take_samples(const struct stopwatch *watch, struct device *device, const struct sampling *rules,
                 const void *work, const void *other, struct timing timing[2])
{
    struct sampler s = {.watch = watch,
                        .device = device,
                        .rules = rules,
                        .contestants = {{.work = work}, {.work = other}},
                        .count = other ? 2 : 1};
    int status = 0;
    for (unsigned i = 0; i < s.count && status == 0; i++)
        status = warm_up(&s, &s.contestants[i]);
    if (status == 0)
        status = sample_alternately(&s);
    for (unsigned i = 0; i < s.count; i++) {
        struct contestant *c = &s.contestants[i];
        timing[i] = (struct timing){.stop = s.hot                  ? "throttled"
                                            : s.quiet              ? "noise"
                                            : rules->seconds > 0.0 ? "time"
                                                                   : "count",
                                    .dropped = s.dropped,
                                    .clock_mhz = s.clock_mhz,
                                    .power_capped = s.power_capped};
        if (status == 0)
            summarise(c->times, c->count, &timing[i]);
        if (watch->free_graph)
            watch->free_graph(c->graph);
        free(c->times);
    }
    return status;
}
