/* roofs.c - see roofs.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "roofs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <gpu/host/device_memory.h>
#include <programs/bench/session.h>
#include <programs/common/error.h>
#include <programs/common/progress.h>

#include "device.h"

/* ---- one row */

struct roof {
    const char *what, *variant_name;
    unsigned variant, operations;
    uint64_t read, written, elements;
    bool graph;
    void *from, *to;
};

static enum rcm_gpu_status run_move(void *context, unsigned call, rcm_gpu_stream stream)
{
    const struct roof *r = context;
    (void)call;
    return rcm_gpu_move(r->from, r->read, r->to, r->written, r->variant, stream);
}

static enum rcm_gpu_status run_nothing(void *context, unsigned call, rcm_gpu_stream stream)
{
    (void)context;
    (void)call;
    return rcm_gpu_nothing(stream);
}

static enum rcm_gpu_status run_vector(void *context, unsigned call, rcm_gpu_stream stream)
{
    const struct roof *r = context;
    (void)call;
    return rcm_gpu_vector((enum rcm_gpu_vector_program)r->variant, r->operations, r->to,
                          r->elements, stream);
}

#define ROOF_ROW_MAX 1024

static void format_key(char *key, size_t size, const struct roof *roof)
{
    snprintf(key, size, "%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%u,%" PRIu64, roof->what,
             roof->variant_name, roof->graph ? "graph" : "events", roof->read, roof->written,
             roof->operations, roof->elements);
}

static void format_row(char row[ROOF_ROW_MAX], const char *key, const struct timing *t,
                       double rate_per_s)
{
    int length =
        snprintf(row, ROOF_ROW_MAX, "%s,%zu,%s,%u,%.6g,%.6g,%.6g,%.4g,%.6g,", key, t->samples,
                 t->stop, t->dropped, t->median_us, t->low_us, t->high_us, t->noise, rate_per_s);
    if (t->clock_mhz)
        length += snprintf(row + length, ROOF_ROW_MAX - (size_t)length, "%u", t->clock_mhz);
    snprintf(row + length, ROOF_ROW_MAX - (size_t)length, "%s",
             t->power_capped < 0 ? ",\n"
             : t->power_capped   ? ",1\n"
                                 : ",0\n");
}

/* ---- all rows */

/* Bandwidths by every kernel that moves bytes, the launch between events and in a graph, and each
 * vector program with more and more operations an element. */
static const struct {
    const char *what;
    uint64_t reads, writes; /* parts */
    size_t rate;            /* where it goes */
} mixes[] = {
    {"read", 1, 0, offsetof(struct roof_rates, read_bytes_per_s)},
    {"mixed", 4, 1, offsetof(struct roof_rates, mixed_bytes_per_s)},
    {"copy", 1, 1, offsetof(struct roof_rates, copied_bytes_per_s)},
};
static const unsigned operations[] = {2, 16, 64, 128, 256, 512, 1024, 2048, 4096};
static const char *const programs[RCM_GPU_VECTOR_PROGRAMS] = {"additions", "multiplications",
                                                              "comparisons"};
enum {
    MIXES = sizeof mixes / sizeof *mixes,
    STEPS = sizeof operations / sizeof *operations,
    ROOFS = MIXES * RCM_GPU_MOVE_VARIANTS + 2 + RCM_GPU_VECTOR_PROGRAMS * STEPS
};

struct measuring {
    struct device *device;
    const struct sampling *rules;
    struct results *results;
    struct roof_rates *rates;
    struct progress progress;
    uint64_t rows; /* begun so far */
    int status;    /* nothing is begun any more unless it is STATUS_OK */
    void *from, *to;
};

/* Measures a row, unless it exists or the measurement has stopped. `count` is the bytes, operations
 * or calls of one call of `work`, whose rate the row holds. Returns the median in microseconds; NAN
 * if the row was not measured now. */
static double measure_row(struct measuring *m, rcm_gpu_work *work, struct roof *roof, double count)
{
    char key[256], row[ROOF_ROW_MAX];
    struct timing timing[2];
    struct sampling how = *m->rules;
    if (m->status == STATUS_OK && progress_tick(&m->progress, m->rows++, ROOFS))
        m->status = STATUS_INTERRUPTED;
    format_key(key, sizeof key, roof);
    if (m->status != STATUS_OK || results_have(m->results, key))
        return NAN;
    how.graph = roof->graph;
    how.flush = !roof->graph;
    const int status = take_samples(&cuda_stopwatch, m->device, &how,
                                    &(struct timed_work){work, roof}, NULL, timing);
    if (status != 0) {
        fprintf(stderr, "recallmodel-bench: %s: %s\n", roof->what,
                rcm_gpu_message((enum rcm_gpu_status)status));
        m->status = STATUS_FAILED;
        return NAN;
    }
    format_row(row, key, &timing[0], count / (1e-6 * timing[0].median_us));
    if (results_add(m->results, row) != 0)
        m->status = output_failed();
    return m->status == STATUS_OK ? timing[0].median_us : NAN;
}

