/* proof.c - proves on the device that a result is right.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <gpu/host/check.h>

#include "device.h"

/* ---- verdicts */

/* The verdict on the outputs of a call: of `stage1`, or if that is NULL, of `exact`. */
static enum rcm_gpu_status check_call(struct device *r, const struct rcm_gpu_stage1 *stage1,
                                      const struct rcm_gpu_exact *exact,
                                      struct rcm_gpu_verdict *verdict)
{
    rcm_gpu_stream stream = rcm_gpu_timer_stream(r->timer);
    const struct rcm_gpu_rows *rows = stage1 ? &stage1->rows : &exact->rows;
    if (!reserve(&r->check_workspace,
                 rcm_gpu_check_workspace(rows->m, rows->n, stage1 ? stage1->b : 1)) ||
        !reserve(&r->verdict, sizeof *verdict))
        return RCM_GPU_BAD_WORKSPACE;
    enum rcm_gpu_status status =
        stage1 ? rcm_gpu_check_stage1(stage1, r->verdict.at, r->check_workspace.at, stream)
               : rcm_gpu_check_exact(exact, r->verdict.at, r->check_workspace.at, stream);
    if (status == RCM_GPU_OK)
        status = rcm_gpu_wait();
    return status == RCM_GPU_OK ? rcm_gpu_from_device(verdict, r->verdict.at, sizeof *verdict)
                                : status;
}

/* MEASURED if the verdict is good; otherwise WRONG, and the reason says what was found. */
static enum outcome verdict_outcome(struct device *r, struct rcm_gpu_verdict v,
                                    bool missing_allowed, const char *what)
{
    if (v.invalid == 0 && v.repeated == 0 && v.misplaced == 0 && v.altered == 0 &&
        (v.missed == 0 || missing_allowed))
        return MEASURED;
    snprintf(r->reason, sizeof r->reason,
             "%s: %" PRIu64 " indices outside the row, %" PRIu64 " repeated, %" PRIu64
             " of another bucket, %" PRIu64 " values that are not those at their index, %" PRIu64
             " elements missed",
             what, v.invalid, v.repeated, v.misplaced, v.altered, v.missed);
    return WRONG;
}

/* Proves the outputs of a call: as check_call(). */
static enum outcome prove_call(struct device *r, const struct rcm_gpu_stage1 *stage1,
                               const struct rcm_gpu_exact *exact, const char *what)
{
    struct rcm_gpu_verdict verdict;
    const enum rcm_gpu_status status = check_call(r, stage1, exact, &verdict);
    return status == RCM_GPU_OK ? verdict_outcome(r, verdict, false, what)
                                : refuse(r, status, what);
}

/* Proves the outputs of exact top-k of the rows x, and notes their order. What a peer has wrong is
 * counted, and is no failure. */
static enum outcome prove_exact(struct device *r, const struct cell *c, const void *x)
{
    const struct rcm_peer *peer = c->kernel->peer;
    rcm_gpu_stream stream = rcm_gpu_timer_stream(r->timer);
    struct rcm_gpu_exact call = {
        .rows = rows_of(c, x), .k = c->k, .values = r->values.at, .indices = r->indices.at};
    struct rcm_gpu_verdict verdict;
    uint64_t out_of_order = 0;
    enum rcm_gpu_status status = RCM_GPU_OK;
    if (!reserve(&r->verdict, sizeof verdict))
        return refuse(r, RCM_GPU_BAD_WORKSPACE, "proof");
    if (peer && peer->collect) {
        const struct rcm_peer_call last = peer_call_of(r, c, x);
        status = peer->collect(&last, stream) == 0 ? RCM_GPU_OK : RCM_GPU_ERROR;
    }
    if (peer && peer->index_bytes == 8 && status == RCM_GPU_OK) {
        call.indices = reserve(&r->narrow, c->m * c->k * sizeof(int32_t));
        status = call.indices ? rcm_gpu_narrow(r->indices.at, c->m * c->k, call.indices, stream)
                              : RCM_GPU_BAD_WORKSPACE;
    }
    if (peer && peer->no_values && status == RCM_GPU_OK)
        status = rcm_gpu_gather(&call.rows, c->k, call.indices, r->values.at, stream);
    if (status == RCM_GPU_OK)
        status = rcm_gpu_in_order(c->dtype, c->m, c->k, r->values.at, r->verdict.at, stream);
    if (status == RCM_GPU_OK)
        status = rcm_gpu_wait();
    if (status == RCM_GPU_OK)
        status = rcm_gpu_from_device(&out_of_order, r->verdict.at, sizeof out_of_order);
    if (status == RCM_GPU_OK)
        status = check_call(r, NULL, &call, &verdict);
    if (status != RCM_GPU_OK)
        return refuse(r, status, "proof");
    r->in_order = out_of_order == 0;
    if (verdict.wrong_rows > r->wrong_rows)
        r->wrong_rows = verdict.wrong_rows;
    return peer ? MEASURED : verdict_outcome(r, verdict, false, "exact top-k");
}

