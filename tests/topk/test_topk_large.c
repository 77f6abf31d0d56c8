/* test_topk_large.c - rows that are longer than 2^31, strides that lead beyond 2^32 bytes. Memory
 * that nobody has written is all zeros and takes no space.
 *
 * Against: the few; the bytes of the row, for the workspace.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <sys/mman.h>
#include <sys/resource.h>

#include "run.h"

static unsigned char *zeros(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        printf("SKIPPED: no %zu bytes of addresses\n", bytes);
        return NULL;
    }
    return memory;
}

static void release(unsigned char *memory, size_t bytes)
{
    munmap(memory, bytes);
}

/* A few elements that are far from each other, forward, backward and in rows far from each other.
 */
START_TEST(long_strides)
{
    const size_t room = (size_t)1 << 38;
    unsigned char *memory = zeros(room);
    uint64_t state = 13;
    if (!memory)
        return;
    for (unsigned i = 0; i < 60; i++) {
        struct topk_case c = draw_case(&state, 1);
        struct rcm_top_k_rows *rows = &c.call.rows;
        const size_t bytes = rcm_top_k_type_bytes(rows->type);
        rows->n = random_between(&state, 1, 40);
        rows->m = random_between(&state, 1, 3);
        rows->stride = (int64_t)(((size_t)1 << 32) / bytes + next_random(&state) % 99);
        rows->row_stride = i % 3 ? (int64_t)next_random(&state) % 40 + 1 : 50 * rows->stride;
        if (i % 2)
            rows->stride = -rows->stride;
        if (i % 5 == 1)
            rows->row_stride = -rows->row_stride;
        draw_shape(&c, &state);
        size_t before;
        if (rows_bytes(rows, &before) > room)
            continue;
        rows->x = memory + before;
        for (uint64_t r = 0; r < rows->m; r++)
            for (uint64_t e = 0; e < rows->n; e++) {
                const uint64_t any = next_random(&state);
                memcpy((unsigned char *)oracle_element(rows, r, e), &any, bytes);
            }
        struct outcome o = run_case(&c, PAGE_END, 0xee, true);
        REQUIRE(o.right, CASE_FMT ": %s", CASE_ARG(&c), o.why);
        free_outcome(&o);
    }
    release(memory, room);
}
END_TEST

/* ---- a row of zeros but for a few */

static const uint64_t N = (UINT64_C(1) << 31) + 5003;
enum { SET = 60 };

struct sparse_row {
    int8_t *x;
    uint64_t place[SET];
};

static struct sparse_row make_sparse(int8_t *x, uint64_t *state)
{
    struct sparse_row s = {.x = x};
    for (unsigned i = 0; i < SET; i++) {
        s.place[i] = i == 0   ? 0
                     : i == 1 ? N - 1
                     : i == 2 ? (UINT64_C(1) << 31) - 1
                     : i == 3 ? UINT64_C(1) << 31
                     : i < 20 ? (UINT64_C(1) << 31) + next_random(state) % 5003
                     : i < 30 ? s.place[i - 1] + 1
                              : next_random(state) % N;
        s.place[i] %= N;
        x[s.place[i]] = (int8_t)(i % 2 ? 1 + (int)i : -1 - (int)i);
    }
    return s;
}

