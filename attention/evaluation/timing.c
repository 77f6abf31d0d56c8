/* timing.c - see timing.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include <base/clock.h>
#include <base/memory.h>
#include <base/statistics.h>

#include "step.h"

#define CACHE_UNKNOWN (64 << 20) /* bytes, where the system does not say */
#define CACHES 2                 /* the buffer is so many times as large */
#define LINE 64

struct timing {
    struct timing_spec spec;
    void *index;
    struct step step;
    unsigned char *buffer; /* NULL: the cache stays warm */
    size_t buffer_bytes;
    unsigned char sum; /* of what was walked, so that it is */
};

static size_t cache_bytes(void)
{
#ifdef _SC_LEVEL3_CACHE_SIZE
    const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (bytes > 0)
        return (size_t)bytes;
#endif
    return CACHE_UNKNOWN;
}

struct timing *timing_new(const struct timing_spec *spec, double *index_us)
{
    struct timing *timing = require_memory(calloc(1, sizeof *timing));
    timing->spec = *spec;
    *index_us = NAN;
    if (spec->method->build) {
        const double start = clock_seconds();
        timing->index = spec->method->build(spec->method, spec->options, spec->head);
        *index_us = (clock_seconds() - start) * 1e6;
    }
    step_start(&timing->step, spec->head);
    if (spec->cold) {
        timing->buffer_bytes = CACHES * cache_bytes();
        timing->buffer = require_memory(malloc(timing->buffer_bytes));
        for (size_t i = 0; i < timing->buffer_bytes; i += LINE)
            timing->buffer[i] = 1;
    }
    return timing;
}

void timing_free(struct timing *timing)
{
    if (!timing)
        return;
    if (timing->index)
        timing->spec.method->free_index(timing->index);
    step_free(&timing->step);
    free(timing->buffer);
    free(timing);
}

/* Reads and writes the buffer, so that nothing else is left in the cache. */
static void cool(struct timing *timing)
{
    for (size_t i = 0; i < timing->buffer_bytes; i += LINE)
        timing->sum = (unsigned char)(timing->sum + timing->buffer[i]++);
}

/* Query i of the h-th of the heads. */
static struct attention_query query_at(const struct timing_spec *spec, uint32_t i, uint32_t h)
{
    const struct key_head *head = spec->head;
    const uint32_t position = head->n - spec->count + i;
    const size_t at = h * spec->stride + (size_t)i * head->d;
    const uint32_t lag = spec->options->lag;
    return (struct attention_query){
        .q = spec->queries + at,
        .q_unroped = spec->queries_unroped ? spec->queries_unroped + at : NULL,
        .previous = i >= lag ? spec->queries + at - (size_t)lag * head->d : NULL,
        .scale = spec->scale,
        .position = position,
        .head = spec->query_head + h,
        .range = open_keys(spec->options->dense, position),
    };
}

/* The samples of one knob. */
struct samples {
    double *assign, *attend, *time, *full;
    double selectivity;              /* a sum */
    struct attention_query *queries; /* those that choose at once */
};

static void sample(struct timing *timing, uint32_t i, uint32_t knob, struct samples *to, size_t at)
{
    const struct timing_spec *spec = &timing->spec;
    const double us = 1e6 / spec->heads;
    size_t attended = 0;
    for (uint32_t h = 0; h < spec->heads; h++)
        to->queries[h] = query_at(spec, i, h);
    cool(timing);
    const double start = clock_thread_seconds();
    timing->step.visit.weighted = false;
    timing->step.visit.length = 0;
    timing->step.visit.correction_weight = 0;
    if (method_is_asked(spec->method, spec->options,
                        method_knob_max(spec->method, spec->options, spec->head), knob))
        spec->method->visit(spec->method, spec->options, spec->head, timing->index, to->queries,
                            spec->heads, knob, &timing->step.visit);
    const double chosen = clock_thread_seconds();
    for (uint32_t h = 0; h < spec->heads; h++)
        attended = step_sparse(&timing->step, spec->head, &to->queries[h]);
    const double end = clock_thread_seconds();
    cool(timing);
    const double again = clock_thread_seconds();
    for (uint32_t h = 0; h < spec->heads; h++)
        step_full(&timing->step, spec->head, &to->queries[h]);
    to->full[at] = (clock_thread_seconds() - again) * us;
    to->assign[at] = (chosen - start) * us;
    to->attend[at] = (end - chosen) * us;
    to->time[at] = (end - start) * us;
    to->selectivity += (double)attended / ((double)to->queries->position + 1);
}

struct timed timed_of(double *samples, size_t n)
{
    const double half = 0.98 * sqrt((double)n), middle = (double)n / 2;
    const size_t low = middle - half > 0 ? (size_t)(middle - half) : 0;
    const size_t high = middle + half < (double)n - 1 ? (size_t)ceil(middle + half) : n - 1;
    sort_doubles(samples, n);
    return (struct timed){sorted_quantile(samples, n, 0.5), samples[low], samples[high]};
}

struct step_times timing_measure(struct timing *timing, uint32_t knob)
{
    const size_t n = (size_t)timing->spec.count * timing->spec.repetitions;
    double *all = require_memory(malloc(4 * n * sizeof *all));
    struct samples samples = {all, all + n, all + 2 * n, all + 3 * n, 0, NULL};
    const struct attention_query first = query_at(&timing->spec, 0, 0);
    samples.queries = require_memory(malloc(timing->spec.heads * sizeof *samples.queries));
    step_full(&timing->step, timing->spec.head, &first); /* what is not in memory yet */
    for (uint32_t r = 0; r < timing->spec.repetitions; r++)
        for (uint32_t i = 0; i < timing->spec.count; i++)
            sample(timing, i, knob, &samples, (size_t)r * timing->spec.count + i);
    struct step_times times = {
        .selectivity = samples.selectivity / (double)n,
        .assign = timed_of(samples.assign, n),
        .attend = timed_of(samples.attend, n),
        .time = timed_of(samples.time, n),
        .full = timed_of(samples.full, n),
    };
    free(all);
    free(samples.queries);
    times.ratio = times.full.median / times.time.median;
    times.left = times.ratio * times.selectivity;
    times.pays_below = fmax(0, fmin(1, (times.full.median - times.assign.median) *
                                           times.selectivity / times.attend.median));
    return times;
}
