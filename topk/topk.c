/* topk.c - the calls: what is legal, the workspace, which thread does what.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "isa.h"
#include "plan.h"

/* More bytes than a call may expect to find in a cache. Stage 1 of 2^21 float32 was faster as from
 * a cache, that of 2^22 as from memory (EPYC, Zen 4, 32 MB of third cache). */
#define CACHED_MOST (UINT64_C(1) << 23)

/* How a call is run: so many rows at a time, and so many threads for each. */
struct plan {
    const struct kernels *kernels;
    enum rcm_top_k_method method;
    bool stage1_only, packs, direct; /* direct: stage 1 writes the output */
    struct share share;
    uint64_t selected, out; /* elements that exact top-k selects from; outputs of a row */
    bool wide;              /* the indices of the candidates */
    bool far;               /* the rows come from memory */
    /* the parts of the scratch of a row */
    size_t values_at, indices_at, heaps_at, exact_at, bytes;
    size_t each_bytes; /* of a thread, for exact top-k of a contiguous bucket */
};

const char *rcm_top_k_message(enum rcm_top_k_status status)
{
    switch (status) {
    case RCM_TOP_K_OK:
        return "no error";
    case RCM_TOP_K_BAD_SHAPE:
        return "n, m, k, b, k_b, a stride, a length or the recall is outside the domain";
    case RCM_TOP_K_BAD_POINTER:
        return "a pointer is null, or an output is not aligned to its elements";
    case RCM_TOP_K_BAD_TYPE:
        return "the library does not know the type, the method or the assignment";
    case RCM_TOP_K_BAD_WORKSPACE:
        return "the workspace is too small, or its address is not a multiple of 64";
    case RCM_TOP_K_NO_CHOICE:
        return "the profile is incomplete and cannot predict a time";
    case RCM_TOP_K_BAD_POSITIONS:
        return "one position stands twice among the k best; positions are those in the whole row";
    }
    return "unknown status";
}

/* ---- what is legal */

static enum rcm_top_k_status check_buckets(const struct rcm_top_k_call *call, bool stage1_only)
{
    uint64_t n = call->rows.n, b = call->b, k_b = call->k_b;
    if (call->assignment != RCM_INTERLEAVED && call->assignment != RCM_CONTIGUOUS)
        return RCM_TOP_K_BAD_TYPE;
    if (b < 1 || b > n || k_b < 1 || k_b > (n - 1) / b + 1)
        return RCM_TOP_K_BAD_SHAPE;
    /* b k_b >= k, without overflow */
    if (!stage1_only && (k_b > call->k || (call->k - 1) / k_b + 1 > b))
        return RCM_TOP_K_BAD_SHAPE;
    return RCM_TOP_K_OK;
}

static enum rcm_top_k_status check_call(const struct rcm_top_k_call *call, bool stage1_only)
{
    if (!call)
        return RCM_TOP_K_BAD_POINTER;
    if (call->lengths || call->starts) /* only stage 1 comes here with these */
        return RCM_TOP_K_BAD_SHAPE;
    enum rcm_top_k_status status = topk_check_rows(&call->rows);
    if (status != RCM_TOP_K_OK)
        return status;
    if (!call->wide && call->rows.n > INT32_MAX)
        return RCM_TOP_K_BAD_SHAPE;
    if (!stage1_only && (call->k < 1 || call->k > call->rows.n))
        return RCM_TOP_K_BAD_SHAPE;
    if (!stage1_only && call->method != RCM_TOP_K_EXACT && call->method != RCM_TOP_K_BUCKETED)
        return RCM_TOP_K_BAD_TYPE;
    if (stage1_only || call->method == RCM_TOP_K_BUCKETED)
        return check_buckets(call, stage1_only);
    return RCM_TOP_K_OK;
}

static bool is_aligned(const void *pointer, size_t to)
{
    return (uintptr_t)pointer % to == 0;
}

enum rcm_top_k_status topk_check_outputs(const struct rcm_top_k_call *call, size_t bytes)
{
    if (!call->values && !call->indices)
        return RCM_TOP_K_BAD_POINTER;
    return is_aligned(call->values, bytes) && is_aligned(call->indices, call->wide ? 8 : 4)
               ? RCM_TOP_K_OK
               : RCM_TOP_K_BAD_POINTER;
}

/* ---- the plan */

/* The scratch of stage 1 in a thread: k_b pairs, or that of exact top-k of a contiguous bucket. */
static size_t bytes_each(const struct rcm_top_k_call *call, const struct kernels *kernels)
{
    size_t most = topk_align(topk_size(call->k_b, sizeof(struct pair), 0));
    for (uint64_t more = 0; call->assignment == RCM_CONTIGUOUS && more < 2; more++) {
        const uint64_t n = call->rows.n / call->b + more, k = call->k_b < n ? call->k_b : n;
        const size_t exact = topk_align(topk_exact_scratch(kernels, n, k, true, 1));
        most = exact > most ? exact : most;
    }
    return most;
}

