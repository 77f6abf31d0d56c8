/* test_topk_ragged.c - rows of different lengths: random calls of all types, and what is refused.
 *
 * Against: the oracle, for each row as a call of its own; what fills a short row, by its bits; a
 * second run with another instruction set and other threads, bit for bit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

enum { ROWS_MOST = 40 };

struct ragged {
    struct topk_case c;
    uint64_t lengths[ROWS_MOST], starts[ROWS_MOST];
    unsigned char *memory;
};

/* Lengths, and starts: none, inside of padded rows, or of joined rows. The memory ends with the
 * last element that a row may reach. */
static void draw_lengths(struct ragged *g, uint64_t *state)
{
    struct rcm_top_k_call *call = &g->c.call;
    struct rcm_top_k_rows *rows = &call->rows;
    const uint64_t how = next_random(state) % 4;
    uint64_t all = 0;
    rows->m = random_between(state, 1, ROWS_MOST);
    rows->stride = (int64_t)(next_random(state) % 5) - 2;
    rows->row_stride = 0;
    for (uint64_t r = 0; r < rows->m; r++) {
        g->lengths[r] = random_between(state, 0, rows->n);
        if (how == 2)
            g->starts[r] = random_between(state, 0, rows->n - g->lengths[r]);
        if (how == 3)
            g->starts[r] = all;
        all += g->lengths[r];
    }
    call->lengths = how == 3 || next_random(state) % 8 ? g->lengths : NULL;
    call->starts = how < 2 ? NULL : g->starts;
    if (how == 2 && !call->lengths)
        call->starts = NULL;
    if (!call->starts && !call->lengths)
        call->lengths = g->lengths;
    if (call->starts && how == 2)
        rows->row_stride = (int64_t)rows->n * (rows->stride ? rows->stride : 1);
    struct rcm_top_k_rows block = *rows;
    if (how == 3) {
        block.m = 1;
        block.n = all ? all : 1;
    }
    size_t before;
    const size_t bytes = rows_bytes(&block, &before);
    g->memory = malloc(bytes);
    ck_assert_ptr_nonnull(g->memory);
    draw_rows(&block, g->c.kind, g->memory, state);
    rows->x = block.x;
}

static void draw_ragged(struct ragged *g, uint64_t *state, uint64_t n_most)
{
    struct rcm_top_k_call *call = &g->c.call;
    g->c = draw_case(state, n_most);
    draw_lengths(g, state);
    call->k = random_between(state, 1, 2 * call->rows.n);
    call->k_b = random_between(state, 1, call->k < 9 ? call->k : 9);
    call->b = (call->k - 1) / call->k_b + 1 + (next_random(state) % 3 ? 0 : call->rows.n);
    call->method = next_random(state) % 3 ? RCM_TOP_K_BUCKETED : RCM_TOP_K_EXACT;
    call->assignment = next_random(state) % 2 ? RCM_INTERLEAVED : RCM_CONTIGUOUS;
    call->threads = (unsigned)(next_random(state) % 5);
    call->wide = next_random(state) % 2;
}

/* Runs the call with outputs in memory of just that size. */
static void run_ragged(struct rcm_top_k_call *call, uint8_t poison)
{
    const size_t count = call->rows.m * call->k, bytes = rcm_top_k_type_bytes(call->rows.type);
    size_t size = 7;
    void *workspace = NULL;
    call->values = malloc(count * bytes);
    call->indices = malloc(count * (call->wide ? 8 : 4));
    ck_assert(call->values && call->indices);
    memset(call->values, poison, count * bytes);
    memset(call->indices, poison, count * (call->wide ? 8 : 4));
    ck_assert_int_eq(rcm_top_k_workspace(call, &size), RCM_TOP_K_OK);
    ck_assert(size == 0 || posix_memalign(&workspace, 64, size) == 0);
    if (size) {
        memset(workspace, poison, size);
        ck_assert_int_eq(rcm_top_k(call, workspace, size - 1), RCM_TOP_K_BAD_WORKSPACE);
    }
    ck_assert_int_eq(rcm_top_k(call, workspace, size), RCM_TOP_K_OK);
    free(workspace);
}

static int64_t index_at(const struct rcm_top_k_call *call, uint64_t i)
{
    return call->wide ? ((const int64_t *)call->indices)[i] : ((const int32_t *)call->indices)[i];
}

