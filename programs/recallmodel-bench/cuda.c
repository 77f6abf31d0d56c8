/* cuda.c - see cuda.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cuda.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    const size_t index_bytes = c->kernel->peer ? c->kernel->peer->index_bytes : sizeof(int32_t);
    return reserve(&r->values, out * bytes) && reserve(&r->indices, out * index_bytes) &&
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

/* What a peer does once for many calls. */
static enum rcm_gpu_status prepare_peer(struct device *r, const struct cell *c)
{
    const struct rcm_peer *peer = c->kernel->peer;
    if (!peer || !peer->prepare)
        return RCM_GPU_OK;
    const struct rcm_peer_call call = peer_call_of(r, c, r->x[0].at);
    if (peer->prepare(&call, rcm_gpu_timer_stream(r->timer)) != 0)
        return RCM_GPU_ERROR;
    return rcm_gpu_wait();
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
    status = workspace_of(r, c, &r->workspace_bytes);
    if (status == RCM_GPU_OK && !reserve(&r->workspace, r->workspace_bytes))
        status = RCM_GPU_BAD_WORKSPACE;
    if (status == RCM_GPU_OK)
        status = poison(r);
    if (status == RCM_GPU_OK)
        status = prepare_peer(r, c);
    return status == RCM_GPU_OK ? MEASURED : refuse(r, status, "workspace");
}

/* Runs the cell, and counts the rows that the sample of our kernel misses. */
static enum rcm_gpu_status run_counted(struct device *r, const struct cell *c)
{
    const bool samples = c->d ? how_of(c)->product == PRODUCT_FUSED_EXACT
                              : c->kernel->task == TASK_EXACT && !c->kernel->peer &&
                                    how_of(c)->exact == RCM_GPU_EXACT_RADIX;
    uint32_t count = 0;
    enum rcm_gpu_status status = RCM_GPU_OK;
    r->reread_rows = UINT64_MAX;
    if (samples) {
        if (!reserve(&r->reread, sizeof count))
            return RCM_GPU_BAD_WORKSPACE;
        status = rcm_gpu_set_bytes(r->reread.at, 0, sizeof count);
        r->counts_reread = true;
    }
    if (status == RCM_GPU_OK)
        status = run_cell(r, 0, rcm_gpu_timer_stream(r->timer));
    if (status == RCM_GPU_OK)
        status = rcm_gpu_wait();
    r->counts_reread = false;
    if (samples && status == RCM_GPU_OK)
        status = rcm_gpu_from_device(&count, r->reread.at, sizeof count);
    if (samples)
        r->reread_rows = count;
    return status;
}

static enum outcome run_once(struct device *r, const struct cell *c)
{
    const struct rcm_peer *peer = c->kernel->peer;
    r->cell = c;
    rcm_gpu_timer_wait(r->timer, peer ? peer->launch_us : 0);
    const enum outcome outcome = prepare(r, c);
    if (outcome != MEASURED)
        return outcome;
    const enum rcm_gpu_status status = run_counted(r, c);
    r->wrong_rows = 0;
    r->launches = 0;
    return status == RCM_GPU_OK ? MEASURED : refuse(r, status, c->kernel->name);
}

/* The first proof also counts the launches of a call. */
static enum outcome prove_call_of_cell(struct device *r, unsigned call)
{
    const struct rcm_peer *peer = r->cell->kernel->peer;
    if (r->launches == 0 && !needs_multiplier(r->cell) && !(peer && peer->no_graph))
        r->launches = rcm_gpu_count_launches(r->timer, run_cell, r);
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

/* A column of a count: empty if it is not known. */
static void append_count(char *text, size_t size, bool known, uint64_t count)
{
    const size_t length = strlen(text);
    if (known)
        snprintf(text + length, size - length, ",%" PRIu64, count);
    else
        snprintf(text + length, size - length, ",");
}

static void put_last(const struct device *r, const struct cell *c, const struct timing *t,
                     char *text, size_t size)
{
    const bool exact = c->kernel->task == TASK_EXACT;
    text[0] = '\0';
    append_count(text, size, t->clock_mhz, t->clock_mhz);
    append_count(text, size, t->power_capped >= 0, t->power_capped > 0);
    append_count(text, size, exact, r->wrong_rows);
    append_count(text, size, exact, r->in_order);
    append_count(text, size, r->reread_rows != UINT64_MAX, r->reread_rows);
    append_count(text, size, r->launches, r->launches);
    append_count(text, size, true, r->workspace_bytes);
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
    .last_columns = ",sm_clock_mhz,power_capped,wrong_rows,in_order,reread_rows,launches,"
                    "workspace_bytes",
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