/* ---- the top k of rows, and how many of it a result has */

/* The values of `exact`, k for each row, that are among the `count` values of `kept`: the sum over
 * all rows, and the fewest in one row. */
static enum rcm_gpu_status count_hits(struct device *r, const struct cell *c, const void *exact,
                                      uint64_t k, const void *kept, uint64_t count, double *hits,
                                      uint32_t *fewest)
{
    if (!reserve(&r->hits, c->m * sizeof(uint32_t)))
        return RCM_GPU_BAD_WORKSPACE;
    enum rcm_gpu_status status = rcm_gpu_count_hits(c->dtype, false, c->m, exact, k, kept, count,
                                                    r->hits.at, rcm_gpu_timer_stream(r->timer));
    if (status == RCM_GPU_OK)
        status = rcm_gpu_wait();
    uint32_t *each = malloc(c->m * sizeof *each);
    if (!each)
        return RCM_GPU_BAD_WORKSPACE;
    if (status == RCM_GPU_OK)
        status = rcm_gpu_from_device(each, r->hits.at, c->m * sizeof *each);
    *hits = 0.0;
    *fewest = UINT32_MAX;
    for (uint64_t row = 0; row < c->m && status == RCM_GPU_OK; row++) {
        *hits += each[row];
        *fewest = each[row] < *fewest ? each[row] : *fewest;
    }
    free(each);
    return status;
}

/* Selects the exact top k of rows into `values`, and proves it. */
static enum outcome select_proved_topk(struct device *r, const struct rcm_gpu_rows *rows,
                                       uint64_t k, struct buffer *values)
{
    struct rcm_gpu_exact call = {.rows = *rows, .k = k};
    size_t bytes = rcm_gpu_dtype_bytes(rows->dtype), workspace_bytes;
    call.values = reserve(values, rows->m * k * bytes);
    call.indices = reserve(&r->exact_indices, rows->m * k * sizeof(int32_t));
    enum rcm_gpu_status status = call.values && call.indices
                                     ? rcm_gpu_exact_workspace(&call, &workspace_bytes)
                                     : RCM_GPU_BAD_WORKSPACE;
    if (status == RCM_GPU_OK && !reserve(&r->scratch_workspace, workspace_bytes))
        status = RCM_GPU_BAD_WORKSPACE;
    if (status == RCM_GPU_OK)
        status = rcm_gpu_exact(&call, r->scratch_workspace.at, r->scratch_workspace.bytes,
                               rcm_gpu_timer_stream(r->timer));
    return status == RCM_GPU_OK ? prove_call(r, NULL, &call, "exact top-k")
                                : refuse(r, status, "exact top-k");
}

/* ---- both stages */

/* Runs stage 1 alone into the scratch buffers, which `stage1` then points to. */
static enum rcm_gpu_status run_scratch_stage1(struct device *r, const struct cell *c,
                                              struct rcm_gpu_stage1 *stage1)
{
    const uint64_t count = c->m * cell_candidates(c);
    size_t workspace_bytes;
    stage1->values = reserve(&r->scratch_values, count * dtype_bytes(c->dtype));
    stage1->indices = reserve(&r->scratch_indices, count * sizeof(int32_t));
    enum rcm_gpu_status status = stage1->values && stage1->indices
                                     ? rcm_gpu_stage1_workspace(stage1, &workspace_bytes)
                                     : RCM_GPU_BAD_WORKSPACE;
    if (status == RCM_GPU_OK && !reserve(&r->scratch_workspace, workspace_bytes))
        status = RCM_GPU_BAD_WORKSPACE;
    return status == RCM_GPU_OK
               ? rcm_gpu_stage1(stage1, r->scratch_workspace.at, r->scratch_workspace.bytes,
                                rcm_gpu_timer_stream(r->timer))
               : status;
}

/* Proves that the outputs are elements of the rows x, and that they have all the values of the top
 * k in r->exact_values. */
static enum outcome prove_same_values(struct device *r, const struct cell *c, const void *x)
{
    const struct rcm_gpu_exact call = {
        .rows = rows_of(c, x), .k = c->k, .values = r->values.at, .indices = r->indices.at};
    struct rcm_gpu_verdict verdict;
    double hits;
    uint32_t fewest;
    enum rcm_gpu_status status = check_call(r, NULL, &call, &verdict);
    if (status == RCM_GPU_OK && verdict_outcome(r, verdict, true, "both stages") != MEASURED)
        return WRONG;
    if (status == RCM_GPU_OK)
        status = count_hits(r, c, r->exact_values.at, c->k, r->values.at, c->k, &hits, &fewest);
    if (status != RCM_GPU_OK)
        return refuse(r, status, "both stages");
    if (fewest == c->k)
        return MEASURED;
    snprintf(r->reason, sizeof r->reason,
             "both stages: a row has only %" PRIu32 " of the top %" PRIu64 " of its candidates",
             fewest, c->k);
    return WRONG;
}