/* The element that may stand behind the end of a row: it comes after all numbers, or equals one. */
static bool is_worst(enum rcm_top_k_type type, const unsigned char *value, bool smallest)
{
    static const double least_integer[RCM_TOP_K_TYPES] = {
        [RCM_TOP_K_I8] = INT8_MIN, [RCM_TOP_K_I32] = INT32_MIN};
    const double merit = oracle_merit(type, value, smallest);
    const double least = least_integer[type];
    return merit == (least < 0.0 ? (smallest ? least + 1.0 : least) : -INFINITY);
}

/* Each row is what the oracle wants of it alone. */
static void check_rows(struct ragged *g)
{
    const struct rcm_top_k_call *call = &g->c.call;
    const size_t bytes = rcm_top_k_type_bytes(call->rows.type);
    char why[ORACLE_WHY];
    for (uint64_t r = 0; r < call->rows.m; r++) {
        struct rcm_top_k_call one = *call;
        const uint64_t n = call->lengths ? call->lengths[r] : call->rows.n;
        const int64_t stride = call->rows.stride ? call->rows.stride : 1;
        int64_t first = call->rows.row_stride ? (int64_t)r * call->rows.row_stride
                        : call->starts        ? 0
                                              : (int64_t)(r * call->rows.n) * stride;
        first += call->starts ? (int64_t)call->starts[r] * stride : 0;
        one.lengths = one.starts = NULL;
        one.rows.x = (const char *)call->rows.x + first * (int64_t)bytes;
        one.rows.m = 1;
        one.rows.n = n;
        one.rows.row_stride = 0;
        one.k = n < call->k ? n : call->k;
        if (call->b * call->k_b >= n)
            one.method = RCM_TOP_K_EXACT;
        one.values = (char *)call->values + r * call->k * bytes;
        one.indices = (char *)call->indices + r * call->k * (call->wide ? 8 : 4);
        REQUIRE(n == 0 || oracle_is_right(&one, false, why),
                CASE_FMT ", row %" PRIu64 " of %" PRIu64 ": %s", CASE_ARG(&g->c), r, n, why);
        for (uint64_t i = one.k; i < call->k; i++)
            REQUIRE(index_at(call, r * call->k + i) == -1 &&
                        is_worst(call->rows.type, (unsigned char *)one.values + i * bytes,
                                 call->rows.smallest),
                    CASE_FMT ", row %" PRIu64 " of %" PRIu64 ": place %" PRIu64, CASE_ARG(&g->c), r,
                    n, i);
    }
}

static void run_twice(struct ragged *g, uint64_t *state)
{
    struct rcm_top_k_call *call = &g->c.call;
    size_t isas = 0;
    while (rcm_top_k_isa(isas))
        isas++;
    rcm_top_k_use_isa(rcm_top_k_isa(next_random(state) % isas));
    run_ragged(call, 0xee);
    check_rows(g);
    struct rcm_top_k_call again = *call;
    again.threads = (unsigned)(next_random(state) % 4);
    rcm_top_k_use_isa(rcm_top_k_isa(next_random(state) % isas));
    run_ragged(&again, 0x11);
    const size_t count = call->rows.m * call->k;
    REQUIRE(memcmp(call->values, again.values, count * rcm_top_k_type_bytes(call->rows.type)) ==
                    0 &&
                memcmp(call->indices, again.indices, count * (call->wide ? 8 : 4)) == 0,
            CASE_FMT ": other bits", CASE_ARG(&g->c));
    free(call->values);
    free(call->indices);
    free(again.values);
    free(again.indices);
    free(g->memory);
}

START_TEST(random_calls)
{
    uint64_t state = 1;
    const unsigned calls = few_cases() ? 1500 : 12000;
    for (unsigned i = 0; i < calls; i++) {
        struct ragged g = {0};
        draw_ragged(&g, &state, i % 50 ? 300 : 6000);
        run_twice(&g, &state);
    }
    printf("%u calls, each twice\n", calls);
}
END_TEST

