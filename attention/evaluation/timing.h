/* timing.h - how long a step of sparse attention takes beside one of full attention: measured, on
 * the calling thread, by the code of step.h for both.
 *
 * A step of sparse attention is: choose the keys (assign), then attend to them and the dense part.
 * Where several query heads choose at once, the step is that of all of them, and all times are
 * divided by their number; so is full attention then. Building the index is not part of a step.
 * Times are those for which the thread runs: on a busy machine the clock on the wall would count
 * what other programs take, and that falls upon long steps more often than upon short ones. With a
 * cold cache, a buffer twice as large as the last-level cache is walked before each sample.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TIMING_H
#define TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attention/method.h>

struct timing_spec {
    const struct method *method;
    const struct method_options *options;
    const struct key_head *head; /* with values */
    const float *queries; /* [count][d], after RoPE; those of the next head follow `stride` */
    const float *queries_unroped; /* floats later. The same before RoPE, or NULL */
    size_t stride;
    uint32_t count;       /* queries, those of the last positions */
    uint32_t query_head;  /* of the query heads that share the keys: the first, and how many .. */
    uint32_t heads;       /* .. choose once, from 1 on; then each of them attends */
    float scale;          /* of the logits */
    uint32_t repetitions; /* of each query, from 1 on */
    bool cold;
};

/* A median and an interval: with n samples, the two of rank n/2 -+ 0.98 sqrt(n), which enclose the
 * true median in about 95 of 100 measurements if samples are independent; the extreme samples
 * where n is below 4. */
struct timed {
    double median, low, high; /* microseconds */
};

struct step_times {
    double selectivity;  /* keys attended over keys seen, the dense part counted */
    struct timed assign; /* choosing the keys, from the query on */
    struct timed attend; /* logits, softmax and values of the chosen keys and the dense part */
    struct timed time;   /* both */
    struct timed full;   /* logits, softmax and values of all keys */
    double ratio;        /* full / time, of medians */
    double left;         /* ratio * selectivity: of the 1 / selectivity that bytes promise */
    double pays_below;   /* the selectivity at which both take the same time, if choosing takes as
                          * long as here and attending grows with the keys; 0: never */
};

/* What has a state between the knobs of one method: the index, the buffer. */
struct timing;

/* Builds the index. *index_us: how long that took, NaN where the method has none. */
struct timing *timing_new(const struct timing_spec *spec, double *index_us);
void timing_free(struct timing *timing);

/* Measures one knob: count * repetitions samples. */
struct step_times timing_measure(struct timing *timing, uint32_t knob);

/* Median and interval of samples, which are sorted. n >= 1. */
struct timed timed_of(double *samples, size_t n);

#endif
