/* sampler.c - see sampler.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sampler.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "cli/memory.h"

const struct sampling sampling_grid = {.noise = 0.005, .seconds = 0.15, .least = 7};
const struct sampling sampling_single = {.noise = 0.005, .seconds = 15.0, .least = 7};

static const unsigned warm_up = 4;       /* calls before the first sample */
static const double look_every_s = 0.01; /* at the card's state */
static const double cooling_most_s = 60; /* of waiting for it to cool down, in all */
static double cooled_s;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double noise_of(const double *times, size_t count)
{
    double sum = 0.0, squares = 0.0, n = (double)count;
    for (size_t i = 0; i < count; i++)
        sum += times[i];
    for (size_t i = 0; i < count; i++)
        squares += (times[i] - sum / n) * (times[i] - sum / n);
    return count > 1 ? sqrt(squares / (n - 1.0)) / (sum / n) : INFINITY;
}

/* The number of samples below the median is binomial (count, 1/2), about count/2 +- 1.96
 * sqrt(count)/2. */
void summarise(double *times, size_t count, struct timing *timing)
{
    double n = (double)count;
    qsort(times, count, sizeof *times, by_value);
    double below = floor((n - 1.96 * sqrt(n)) / 2.0), above = ceil((n + 1.96 * sqrt(n)) / 2.0);
    timing->samples = count;
    timing->median_us =
        count % 2 ? times[count / 2] : 0.5 * (times[count / 2 - 1] + times[count / 2]);
    timing->low_us = times[below < 1.0 ? 0 : (size_t)below - 1];
    timing->high_us = times[above >= n ? count - 1 : (size_t)above];
    timing->noise = noise_of(times, count);
}

struct contestant {
    const struct timed_work *work;
    struct rcm_gpu_graph *graph;
    double *times;
    size_t count, capacity;
    unsigned call;
};

static enum rcm_gpu_status sample(struct rcm_gpu_timer *timer, const struct sampling *rules,
                                  struct contestant *c)
{
    double time_us;
    enum rcm_gpu_status status = c->graph
                                     ? rcm_gpu_time_graph(timer, c->graph, rules->flush, &time_us)
                                     : rcm_gpu_time_call(timer, c->work->work, c->work->context,
                                                         c->call++, rules->flush, &time_us);
    if (status != RCM_GPU_OK)
        return status;
    c->times = grown(c->times, c->count, &c->capacity, sizeof *c->times);
    c->times[c->count++] = time_us;
    return RCM_GPU_OK;
}

enum rcm_gpu_status take_samples(struct rcm_gpu_timer *timer, struct monitor *monitor,
                                 const struct sampling *rules, const struct timed_work *work,
                                 const struct timed_work *other, struct timing timing[2])
{
    struct contestant c[2] = {{.work = work}, {.work = other}};
    const unsigned count = other ? 2 : 1;
    enum rcm_gpu_status status = RCM_GPU_OK;
    for (unsigned i = 0; i < count && status == RCM_GPU_OK; i++) {
        for (unsigned call = 0; call < warm_up && status == RCM_GPU_OK; call++)
            status = sample(timer, rules, &c[i]);
        c[i].count = 0;
        if (status == RCM_GPU_OK && rules->graph)
            status = rcm_gpu_graph_create(timer, c[i].work->work, c[i].work->context, GRAPH_CALLS,
                                          &c[i].graph);
        if (status == RCM_GPU_OK && rules->graph)
            status = sample(timer, rules, &c[i]);
        c[i].count = 0;
    }

    const double begin = now();
    double looked = begin, cooling = 0.0;
    size_t good[2] = {0, 0}; /* samples that are known to have been taken at full speed */
    unsigned dropped = 0;
    bool by_noise = false, hot = false;
    unsigned clock_mhz = 0;
    int capped = 0;
    while (status == RCM_GPU_OK) {
        for (unsigned i = 0; i < count && status == RCM_GPU_OK; i++)
            status = sample(timer, rules, &c[i]);
        double time = now();
        bool enough = c[0].count >= rules->least;
        if (enough &&
            (c[0].count < 50 ||
             time - looked >= look_every_s)) /* it takes time that grows with the samples */
            by_noise = noise_of(c[0].times, c[0].count) < rules->noise &&
                       (count == 1 || noise_of(c[1].times, c[1].count) < rules->noise);
        bool over = by_noise || (enough && time - begin - cooling >= rules->seconds);
        if (status == RCM_GPU_OK && !over && time - looked < look_every_s)
            continue;
        bool throttled = monitor_throttled(monitor);
        unsigned now_mhz = monitor_sm_clock_mhz(monitor);
        clock_mhz = now_mhz && (!clock_mhz || now_mhz < clock_mhz) ? now_mhz : clock_mhz;
        if (capped <= 0)
            capped = monitor ? monitor_power_capped(monitor) : -1;
        if (throttled && cooled_s < cooling_most_s) {
            dropped += (unsigned)(c[0].count - good[0]);
            for (unsigned i = 0; i < count; i++)
                c[i].count = good[i];
            struct timespec pause = {0, 100000000};
            nanosleep(&pause, NULL);
            cooling += now() - looked;
            cooled_s += now() - looked;
            looked = now();
            by_noise = false;
            continue;
        }
        hot |= throttled;
        for (unsigned i = 0; i < count; i++)
            good[i] = c[i].count;
        looked = now();
        if (over)
            break;
    }
    for (unsigned i = 0; i < count; i++) {
        timing[i] = (struct timing){.stop = hot        ? "throttled"
                                            : by_noise ? "noise"
                                                       : "time",
                                    .dropped = dropped,
                                    .sm_clock_mhz = clock_mhz,
                                    .power_capped = capped};
        if (status == RCM_GPU_OK)
            summarise(c[i].times, c[i].count, &timing[i]);
        rcm_gpu_graph_free(c[i].graph);
        free(c[i].times);
    }
    return status;
}
