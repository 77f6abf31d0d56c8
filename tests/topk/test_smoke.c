/* test_smoke.c - rcm_top_k, its stage 1 and its maximum: every type and instruction set, against
 * bucketed top-k written out with a sort.
 *
 * Against: bucketed top-k written out with a sort; the bits of plain C.
 *
 * Slow: 4 s.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <topk/topk.h>

#include <tests/test.h>

enum { N_MOST = 5000 };

struct item {
    uint64_t rank; /* larger is better; NaN is 0 */
    uint64_t index;
};

static const int float_bits[] = {
    [RCM_TOP_K_F32] = 8, [RCM_TOP_K_F64] = 11, [RCM_TOP_K_F16] = 5, [RCM_TOP_K_BF16] = 8};

/* The place of the element in the order of its type: by its bits. */
static uint64_t rank_of(const void *at, enum rcm_top_k_type type, bool smallest)
{
    size_t bytes = rcm_top_k_type_bytes(type);
    uint64_t u = 0, sign = UINT64_C(1) << (8 * bytes - 1);
    memcpy(&u, at, bytes);
    if (type == RCM_TOP_K_I8 || type == RCM_TOP_K_I32) {
        u ^= sign;
    } else {
        uint64_t infinite = ((UINT64_C(1) << float_bits[type]) - 1)
                            << (8 * bytes - 1 - (unsigned)float_bits[type]);
        if ((u & ~sign) > infinite)
            return 0;
        u = u & sign ? 2 * sign - 1 - u : u + sign;
    }
    return smallest ? 2 * sign - 1 - u + (bytes < 8) : u + (bytes < 8);
}

static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return x->rank != y->rank ? (x->rank < y->rank ? 1 : -1)
                              : (x->index > y->index) - (x->index < y->index);
}

static const char *element(const struct rcm_top_k_rows *rows, uint64_t r, uint64_t i)
{
    int64_t stride = rows->stride ? rows->stride : 1;
    int64_t begin = (int64_t)r * (rows->row_stride ? rows->row_stride : (int64_t)rows->n * stride);
    return (const char *)rows->x +
           (begin + (int64_t)i * stride) * (int64_t)rcm_top_k_type_bytes(rows->type);
}

/* The candidates of a row, as the header says. Returns how many. */
static uint64_t candidates(const struct rcm_top_k_call *call, uint64_t r, struct item *out)
{
    static struct item bucket[N_MOST];
    const struct rcm_top_k_rows *rows = &call->rows;
    uint64_t count = 0, n = rows->n, b = call->b, longer = n % b;
    for (uint64_t j = 0, begin = 0; j < b; j++) {
        uint64_t length = n / b + (j < longer);
        for (uint64_t i = 0; i < length; i++) {
            uint64_t at = call->assignment == RCM_CONTIGUOUS ? begin + i : j + i * b;
            bucket[i] =
                (struct item){rank_of(element(rows, r, at), rows->type, rows->smallest), at};
        }
        begin += length;
        qsort(bucket, length, sizeof *bucket, compare_items);
        for (uint64_t i = 0; i < length && i < call->k_b; i++)
            out[count++] = bucket[i];
    }
    return count;
}

static void compare_row(const struct rcm_top_k_call *call, uint64_t r, const struct item *want,
                        uint64_t count, bool in_order, const char *what)
{
    static struct item got[N_MOST];
    static bool seen[N_MOST];
    memset(seen, 0, sizeof seen);
    const struct rcm_top_k_rows *rows = &call->rows;
    size_t bytes = rcm_top_k_type_bytes(rows->type);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = r * count + i;
        int64_t index =
            call->wide ? ((int64_t *)call->indices)[at] : ((int32_t *)call->indices)[at];
        ck_assert_msg(index >= 0 && index < (int64_t)rows->n && !seen[index], "%s: index %" PRId64,
                      what, index);
        seen[index] = true;
        const char *value = (const char *)call->values + at * bytes;
        ck_assert_msg(memcmp(value, element(rows, r, (uint64_t)index), bytes) == 0,
                      "%s: output %" PRIu64 " is not element %" PRId64, what, i, index);
        got[i] = (struct item){rank_of(value, rows->type, rows->smallest), (uint64_t)index};
    }
    if (!in_order)
        qsort(got, count, sizeof *got, compare_items);
    for (uint64_t i = 0; i < count; i++)
        ck_assert_msg(got[i].rank == want[i].rank,
                      "%s: output %" PRIu64 " is %" PRIx64 ", want %" PRIx64, what, i, got[i].rank,
                      want[i].rank);
}

