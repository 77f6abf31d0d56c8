/* calls.c - the calls of the library for a cell.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/host/inputs.h>
#include <gpu/host/roof.h>

#include "device.h"

static enum rcm_gpu_assignment assignment_of(const struct cell *c)
{
    return c->assignment == RCM_INTERLEAVED ? RCM_GPU_INTERLEAVED : RCM_GPU_CONTIGUOUS;
}

struct rcm_gpu_rows rows_of(const struct cell *c, const void *x)
{
    return (struct rcm_gpu_rows){.x = x, .m = c->m, .n = c->n, .dtype = c->dtype};
}

struct rcm_gpu_stage1 stage1_of(const struct cell *c, const void *x, void *values, int32_t *indices)
{
    return (struct rcm_gpu_stage1){rows_of(c, x),     c->b,   c->k_b, assignment_of(c),
                                   how_of(c)->stage1, values, indices};
}

struct rcm_gpu_exact exact_of(const struct cell *c, const void *x, void *values, int32_t *indices)
{
    return (struct rcm_gpu_exact){.rows = rows_of(c, x),
                                  .k = c->k,
                                  .kernel = how_of(c)->exact,
                                  .bits = how_of(c)->bits,
                                  .seed = RCM_GPU_INPUT_SEED,
                                  .unroll = how_of(c)->unroll,
                                  .binary_search = how_of(c)->binary_search,
                                  .values = values,
                                  .indices = indices};
}

static struct rcm_gpu_two_stage two_stage_of(const struct cell *c, const void *x, void *values,
                                             int32_t *indices)
{
    return (struct rcm_gpu_two_stage){.rows = rows_of(c, x),
                                      .k = c->k,
                                      .b = c->b,
                                      .k_b = c->k_b,
                                      .assignment = assignment_of(c),
                                      .stage1 = how_of(c)->stage1,
                                      .stage2 = how_of(c)->exact,
                                      .values = values,
                                      .indices = indices};
}

/* The stages as two calls. The candidates are at the beginning of the workspace. */
struct two_calls {
    struct rcm_gpu_stage1 first;
    struct rcm_gpu_exact second;
    size_t candidate_bytes;
};

static struct two_calls two_calls_of(const struct device *r, const struct cell *c, const void *x)
{
    const size_t candidates = c->m * cell_candidates(c),
                 values = (candidates * rcm_gpu_dtype_bytes(c->dtype) + 255) / 256 * 256,
                 indices = (candidates * sizeof(int32_t) + 255) / 256 * 256;
    char *const at = r->workspace.at;
    struct two_calls both = {.candidate_bytes = values + indices};
    both.first = stage1_of(c, x, at, (int32_t *)(at + values));
    both.second = exact_of(c, at, r->values.at, r->indices.at);
    both.second.rows.n = cell_candidates(c);
    both.second.labels = both.first.indices;
    return both;
}

static enum rcm_gpu_status workspace_of_two_calls(const struct device *r, const struct cell *c,
                                                  size_t *bytes)
{
    struct two_calls both = two_calls_of(r, c, r->x[0].at);
    size_t second;
    both.second.rows.x = r->x[0].at; /* there is no workspace yet */
    enum rcm_gpu_status status = rcm_gpu_stage1_workspace(&both.first, bytes);
    if (status == RCM_GPU_OK)
        status = rcm_gpu_exact_workspace(&both.second, &second);
    if (status == RCM_GPU_OK)
        *bytes = both.candidate_bytes + (*bytes > second ? *bytes : second);
    return status;
}

static enum rcm_gpu_status run_two_calls(const struct device *r, const struct cell *c,
                                         const void *x, rcm_gpu_stream stream)
{
    const struct two_calls both = two_calls_of(r, c, x);
    char *const rest = (char *)r->workspace.at + both.candidate_bytes;
    const size_t rest_bytes = r->workspace.bytes - both.candidate_bytes;
    const enum rcm_gpu_status status = rcm_gpu_stage1(&both.first, rest, rest_bytes, stream);
    return status == RCM_GPU_OK ? rcm_gpu_exact(&both.second, rest, rest_bytes, stream) : status;
}

static struct rcm_gpu_fused fused_of(const struct device *r, const struct cell *c)
{
    const bool exact = is_exact_product(how_of(c));
    return (struct rcm_gpu_fused){.queries = r->x[0].at,
                                  .database = r->x[1].at,
                                  .m = c->m,
                                  .n = c->n,
                                  .d = c->d,
                                  .k = c->k,
                                  .b = exact ? 0 : c->b,
                                  .k_b = exact ? 0 : c->k_b,
                                  .values = r->values.at,
                                  .indices = r->indices.at,
                                  .reread = r->counts_reread ? r->reread.at : NULL};
}

