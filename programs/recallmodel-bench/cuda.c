/* cuda.c - see cuda.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cuda.h"

#include <stdio.h>
#include <stdlib.h>

#include <gpu/host/inputs.h>
#include <gpu/host/roof.h>

#include "device.h"
#include "grids.h"

/* ---- the device */

static enum rcm_gpu_status try_to_open(struct device **device, uint64_t seed)
{
    *device = NULL;
    struct device *r = calloc(1, sizeof *r);
    if (!r)
        return RCM_GPU_ERROR;
    enum rcm_gpu_status status = rcm_gpu_facts_of_current(&r->facts);
    if (status == RCM_GPU_OK)
        status = rcm_gpu_timer_create(&r->timer);
    if (status != RCM_GPU_OK) {
        free(r);
        return status;
    }
    r->monitor = monitor_open(r->facts.bus);
    r->seed = seed;
    r->cell_work = (struct timed_work){run_cell, r};
    r->roof_work = (struct timed_work){run_roof, r};
    *device = r;
    return RCM_GPU_OK;
}

static int open_device(struct device **device, uint64_t seed)
{
    const enum rcm_gpu_status status = try_to_open(device, seed);
    if (status == RCM_GPU_OK)
        return STATUS_OK;
    fprintf(stderr, "recallmodel-bench: %s\n", rcm_gpu_message(status));
    return status == RCM_GPU_NO_DEVICE ? STATUS_NO_DEVICE : STATUS_FAILED;
}

static void close_device(struct device *r)
{
    if (!r)
        return;
    free_buffers(r);
    rcm_gpu_timer_free(r->timer);
    monitor_close(r->monitor);
    multiplier_close(r->multiplier);
    free(r);
}

static const char *name_of(const struct device *r)
{
    return r->facts.name;
}

static void describe(struct device *r, char *text, size_t size)
{
    const struct rcm_gpu_facts *f = &r->facts;
    snprintf(text, size,
             "gpu=\"%s\" multiprocessors=%d l2=%zu memory=%zu driver=%s cuda_driver=%d.%d "
             "cuda_runtime=%d.%d sm_clock_max_mhz=%u memory_clock_mhz=%u power_limit_w=%u",
             f->name, f->multiprocessors, f->l2_bytes, f->memory_bytes, monitor_driver(r->monitor),
             f->driver / 1000, f->driver % 1000 / 10, f->runtime / 1000, f->runtime % 1000 / 10,
             monitor_most_sm_clock_mhz(r->monitor), monitor_memory_clock_mhz(r->monitor),
             monitor_power_limit_watts(r->monitor));
}

static bool works(struct device *r)
{
    (void)r;
    return rcm_gpu_wait() == RCM_GPU_OK;
}

/* ---- a cell */

static const char *reason_of(const struct device *r)
{
    return r->reason;
}

static enum outcome open_multiplier(struct device *r)
{
    if (!r->multiplier_asked)
        r->multiplier = multiplier_open();
    r->multiplier_asked = true;
    if (r->multiplier)
        return MEASURED;
    snprintf(r->reason, sizeof r->reason, "cuBLAS was not found");
    return SKIPPED;
}

static bool reserve_outputs(struct device *r, const struct cell *c)
{
    const size_t bytes = dtype_bytes(c->dtype), out = c->m * cell_results(c);
    return reserve(&r->values, out * bytes) && reserve(&r->indices, out * sizeof(int32_t)) &&
           (!needs_multiplier(c) || reserve(&r->products, c->m * c->n * bytes)) &&
           (c->d || reserve(&r->roof, cell_bytes_written(c) + 16));
}

/* Overwrites the outputs, so that what a proof sees was written after this. */
static int poison(struct device *r)
{
    enum rcm_gpu_status status = rcm_gpu_set_bytes(r->values.at, 0xee, r->values.bytes);
    if (status == RCM_GPU_OK)
        status = rcm_gpu_set_bytes(r->indices.at, 0xee, r->indices.bytes);
    if (status == RCM_GPU_OK)
        status = rcm_gpu_wait();
    return (int)status;
}