static void measure_bandwidth(struct measuring *m, size_t mix, uint64_t bytes)
{
    double *best = (double *)(void *)((char *)m->rates + mixes[mix].rate);
    const uint64_t part = bytes / (mixes[mix].reads + mixes[mix].writes) / 16 * 16;
    for (unsigned variant = 0; variant < RCM_GPU_MOVE_VARIANTS; variant++) {
        struct roof roof = {.what = mixes[mix].what,
                            .variant_name = rcm_gpu_move_variant_name(variant),
                            .variant = variant,
                            .read = part * mixes[mix].reads,
                            .written = part * mixes[mix].writes,
                            .from = m->from,
                            .to = m->to};
        const double bytes_moved = (double)(roof.read + roof.written);
        const double time_us = measure_row(m, run_move, &roof, bytes_moved);
        if (bytes_moved / (1e-6 * time_us) > *best)
            *best = bytes_moved / (1e-6 * time_us);
    }
}

static void measure_launch(struct measuring *m)
{
    for (unsigned graph = 0; graph < 2; graph++) {
        struct roof roof = {.what = "launch", .variant_name = "empty", .graph = graph == 1};
        const double time_us = measure_row(m, run_nothing, &roof, 1.0);
        if (graph && !isnan(time_us))
            m->rates->launch_us = time_us;
    }
}

/* The rate of the operations per second: the inverse slope of the line through the points that take
 * at least twice the time of the first one. At the others the operations hardly show. [Samaga2025]
 * fits time = operations / rate + overhead to the linear part. 0: fewer than two points. */
static double fit_rate(const double time_us[STEPS], double elements)
{
    double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (size_t i = 0; i < STEPS; i++)
        if (time_us[i] >= 2.0 * time_us[0]) {
            double ops = elements * operations[i], seconds = 1e-6 * time_us[i];
            n += 1.0, x += ops, y += seconds, xx += ops * ops, xy += ops * seconds;
        }
    return n >= 2.0 ? (n * xx - x * x) / (n * xy - x * y) : 0.0;
}

static void measure_program(struct measuring *m, unsigned program, uint64_t elements)
{
    double times[STEPS];
    bool whole = true;
    for (size_t i = 0; i < STEPS; i++) {
        struct roof roof = {.what = "vector",
                            .variant_name = programs[program],
                            .variant = program,
                            .operations = operations[i],
                            .elements = elements,
                            .to = m->to};
        times[i] = measure_row(m, run_vector, &roof, (double)elements * operations[i]);
        whole &= !isnan(times[i]);
    }
    if (whole)
        m->rates->operations_per_s[program] = fit_rate(times, (double)elements);
}

static int reserve_memory(struct measuring *m, uint64_t bytes, uint64_t elements)
{
    m->from = rcm_gpu_allocate(bytes);
    m->to = rcm_gpu_allocate(bytes > elements * 4 ? bytes : elements * 4);
    if (m->from && m->to && rcm_gpu_set_bytes(m->from, 1, bytes) == RCM_GPU_OK &&
        rcm_gpu_set_bytes(m->to, 3, bytes) == RCM_GPU_OK && rcm_gpu_wait() == RCM_GPU_OK)
        return STATUS_OK;
    fprintf(stderr,
            "recallmodel-bench: not enough memory on the device for %" PRIu64
            " bytes twice; give a smaller --bytes\n",
            bytes);
    return STATUS_FAILED;
}

int measure_roofs(struct device *device, const struct sampling *rules, struct roof_sizes sizes,
                  struct results *results, struct roof_rates *rates)
{
    struct measuring m = {.device = device, .rules = rules, .results = results, .rates = rates};
    const uint64_t bytes = sizes.bytes / 1024 * 1024;
    *rates = (struct roof_rates){0};
    m.status = reserve_memory(&m, bytes, sizes.elements);
    progress_start(&m.progress, "rows");
    for (size_t mix = 0; mix < MIXES; mix++)
        measure_bandwidth(&m, mix, bytes);
    measure_launch(&m);
    for (unsigned program = 0; program < RCM_GPU_VECTOR_PROGRAMS; program++)
        measure_program(&m, program, sizes.elements / 4 * 4);
    progress_end(&m.progress);
    rcm_gpu_free(m.from);
    rcm_gpu_free(m.to);
    return m.status;
}
