/* fuzz_topk.c - libFuzzer on the calls of topk/: any call gives what the header promises, or a
 * status that it allows. The first bytes are the call, the rest are the rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <tests/topk/oracle.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { MOST = 1 << 16 }; /* bytes of the rows */

struct source {
    const uint8_t *bytes;
    size_t left;
};

static uint64_t take(struct source *s, unsigned count)
{
    uint64_t value = 0;
    for (; count > 0 && s->left > 0; count--, s->left--)
        value = value << 8 | *s->bytes++;
    return value;
}

/* Mostly 1 .. most, sometimes any number. */
static uint64_t take_number(struct source *s, uint64_t most)
{
    const uint64_t kind = take(s, 1);
    if (kind > 250)
        return kind == 255 ? UINT64_MAX >> take(s, 1) % 64 : take(s, 8);
    return most ? 1 + take(s, 2) % most : 0;
}

/* Lengths of rows: mostly short, so that more calls are made, and long enough for groups. */
static uint64_t take_length(struct source *s)
{
    static const uint64_t most[8] = {1500, 300, 300, 80, 80, 80, 20, 20};
    const uint64_t kind = take(s, 1);
    return kind > 250 ? take_number(s, 0) : 1 + take(s, 2) % most[kind % 8];
}

static void require(bool truth)
{
    if (!truth)
        abort();
}

static struct rcm_top_k_call take_call(struct source *s, bool *stage1)
{
    struct rcm_top_k_call call = {0};
    const uint64_t flags = take(s, 2);
    *stage1 = flags & 1;
    call.rows.smallest = flags & 2;
    call.sorted = flags & 4;
    call.wide = flags & 8;
    call.method = flags & 16 ? RCM_TOP_K_BUCKETED : RCM_TOP_K_EXACT;
    call.assignment = flags & 32 ? RCM_CONTIGUOUS : RCM_INTERLEAVED;
    call.threads = flags >> 6 & 3 ? 1 : (unsigned)take(s, 1) % 4;
    call.rows.type = (enum rcm_top_k_type)(take(s, 1) % RCM_TOP_K_TYPES);
    if (flags >> 8 == 7) { /* values that no enumeration has */
        call.method = (enum rcm_top_k_method)take(s, 1);
        call.assignment = (enum rcm_assignment)take(s, 1);
        call.rows.type = (enum rcm_top_k_type)take(s, 1);
    }
    call.rows.n = take_length(s);
    call.rows.m = take(s, 1) % 4;
    call.rows.stride = (int8_t)take(s, 1) / 16;
    call.rows.row_stride = flags & 1 << 14 ? (int16_t)take(s, 2) : 0;
    if (flags >> 9 == 5) { /* far beyond any memory */
        call.rows.stride = (int64_t)take(s, 8);
        call.rows.row_stride = (int64_t)take(s, 8);
    }
    call.b = take_number(s, call.rows.n);
    const uint64_t longest = call.b ? call.rows.n / call.b + 1 : 1;
    call.k_b = take_number(s, longest);
    call.k = take_number(s, call.method == RCM_TOP_K_EXACT || call.b > call.rows.n ? call.rows.n
                            : call.b * call.k_b < call.rows.n ? call.b * call.k_b
                                                              : call.rows.n);
    return call;
}

static bool is_far(int64_t stride)
{
    return stride > MOST || stride < -MOST;
}

/* Memory for the rows, which repeat what is left of the input. */
static unsigned char *take_rows(struct source *s, struct rcm_top_k_rows *rows)
{
    const int64_t bytes = (int64_t)rcm_top_k_type_bytes(rows->type),
                  stride = rows->stride ? rows->stride : 1,
                  row_stride = rows->row_stride ? rows->row_stride : (int64_t)rows->n * stride,
                  row = (int64_t)(rows->m - 1) * row_stride,
                  element = (int64_t)(rows->n - 1) * stride,
                  low = (row < 0 ? row : 0) + (element < 0 ? element : 0),
                  high = (row > 0 ? row : 0) + (element > 0 ? element : 0);
    const size_t size = (size_t)((high - low + 1) * bytes);
    if (size > MOST)
        return NULL;
    unsigned char *memory = malloc(size);
    require(memory != NULL);
    for (size_t done = 0; done < size;) {
        const size_t left = size - done, some = left < s->left ? left : s->left;
        if (some > 0)
            memcpy(memory + done, s->bytes, some);
        else
            memset(memory + done, 7, left);
        done += some > 0 ? some : left;
    }
    rows->x = memory - low * bytes;
    return memory;
}

