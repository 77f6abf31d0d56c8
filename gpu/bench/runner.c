/* runner.c - see runner.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "runner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/check.h"
#include "gpu/roof.h"
#include "product.h"

#define SETS_MAX GRAPH_CALLS

struct buffer {
    void *at;
    size_t bytes;
};

struct runner {
    struct rcm_gpu_facts facts;
    struct rcm_gpu_timer *timer;
    struct monitor *monitor;
    struct multiplier *multiplier; /* opened when first asked for */
    bool multiplier_asked, multiplier_proved;
    unsigned roof_variant;
    const struct rcm_device *device;
    uint64_t seed;

    /* Inputs, kept as long as cells ask for the same. */
    struct cell made;          /* kernel NULL: none */
    unsigned sets, turns;      /* so many are there, and so many take turns in this cell */
    struct buffer x[SETS_MAX]; /* rows; of a product, x[0] are the queries and x[1] the database */
    uint64_t truth_k;          /* 0: not known */
    struct buffer truth;       /* the true top k of set 0, m x k values */

    bool plain_products; /* are `products` those of the inputs, computed the plain way? */
    const struct cell *cell;
    struct buffer values, indices, workspace, products, roof;
    struct buffer proof, verdict, plain, scratch_values, scratch_indices, scratch_workspace,
        exact_values, exact_indices, hits;
};

/* At least so many bytes. NULL where the device has no more. */
static void *room(struct buffer *b, size_t bytes)
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