struct rcm_peer_call peer_call_of(const struct device *r, const struct cell *c, const void *x)
{
    struct rcm_peer_call call = peer_call(c);
    call.x = x;
    call.values = r->values.at;
    call.indices = r->indices.at;
    call.workspace = r->workspace.at;
    call.workspace_bytes = r->workspace.bytes;
    return call;
}

static enum rcm_gpu_status run_peer(struct device *r, const struct cell *c, const void *x,
                                    rcm_gpu_stream stream)
{
    const struct rcm_peer_call call = peer_call_of(r, c, x);
    return c->kernel->peer->run(&call, stream) == 0 ? RCM_GPU_OK : RCM_GPU_ERROR;
}

enum rcm_gpu_status workspace_of(struct device *r, const struct cell *c, size_t *bytes)
{
    *bytes = 0;
    switch (c->kernel->task) {
    case TASK_STAGE1: {
        struct rcm_gpu_stage1 call = stage1_of(c, r->x[0].at, NULL, NULL);
        return rcm_gpu_stage1_workspace(&call, bytes);
    }
    case TASK_EXACT: {
        if (c->kernel->peer) {
            const struct rcm_peer_call call = peer_call_of(r, c, r->x[0].at);
            *bytes = c->kernel->peer->workspace ? c->kernel->peer->workspace(&call) : 0;
            return RCM_GPU_OK;
        }
        struct rcm_gpu_exact call = exact_of(c, r->x[0].at, NULL, NULL);
        return rcm_gpu_exact_workspace(&call, bytes);
    }
    case TASK_FUSED:
        if (is_fused(how_of(c))) {
            struct rcm_gpu_fused call = fused_of(r, c);
            return rcm_gpu_fused_workspace(&call, bytes);
        }
        if (how_of(c)->product == PRODUCT_EXACT) {
            struct rcm_gpu_exact call = exact_of(c, r->products.at, NULL, NULL);
            return rcm_gpu_exact_workspace(&call, bytes);
        }
        /* fall through */
    default: {
        if (how_of(c)->apart)
            return workspace_of_two_calls(r, c, bytes);
        struct rcm_gpu_two_stage call =
            two_stage_of(c, c->d ? r->products.at : r->x[0].at, NULL, NULL);
        return rcm_gpu_two_stage_workspace(&call, bytes);
    }
    }
}

enum rcm_gpu_status run_cell(void *context, unsigned call, rcm_gpu_stream stream)
{
    struct device *r = context;
    const struct cell *c = r->cell;
    const void *x = r->x[call % r->turns].at;
    switch (c->kernel->task) {
    case TASK_STAGE1: {
        struct rcm_gpu_stage1 stage1 = stage1_of(c, x, r->values.at, r->indices.at);
        return rcm_gpu_stage1(&stage1, r->workspace.at, r->workspace.bytes, stream);
    }
    case TASK_EXACT: {
        if (c->kernel->peer)
            return run_peer(r, c, x, stream);
        struct rcm_gpu_exact exact = exact_of(c, x, r->values.at, r->indices.at);
        exact.reread = r->counts_reread ? r->reread.at : NULL;
        return rcm_gpu_exact(&exact, r->workspace.at, r->workspace.bytes, stream);
    }
    case TASK_FUSED:
        if (is_fused(how_of(c))) {
            struct rcm_gpu_fused fused = fused_of(r, c);
            return rcm_gpu_fused(&fused, r->workspace.at, r->workspace.bytes, stream);
        }
        r->plain_products = false;
        enum rcm_gpu_status status = multiply(r->multiplier, r->x[0].at, r->x[1].at, c->m, c->n,
                                              c->d, r->products.at, c->kernel->dtype, stream);
        if (status != RCM_GPU_OK || how_of(c)->product == PRODUCT_ALONE)
            return status;
        x = r->products.at;
        if (how_of(c)->product == PRODUCT_EXACT) {
            struct rcm_gpu_exact exact = exact_of(c, x, r->values.at, r->indices.at);
            return rcm_gpu_exact(&exact, r->workspace.at, r->workspace.bytes, stream);
        }
        /* fall through */
    default: {
        if (how_of(c)->apart)
            return run_two_calls(r, c, x, stream);
        struct rcm_gpu_two_stage both = two_stage_of(c, x, r->values.at, r->indices.at);
        return rcm_gpu_two_stage(&both, r->workspace.at, r->workspace.bytes, stream);
    }
    }
}

enum rcm_gpu_status run_roof(void *context, unsigned call, rcm_gpu_stream stream)
{
    struct device *r = context;
    const struct cell *c = r->cell;
    return rcm_gpu_move(r->x[call % r->turns].at, cell_bytes_read(c) / 16 * 16, r->roof.at,
                        (cell_bytes_written(c) + 15) / 16 * 16, r->roof_variant, stream);
}
