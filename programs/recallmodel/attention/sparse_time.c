/* sparse_time.c - see sparse_time.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "sparse_time.h"

#include <math.h>
#include <stdlib.h>

#include <base/watch.h>
#include <base/memory.h>
#include <base/text.h>

static const char *cache_at(unsigned i)
{
    return i == 0 ? "cold" : i == 1 ? "warm" : NULL;
}

static int read_time(void *to, const char *option, const char *value)
{
    unsigned i;
    const int status = read_name(option, value, cache_at, 2, &i);
    *(enum sparse_cache *)to = i == 0 ? CACHE_COLD : CACHE_WARM;
    return status;
}

const struct value_kind kind_of_time = {.read = read_time, .names = cache_at};

/* The head that a row is timed on. */
static size_t head_of(const struct evaluation_spec *spec, const struct evaluation_row *row)
{
    for (size_t i = 0; i < spec->length; i++) {
        const struct head_shape *shape = &spec->heads[i];
        if (row->head == HEAD_ALL
                ? !shape->dense && (row->layer == LAYER_UNKNOWN || row->layer == shape->layer)
                : shape->layer == row->layer && shape->query_head <= row->head &&
                      row->head < shape->query_head + shape->query_heads)
            return i;
    }
    return spec->length;
}

/* A method on a head, as it is timed. */
struct timed_head {
    struct progress *progress;
    uint64_t done; /* rows */
    bool stopped;
    const struct sparse_settings *settings;
    const struct evaluation_spec *spec;
    const struct evaluation *evaluation;
    size_t index; /* of the head */
    void *memory; /* of the floats */
    struct head_floats floats;
};

/* As watch.h wants it, while an index is built. */
static bool stop_timing(void *context, uint64_t part, uint64_t parts)
{
    struct timed_head *timed = context;
    (void)part, (void)parts;
    timed->stopped =
        timed->stopped || progress_tick(timed->progress, timed->done, timed->evaluation->length);
    return timed->stopped;
}

/* The rows of a method that are timed on this head, from row `from` on, until it is stopped. */
static void time_method(struct timed_head *timed, size_t from, struct sparse_timing *timings)
{
    const struct evaluation_row *rows = timed->evaluation->rows;
    const struct head_shape *shape = &timed->spec->heads[timed->index];
    const struct method *method = timed->spec->methods[rows[from].method];
    struct key_head head = evaluation_head(timed->spec, method, timed->index);
    const uint32_t count = shape->n_q < TIMED_QUERIES ? shape->n_q : TIMED_QUERIES;
    const bool together = timed->spec->share && method->together;
    const uint32_t member =
        rows[from].head == HEAD_ALL || together ? 0 : rows[from].head - shape->query_head;
    const size_t start = ((size_t)(member + 1) * shape->n_q - count) * shape->d;
    const float *before = timed->floats.queries_unroped;
    const struct watch watch = {.stop = stop_timing, .context = timed};
    head.watch = &watch;
    head.keys = timed->floats.keys;
    head.keys_unroped = timed->floats.keys_unroped;
    head.values = timed->floats.values;
    head.queries = shape->n_q == shape->n ? timed->floats.queries : NULL;
    head.query_heads = shape->query_heads;
    const struct timing_spec spec = {
        .method = method,
        .options = &timed->spec->options,
        .head = &head,
        .queries = timed->floats.queries + start,
        .queries_unroped = before ? before + start : NULL,
        .stride = (size_t)shape->n_q * shape->d,
        .count = count,
        .query_head = member,
        .heads = together ? shape->query_heads : 1,
        .scale = (float)(1 / sqrt(shape->d)),
        .repetitions = TIMED_TIMES,
        .cold = timed->settings->cache == CACHE_COLD,
    };
    double index_us;
    struct timing *timing = timing_new(&spec, &index_us);
    for (size_t i = from; i < timed->evaluation->length && !timed->stopped; i++) {
        if (rows[i].method != rows[from].method || rows[i].head != rows[from].head ||
            head_of(timed->spec, &rows[i]) != timed->index || rows[i].knob == KNOB_NONE)
            continue;
        timings[i] = (struct sparse_timing){index_us, timing_measure(timing, rows[i].knob)};
        timed->evaluation->rows[i].time_us = timings[i].step.time.median;
        timed->stopped = progress_tick(timed->progress, ++timed->done, timed->evaluation->length);
    }
    timing_free(timing);
}

/* A row without a knob has the knob 0, if its method has none. */
static void name_knobs(const struct evaluation_spec *spec, const struct evaluation *evaluation)
{
    for (size_t i = 0; i < evaluation->length; i++)
        if (*spec->methods[evaluation->rows[i].method]->knob == '\0')
            evaluation->rows[i].knob = 0;
}

