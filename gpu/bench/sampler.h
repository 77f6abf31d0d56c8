/* sampler.h - times one piece of work, or two that take turns, until the median is known well
 * enough.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <stddef.h>

#include "gpu/timer.h"
#include "monitor.h"

struct sampling {
    double noise, seconds; /* stop when the standard deviation of a sample is below this share of
                              the mean, or after so long */
    unsigned least;        /* samples */
    bool graph, flush;
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
    const char *stop; /* why it stopped: "noise", "time"; "throttled" if the card did not cool down,
                         and the samples are what they are */
    unsigned dropped; /* samples taken while the card was slowed down by heat or by its hardware */
    double median_us, low_us, high_us; /* the interval holds the true median with probability 0.95
                                          or more, for independent samples */
    double noise;                      /* standard deviation of a sample over the mean */
    unsigned sm_clock_mhz;             /* the lowest that was seen meanwhile; 0: unknown */
    int power_capped;                  /* was the card at its power limit? -1: unknown */
};

/* `other` may be NULL; its samples alternate with those of `work`. timing[0] is of `work`,
 * timing[1] of `other`. */
enum rcm_gpu_status take_samples(struct rcm_gpu_timer *timer, struct monitor *monitor,
                                 const struct sampling *rules, const struct timed_work *work,
                                 const struct timed_work *other, struct timing timing[2]);

/* Median of times (which are sorted by it) and the interval around it, from order statistics. */
void summarise(double *times, size_t count, struct timing *timing);

#endif