static enum outcome prepare(struct device *r, const struct cell *c)
{
    if (needs_multiplier(c) && open_multiplier(r) != MEASURED)
        return SKIPPED;
    enum rcm_gpu_status status = make_inputs(r, c);
    if (status != RCM_GPU_OK)
        return refuse(r, status, "inputs");
    if (!reserve_outputs(r, c))
        return refuse(r, RCM_GPU_BAD_WORKSPACE, "outputs");
    size_t workspace_bytes;
    status = workspace_of(r, c, &workspace_bytes);
    if (status == RCM_GPU_OK && !reserve(&r->workspace, workspace_bytes))
        status = RCM_GPU_BAD_WORKSPACE;
    if (status == RCM_GPU_OK)
        status = poison(r);
    return status == RCM_GPU_OK ? MEASURED : refuse(r, status, "workspace");
}

static enum outcome run_once(struct device *r, const struct cell *c)
{
    r->cell = c;
    const enum outcome outcome = prepare(r, c);
    if (outcome != MEASURED)
        return outcome;
    enum rcm_gpu_status status = run_cell(r, 0, rcm_gpu_timer_stream(r->timer));
    if (status == RCM_GPU_OK)
        status = rcm_gpu_wait();
    return status == RCM_GPU_OK ? MEASURED : refuse(r, status, c->kernel->name);
}

static enum outcome prove_call_of_cell(struct device *r, unsigned call)
{
    return prove(r, r->cell, call % r->turns);
}

static bool make_room(struct device *r)
{
    if (needs_multiplier(r->cell) && !r->multiplier)
        return false;
    free_buffers(r);
    return true;
}

static const void *cell_work(struct device *r)
{
    return &r->cell_work;
}

static const void *roof_work(struct device *r)
{
    return &r->roof_work;
}

static void use_roof(struct device *r, unsigned roof)
{
    r->roof_variant = roof;
}

/* ---- the registry */

static const char *input_name(unsigned i)
{
    return rcm_gpu_input_name((enum rcm_gpu_input)i);
}

static void put_key(const struct cell *cell, char *text, size_t size)
{
    (void)cell;
    snprintf(text, size, "%s", "");
}

static void put_last(const struct cell *cell, const struct timing *t, char *text, size_t size)
{
    (void)cell;
    int length =
        t->clock_mhz ? snprintf(text, size, ",%u", t->clock_mhz) : snprintf(text, size, ",");
    snprintf(text + length, size - (size_t)length, "%s",
             t->power_capped < 0 ? ","
             : t->power_capped   ? ",1"
                                 : ",0");
}

const struct backend cuda_backend = {
    .command = "recallmodel-bench",
    .kernels = cuda_kernels,
    .grids = cuda_grids,
    .dtypes = DTYPE_BF16 + 1,
    .input_name = input_name,
    .m = 128,
    .refusal = cuda_refusal,
    .axis_options = "--n, --k, --b, --kb, --m, --d, --dtype, --assignment, --input, --cache, "
                    "--timing and --kernel",
    .timings = {"events", "graph"},
    .key_columns = "",
    .last_columns = ",sm_clock_mhz,power_capped",
    .put_key = put_key,
    .put_last = put_last,
    .remark = "cold=flush,rotation(graph) graph=16 calls "
              "bandwidth_share=roof_us_median/time_us_median, alternately",
    .open = open_device,
    .close = close_device,
    .name = name_of,
    .describe = describe,
    .works = works,
    .reason = reason_of,
    .refuse = refuse,
    .run_once = run_once,
    .poison = poison,
    .prove = prove_call_of_cell,
    .count_hits = count_true_hits,
    .make_room = make_room,
    .cell_work = cell_work,
    .roof_work = roof_work,
    .roofs = RCM_GPU_MOVE_VARIANTS,
    .roof_name = rcm_gpu_move_variant_name,
    .use_roof = use_roof,
    .stopwatch = &cuda_stopwatch,
};