/* Runs the call, stage 1 and the maximum; compares. */
static void check_call(struct rcm_top_k_call *call, const char *what)
{
    static struct item all[N_MOST];
    static _Alignas(64) char values[2 * N_MOST * 8], indices[2 * N_MOST * 8];
    const struct rcm_top_k_rows *rows = &call->rows;
    size_t bytes, size = rcm_top_k_type_bytes(rows->type);
    call->values = values;
    call->indices = indices;
    for (int stage1 = 0; stage1 < 2; stage1++) {
        if (stage1 && call->method == RCM_TOP_K_EXACT)
            break;
        ck_assert_int_eq(stage1 ? rcm_top_k_stage1_workspace(call, &bytes)
                                : rcm_top_k_workspace(call, &bytes),
                         RCM_TOP_K_OK);
        void *workspace = aligned_alloc(64, bytes + 64);
        memset(workspace, 0x7f, bytes);
        memset(values, 0x55, sizeof values);
        memset(indices, 0x55, sizeof indices);
        ck_assert_int_eq(stage1 ? rcm_top_k_stage1(call, workspace, bytes)
                                : rcm_top_k(call, workspace, bytes),
                         RCM_TOP_K_OK);
        free(workspace);
        for (uint64_t r = 0; r < rows->m; r++) {
            struct rcm_top_k_call exact = *call;
            exact.b = exact.k_b = 1;
            if (call->method == RCM_TOP_K_EXACT)
                exact.k_b = rows->n;
            uint64_t count = candidates(call->method == RCM_TOP_K_EXACT ? &exact : call, r, all);
            if (!stage1)
                qsort(all, count, sizeof *all, compare_items);
            compare_row(call, r, all, stage1 ? count : call->k, stage1 || call->sorted, what);
        }
    }
    ck_assert_int_eq(rcm_top_k_max(rows, call->threads, values), RCM_TOP_K_OK);
    for (uint64_t r = 0; r < rows->m; r++) {
        uint64_t best = 0;
        for (uint64_t i = 0; i < rows->n; i++) {
            uint64_t rank = rank_of(element(rows, r, i), rows->type, rows->smallest);
            best = rank > best ? rank : best;
        }
        ck_assert_msg(rank_of(values + r * size, rows->type, rows->smallest) == best, "%s: max",
                      what);
    }
}

/* Random bytes; few distinct ones; 0 and -1; zeros. */
static void fill(char *x, size_t bytes, int kind, uint64_t *state)
{
    for (size_t i = 0; i < bytes; i++) {
        uint64_t draw = next_random(state) >> 20;
        x[i] = (char)(kind == 0   ? draw
                      : kind == 1 ? draw % 3 * 0x40
                      : kind == 2 ? draw % 2 - 1
                                  : 0);
    }
}

static void run_shapes(const char *isa, int shapes)
{
    static char x[2 * N_MOST * 3 * 8 + 64];
    uint64_t state = 17;
    for (int repeat = 0; repeat < shapes; repeat++) {
        struct rcm_topk p = random_shape(&state, N_MOST);
        enum rcm_top_k_type type = (enum rcm_top_k_type)(repeat % RCM_TOP_K_TYPES);
        size_t bytes = rcm_top_k_type_bytes(type);
        fill(x, sizeof x, repeat / 7 % 4, &state);
        int64_t stride = (int64_t[]){0, 1, -1, 3}[next_random(&state) % 4];
        struct rcm_top_k_call call = {.rows = {.x = x + next_random(&state) % 64,
                                               .m = 1 + (uint64_t)repeat % 2,
                                               .n = p.n,
                                               .stride = stride,
                                               .type = type,
                                               .smallest = next_random(&state) % 2},
                                      .k = p.k,
                                      .b = p.b,
                                      .k_b = p.k_b,
                                      .method = (enum rcm_top_k_method)(next_random(&state) % 2),
                                      .assignment = (enum rcm_assignment)(next_random(&state) % 2),
                                      .sorted = next_random(&state) % 2,
                                      .wide = next_random(&state) % 2,
                                      .threads = (unsigned)(next_random(&state) % 4)};
        if (stride < 0)
            call.rows.x = x + (2 * p.n - 1) * bytes;
        char what[200];
        snprintf(what, sizeof what, TOPK_FMT " type %d stride %d method %d assignment %d isa %s",
                 TOPK_ARG(p), type, (int)stride, call.method, call.assignment, isa);
        check_call(&call, what);
    }
}

START_TEST(agrees_with_a_sort)
{
    const int shapes = few_cases() ? 300 : 1500;
    for (size_t i = 0; rcm_top_k_isa(i); i++) {
        ck_assert(rcm_top_k_use_isa(rcm_top_k_isa(i)));
        run_shapes(rcm_top_k_isa(i), shapes);
        printf("%s: %d shapes agree\n", rcm_top_k_isa(i), shapes);
    }
    ck_assert(rcm_top_k_use_isa(NULL));
    ck_assert(!rcm_top_k_use_isa("no such"));
}
END_TEST