static void free_buffers(struct runner *r)
{
    struct buffer *all[] = {&r->truth,          &r->values,          &r->indices,
                            &r->workspace,      &r->products,        &r->roof,
                            &r->plain,          &r->proof,           &r->verdict,
                            &r->scratch_values, &r->scratch_indices, &r->scratch_workspace,
                            &r->exact_values,   &r->exact_indices,   &r->hits};
    for (size_t i = 0; i < SETS_MAX; i++) {
        rcm_gpu_free(r->x[i].at);
        r->x[i] = (struct buffer){NULL, 0};
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        rcm_gpu_free(all[i]->at);
        *all[i] = (struct buffer){NULL, 0};
    }
    r->made.kernel = NULL;
    r->truth_k = 0;
    r->plain_products = r->multiplier_proved = false;
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

/* ---- the calls */

static struct rcm_gpu_rows rows_of(const struct cell *c, const void *x)
{
    return (struct rcm_gpu_rows){.x = x, .m = c->m, .n = c->n, .dtype = c->dtype};
}

static struct rcm_gpu_stage1 stage1_of(const struct cell *c, const void *x, void *values,
                                       int32_t *indices)
{
    return (struct rcm_gpu_stage1){rows_of(c, x),     c->b,   c->k_b, c->assignment,
                                   c->kernel->stage1, values, indices};
}

static struct rcm_gpu_exact exact_of(const struct cell *c, const void *x, void *values,
                                     int32_t *indices)
{
    return (struct rcm_gpu_exact){.rows = rows_of(c, x),
                                  .k = c->k,
                                  .kernel = c->kernel->exact,
                                  .bits = c->kernel->bits,
                                  .unroll = c->kernel->unroll,
                                  .binary_search = c->kernel->binary_search,
                                  .values = values,
                                  .indices = indices};
}

static struct rcm_gpu_two_stage two_stage_of(const struct cell *c, const void *x, void *values,
                                             int32_t *indices)
{
    return (struct rcm_gpu_two_stage){
        rows_of(c, x),    c->k,  c->b,   c->k_b, c->assignment, c->kernel->stage1,
        c->kernel->exact, false, values, indices};
}

static struct rcm_gpu_fused fused_of(const struct runner *r, const struct cell *c)
{
    return (struct rcm_gpu_fused){
        r->x[0].at, r->x[1].at,         c->m,  c->n,         c->d,         c->k, c->b,
        c->k_b,     RCM_GPU_EXACT_AUTO, false, r->values.at, r->indices.at};
}

static enum rcm_gpu_status workspace_of(struct runner *r, const struct cell *c, size_t *bytes)
{
    *bytes = 0;
    switch (c->kernel->work) {
    case WORK_STAGE1: {
        struct rcm_gpu_stage1 call = stage1_of(c, r->x[0].at, NULL, NULL);
        return rcm_gpu_stage1_workspace(&call, bytes);
    }
    case WORK_EXACT: {
        struct rcm_gpu_exact call = exact_of(c, r->x[0].at, NULL, NULL);
        return rcm_gpu_exact_workspace(&call, bytes);
    }
    case WORK_FUSED:
        if (c->kernel->product == PRODUCT_FUSED) {
            struct rcm_gpu_fused call = fused_of(r, c);
            return rcm_gpu_fused_workspace(&call, bytes);
        }
        /* fall through */
    default: {
        struct rcm_gpu_two_stage call =
            two_stage_of(c, c->d ? r->products.at : r->x[0].at, NULL, NULL);
        return rcm_gpu_two_stage_workspace(&call, bytes);
    }
    }
}

static enum rcm_gpu_status run_call(void *context, unsigned call, rcm_gpu_stream stream)
{
    struct runner *r = context;
    const struct cell *c = r->cell;
    const void *x = r->x[call % r->turns].at;
    switch (c->kernel->work) {
    case WORK_STAGE1: {
        struct rcm_gpu_stage1 stage1 = stage1_of(c, x, r->values.at, r->indices.at);
        return rcm_gpu_stage1(&stage1, r->workspace.at, r->workspace.bytes, stream);
    }
    case WORK_EXACT: {
        struct rcm_gpu_exact exact = exact_of(c, x, r->values.at, r->indices.at);
        return rcm_gpu_exact(&exact, r->workspace.at, r->workspace.bytes, stream);
    }
    case WORK_FUSED:
        if (c->kernel->product == PRODUCT_FUSED) {
            struct rcm_gpu_fused fused = fused_of(r, c);
            return rcm_gpu_fused(&fused, r->workspace.at, r->workspace.bytes, stream);
        }
        r->plain_products = false;
        enum rcm_gpu_status status =
            multiply(r->multiplier, r->x[0].at, r->x[1].at, c->m, c->n, c->d, r->products.at,
                     c->kernel->product_type, stream);
        if (status != RCM_GPU_OK || c->kernel->product == PRODUCT_ALONE)
            return status;
        x = r->products.at;
        /* fall through */
    default: {
        struct rcm_gpu_two_stage both = two_stage_of(c, x, r->values.at, r->indices.at);
        return rcm_gpu_two_stage(&both, r->workspace.at, r->workspace.bytes, stream);
    }
    }
}

static enum rcm_gpu_status run_roof(void *context, unsigned call, rcm_gpu_stream stream)
{
    struct runner *r = context;
    const struct cell *c = r->cell;
    return rcm_gpu_move(r->x[call % r->turns].at, cell_bytes_read(c) / 16 * 16, r->roof.at,
                        (cell_bytes_written(c) + 15) / 16 * 16, r->roof_variant, stream);
}

/* ---- inputs */

static bool same_inputs(const struct cell *a, const struct cell *b)
{
    if (!a->kernel || (a->d > 0) != (b->d > 0))
        return false;
    return a->m == b->m && a->n == b->n && a->d == b->d &&
           (a->d > 0 || (a->dtype == b->dtype && a->input == b->input));
}

/* The calls of a graph take turns among so many inputs that each has left the cache when it comes
 * round: 2, 4, 8 or 16, so that every replay has the same turns. With 16 no input comes twice, and
 * what replays before left in the cache is flushed. A call between events is preceded by a flush
 * too. Rows that stay warm are one set. */
static unsigned sets_wanted(const struct runner *r, const struct cell *c)
{
    if (c->d)
        return 1;
    unsigned sets = 1;
    while (c->graph && !c->warm && sets < SETS_MAX &&
           sets * cell_bytes_read(c) < 3 * r->facts.l2_bytes)
        sets *= 2;
    return sets;
}

static enum rcm_gpu_status make_inputs(struct runner *r, const struct cell *c)
{
    rcm_gpu_stream stream = rcm_gpu_timer_stream(r->timer);
    unsigned sets = sets_wanted(r, c), first = same_inputs(&r->made, c) ? r->sets : 0;
    enum rcm_gpu_status status = RCM_GPU_OK;
    if (first == 0) {
        r->made.kernel = NULL;
        r->truth_k = 0;
        r->plain_products = r->multiplier_proved = false;
    }
    if (c->d && first == 0) {
        if (!room(&r->x[0], c->m * c->d * 2) || !room(&r->x[1], c->n * c->d * 2))
            return RCM_GPU_BAD_WORKSPACE;
        status = rcm_gpu_fill_vectors(c->m * c->d, r->seed, r->x[0].at, stream);
        if (status == RCM_GPU_OK)
            status = rcm_gpu_fill_vectors(c->n * c->d, r->seed + 1, r->x[1].at, stream);
    }
    for (unsigned set = first; set < sets && !c->d && status == RCM_GPU_OK; set++) {
        if (!room(&r->x[set], cell_bytes_read(c)))
            return RCM_GPU_BAD_WORKSPACE;
        status = rcm_gpu_fill(c->dtype, c->input, c->m, c->n, r->seed + set, r->x[set].at, stream);
    }
    if (status == RCM_GPU_OK)
        status = rcm_gpu_wait();
    if (status == RCM_GPU_OK) {
        r->made = *c;
        r->sets = sets > first ? sets : first;
        r->turns = sets;
    }
    return status;
}

/* ---- proofs */

static enum rcm_gpu_status verdict_of(struct runner *r, const struct rcm_gpu_stage1 *stage1,
                                      const struct rcm_gpu_exact *exact,
                                      struct rcm_gpu_verdict *verdict)
{
    rcm_gpu_stream stream = rcm_gpu_timer_stream(r->timer);
    const struct rcm_gpu_rows *rows = stage1 ? &stage1->rows : &exact->rows;
    if (!room(&r->proof, rcm_gpu_check_workspace(rows->m, rows->n, stage1 ? stage1->b : 1)) ||
        !room(&r->verdict, sizeof *verdict))
        return RCM_GPU_BAD_WORKSPACE;
    enum rcm_gpu_status status =
        stage1 ? rcm_gpu_check_stage1(stage1, r->verdict.at, r->proof.at, stream)
               : rcm_gpu_check_exact(exact, r->verdict.at, r->proof.at, stream);
    if (status == RCM_GPU_OK)
        status = rcm_gpu_wait();
    return status == RCM_GPU_OK ? rcm_gpu_from_device(verdict, r->verdict.at, sizeof *verdict)
                                : status;
}

/* A proof that failed says what was found. */
static enum outcome judged(struct rcm_gpu_verdict v, bool missing_allowed, const char *what,
                           char *why, size_t why_size)
{
    if (v.invalid == 0 && v.repeated == 0 && v.misplaced == 0 && v.altered == 0 &&
        (v.missed == 0 || missing_allowed))
        return MEASURED;
    snprintf(why, why_size,
             "%s: %" PRIu64 " indices outside the row, %" PRIu64 " repeated, %" PRIu64
             " of another bucket, %" PRIu64 " values not those at their index, %" PRIu64
             " elements missed",
             what, v.invalid, v.repeated, v.misplaced, v.altered, v.missed);
    return WRONG;
}

static enum outcome refused(enum rcm_gpu_status status, const char *what, char *why,
                            size_t why_size)
{
    snprintf(why, why_size, "%s: %s", what,
             status == RCM_GPU_BAD_WORKSPACE ? "not enough memory on the device"
                                             : rcm_gpu_message(status));
    return status == RCM_GPU_ERROR ? FAILED : SKIPPED;
}

/* Sum over rows of how many of `exact` are among `kept`. */
static enum rcm_gpu_status hits_of(struct runner *r, const struct cell *c, const void *exact,
                                   uint64_t k, const void *kept, uint64_t count, double *hits,
                                   uint32_t *fewest)
{
    if (!room(&r->hits, c->m * sizeof(uint32_t)))
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

/* Exact top-k of rows into values, proved. */
static enum outcome proved_exact(struct runner *r, const struct rcm_gpu_rows *rows, uint64_t k,
                                 struct buffer *values, char *why, size_t why_size)
{
    struct rcm_gpu_exact call = {.rows = *rows, .k = k};
    struct rcm_gpu_verdict verdict;
    size_t bytes = rcm_gpu_dtype_bytes(rows->dtype), workspace_bytes;
    call.values = room(values, rows->m * k * bytes);
    call.indices = room(&r->exact_indices, rows->m * k * sizeof(int32_t));
    enum rcm_gpu_status status = call.values && call.indices
                                     ? rcm_gpu_exact_workspace(&call, &workspace_bytes)
                                     : RCM_GPU_BAD_WORKSPACE;
    if (status == RCM_GPU_OK && !room(&r->scratch_workspace, workspace_bytes))
        status = RCM_GPU_BAD_WORKSPACE;
    if (status == RCM_GPU_OK)
        status = rcm_gpu_exact(&call, r->scratch_workspace.at, r->scratch_workspace.bytes,
                               rcm_gpu_timer_stream(r->timer));
    if (status == RCM_GPU_OK)
        status = verdict_of(r, NULL, &call, &verdict);
    return status == RCM_GPU_OK ? judged(verdict, false, "exact top-k", why, why_size)
                                : refused(status, "exact top-k", why, why_size);
}

/* What lies in `values` and `indices` is the top k of what stage 1 keeps of these rows: stage 1 is
 * run by itself and proved, then exact top-k of its candidates likewise; the values must be the
 * same ones, at their indices. */
static enum outcome prove_two_stage(struct runner *r, const struct cell *c, const void *x,
                                    char *why, size_t why_size)
{
    const uint64_t candidates = cell_candidates(c);
    const size_t bytes = rcm_gpu_dtype_bytes(c->dtype);
    struct rcm_gpu_verdict verdict;
    struct rcm_gpu_stage1 stage1 = stage1_of(c, x, r->values.at, r->indices.at);
    enum rcm_gpu_status status = RCM_GPU_OK;
    if (candidates > c->k) {
        size_t workspace_bytes;
        stage1.values = room(&r->scratch_values, c->m * candidates * bytes);
        stage1.indices = room(&r->scratch_indices, c->m * candidates * sizeof(int32_t));
        status = stage1.values && stage1.indices
                     ? rcm_gpu_stage1_workspace(&stage1, &workspace_bytes)
                     : RCM_GPU_BAD_WORKSPACE;
        if (status == RCM_GPU_OK && !room(&r->scratch_workspace, workspace_bytes))
            status = RCM_GPU_BAD_WORKSPACE;
        if (status == RCM_GPU_OK)
            status = rcm_gpu_stage1(&stage1, r->scratch_workspace.at, r->scratch_workspace.bytes,
                                    rcm_gpu_timer_stream(r->timer));
    }
    if (status == RCM_GPU_OK)
        status = verdict_of(r, &stage1, NULL, &verdict);
    if (status != RCM_GPU_OK)
        return refused(status, "stage 1", why, why_size);
    enum outcome outcome = judged(verdict, false, "stage 1", why, why_size);
    if (outcome != MEASURED || candidates == c->k)
        return outcome;

    struct rcm_gpu_rows kept = {.x = stage1.values, .m = c->m, .n = candidates, .dtype = c->dtype};
    outcome = proved_exact(r, &kept, c->k, &r->exact_values, why, why_size);
    if (outcome != MEASURED)
        return outcome;
    struct rcm_gpu_exact final = {
        .rows = rows_of(c, x), .k = c->k, .values = r->values.at, .indices = r->indices.at};
    status = verdict_of(r, NULL, &final, &verdict);
    if (status != RCM_GPU_OK)
        return refused(status, "both stages", why, why_size);
    outcome = judged(verdict, true, "both stages", why, why_size);
    double hits;
    uint32_t fewest;
    if (outcome == MEASURED)
        status = hits_of(r, c, r->exact_values.at, c->k, r->values.at, c->k, &hits, &fewest);
    if (status != RCM_GPU_OK)
        return refused(status, "both stages", why, why_size);
    if (outcome == MEASURED && fewest < c->k) {
        snprintf(why, why_size,
                 "both stages: a row has %" PRIu32 " of the top %" PRIu64 " of its candidates",
                 fewest, c->k);
        return WRONG;
    }
    return outcome;
}

/* The rows that a result is of: the inputs, or their products. A fused product's are made here, the
 * plain way. NULL: no memory. */
static const void *result_rows(struct runner *r, const struct cell *c, unsigned set,
                               enum rcm_gpu_status *status)
{
    *status = RCM_GPU_OK;
    if (!c->d)
        return r->x[set].at;
    if (c->kernel->product == PRODUCT_FUSED && !r->plain_products) {
        if (!room(&r->products, c->m * c->n * sizeof(float)))
            return NULL;
        *status = rcm_gpu_multiply(r->x[0].at, r->x[1].at, c->m, c->n, c->d, r->products.at,
                                   rcm_gpu_timer_stream(r->timer));
        r->plain_products = *status == RCM_GPU_OK;
    }
    return r->products.at;
}

/* cuBLAS's float32 product, once for each pair of inputs, bit for bit: their sums are exact. */
static enum outcome prove_multiplier(struct runner *r, const struct cell *c, char *why,
                                     size_t why_size)
{
    uint64_t different = 0;
    rcm_gpu_stream stream = rcm_gpu_timer_stream(r->timer);
    if (r->multiplier_proved || c->kernel->product_type != RCM_GPU_F32)
        return MEASURED;
    enum rcm_gpu_status status =
        room(&r->plain, c->m * c->n * sizeof(float)) && room(&r->verdict, sizeof different)
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
        return refused(status, "product", why, why_size);
    if (different > 0) {
        snprintf(why, why_size, "cuBLAS's product differs in %" PRIu64 " places", different);
        return WRONG;
    }
    r->multiplier_proved = true;
    return MEASURED;
}

static enum outcome prove(struct runner *r, const struct cell *c, unsigned set, char *why,
                          size_t why_size)
{
    struct rcm_gpu_verdict verdict;
    enum rcm_gpu_status status;
    const void *x = result_rows(r, c, set, &status);
    if (!x)
        return refused(RCM_GPU_BAD_WORKSPACE, "products", why, why_size);
    if (status == RCM_GPU_OK && c->kernel->work == WORK_STAGE1) {
        struct rcm_gpu_stage1 call = stage1_of(c, x, r->values.at, r->indices.at);
        status = verdict_of(r, &call, NULL, &verdict);
    } else if (status == RCM_GPU_OK && c->kernel->work == WORK_EXACT) {
        struct rcm_gpu_exact call = exact_of(c, x, r->values.at, r->indices.at);
        status = verdict_of(r, NULL, &call, &verdict);
    } else if (status == RCM_GPU_OK) {
        enum outcome outcome = c->d && c->kernel->product != PRODUCT_FUSED
                                   ? prove_multiplier(r, c, why, why_size)
                                   : MEASURED;
        return outcome != MEASURED || (c->d && c->kernel->product == PRODUCT_ALONE)
                   ? outcome
                   : prove_two_stage(r, c, x, why, why_size);
    }
    return status == RCM_GPU_OK ? judged(verdict, false, work_name(c->kernel->work), why, why_size)
                                : refused(status, "proof", why, why_size);
}

/* ---- recall and what models say */

static struct rcm_topk shape_of(const struct cell *c)
{
    return (struct rcm_topk){.n = c->n,
                             .k = c->k,
                             .b = c->b,
                             .k_b = c->k_b,
                             .m = c->m,
                             .assignment = c->assignment == RCM_GPU_INTERLEAVED ? RCM_INTERLEAVED
                                                                                : RCM_CONTIGUOUS};
}

static enum outcome measure_recall(struct runner *r, const struct cell *c, struct measurement *to,
                                   char *why, size_t why_size)
{
    enum rcm_gpu_status status;
    struct rcm_gpu_rows rows = rows_of(c, result_rows(r, c, 0, &status));
    if (status != RCM_GPU_OK)
        return refused(status, "products", why, why_size);
    if (r->truth_k != c->k || c->d) { /* of products the truth is another for each type of theirs */
        r->truth_k = 0;
        enum outcome outcome = proved_exact(r, &rows, c->k, &r->truth, why, why_size);
        if (outcome != MEASURED)
            return outcome;
        r->truth_k = c->d ? 0 : c->k;
    }
    double hits;
    uint32_t fewest;
    status = hits_of(r, c, r->truth.at, c->k, r->values.at,
                     c->kernel->work == WORK_STAGE1 ? cell_candidates(c) : c->k, &hits, &fewest);
    if (status != RCM_GPU_OK)
        return refused(status, "recall", why, why_size);
    struct rcm_topk p = shape_of(c);
    double m = (double)c->m, sd = rcm_recall_sd(p);
    to->recall = hits / (m * (double)c->k);
    to->recall_model = rcm_recall_exact(p);
    if (c->dtype == RCM_GPU_F32 && (c->d || c->input == RCM_GPU_INPUT_NORMAL) && sd > 0.0)
        to->z = (to->recall - to->recall_model) / (sd / sqrt(m));
    return MEASURED;
}

static void ask_models(const struct runner *r, const struct cell *c, struct measurement *to)
{
    static const enum rcm_dtype types[] = {RCM_F32, RCM_F16, RCM_BF16};
    struct rcm_topk p = shape_of(c);
    const struct rcm_cost_model *model;
    for (size_t i = 0; i < 3 && (model = rcm_cost_model(i)); i++) {
        struct rcm_cost cost = rcm_cost(model, p);
        to->cost[i] = c->kernel->work == WORK_EXACT ? cost.exact : cost.approximate;
    }
    if (r->device && c->kernel->work == WORK_STAGE1)
        to->predicted_us = rcm_roofline(r->device, types[c->dtype], p).time_us;
}

/* ---- */

/* So that what a proof sees has been written since. */
static enum rcm_gpu_status poison(struct runner *r)
{
    enum rcm_gpu_status status = rcm_gpu_set_bytes(r->values.at, 0xee, r->values.bytes);
    if (status == RCM_GPU_OK)
        status = rcm_gpu_set_bytes(r->indices.at, 0xee, r->indices.bytes);
    return status == RCM_GPU_OK ? rcm_gpu_wait() : status;
}

/* Of the kernels that move the same bytes the one that is fastest here: the least of three. */
static enum rcm_gpu_status choose_roof(struct runner *r, const struct cell *c)
{
    double best = INFINITY;
    unsigned chosen = 0;
    for (r->roof_variant = 0; r->roof_variant < RCM_GPU_MOVE_VARIANTS; r->roof_variant++)
        for (unsigned i = 0; i < 4; i++) {
            double time_us;
            enum rcm_gpu_status status =
                rcm_gpu_time_call(r->timer, run_roof, r, 0, !c->warm, &time_us);
            if (status != RCM_GPU_OK)
                return status;
            if (i > 0 && time_us < best) { /* the first call loads the kernel */
                best = time_us;
                chosen = r->roof_variant;
            }
        }
    r->roof_variant = chosen;
    return RCM_GPU_OK;
}

static enum outcome set_up(struct runner *r, const struct cell *c, char *why, size_t why_size)
{
    if (c->d && c->kernel->product != PRODUCT_FUSED && !r->multiplier_asked) {
        r->multiplier = multiplier_open();
        r->multiplier_asked = true;
    }
    if (c->d && c->kernel->product != PRODUCT_FUSED && !r->multiplier) {
        snprintf(why, why_size, "there is no cuBLAS here");
        return SKIPPED;
    }
    enum rcm_gpu_status status = make_inputs(r, c);
    if (status != RCM_GPU_OK)
        return refused(status, "inputs", why, why_size);
    const uint64_t out = c->m * (c->kernel->work == WORK_STAGE1 ? cell_candidates(c) : c->k);
    const size_t bytes = rcm_gpu_dtype_bytes(c->dtype);
    size_t workspace_bytes;
    bool fits = room(&r->values, out * bytes) && room(&r->indices, out * sizeof(int32_t));
    if (fits && c->d && c->kernel->product != PRODUCT_FUSED)
        fits = room(&r->products, c->m * c->n * bytes) != NULL;
    if (fits && !c->d)
        fits = room(&r->roof, cell_bytes_written(c) + 16) != NULL;
    if (!fits)
        return refused(RCM_GPU_BAD_WORKSPACE, "outputs", why, why_size);
    status = workspace_of(r, c, &workspace_bytes);
    if (status == RCM_GPU_OK && !room(&r->workspace, workspace_bytes))
        status = RCM_GPU_BAD_WORKSPACE;
    if (status == RCM_GPU_OK)
        status = poison(r);
    return status == RCM_GPU_OK ? MEASURED : refused(status, "workspace", why, why_size);
}

enum outcome runner_once(struct runner *r, const struct cell *c, char *why, size_t why_size)
{
    r->cell = c;
    enum outcome outcome = set_up(r, c, why, why_size);
    if (outcome != MEASURED)
        return outcome;
    enum rcm_gpu_status status = run_call(r, 0, rcm_gpu_timer_stream(r->timer));
    if (status == RCM_GPU_OK)
        status = rcm_gpu_wait();
    return status == RCM_GPU_OK ? MEASURED : refused(status, c->kernel->name, why, why_size);
}

static enum outcome measure(struct runner *r, const struct cell *c, const struct sampling *rules,
                            struct measurement *to, char *why, size_t why_size)
{
    *to = (struct measurement){
        .recall = NAN, .recall_model = NAN, .z = NAN, .predicted_us = NAN, .cost = {NAN, NAN, NAN}};
    enum outcome outcome = runner_once(r, c, why, why_size);
    if (outcome == MEASURED)
        outcome = prove(r, c, 0, why, why_size);
    bool selects =
        !(c->d && (c->kernel->product == PRODUCT_ALONE ||
                   c->dtype != RCM_GPU_F32)); /* of rounded products the true top k is another */
    if (outcome == MEASURED && c->kernel->work != WORK_EXACT && selects)
        outcome = measure_recall(r, c, to, why, why_size);
    if (outcome != MEASURED)
        return outcome;

    struct sampling how = *rules;
    struct timed_work work = {run_call, r}, roof = {run_roof, r};
    struct timing timing[2] = {{0}, {0}};
    how.graph = c->graph;
    how.flush = !c->warm;
    enum rcm_gpu_status status = poison(r);
    if (status == RCM_GPU_OK && !c->d)
        status = choose_roof(r, c);
    if (status == RCM_GPU_OK)
        status = take_samples(r->timer, r->monitor, &how, &work, c->d ? NULL : &roof, timing);
    if (status != RCM_GPU_OK)
        return refused(status, "timing", why, why_size);
    to->time = timing[0];
    to->roof = timing[1];
    to->roof_kernel = c->d ? "" : rcm_gpu_move_variant_name(r->roof_variant);

    /* What the last timed call has left: of a graph, its last one's. */
    outcome = prove(r, c, c->graph ? (GRAPH_CALLS - 1) % r->turns : 0, why, why_size);
    ask_models(r, c, to);
    return outcome;
}

enum outcome runner_measure(struct runner *r, const struct cell *c, const struct sampling *rules,
                            struct measurement *to, char *why, size_t why_size)
{
    enum outcome outcome = measure(r, c, rules, to, why, why_size);
    if (outcome == SKIPPED &&
        (!c->d || c->kernel->product == PRODUCT_FUSED ||
         r->multiplier)) { /* it may fit without what earlier cells have left */
        free_buffers(r);
        outcome = measure(r, c, rules, to, why, why_size);
    }
    return outcome;
}