/* Rows of other lengths, inside of those of the call: each is what the oracle wants of it alone. */
static void run_ragged(const struct rcm_top_k_call *call, struct source *s)
{
    char why[ORACLE_WHY];
    uint64_t lengths[4], starts[4];
    size_t bytes = 77;
    struct rcm_top_k_call ragged = *call;
    const int64_t stride = call->rows.stride ? call->rows.stride : 1;
    for (uint64_t r = 0; r < call->rows.m; r++) {
        lengths[r] = take(s, 2) % (call->rows.n + 1);
        starts[r] = take(s, 2) % (call->rows.n + 1 - lengths[r]);
    }
    ragged.lengths = lengths;
    ragged.starts = starts;
    if (call->rows.row_stride == 0)
        ragged.rows.row_stride = (int64_t)call->rows.n * stride;
    require(rcm_top_k_workspace(&ragged, &bytes) == RCM_TOP_K_OK);
    const size_t value_bytes = rcm_top_k_type_bytes(call->rows.type),
                 index_bytes = call->wide ? 8 : 4;
    const uint64_t count = call->rows.m * call->k;
    void *values = malloc(count * value_bytes), *indices = malloc(count * index_bytes),
         *workspace = NULL;
    require(values && indices && (bytes == 0 || posix_memalign(&workspace, 64, bytes) == 0));
    ragged.values = values;
    ragged.indices = indices;
    require(rcm_top_k(&ragged, workspace, bytes) == RCM_TOP_K_OK);
    for (uint64_t r = 0; r < call->rows.m; r++) {
        struct rcm_top_k_call one = ragged;
        const int64_t first = (int64_t)r * ragged.rows.row_stride + (int64_t)starts[r] * stride;
        one.lengths = one.starts = NULL;
        one.rows.x = (const char *)call->rows.x + first * (int64_t)value_bytes;
        one.rows.m = 1;
        one.rows.n = lengths[r];
        one.k = lengths[r] < call->k ? lengths[r] : call->k;
        if (call->method == RCM_TOP_K_BUCKETED && call->b * call->k_b >= lengths[r])
            one.method = RCM_TOP_K_EXACT;
        one.values = (char *)values + r * call->k * value_bytes;
        one.indices = (char *)indices + r * call->k * index_bytes;
        require(lengths[r] == 0 || oracle_is_right(&one, false, why));
        for (uint64_t i = r * call->k + one.k; i < (r + 1) * call->k; i++)
            require((call->wide ? ((int64_t *)indices)[i] : ((int32_t *)indices)[i]) == -1);
    }
    free(values);
    free(indices);
    free(workspace);
}

static void run_call(struct rcm_top_k_call *call, bool stage1, uint64_t wanted)
{
    char why[ORACLE_WHY];
    size_t bytes = 77;
    require((stage1 ? rcm_top_k_stage1_workspace(call, &bytes)
                    : rcm_top_k_workspace(call, &bytes)) == RCM_TOP_K_OK);
    const uint64_t count = call->rows.m * oracle_outputs(call, stage1);
    void *values = malloc(count * rcm_top_k_type_bytes(call->rows.type)),
         *indices = malloc(count * (call->wide ? 8 : 4)), *workspace = NULL;
    require(values && indices && (bytes == 0 || posix_memalign(&workspace, 64, bytes) == 0));
    call->values = wanted % 4 == 1 ? NULL : values;
    call->indices = wanted % 4 == 2 ? NULL : indices;
    require((stage1 ? rcm_top_k_stage1(call, workspace, bytes)
                    : rcm_top_k(call, workspace, bytes)) == RCM_TOP_K_OK);
    require(oracle_is_right(call, stage1, why));
    free(values);
    free(indices);
    free(workspace);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const uint8_t something[8];
    struct source s = {bytes, length};
    bool stage1;
    const uint64_t wanted = take(&s, 1);
    struct rcm_top_k_call call = take_call(&s, &stage1);
    rcm_top_k_use_isa(rcm_top_k_isa(wanted >> 4 & 3));
    call.rows.x = wanted >> 5 == 7 ? NULL : something;
    const unsigned faults = oracle_faults(&call, stage1, true);
    if (faults) {
        size_t size = 77;
        const enum rcm_top_k_status status =
            stage1 ? rcm_top_k_stage1_workspace(&call, &size) : rcm_top_k_workspace(&call, &size);
        require(faults >> status & 1 && size == 0);
        require(faults >> (stage1 ? rcm_top_k_stage1(&call, NULL, 0) : rcm_top_k(&call, NULL, 0)) &
                1);
        return 0;
    }
    if (call.rows.n > MOST || is_far(call.rows.stride) || is_far(call.rows.row_stride))
        return 0;
    unsigned char *memory = take_rows(&s, &call.rows);
    if (memory)
        run_call(&call, stage1, wanted);
    if (memory && !stage1)
        run_ragged(&call, &s);
    free(memory);
    return 0;
}