/* Few long rows, which threads share, and no output that is not wanted. */
START_TEST(long_rows)
{
    enum { N = 1 << 17, K = 100 };
    float *x = malloc(3 * N * sizeof *x), values[3 * K];
    int32_t indices[3 * K];
    uint64_t state = 2;
    for (size_t i = 0; i < 3 * N; i++)
        x[i] = (float)(next_random(&state) >> 40);
    const uint64_t lengths[] = {N, 70, N - 5}, starts[] = {2 * N, 5, 17};
    struct ragged g = {.c.call = {.rows = {.x = x, .m = 3, .n = N},
                                  .k = K,
                                  .sorted = true,
                                  .threads = 4,
                                  .lengths = lengths,
                                  .starts = starts}};
    run_ragged(&g.c.call, 3);
    check_rows(&g);
    struct rcm_top_k_call only = g.c.call;
    size_t size;
    void *workspace;
    ck_assert_int_eq(rcm_top_k_workspace(&only, &size), RCM_TOP_K_OK);
    ck_assert_int_eq(posix_memalign(&workspace, 64, size), 0);
    only.values = values;
    only.indices = NULL;
    ck_assert_int_eq(rcm_top_k(&only, workspace, size), RCM_TOP_K_OK);
    ck_assert_int_eq(memcmp(values, g.c.call.values, sizeof values), 0);
    only.values = NULL;
    only.indices = indices;
    ck_assert_int_eq(rcm_top_k(&only, workspace, size), RCM_TOP_K_OK);
    ck_assert_int_eq(memcmp(indices, g.c.call.indices, sizeof indices), 0);
    free(workspace);
    free(g.c.call.values);
    free(g.c.call.indices);
    free(x);
}
END_TEST

START_TEST(refused)
{
    float x[20] = {0}, values[40];
    const uint64_t good[] = {4, 20}, long_one[] = {4, 21}, far[] = {0, UINT64_MAX / 2};
    const struct rcm_top_k_call legal = {.rows = {.x = x, .m = 2, .n = 20},
                                         .k = 20,
                                         .method = RCM_TOP_K_BUCKETED,
                                         .b = 30,
                                         .k_b = 1,
                                         .threads = 1,
                                         .values = values,
                                         .starts = (const uint64_t[]){16, 0},
                                         .lengths = good};
    struct rcm_top_k_call wrong[11];
    const enum rcm_top_k_status status[11] = {
        RCM_TOP_K_BAD_SHAPE, RCM_TOP_K_BAD_SHAPE,   RCM_TOP_K_BAD_SHAPE, RCM_TOP_K_BAD_SHAPE,
        RCM_TOP_K_BAD_SHAPE, RCM_TOP_K_BAD_SHAPE,   RCM_TOP_K_BAD_TYPE,  RCM_TOP_K_BAD_TYPE,
        RCM_TOP_K_BAD_TYPE,  RCM_TOP_K_BAD_POINTER, RCM_TOP_K_BAD_SHAPE};
    for (size_t i = 0; i < 11; i++)
        wrong[i] = legal;
    wrong[0].lengths = long_one;
    wrong[1].starts = far;
    wrong[2].k = 0;
    wrong[3].k_b = 0;
    wrong[4].k_b = 21;
    wrong[5].b = 19;
    wrong[6].assignment = RCM_CONTIGUOUS_FLOOR;
    wrong[7].method = (enum rcm_top_k_method)7;
    wrong[8].rows.type = RCM_TOP_K_TYPES;
    wrong[9].rows.x = NULL;
    wrong[10].rows.m = 0;
    for (size_t i = 0; i < 11; i++) {
        size_t size = 7;
        void *room = aligned_alloc(64, 1 << 16);
        ck_assert_int_eq(rcm_top_k_workspace(&wrong[i], &size), status[i]);
        ck_assert_uint_eq(size, 0);
        ck_assert_int_eq(rcm_top_k(&wrong[i], room, 1 << 16), status[i]);
        free(room);
    }
    size_t size = 7;
    struct rcm_top_k_call stage1 = legal;
    stage1.b = 10;
    ck_assert_int_eq(rcm_top_k_stage1_workspace(&stage1, &size), RCM_TOP_K_BAD_SHAPE);
    ck_assert_int_eq(rcm_top_k_stage1(&stage1, NULL, 0), RCM_TOP_K_BAD_SHAPE);
    stage1.values = NULL;
    stage1.method = RCM_TOP_K_EXACT;
    ck_assert_int_eq(rcm_top_k(&stage1, NULL, 0), RCM_TOP_K_BAD_POINTER);
    ck_assert_int_eq(rcm_top_k_workspace(&legal, NULL), RCM_TOP_K_BAD_POINTER);
}
END_TEST

TEST_MAIN("topk_ragged", random_calls, long_rows, refused)