int sparse_time(const struct sparse_settings *settings, const struct evaluation_spec *spec,
                const struct evaluation *evaluation, struct sparse_timing **timings)
{
    const struct timed none = {NAN, NAN, NAN};
    const struct sparse_timing unknown = {NAN, {NAN, none, none, none, none, NAN, NAN, NAN}};
    struct progress progress;
    struct timed_head timed = {.progress = &progress,
                               .settings = settings,
                               .spec = spec,
                               .evaluation = evaluation,
                               .index = spec->length};
    char error[800];
    int status = STATUS_OK;
    *timings = require_memory(calloc(evaluation->length + 1, sizeof **timings));
    name_knobs(spec, evaluation);
    progress_start(&progress, "rows");
    timed.stopped = progress_tick(&progress, 0, evaluation->length);
    for (size_t i = 0; i < evaluation->length; i++)
        (*timings)[i] = unknown;
    for (size_t i = 0; i < evaluation->length && status == STATUS_OK && !timed.stopped; i++) {
        const size_t head = head_of(spec, &evaluation->rows[i]);
        if (!isnan((*timings)[i].step.selectivity) || evaluation->rows[i].knob == KNOB_NONE ||
            head == spec->length)
            continue;
        if (head != timed.index) {
            free(timed.memory);
            timed.index = head;
            timed.memory = require_memory(head_floats_new(&spec->heads[head], &timed.floats));
            if (spec->read(spec->from, head, &timed.floats, MESSAGE(error)) != 0 &&
                !stop_timing(&timed, 0, 0))
                status = usage_error("%s", error);
        }
        if (status == STATUS_OK && !timed.stopped)
            time_method(&timed, i, *timings);
    }
    free(timed.memory);
    progress_end(&progress);
    return status == STATUS_OK && timed.stopped ? STATUS_INTERRUPTED : status;
}

static const struct column timing_items[] = {
    {FIELD(struct sparse_timing, step.time.low), IN_DATA("time_low_us")},
    {FIELD(struct sparse_timing, step.time.high), IN_DATA("time_high_us")},
    {FIELD(struct sparse_timing, step.assign.median), IN_DATA("assign_us")},
    {FIELD(struct sparse_timing, index_us), IN_DATA("index_us")},
    {FIELD(struct sparse_timing, step.full.median), IN_DATA("time_full_us")},
    {FIELD(struct sparse_timing, step.ratio), HEADED("ratio", "speed-\nup"),
     .style = STYLE_SPEEDUP},
    {FIELD(struct sparse_timing, step.left), EVERYWHERE("left"), .style = STYLE_SHARE},
    {FIELD(struct sparse_timing, step.pays_below), IN_DATA("pays_below")},
};
const struct columns sparse_timing_columns = COLUMNS(struct sparse_timing, timing_items);

int read_launch(void *to, const char *option, const char *value)
{
    const double us = text_number(value);
    if (!(us >= 0 && us <= 1e6))
        return usage_error("%s '%.*s' is not a time; give microseconds, such as 2.2", option,
                           VALUE_SHOWN, value);
    *(double *)to = us;
    return STATUS_OK;
}

/* A partition's largest bucket of keys and values. Tables of hashes hold numbers of keys. */
static double bucket_bytes(const struct sparse_answer *a, const struct evaluation_row *row)
{
    const struct head_shape *shape = &a->spec->heads[0];
    return a->spec->methods[row->method]->partitioned && row->largest_bucket > 0
               ? row->largest_bucket * stored_pair_bytes(&a->spec->options, shape->d,
                                                         shape->d_v ? shape->d_v : shape->d)
               : 0;
}

/* Microseconds of a launch: --launch-us; otherwise that of the profile of --device; otherwise
 * STEP_LAUNCH_US. */
static double launch_us(const struct sparse_settings *s)
{
    const struct rcm_profile *profile = device_profile(&s->question.device.text, 0);
    return !isnan(s->launch_us) ? s->launch_us : profile ? profile->launch_us : STEP_LAUNCH_US;
}

static const struct column device_items[] = {
    {FIELD(struct sparse_device_times, step_us), HEADED("device_us", "on the\ndevice"),
     .style = STYLE_US},
    {FIELD(struct sparse_device_times, full_us), IN_DATA("device_full_us")},
};
const struct columns sparse_device_columns = COLUMNS(struct sparse_device_times, device_items);

struct sparse_device_times sparse_device_times(const struct sparse_answer *a,
                                               const struct evaluation_row *row)
{
    const struct sparse_settings *s = a->settings;
    const struct rcm_device *device = &s->question.device.text.device;
    const double batch = a->spec->options.batch, bucket = bucket_bytes(a, row),
                 bytes = row->bytes_read * a->tensors->query_heads * batch;
    struct rcm_sparse_step step = {
        .bytes = fmax(bytes, bucket), /* a mean, and the bucket of the query that read most */
        .largest_bucket = bucket,
        .multiprocessors = (double)s->multiprocessors,
        .launches = STEP_LAUNCHES,
        .launch_us = launch_us(s),
    };
    const double step_us = rcm_sparse_step_us(device, step);
    step.bytes = a->evaluation->full_bytes * batch *
                 (a->spec->share ? a->tensors->query_heads : a->tensors->key_heads);
    step.largest_bucket = 0;
    step.launches = FULL_STEP_LAUNCHES;
    return (struct sparse_device_times){step_us, rcm_sparse_step_us(device, step)};
}
