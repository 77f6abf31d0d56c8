/* roofs.c - see roofs.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "roofs.h"

#include <inttypes.h>
#include <math.h>

#include "gpu/memory.h"
#include "status.h"

/* One row. */
struct roof {
    const char *what;
    const char *variant_name;
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

struct rooms {
    struct rcm_gpu_timer *timer;
    struct monitor *monitor;
    const struct sampling *rules;
    struct results *results;
};

/* Measures it, unless it is there already; time_us stays NAN then. */
static int measure(const struct rooms *m, rcm_gpu_work *work, struct roof *roof, double count,
                   double *time_us)
{
    char key[256], row[1024];
    struct timing timing[2];
    struct sampling how = *m->rules;
    *time_us = NAN;
    snprintf(key, sizeof key, "%s,%s,%s,%" PRIu64 ",%" PRIu64 ",%u,%" PRIu64, roof->what,
             roof->variant_name, roof->graph ? "graph" : "events", roof->read, roof->written,
             roof->operations, roof->elements);
    if (results_have(m->results, key))
        return STATUS_OK;
    how.graph = roof->graph;
    how.flush = !roof->graph;
    enum rcm_gpu_status status =
        take_samples(m->timer, m->monitor, &how, &(struct timed_work){work, roof}, NULL, timing);
    if (status != RCM_GPU_OK) {
        fprintf(stderr, "recallmodel-bench: %s: %s\n", roof->what, rcm_gpu_message(status));
        return STATUS_FAILED;
    }
    *time_us = timing[0].median_us;
    int length =
        snprintf(row, sizeof row, "%s,%zu,%s,%u,%.6g,%.6g,%.6g,%.4g,%.6g,", key, timing[0].samples,
                 timing[0].stop, timing[0].dropped, timing[0].median_us, timing[0].low_us,
                 timing[0].high_us, timing[0].noise, count / (1e-6 * timing[0].median_us));
    if (timing[0].sm_clock_mhz)
        length += snprintf(row + length, sizeof row - (size_t)length, "%u", timing[0].sm_clock_mhz);
    snprintf(row + length, sizeof row - (size_t)length, "%s",
             timing[0].power_capped < 0 ? ",\n"
             : timing[0].power_capped   ? ",1\n"
                                        : ",0\n");
    if (results_add(m->results, row) != 0) {
        fprintf(stderr, "recallmodel-bench: output could not be written\n");
        return STATUS_FAILED;
    }
    return STATUS_OK;
}

/* Slope of the line through the points beyond where the operations begin to show: at least twice
 * the time of the first. [Samaga2025] fits time = operations / rate + overhead to the part that is
 * linear. */
static double fitted_rate(const unsigned *operations, const double *time_us, size_t count,
                          double elements)
{
    double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (size_t i = 0; i < count; i++)
        if (time_us[i] >= 2.0 * time_us[0]) {
            double ops = elements * operations[i], seconds = 1e-6 * time_us[i];
            n += 1.0, x += ops, y += seconds, xx += ops * ops, xy += ops * seconds;
        }
    return n >= 2.0 ? (n * xx - x * x) / (n * xy - x * y) : 0.0;
}

int measure_roofs(struct rcm_gpu_timer *timer, struct monitor *monitor,
                  const struct sampling *rules, struct roof_sizes sizes, struct results *results,
                  struct roof_rates *rates, bool (*stop)(void *, uint64_t, uint64_t), void *context)
{
    static const struct {
        const char *what;
        uint64_t reads, writes; /* in parts of five or two */
    } mixes[] = {{"read", 1, 0}, {"mixed", 4, 1}, {"copy", 1, 1}};
    static const unsigned operations[] = {2, 16, 64, 128, 256, 512, 1024, 2048, 4096};
    enum { PROGRAMS = RCM_GPU_VECTOR_PROGRAMS, STEPS = sizeof operations / sizeof *operations };
    static const char *const programs[] = {"additions", "multiplications", "comparisons"};
    const uint64_t total = 3 * RCM_GPU_MOVE_VARIANTS + 2 + PROGRAMS * STEPS;
    const struct rooms m = {timer, monitor, rules, results};
    const uint64_t bytes = sizes.bytes / 1024 * 1024;
    uint64_t done = 0;
    int status = STATUS_OK;
    *rates = (struct roof_rates){0};
    void *from = rcm_gpu_allocate(bytes),
         *to = rcm_gpu_allocate(bytes > sizes.elements * 4 ? bytes : sizes.elements * 4);
    if (!from || !to || rcm_gpu_set_bytes(from, 1, bytes) != RCM_GPU_OK ||
        rcm_gpu_set_bytes(to, 3, bytes) != RCM_GPU_OK || rcm_gpu_wait() != RCM_GPU_OK) {
        fprintf(stderr,
                "recallmodel-bench: not enough memory on the device for %" PRIu64
                " bytes twice; give a smaller --bytes\n",
                bytes);
        status = STATUS_FAILED;
    }
#define GO_ON \
    (status == STATUS_OK && !(stop(context, done++, total) && (status = STATUS_INTERRUPTED)))
    double time_us;
    for (size_t mix = 0; mix < 3; mix++)
        for (unsigned variant = 0; variant < RCM_GPU_MOVE_VARIANTS && GO_ON; variant++) {
            uint64_t part = bytes / (mixes[mix].reads + mixes[mix].writes) / 16 * 16;
            struct roof roof = {mixes[mix].what,
                                rcm_gpu_move_variant_name(variant),
                                variant,
                                0,
                                part * mixes[mix].reads,
                                part * mixes[mix].writes,
                                0,
                                false,
                                from,
                                to};
            double moved = (double)(roof.read + roof.written),
                   *best = mix == 0   ? &rates->read_bytes_per_s
                           : mix == 1 ? &rates->mixed_bytes_per_s
                                      : &rates->copied_bytes_per_s;
            status = measure(&m, run_move, &roof, moved, &time_us);
            if (moved / (1e-6 * time_us) > *best)
                *best = moved / (1e-6 * time_us);
        }
    for (unsigned graph = 0; graph < 2 && GO_ON; graph++) {
        struct roof roof = {.what = "launch", .variant_name = "empty", .graph = graph == 1};
        status = measure(&m, run_nothing, &roof, 1.0, &time_us);
        if (graph && !isnan(time_us))
            rates->launch_us = time_us;
    }
    for (unsigned program = 0; program < PROGRAMS; program++) {
        double times[STEPS];
        bool whole = true;
        for (size_t i = 0; i < STEPS && GO_ON; i++) {
            struct roof roof = {.what = "vector",
                                .variant_name = programs[program],
                                .variant = program,
                                .operations = operations[i],
                                .elements = sizes.elements / 4 * 4,
                                .to = to};
            status =
                measure(&m, run_vector, &roof, (double)roof.elements * operations[i], &times[i]);
            whole &= !isnan(times[i]);
        }
        if (status == STATUS_OK && whole)
            rates->operations_per_s[program] =
                fitted_rate(operations, times, STEPS, (double)(sizes.elements / 4 * 4));
    }
    rcm_gpu_free(from);
    rcm_gpu_free(to);
    return status;
}