static int by_index(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int falling(const void *a, const void *b)
{
    return *(const int *)b - *(const int *)a;
}

/* The best `count` merits of those of the row, or of one bucket of it, which has more zeros. */
static void sparse_best(const struct sparse_row *s, const struct rcm_top_k_call *call, uint64_t q,
                        bool all, uint64_t count, int *best)
{
    unsigned set = 0;
    int good[SET];
    for (unsigned i = 0; i < SET; i++) {
        bool again = false; /* a place that was drawn twice */
        for (unsigned j = 0; j < i; j++)
            again = again || s->place[j] == s->place[i];
        const int merit = call->rows.smallest ? -s->x[s->place[i]] : s->x[s->place[i]];
        if (!again && merit > 0 && (all || oracle_bucket(call, s->place[i]) == q))
            good[set++] = merit;
    }
    qsort(good, set, sizeof *good, falling);
    for (uint64_t j = 0; j < count; j++)
        best[j] = j < set ? good[j] : 0;
}

static void check_sparse(const struct sparse_row *s, struct rcm_top_k_call call, bool stage1)
{
    const uint64_t count = oracle_outputs(&call, stage1);
    int8_t *values = malloc(count);
    int64_t *indices = malloc(count * sizeof *indices);
    int *want = malloc(count * sizeof *want);
    size_t bytes;
    ck_assert_int_eq(stage1 ? rcm_top_k_stage1_workspace(&call, &bytes)
                            : rcm_top_k_workspace(&call, &bytes),
                     RCM_TOP_K_OK);
    REQUIRE(bytes < N / 4, "a workspace of %zu bytes", bytes);
    void *workspace = NULL;
    ck_assert_int_eq(posix_memalign(&workspace, 64, bytes + 64), 0);
    call.values = values;
    call.indices = indices;
    ck_assert_int_eq(stage1 ? rcm_top_k_stage1(&call, workspace, bytes)
                            : rcm_top_k(&call, workspace, bytes),
                     RCM_TOP_K_OK);
    for (uint64_t q = 0; stage1 && q < call.b; q++)
        sparse_best(s, &call, q, false, call.k_b, want + q * call.k_b);
    if (!stage1)
        sparse_best(s, &call, 0, true, count, want);
    for (uint64_t j = 0; j < count; j++) {
        const int merit = call.rows.smallest ? -values[j] : values[j];
        REQUIRE(indices[j] >= 0 && (uint64_t)indices[j] < N && s->x[indices[j]] == values[j],
                "entry %" PRIu64 ": index %" PRId64 ", value %d", j, indices[j], values[j]);
        REQUIRE(merit == want[j], "entry %" PRIu64 " is %d, not %d", j, merit, want[j]);
        REQUIRE(!stage1 || oracle_bucket(&call, (uint64_t)indices[j]) == j / call.k_b,
                "entry %" PRIu64 ": index %" PRId64 " is of another bucket", j, indices[j]);
    }
    qsort(indices, count, sizeof *indices, by_index);
    for (uint64_t j = 1; j < count; j++)
        REQUIRE(indices[j] != indices[j - 1], "index %" PRId64 " twice", indices[j]);
    free(values);
    free(indices);
    free(want);
    free(workspace);
}

START_TEST(long_rows)
{
    if (few_cases()) {
        printf("rows of 2^31 elements: not in the short form\n");
        return;
    }
    unsigned char *memory = zeros(N);
    uint64_t state = 14;
    if (!memory)
        return;
    struct sparse_row s = make_sparse((int8_t *)memory, &state);
    struct rcm_top_k_call call = {.rows = {memory, 1, N, 0, 0, RCM_TOP_K_I8, false},
                                  .k = 20,
                                  .sorted = true,
                                  .wide = true,
                                  .threads = 2};
    size_t bytes;
    check_sparse(&s, call, false);
    call.k = 1000; /* most are zeros */
    call.rows.smallest = true;
    check_sparse(&s, call, false);
    call.b = 3001;
    call.k_b = 3;
    check_sparse(&s, call, true);
    call.assignment = RCM_CONTIGUOUS;
    call.threads = 1;
    check_sparse(&s, call, true);
    call.method = RCM_TOP_K_BUCKETED; /* no bucket of these has more than k_b of the few */
    call.k_b = 40;
    call.rows.smallest = false;
    call.assignment = RCM_INTERLEAVED;
    check_sparse(&s, call, false);
    call.wide = false;
    ck_assert_int_eq(rcm_top_k_workspace(&call, &bytes), RCM_TOP_K_BAD_SHAPE);
    int8_t best;
    ck_assert_int_eq(rcm_top_k_max(&call.rows, 2, &best), RCM_TOP_K_OK);
    int want;
    sparse_best(&s, &call, 0, true, 1, &want);
    ck_assert_int_eq(best, want);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("rows of 2^31 + 5003 elements: %ld MB of memory\n", usage.ru_maxrss / 1024);
    release(memory, N);
}
END_TEST

/* Exact top-k of one row, whatever the type, needs no more workspace than 1.75 of the
 * row, or of 1 GiB, for one thread or two, n up to 2^31 and k up to n/1024. */
START_TEST(workspace)
{
    double most = 0.0;
    static char any[64];
    for (unsigned type = 0; type < RCM_TOP_K_TYPES; type++)
        for (uint64_t n = 1 << 20; n <= UINT64_C(1) << 31; n += n / 3)
            for (uint64_t k = 1; k <= n / 1024; k += k / 2 + 1)
                for (unsigned threads = 1; threads <= 2; threads++) {
                    const struct rcm_top_k_call call = {
                        .rows = {.x = any, .n = n, .m = 1, .type = type},
                        .k = k,
                        .values = any,
                        .indices = any,
                        .wide = true,
                        .sorted = true,
                        .threads = threads};
                    size_t bytes = 0;
                    const double row = (double)n * (double)rcm_top_k_type_bytes(type);
                    ck_assert_int_eq(rcm_top_k_workspace(&call, &bytes), RCM_TOP_K_OK);
                    const double share = (double)bytes / fmax(row, 0x1p30);
                    most = fmax(most, share);
                    ck_assert_msg(share <= 1.75, "type %u n %" PRIu64 " k %" PRIu64 ": %zu bytes",
                                  type, n, k, bytes);
                }
    printf("measured: workspace up to %.2f of the row\n", most);
}
END_TEST

TEST_MAIN("topk large", workspace, long_strides, long_rows)
