/* sampler.h - times one call, or two that take turns, until the median is known well enough.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <stdbool.h>
#include <stddef.h>

struct device; /* of a back end */

/* How fast a device runs now. */
struct pace {
    bool throttled;     /* heat or the hardware slow it down: what was timed just before does not
                           count */
    unsigned clock_mhz; /* 0: unknown */
    int power_capped;   /* is it at its power limit? -1: unknown */
};

/* The clock of a device. `work` is what the device knows by that pointer. A function that returns
 * an int returns 0, or a status of the device. */
struct stopwatch {
    /* The time of one call, in microseconds. `call` counts from 0: calls may take turns among
     * several inputs. With `flush`, other data first goes through the cache. */
    int (*time_call)(struct device *device, const void *work, unsigned call, bool flush,
                     double *time_us);
    /* Calls one after the other as one thing, and the time of one of them. NULL: the device has no
     * such thing. */
    int (*create_graph)(struct device *device, const void *work, unsigned calls, void **graph);
    int (*time_graph)(struct device *device, void *graph, bool flush, double *time_us);
    void (*free_graph)(void *graph); /* NULL is allowed */
    struct pace (*look)(struct device *device);
};

/* When to stop: once the noise is below `noise`, or after so long, but not before `least` samples.
 * The noise is the standard deviation of a sample over the mean. */
struct sampling {
    double noise, seconds;
    unsigned least;
    bool graph; /* time graphs of GRAPH_CALLS calls */
    bool flush; /* other data goes through the cache before each sample */
    bool alone; /* the runner: the cell alone, without moving its bytes beside it */
};

/* The rules of a grid, and of the slowest calls: a fixed number. */
extern const struct sampling sampling_grid, sampling_tail;

#define GRAPH_CALLS 16

struct timing {
    size_t samples;
    const char
        *stop; /* why it stopped: "noise", "time" or "count"; "throttled" if the device did not
                           cool down, so that samples of a slow device count */
    unsigned dropped;   /* samples that do not count, because heat or the hardware slowed it */
    double median_us;   /* of the samples */
    double most_us[3];  /* 99 % of them took no longer, 99.9 %, and all */
    double low_us;      /* from here to high_us is the true median with probability 0.95 or more, */
    double high_us;     /* for independent samples */
    double noise;       /* standard deviation of a sample over the mean */
    unsigned clock_mhz; /* the lowest that was seen; 0: unknown */
    int power_capped;   /* was the device at its power limit? -1: unknown */
};

/* Takes samples of `work` and, unless it is NULL, of `other`, alternately. timing[0] is of `work`,
 * timing[1] of `other`. Returns 0, or the status that a call returned. */
int take_samples(const struct stopwatch *watch, struct device *device, const struct sampling *rules,
                 const void *work, const void *other, struct timing timing[2]);

/* Sorts the times. Sets the samples, the median, the interval around it (by order statistics) and
 * the noise. */
void summarise(double *times, size_t count, struct timing *timing);

#endif