static struct plan plan_of(const struct rcm_top_k_call *call, bool stage1_only)
{
    uint64_t n = call->rows.n;
    struct plan plan = {.kernels = topk_kernels(call->rows.type),
                        .method = stage1_only ? RCM_TOP_K_BUCKETED : call->method,
                        .stage1_only = stage1_only,
                        .packs = n > 1 && call->rows.stride != 0 && call->rows.stride != 1,
                        .selected = n,
                        .out = call->k,
                        .wide = n > INT32_MAX,
                        .share = topk_share(&call->rows, call->threads)};
    plan.far = topk_size(call->rows.m, topk_size(n, plan.kernels->bytes, 0), 0) > CACHED_MOST;
    size_t at = plan.packs ? topk_align(topk_size(n, plan.kernels->bytes, 0)) : 0;
    if (plan.method == RCM_TOP_K_BUCKETED) {
        plan.selected = topk_candidates_before(n, call->b, call->k_b, call->b);
        plan.direct = stage1_only || (plan.selected == call->k && !call->sorted);
        if (stage1_only)
            plan.out = plan.selected;
        plan.heaps_at = at;
        plan.each_bytes = bytes_each(call, plan.kernels);
        at = topk_align(topk_size(plan.share.threads, plan.each_bytes, at));
        if (!plan.direct) {
            plan.values_at = at;
            at = topk_align(topk_size(plan.selected, plan.kernels->bytes, at));
            plan.indices_at = at;
            at = topk_align(topk_size(plan.selected, plan.wide ? 8 : 4, at));
        }
    }
    plan.exact_at = at;
    if (!plan.direct) {
        size_t exact = topk_exact_scratch(plan.kernels, plan.selected, call->k, call->sorted,
                                          plan.share.threads);
        at = topk_align(topk_size(1, exact, at));
    }
    plan.bytes = at;
    return plan;
}

static enum rcm_top_k_status workspace(const struct rcm_top_k_call *call, bool stage1_only,
                                       size_t *bytes)
{
    if (!bytes)
        return RCM_TOP_K_BAD_POINTER;
    *bytes = 0;
    enum rcm_top_k_status status = check_call(call, stage1_only);
    if (status == RCM_TOP_K_OK) {
        struct plan plan = plan_of(call, stage1_only);
        *bytes = topk_size(plan.share.rows, plan.bytes, 0);
    }
    return status;
}

enum rcm_top_k_status rcm_top_k_workspace(const struct rcm_top_k_call *call, size_t *bytes)
{
    return call && bytes && (call->lengths || call->starts) ? topk_ragged_workspace(call, bytes)
                                                            : workspace(call, false, bytes);
}

enum rcm_top_k_status rcm_top_k_stage1_workspace(const struct rcm_top_k_call *call, size_t *bytes)
{
    return workspace(call, true, bytes);
}

/* ---- one row */

/* The output of row r. */
static void *output(void *outputs, uint64_t r, uint64_t count, size_t bytes)
{
    return outputs ? (char *)outputs + r * count * bytes : NULL;
}

/* Kernels take a vector of buckets at a time, of which a piece has so many at least. Where
 * contiguous ones are few, each is taken by itself. */
static uint64_t unit_of(const struct stage1 *s)
{
    return s->b < 64 && s->contiguous ? 1 : s->b < 64 ? s->b : 64;
}

struct stage1_job {
    const struct stage1 *s;
    const struct plan *plan;
    char *scratch;
    uint64_t pieces;
};

/* Exact top-k of a contiguous bucket. */
static void run_bucket(const struct stage1 *s, const struct kernels *kernels, uint64_t j,
                       char *scratch)
{
    const struct elements e = topk_bucket(s, j);
    const uint64_t out = topk_candidates_before(s->n, s->b, s->k_b, j);
    topk_exact(&(struct exact){
        .kernels = kernels,
        .x = (const char *)s->x + e.first * kernels->bytes,
        .n = e.count,
        .k = s->k_b < e.count ? s->k_b : e.count,
        .smallest = s->smallest,
        .sorted = true,
        .wide = s->wide,
        .first = e.first,
        .values = output(s->values, out, 1, kernels->bytes),
        .indices = output(s->indices, out, 1, s->wide ? 8 : 4),
        .threads = 1,
        .scratch = scratch,
    });
}

