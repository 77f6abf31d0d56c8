/* ragged.c - rows of different lengths: each is a call of one row.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels.h"
#include "plan.h"

static uint64_t length_of(const struct rcm_top_k_call *call, uint64_t r)
{
    return call->lengths ? call->lengths[r] : call->rows.n;
}

/* The element at which row r begins, counted from x. False if it is too far. */
static bool first_of(const struct rcm_top_k_call *call, uint64_t r, int64_t *first)
{
    const struct rcm_top_k_rows *rows = &call->rows;
    const int64_t stride = rows->stride ? rows->stride : 1;
    int64_t step = rows->row_stride, start = 0;
    if (step == 0 && !call->starts && __builtin_mul_overflow(rows->n, stride, &step))
        return false;
    if (call->starts && __builtin_mul_overflow(call->starts[r], stride, &start))
        return false;
    return !__builtin_mul_overflow(r, step, first) && !__builtin_add_overflow(*first, start, first);
}

/* The call of row r alone, which has an element, without its outputs. False: it lies too far. */
static bool call_of_row(const struct rcm_top_k_call *call, uint64_t r, unsigned threads,
                        struct rcm_top_k_call *one)
{
    const uint64_t n = length_of(call, r);
    const int64_t bytes = (int64_t)rcm_top_k_type_bytes(call->rows.type);
    int64_t first;
    if (!first_of(call, r, &first) || __builtin_mul_overflow(first, bytes, &first))
        return false;
    *one = *call;
    one->lengths = one->starts = NULL;
    one->rows.x = (const char *)call->rows.x + first;
    one->rows.m = 1;
    one->rows.n = n;
    one->rows.row_stride = 0;
    one->k = call->k < n ? call->k : n;
    one->threads = threads;
    if (call->method == RCM_TOP_K_BUCKETED && (n - 1) / call->k_b + 1 <= call->b)
        one->method = RCM_TOP_K_EXACT; /* the buckets keep all of it */
    return true;
}

static enum rcm_top_k_status check(const struct rcm_top_k_call *call)
{
    struct rcm_top_k_rows rows = call->rows;
    rows.m = rows.m ? 1 : 0;
    enum rcm_top_k_status status = topk_check_rows(&rows);
    if (status != RCM_TOP_K_OK)
        return status;
    if (call->method != RCM_TOP_K_EXACT && call->method != RCM_TOP_K_BUCKETED)
        return RCM_TOP_K_BAD_TYPE;
    const bool bucketed = call->method == RCM_TOP_K_BUCKETED;
    if (bucketed && call->assignment != RCM_INTERLEAVED && call->assignment != RCM_CONTIGUOUS)
        return RCM_TOP_K_BAD_TYPE;
    if ((!call->wide && rows.n > INT32_MAX) || call->k < 1 || call->k > RCM_N_MAX)
        return RCM_TOP_K_BAD_SHAPE;
    if (bucketed &&
        (call->k_b < 1 || call->k_b > call->k || (call->k - 1) / call->k_b + 1 > call->b))
        return RCM_TOP_K_BAD_SHAPE;
    for (uint64_t r = 0; r < call->rows.m && call->lengths; r++)
        if (call->lengths[r] > rows.n)
            return RCM_TOP_K_BAD_SHAPE;
    return RCM_TOP_K_OK;
}

/* As for rows of the mean length: so many at a time, so many threads for each. */
static struct share share_of(const struct rcm_top_k_call *call)
{
    struct rcm_top_k_rows rows = call->rows;
    uint64_t all = 0;
    for (uint64_t r = 0; r < rows.m && call->lengths; r++)
        all += call->lengths[r];
    if (call->lengths)
        rows.n = all / rows.m + 1;
    return topk_share(&rows, call->threads);
}

/* The most that a row needs. */
static enum rcm_top_k_status bytes_each(const struct rcm_top_k_call *call, unsigned threads,
                                        size_t *most)
{
    *most = 0;
    for (uint64_t r = 0; r < call->rows.m; r++) {
        struct rcm_top_k_call one;
        size_t bytes;
        if (length_of(call, r) == 0)
            continue;
        if (!call_of_row(call, r, threads, &one))
            return RCM_TOP_K_BAD_SHAPE;
        const enum rcm_top_k_status status = rcm_top_k_workspace(&one, &bytes);
        if (status != RCM_TOP_K_OK)
            return status;
        *most = bytes > *most ? bytes : *most;
    }
    *most = topk_align(*most);
    return RCM_TOP_K_OK;
}

