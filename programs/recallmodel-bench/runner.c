/* runner.c - see runner.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gpu/host/roof.h>

#include "runner_parts.h"

/* ---- a runner and its buffers */

enum rcm_gpu_status runner_open(struct runner **runner, uint64_t seed)
{
    *runner = NULL;
    struct runner *r = calloc(1, sizeof *r);
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
    *runner = r;
    return RCM_GPU_OK;
}

void runner_close(struct runner *r)
{
    if (!r)
        return;
    free_buffers(r);
    rcm_gpu_timer_free(r->timer);
    monitor_close(r->monitor);
    multiplier_close(r->multiplier);
    free(r);
}

void *reserve(struct buffer *b, size_t bytes)
{
    if (bytes == 0)
        bytes = 256;
    if (b->bytes < bytes) {
        rcm_gpu_free(b->at);
        b->at = rcm_gpu_allocate(bytes);
        b->bytes = b->at ? bytes : 0;
    }
    return b->at;
}

static void free_buffer(struct buffer *b)
{
    rcm_gpu_free(b->at);
    *b = (struct buffer){NULL, 0};
}

void free_buffers(struct runner *r)
{
    struct buffer *all[] = {&r->true_values,    &r->values,          &r->indices,
                            &r->workspace,      &r->products,        &r->roof,
                            &r->plain,          &r->check_workspace, &r->verdict,
                            &r->scratch_values, &r->scratch_indices, &r->scratch_workspace,
                            &r->exact_values,   &r->exact_indices,   &r->hits};
    for (size_t i = 0; i < INPUT_SETS_MAX; i++)
        free_buffer(&r->x[i]);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free_buffer(all[i]);
    r->input_cell.kernel = NULL;
    r->true_k = 0;
    r->plain_products = r->multiplier_proved = false;
}

void runner_predict_for(struct runner *r, const struct rcm_device *device)
{
    r->device = device;
}

const struct rcm_gpu_facts *runner_facts(const struct runner *r)
{
    return &r->facts;
}

struct monitor *runner_monitor(struct runner *r)
{
    return r->monitor;
}

struct rcm_gpu_timer *runner_timer(struct runner *r)
{
    return r->timer;
}

const char *runner_reason(const struct runner *r)
{
    return r->reason;
}

enum outcome refuse(struct runner *r, enum rcm_gpu_status status, const char *what)
{
    snprintf(r->reason, sizeof r->reason, "%s: %s", what,
             status == RCM_GPU_BAD_WORKSPACE ? "not enough memory on the device"
                                             : rcm_gpu_message(status));
    return status == RCM_GPU_ERROR ? FAILED : SKIPPED;
}

/* ---- before the first call of a cell */

static enum outcome open_multiplier(struct runner *r)
{
    if (!r->multiplier_asked)
        r->multiplier = multiplier_open();
    r->multiplier_asked = true;
    if (r->multiplier)
        return MEASURED;
    snprintf(r->reason, sizeof r->reason, "cuBLAS was not found");
    return SKIPPED;
}

static bool reserve_outputs(struct runner *r, const struct cell *c)
{
    const size_t bytes = rcm_gpu_dtype_bytes(c->dtype), out = c->m * cell_results(c);
    return reserve(&r->values, out * bytes) && reserve(&r->indices, out * sizeof(int32_t)) &&
           (!needs_multiplier(c) || reserve(&r->products, c->m * c->n * bytes)) &&
           (c->d || reserve(&r->roof, cell_bytes_written(c) + 16));
}

/* Overwrites the outputs, so that what a proof sees was written after this. */
static enum rcm_gpu_status poison(struct runner *r)
{
    enum rcm_gpu_status status = rcm_gpu_set_bytes(r->values.at, 0xee, r->values.bytes);
    if (status == RCM_GPU_OK)
        status = rcm_gpu_set_bytes(r->indices.at, 0xee, r->indices.bytes);
    return status == RCM_GPU_OK ? rcm_gpu_wait() : status;
}

static enum outcome prepare(struct runner *r, const struct cell *c)
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

enum outcome runner_once(struct runner *r, const struct cell *c)
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

/* ---- proof, time, proof */

/* Runs the cell once, proves the result, and counts the recall. */
static enum outcome prove_first_call(struct runner *r, const struct cell *c, struct measurement *to)
{
    enum outcome outcome = runner_once(r, c);
    if (outcome == MEASURED)
        outcome = prove(r, c, 0);
    /* Products that are rounded have another true top k. */
    const bool has_recall =
        c->kernel->task != TASK_EXACT && !is_product_alone(c) && (!c->d || c->dtype == RCM_GPU_F32);
    return outcome == MEASURED && has_recall ? measure_recall(r, c, to) : outcome;
}

/* Chooses the kernel that moves the bytes of the cell fastest here, by the least of three times. */
static enum rcm_gpu_status choose_roof(struct runner *r, const struct cell *c)
{
    double best = INFINITY;
    unsigned choice = 0;
    for (r->roof_variant = 0; r->roof_variant < RCM_GPU_MOVE_VARIANTS; r->roof_variant++)
        for (unsigned i = 0; i < 4; i++) {
            double time_us;
            enum rcm_gpu_status status =
                rcm_gpu_time_call(r->timer, run_roof, r, 0, !c->warm, &time_us);
            if (status != RCM_GPU_OK)
                return status;
            if (i > 0 && time_us < best) { /* the first call loads the kernel */
                best = time_us;
                choice = r->roof_variant;
            }
        }
    r->roof_variant = choice;
    return RCM_GPU_OK;
}

/* Times the cell. Unless it is a product, also times moving its bytes, alternately with it. */
static enum rcm_gpu_status take_times(struct runner *r, const struct cell *c,
                                      const struct sampling *rules, struct measurement *to)
{
    struct sampling how = *rules;
    struct timed_work cell = {run_cell, r}, roof = {run_roof, r};
    struct timing timing[2] = {{0}, {0}};
    how.graph = c->graph;
    how.flush = !c->warm;
    enum rcm_gpu_status status = poison(r);
    if (status == RCM_GPU_OK && !c->d)
        status = choose_roof(r, c);
    if (status == RCM_GPU_OK)
        status = take_samples(r->timer, r->monitor, &how, &cell, c->d ? NULL : &roof, timing);
    to->time = timing[0];
    to->roof = timing[1];
    to->roof_kernel = c->d ? "" : rcm_gpu_move_variant_name(r->roof_variant);
    return status;
}

static enum outcome measure(struct runner *r, const struct cell *c, const struct sampling *rules,
                            struct measurement *to)
{
    *to = (struct measurement){
        .recall = NAN, .recall_model = NAN, .z = NAN, .predicted_us = NAN, .cost = {NAN, NAN, NAN}};
    const enum outcome outcome = prove_first_call(r, c, to);
    if (outcome != MEASURED)
        return outcome;
    const enum rcm_gpu_status status = take_times(r, c, rules, to);
    if (status != RCM_GPU_OK)
        return refuse(r, status, "timing");
    ask_models(r, c, to);
    /* The outputs are those of the last call that was timed; of a graph, those of its last one. */
    return prove(r, c, c->graph ? (GRAPH_CALLS - 1) % r->turns : 0);
}

enum outcome runner_measure(struct runner *r, const struct cell *c, const struct sampling *rules,
                            struct measurement *to)
{
    const enum outcome outcome = measure(r, c, rules, to);
    if (outcome != SKIPPED || (needs_multiplier(c) && !r->multiplier))
        return outcome;
    /* Perhaps it fits without the buffers that earlier cells left. */
    free_buffers(r);
    return measure(r, c, rules, to);
}