static void run_buckets(void *context, uint64_t i, unsigned member)
{
    const struct stage1_job *job = context;
    const struct stage1 *s = job->s;
    const uint64_t unit = unit_of(s), units = s->b / unit;
    const uint64_t from = topk_cut(units, job->pieces, i) * unit;
    const uint64_t to = topk_cut(units, job->pieces, i + 1) * unit;
    const uint64_t end = i + 1 == job->pieces ? s->b : to;
    char *scratch = job->scratch + member * job->plan->each_bytes;
    if (!job->plan->kernels->stage1(s, from, end, (struct pair *)(void *)scratch))
        for (uint64_t j = from; j < end; j++)
            run_bucket(s, job->plan->kernels, j, scratch);
}

static void run_stage1(const struct stage1 *s, const struct plan *plan, char *scratch)
{
    const uint64_t unit = unit_of(s);
    struct stage1_job job = {
        s, plan, scratch + plan->heaps_at,
        topk_pieces(s->b / unit, s->n / s->b * unit * plan->kernels->bytes, plan->share.threads)};
    topk_team(plan->share.threads, job.pieces, run_buckets, &job);
}

static const void *row_of(const struct rcm_top_k_rows *rows, const struct plan *plan, uint64_t r,
                          char *scratch)
{
    const char *x = topk_row(rows, plan->kernels->bytes, r);
    if (!plan->packs)
        return x;
    plan->kernels->pack(x, rows->stride, rows->n, scratch);
    return scratch;
}

struct call_job {
    const struct rcm_top_k_call *call;
    const struct plan *plan;
    char *scratch;
    uint64_t pieces;
};

static void run_row(const struct call_job *job, uint64_t r, unsigned member)
{
    const struct rcm_top_k_call *call = job->call;
    const struct plan *plan = job->plan;
    char *scratch = job->scratch + member * plan->bytes;
    size_t bytes = plan->kernels->bytes;
    void *values = output(call->values, r, plan->out, bytes);
    void *indices = output(call->indices, r, plan->out, call->wide ? 8 : 4);
    struct exact exact = {.kernels = plan->kernels,
                          .x = row_of(&call->rows, plan, r, scratch),
                          .n = plan->selected,
                          .k = call->k,
                          .smallest = call->rows.smallest,
                          .sorted = call->sorted,
                          .wide = call->wide,
                          .values = values,
                          .indices = indices,
                          .threads = plan->share.threads,
                          .scratch = scratch + plan->exact_at};
    if (plan->method == RCM_TOP_K_BUCKETED) {
        struct stage1 s = {.x = exact.x,
                           .n = call->rows.n,
                           .b = call->b,
                           .k_b = call->k_b,
                           .contiguous = call->assignment == RCM_CONTIGUOUS,
                           .smallest = call->rows.smallest,
                           .far = plan->far,
                           .wide = plan->direct ? call->wide : plan->wide,
                           .values = plan->direct ? values : scratch + plan->values_at,
                           .indices = plan->direct ? indices : scratch + plan->indices_at};
        run_stage1(&s, plan, scratch);
        if (plan->direct)
            return;
        exact.x = s.values;
        exact.map = s.indices;
        exact.map_wide = s.wide;
    }
    topk_exact(&exact);
}

static void run_rows(void *context, uint64_t i, unsigned member)
{
    const struct call_job *job = context;
    const uint64_t m = job->call->rows.m, end = topk_cut(m, job->pieces, i + 1);
    for (uint64_t r = topk_cut(m, job->pieces, i); r < end; r++)
        run_row(job, r, member);
}

static enum rcm_top_k_status run_call(const struct rcm_top_k_call *call, bool stage1_only,
                                      char *scratch, size_t bytes)
{
    enum rcm_top_k_status status = check_call(call, stage1_only);
    if (status != RCM_TOP_K_OK)
        return status;
    struct plan plan = plan_of(call, stage1_only);
    status = topk_check_outputs(call, plan.kernels->bytes);
    if (status != RCM_TOP_K_OK)
        return status;
    size_t needed = topk_size(plan.share.rows, plan.bytes, 0);
    if (needed > 0 && (!scratch || bytes < needed || !is_aligned(scratch, 64)))
        return RCM_TOP_K_BAD_WORKSPACE;
    struct call_job job = {
        call, &plan, scratch,
        topk_pieces(call->rows.m, call->rows.n * plan.kernels->bytes, plan.share.rows)};
    topk_team(plan.share.rows, job.pieces, run_rows, &job);
    return RCM_TOP_K_OK;
}

enum rcm_top_k_status rcm_top_k(const struct rcm_top_k_call *call, void *workspace, size_t bytes)
{
    return call && (call->lengths || call->starts) ? topk_ragged(call, workspace, bytes)
                                                   : run_call(call, false, workspace, bytes);
}

enum rcm_top_k_status rcm_top_k_stage1(const struct rcm_top_k_call *call, void *workspace,
                                       size_t bytes)
{
    return run_call(call, true, workspace, bytes);
}