enum rcm_top_k_status topk_ragged_workspace(const struct rcm_top_k_call *call, size_t *bytes)
{
    *bytes = 0;
    enum rcm_top_k_status status = check(call);
    if (status != RCM_TOP_K_OK)
        return status;
    const struct share share = share_of(call);
    size_t each;
    status = bytes_each(call, share.threads, &each);
    *bytes = status == RCM_TOP_K_OK ? topk_size(share.rows, each, 0) : 0;
    return status;
}

/* The bits of the worst value of a type, which is not NaN. */
static uint64_t worst_bits(enum rcm_top_k_type type, bool smallest)
{
    static const uint64_t least[RCM_TOP_K_TYPES] = {
        [RCM_TOP_K_F32] = 0xff800000, [RCM_TOP_K_F64] = UINT64_C(0xfff) << 52,
        [RCM_TOP_K_F16] = 0xfc00,     [RCM_TOP_K_BF16] = 0xff80,
        [RCM_TOP_K_I8] = 0x80,        [RCM_TOP_K_I32] = 0x80000000};
    const uint64_t sign = UINT64_C(1) << (8 * rcm_top_k_type_bytes(type) - 1);
    if (!smallest)
        return least[type];
    return type == RCM_TOP_K_I8 || type == RCM_TOP_K_I32 ? least[type] - 1 : least[type] ^ sign;
}

/* Fills the outputs of row r from the end of its elements on. */
static void fill(const struct rcm_top_k_call *call, uint64_t r, uint64_t from)
{
    const size_t bytes = rcm_top_k_type_bytes(call->rows.type);
    const uint64_t worst = worst_bits(call->rows.type, call->rows.smallest);
    char *values = call->values, *indices = call->indices;
    for (uint64_t i = r * call->k + from; i < (r + 1) * call->k; i++) {
        if (values) {
            const uint8_t low = (uint8_t)worst;
            const uint16_t half = (uint16_t)worst;
            const uint32_t word = (uint32_t)worst;
            memcpy(values + i * bytes,
                   bytes == 1   ? (const void *)&low
                   : bytes == 2 ? (const void *)&half
                   : bytes == 4 ? (const void *)&word
                                : (const void *)&worst,
                   bytes);
        }
        if (indices && call->wide)
            ((int64_t *)call->indices)[i] = -1;
        else if (indices)
            ((int32_t *)call->indices)[i] = -1;
    }
}

struct ragged_job {
    const struct rcm_top_k_call *call;
    struct share share;
    char *workspace;
    size_t each;
    uint64_t pieces;
};

static void run_row(const struct ragged_job *job, uint64_t r, unsigned member)
{
    const struct rcm_top_k_call *call = job->call;
    const size_t bytes = rcm_top_k_type_bytes(call->rows.type), index_bytes = call->wide ? 8 : 4;
    const uint64_t n = length_of(call, r);
    struct rcm_top_k_call one;
    if (n > 0 && call_of_row(call, r, job->share.threads, &one)) {
        one.values = call->values ? (char *)call->values + r * call->k * bytes : NULL;
        one.indices = call->indices ? (char *)call->indices + r * call->k * index_bytes : NULL;
        rcm_top_k(&one, job->workspace + member * job->each, job->each);
    }
    if (n < call->k)
        fill(call, r, n);
}

static void run_rows(void *context, uint64_t i, unsigned member)
{
    const struct ragged_job *job = context;
    const uint64_t m = job->call->rows.m, end = topk_cut(m, job->pieces, i + 1);
    for (uint64_t r = topk_cut(m, job->pieces, i); r < end; r++)
        run_row(job, r, member);
}

enum rcm_top_k_status topk_ragged(const struct rcm_top_k_call *call, char *workspace, size_t bytes)
{
    enum rcm_top_k_status status = check(call);
    if (status == RCM_TOP_K_OK)
        status = topk_check_outputs(call, rcm_top_k_type_bytes(call->rows.type));
    if (status != RCM_TOP_K_OK)
        return status;
    struct ragged_job job = {.call = call, .share = share_of(call), .workspace = workspace};
    status = bytes_each(call, job.share.threads, &job.each);
    if (status != RCM_TOP_K_OK)
        return status;
    const size_t needed = topk_size(job.share.rows, job.each, 0);
    if (needed > 0 && (!workspace || bytes < needed || (uintptr_t)workspace % 64 != 0))
        return RCM_TOP_K_BAD_WORKSPACE;
    job.pieces = topk_pieces(call->rows.m, call->rows.n * rcm_top_k_type_bytes(call->rows.type),
                             job.share.rows);
    topk_team(job.share.rows, job.pieces, run_rows, &job);
    return RCM_TOP_K_OK;
}
