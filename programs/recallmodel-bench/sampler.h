/* sampler.h - times one call, or two that take turns, until the median is known well enough.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <stddef.h>

#include <gpu/host/timer.h>

#include "monitor.h"

/* When to stop: once the noise is below `noise`, or after so long, but not before `least` samples.
 * The noise is the standard deviation of a sample over the mean. */
struct sampling {
    double noise, seconds;
    unsigned least;
    bool graph; /* time CUDA graphs of GRAPH_CALLS calls */
    bool flush; /* other data goes through the cache before each sample */
};

/* The rules of a grid and of a single run. */
extern const struct sampling sampling_grid, sampling_single;

#define GRAPH_CALLS 16

struct timed_work {
    rcm_gpu_work *work;
    void *context;
};

struct timing {
    size_t samples;
    const char *stop; /* why it stopped: "noise" or "time"; "throttled" if the card did not cool
                         down, so that samples of a slow card count */
    unsigned dropped; /* samples that do not count, because heat or the hardware slowed the card */
    double median_us; /* of the samples */
    double low_us;    /* from here to high_us is the true median with probability 0.95 or more, */
    double high_us;   /* for independent samples */
    double noise;     /* standard deviation of a sample over the mean */
    unsigned sm_clock_mhz; /* the lowest that was seen; 0: unknown */
    int power_capped;      /* was the card at its power limit? -1: unknown */
};

/* Takes samples of `work` and, unless it is NULL, of `other`, alternately. timing[0] is of `work`,
 * timing[1] of `other`. */
enum rcm_gpu_status take_samples(struct rcm_gpu_timer *timer, struct monitor *monitor,
                                 const struct sampling *rules, const struct timed_work *work,
                                 const struct timed_work *other, struct timing timing[2]);

/* Sorts the times. Sets the samples, the median, the interval around it (by order statistics) and
 * the noise. */
void summarise(double *times, size_t count, struct timing *timing);

#endif