/* Longer rows: every instruction set and number of threads gives the bits of plain C. */
START_TEST(same_bits)
{
    enum { N = 150000, OUT = 40000 };
    static char x[N * 8], values[2][OUT * 8], indices[2][OUT * 8];
    uint64_t state = 5, compared = 0;
    size_t room = (size_t)1 << 26, bytes;
    char *workspace = aligned_alloc(64, room);
    for (int repeat = 0; repeat < (few_cases() ? 12 : 96); repeat++) {
        enum rcm_top_k_type type = (enum rcm_top_k_type)(repeat % RCM_TOP_K_TYPES);
        uint64_t b = random_scale(&state, 8, 8000), n = random_between(&state, N / 2, N);
        uint64_t k_b = (uint64_t[]){1, 2, 3, 4, 8, 16, 5}[next_random(&state) % 7];
        if (b * k_b > OUT || k_b > n / b)
            continue;
        fill(x, sizeof x, repeat / 6 % 8 > 3 ? 0 : repeat / 6 % 8, &state);
        struct rcm_top_k_call call = {
            .rows = {.x = x, .m = 1, .n = n, .type = type, .smallest = repeat % 5 == 0},
            .k = k_b + next_random(&state) % (b * k_b - k_b + 1),
            .b = b,
            .k_b = k_b,
            .method = (enum rcm_top_k_method)(repeat / 2 % 2),
            .sorted = repeat % 3 == 0,
            .assignment = repeat % 4 == 1 ? RCM_CONTIGUOUS : RCM_INTERLEAVED};
        for (int stage1 = 0; stage1 < 2; stage1++) {
            ck_assert(rcm_top_k_use_isa("generic"));
            for (size_t i = 0, which = 0; i == 0 || rcm_top_k_isa(i / 3); i++, which = 1) {
                call.threads = 1 + (unsigned)i % 3;
                call.values = values[which];
                call.indices = indices[which];
                ck_assert(i == 0 || rcm_top_k_use_isa(rcm_top_k_isa(i / 3)));
                memset(values[which], 1, sizeof *values);
                memset(indices[which], 1, sizeof *indices);
                ck_assert_int_eq(stage1 ? rcm_top_k_stage1_workspace(&call, &bytes)
                                        : rcm_top_k_workspace(&call, &bytes),
                                 RCM_TOP_K_OK);
                ck_assert_uint_le(bytes, room);
                ck_assert_int_eq(stage1 ? rcm_top_k_stage1(&call, workspace, bytes)
                                        : rcm_top_k(&call, workspace, bytes),
                                 RCM_TOP_K_OK);
                ck_assert_msg(memcmp(values[0], values[which], sizeof *values) == 0 &&
                                  memcmp(indices[0], indices[which], sizeof *indices) == 0,
                              "type %d n %" PRIu64 " b %" PRIu64 " k_b %" PRIu64 " k %" PRIu64
                              " stage1 %d threads %u method %d, run %zu, repeat %d",
                              type, n, b, k_b, call.k, stage1, call.threads, call.method, i,
                              repeat);
                compared++;
            }
        }
    }
    ck_assert(rcm_top_k_use_isa(NULL));
    free(workspace);
    printf("same bits: %" PRIu64 " runs\n", compared);
}
END_TEST

START_TEST(refuses_and_chooses)
{
    float x[8] = {0};
    size_t bytes;
    struct rcm_top_k_call call = {.rows = {.x = x, .m = 1, .n = 8}, .k = 9};
    ck_assert_int_eq(rcm_top_k_workspace(&call, &bytes), RCM_TOP_K_BAD_SHAPE);
    call.k = 2;
    ck_assert_int_eq(rcm_top_k_workspace(&call, &bytes), RCM_TOP_K_OK);
    call.values = x;
    ck_assert_int_eq(rcm_top_k(&call, NULL, 0), RCM_TOP_K_BAD_WORKSPACE);
    call.rows.n = 262144;
    call.k = 1024;
    ck_assert_int_eq(rcm_top_k_choose(&call, 1.0, 0.0, NULL, NULL), RCM_TOP_K_OK);
    ck_assert_int_eq(call.method, RCM_TOP_K_EXACT);
    struct rcm_choice choice;
    ck_assert_int_eq(rcm_top_k_choose(&call, 0.95, 0.0, NULL, &choice), RCM_TOP_K_OK);
    ck_assert_int_eq(rcm_top_k_choose(&call, 0.0, 0.0, NULL, NULL), RCM_TOP_K_BAD_SHAPE);
    if (call.method == RCM_TOP_K_BUCKETED) {
        struct rcm_topk p = {.n = call.rows.n, .k = call.k, .b = call.b, .k_b = call.k_b};
        ck_assert(rcm_recall_exact(p) >= 0.95);
    }
}
END_TEST

TEST_MAIN("top-k, smoke", agrees_with_a_sort, same_bits, refuses_and_chooses)