/* Proves that the outputs are the top k of what stage 1 keeps of the rows x. Stage 1 is run by
 * itself and proved; so is the exact top-k of its candidates. The outputs must have the same
 * values, at their indices. With as many candidates as k, the outputs are those of stage 1. */
static enum outcome prove_two_stage(struct device *r, const struct cell *c, const void *x)
{
    const uint64_t candidates = cell_candidates(c);
    struct rcm_gpu_stage1 stage1 = stage1_of(c, x, r->values.at, r->indices.at);
    if (candidates > c->k) {
        const enum rcm_gpu_status status = run_scratch_stage1(r, c, &stage1);
        if (status != RCM_GPU_OK)
            return refuse(r, status, "stage 1");
    }
    enum outcome outcome = prove_call(r, &stage1, NULL, "stage 1");
    if (outcome != MEASURED || candidates == c->k)
        return outcome;
    const struct rcm_gpu_rows kept = {
        .x = stage1.values, .m = c->m, .n = candidates, .dtype = c->dtype};
    outcome = select_proved_topk(r, &kept, c->k, &r->exact_values);
    return outcome == MEASURED ? prove_same_values(r, c, x) : outcome;
}

/* ---- products */

/* Proves cuBLAS's float32 product, once for each pair of inputs, bit for bit: the sums of these
 * inputs are exact in any order. */
static enum outcome prove_multiplier(struct device *r, const struct cell *c)
{
    uint64_t different = 0;
    rcm_gpu_stream stream = rcm_gpu_timer_stream(r->timer);
    if (r->multiplier_proved || c->kernel->dtype != RCM_GPU_F32)
        return MEASURED;
    enum rcm_gpu_status status =
        reserve(&r->plain, c->m * c->n * sizeof(float)) && reserve(&r->verdict, sizeof different)
            ? RCM_GPU_OK
            : RCM_GPU_BAD_WORKSPACE;
    if (status == RCM_GPU_OK)
        status = rcm_gpu_multiply(r->x[0].at, r->x[1].at, c->m, c->n, c->d, r->plain.at, stream);
    if (status == RCM_GPU_OK)
        status = rcm_gpu_count_different(r->plain.at, r->products.at, c->m * c->n, r->verdict.at,
                                         stream);
    if (status == RCM_GPU_OK)
        status = rcm_gpu_wait();
    if (status == RCM_GPU_OK)
        status = rcm_gpu_from_device(&different, r->verdict.at, sizeof different);
    if (status != RCM_GPU_OK)
        return refuse(r, status, "product");
    if (different > 0) {
        snprintf(r->reason, sizeof r->reason, "cuBLAS's product differs in %" PRIu64 " places",
                 different);
        return WRONG;
    }
    r->multiplier_proved = true;
    return MEASURED;
}

enum outcome prove(struct device *r, const struct cell *c, unsigned set)
{
    const char *name = task_name(c->kernel->task);
    enum rcm_gpu_status status;
    const void *x = result_rows(r, c, set, &status);
    if (!x)
        return refuse(r, RCM_GPU_BAD_WORKSPACE, "products");
    if (status != RCM_GPU_OK)
        return refuse(r, status, "proof");
    if (c->kernel->task == TASK_STAGE1) {
        const struct rcm_gpu_stage1 call = stage1_of(c, x, r->values.at, r->indices.at);
        return prove_call(r, &call, NULL, name);
    }
    if (c->kernel->task == TASK_EXACT)
        return prove_exact(r, c, x);
    const enum outcome outcome = needs_multiplier(c) ? prove_multiplier(r, c) : MEASURED;
    if (outcome != MEASURED || c->kernel->is_product_only)
        return outcome;
    return is_exact_product(how_of(c)) ? prove_exact(r, c, x) : prove_two_stage(r, c, x);
}

enum outcome count_true_hits(struct device *r, double *hits)
{
    const struct cell *c = r->cell;
    enum rcm_gpu_status status;
    const struct rcm_gpu_rows rows = rows_of(c, result_rows(r, c, 0, &status));
    if (status != RCM_GPU_OK)
        return refuse(r, status, "products");
    /* Products have another true top k for each type that they are stored in. */
    if (r->true_k != c->k || c->d) {
        r->true_k = 0;
        const enum outcome outcome = select_proved_topk(r, &rows, c->k, &r->true_values);
        if (outcome != MEASURED)
            return outcome;
        r->true_k = c->d ? 0 : c->k;
    }
    uint32_t fewest;
    status =
        count_hits(r, c, r->true_values.at, c->k, r->values.at, cell_results(c), hits, &fewest);
    return status == RCM_GPU_OK ? MEASURED : refuse(r, status, "recall");
}
