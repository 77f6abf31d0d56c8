/* test_topk_merge.c - merging what the parts of a row sent: the k best, and the proof.
 *
 * Against: whole rows in the order of values, then positions, by the definitions of topk.h; and how
 * often a merge is not proved, by rcm_parts_probability_unproved().
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cases.h"
#include "oracle.h"

enum { N_MOST = 600, PARTS_MOST = 12 };

/* A row of n elements dealt out to parts, and the order of all of them. */
struct dealt {
    struct rcm_top_k_rows rows; /* one row */
    unsigned char *block;
    size_t bytes; /* of an element */
    uint64_t order[N_MOST];
    size_t length;
    size_t owner[N_MOST];
    uint64_t size[PARTS_MOST];
};

static const struct rcm_top_k_rows *sorted_rows;

static int by_merit_and_position(const void *a, const void *b)
{
    const uint64_t i = *(const uint64_t *)a, j = *(const uint64_t *)b;
    const double x = oracle_merit(sorted_rows->type, oracle_element(sorted_rows, 0, i),
                                  sorted_rows->smallest),
                 y = oracle_merit(sorted_rows->type, oracle_element(sorted_rows, 0, j),
                                  sorted_rows->smallest);
    const int merit = oracle_by_merit(&x, &y);
    return merit ? merit : i < j ? -1 : i > j;
}

/* Elements go to parts in turns, in blocks, or as they like. */
static struct dealt deal_row(uint64_t *state)
{
    struct dealt d = {.length = random_between(state, 1, PARTS_MOST)};
    d.rows = (struct rcm_top_k_rows){
        .m = 1,
        .n = random_between(state, d.length, random_between(state, 0, 1) ? 40 : N_MOST),
        .type = (enum rcm_top_k_type)random_between(state, 0, RCM_TOP_K_TYPES - 1),
        .smallest = random_between(state, 0, 1) == 1};
    d.rows.stride = 1;
    d.rows.row_stride = (int64_t)d.rows.n;
    d.bytes = rcm_top_k_type_bytes(d.rows.type);
    size_t before;
    d.block = malloc(rows_bytes(&d.rows, &before) + 64);
    draw_rows(&d.rows, (enum kind)random_between(state, 0, KINDS - 1), d.block, state);
    const uint64_t way = random_between(state, 0, 2), run = d.rows.n / d.length + 1;
    for (uint64_t i = 0; i < d.rows.n; i++) {
        d.order[i] = i;
        d.owner[i] = way == 0   ? i % d.length
                     : way == 1 ? i / run
                                : (size_t)random_between(state, 0, d.length - 1);
        d.size[d.owner[i]]++;
    }
    sorted_rows = &d.rows;
    qsort(d.order, d.rows.n, sizeof *d.order, by_merit_and_position);
    return d;
}

/* What the parts send, and the call that merges it. */
struct sent {
    struct rcm_top_k_part parts[PARTS_MOST];
    unsigned char *values[PARTS_MOST];
    void *positions[PARTS_MOST];
    struct rcm_top_k_merge_call call;
    bool unproved[PARTS_MOST], all[PARTS_MOST];
    uint64_t unproved_rows, last[PARTS_MOST]; /* last: the position of the worst element */
};

/* How the parts send. */
struct way {
    bool wide, by_position, shuffled, padded;
};

static void free_sent(struct sent *s)
{
    for (size_t i = 0; i < s->call.length; i++) {
        free(s->values[i]);
        free(s->positions[i]);
    }
    free(s->call.values);
    free(s->call.indices);
}

static void put_position(struct sent *s, size_t part, uint64_t at, int64_t position)
{
    if (s->call.wide)
        ((int64_t *)s->positions[part])[at] = position;
    else
        ((int32_t *)s->positions[part])[at] = (int32_t)position;
}

static int64_t position_at(const struct sent *s, size_t part, uint64_t at)
{
    return s->call.wide ? ((int64_t *)s->positions[part])[at] : ((int32_t *)s->positions[part])[at];
}

/* What a part sent, in another order. */
static void shuffle(struct sent *s, size_t part, size_t bytes, uint64_t *state)
{
    for (uint64_t i = s->parts[part].count; i > 1; i--) {
        const uint64_t other = random_between(state, 0, i - 1);
        unsigned char *a = s->values[part] + (i - 1) * bytes, *b = s->values[part] + other * bytes;
        const int64_t position = position_at(s, part, i - 1);
        for (size_t j = 0; j < bytes; j++) {
            const unsigned char byte = a[j];
            a[j] = b[j];
            b[j] = byte;
        }
        put_position(s, part, i - 1, position_at(s, part, other));
        put_position(s, part, other, position);
    }
}

/* Each part sends its first `count` in the order of the row; padded: those that send all add some
 * of the best element of the row, at negative positions, and do not say that it is all. */
static struct sent *merge_of(const struct dealt *d, uint64_t k, const uint64_t *count,
                             struct way way, uint64_t *state)
{
    struct sent *s = calloc(1, sizeof *s);
    const bool wide = way.wide, by_position = way.by_position;
    s->call = (struct rcm_top_k_merge_call){.parts = s->parts,
                                            .length = d->length,
                                            .m = 1,
                                            .k = k,
                                            .type = d->rows.type,
                                            .smallest = d->rows.smallest,
                                            .wide = wide,
                                            .by_position = by_position,
                                            .values = malloc(k * d->bytes),
                                            .indices = malloc(k * (wide ? 8 : 4)),
                                            .unproved = s->unproved};
    for (size_t i = 0; i < d->length; i++) {
        s->all[i] = count[i] == d->size[i];
        const uint64_t pads = way.padded && s->all[i] ? random_between(state, 1, 9) : 0;
        s->values[i] = malloc((count[i] + pads) * d->bytes + 1);
        s->positions[i] = malloc((count[i] + pads) * 8 + 1);
        s->parts[i] = (struct rcm_top_k_part){s->values[i], s->positions[i], count[i] + pads,
                                              s->all[i] && pads == 0};
        uint64_t found = 0;
        for (uint64_t j = 0; j < d->rows.n && found < count[i]; j++) {
            if (d->owner[d->order[j]] != i)
                continue;
            memcpy(s->values[i] + found * d->bytes, oracle_element(&d->rows, 0, d->order[j]),
                   d->bytes);
            s->last[i] = d->order[j];
            put_position(s, i, found++, (int64_t)d->order[j]);
        }
        for (; found < count[i] + pads; found++) {
            memcpy(s->values[i] + found * d->bytes, oracle_element(&d->rows, 0, d->order[0]),
                   d->bytes);
            put_position(s, i, found, -(int64_t)random_between(state, 1, 9));
        }
        if (way.shuffled)
            shuffle(s, i, d->bytes, state);
    }
    size_t bytes;
    ck_assert_int_eq(rcm_top_k_merge_workspace(&s->call, &bytes), RCM_TOP_K_OK);
    void *workspace = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
    ck_assert_int_eq(rcm_top_k_merge(&s->call, workspace, bytes, &s->unproved_rows), RCM_TOP_K_OK);
    free(workspace);
    return s;
}

static uint64_t index_at(const struct sent *s, uint64_t rank)
{
    return s->call.wide ? (uint64_t)((int64_t *)s->call.indices)[rank]
                        : (uint64_t)((int32_t *)s->call.indices)[rank];
}

/* Are these the first k of the row, bit by bit? */
static bool is_exact(const struct dealt *d, const struct sent *s)
{
    for (uint64_t rank = 0; rank < s->call.k; rank++)
        if (index_at(s, rank) != d->order[rank] ||
            memcmp((char *)s->call.values + rank * d->bytes,
                   oracle_element(&d->rows, 0, d->order[rank]), d->bytes) != 0)
            return false;
    return true;
}

static double merit_of(const struct dealt *d, uint64_t position)
{
    return oracle_merit(d->rows.type, oracle_element(&d->rows, 0, position), d->rows.smallest);
}

/* What the header says of a part, from the row itself. */
static bool in_the_way(const struct dealt *d, const struct sent *s, size_t part)
{
    const uint64_t count = s->parts[part].count, kth = index_at(s, s->call.k - 1);
    if (s->all[part] || count >= s->call.k)
        return false;
    if (count == 0)
        return true;
    const uint64_t last = s->last[part];
    const double x = merit_of(d, kth), y = merit_of(d, last);
    const int order = oracle_by_merit(&x, &y);
    return !(order < 0 || (order == 0 && s->call.by_position && kth < last));
}

START_TEST(random_rows)
{
    uint64_t state = 60, proved = 0, unproved = 0, second = 0;
    for (unsigned i = 0; i < (few_cases() ? 2000 : 20000); i++) {
        struct dealt d = deal_row(&state);
        const uint64_t k = random_between(&state, 1, d.rows.n);
        const struct way way = {.wide = random_between(&state, 0, 1) == 1,
                                .by_position = random_between(&state, 0, 3) > 0,
                                .shuffled = random_between(&state, 0, 1) == 1,
                                .padded = random_between(&state, 0, 1) == 1};
        uint64_t count[PARTS_MOST], sum = 0;
        for (size_t j = 0; j < d.length; j++) {
            const uint64_t most = d.size[j] < k ? d.size[j] : k;
            count[j] = random_between(&state, 0, 3) ? random_between(&state, 0, most) : most;
            sum += count[j];
        }
        if (sum >= k) {
            struct sent *s = merge_of(&d, k, count, way, &state);
            bool any = false;
            for (size_t j = 0; j < d.length; j++) {
                ck_assert_int_eq(s->unproved[j], in_the_way(&d, s, j));
                any = any || s->unproved[j];
                if (s->unproved[j]) /* the second round */
                    count[j] = d.size[j] < k ? d.size[j] : k;
            }
            ck_assert_uint_eq(s->unproved_rows, any ? 1 : 0);
            ck_assert_msg(any || is_exact(&d, s), "row %u is proved and not exact", i);
            proved += any ? 0 : 1;
            unproved += any ? 1 : 0;
            if (any) {
                struct sent *again = merge_of(&d, k, count, way, &state);
                if (way.by_position)
                    ck_assert_uint_eq(again->unproved_rows, 0);
                ck_assert_msg(is_exact(&d, again), "row %u is not exact after a second round", i);
                second++;
                free_sent(again);
                free(again);
            }
            free_sent(s);
            free(s);
        }
        free(d.block);
    }
    printf("%" PRIu64 " merges proved, %" PRIu64 " not, %" PRIu64 " second rounds\n", proved,
           unproved, second);
    ck_assert_uint_ge(proved, 200);
    ck_assert_uint_ge(unproved, 200);
}
END_TEST

/* Fewer than k elements and padding: all of them, then position -1; NaN and the lowest value are
 * elements. A part that may have more is in the way. */
START_TEST(rows_of_fewer_than_k)
{
    const float first[] = {9.0F, -INFINITY, 7.0F, 9.0F}, second[] = {NAN, 9.0F, 3.0F},
                third[] = {7.0F};
    const int32_t first_at[] = {-1, 4, 2, -1}, second_at[] = {6, -1, 1}, third_at[] = {3};
    for (int more = 0; more < 2; more++) {
        const struct rcm_top_k_part parts[] = {{first, first_at, 4, false},
                                               {second, second_at, 3, false},
                                               {third, third_at, 1, false}};
        float values[6];
        int32_t indices[6];
        bool unproved[3];
        uint64_t rows;
        _Alignas(64) char workspace[512];
        const struct rcm_top_k_merge_call call = {.parts = parts,
                                                  .length = more ? 3 : 2,
                                                  .m = 1,
                                                  .k = 6,
                                                  .values = values,
                                                  .indices = indices,
                                                  .unproved = unproved};
        ck_assert_int_eq(rcm_top_k_merge(&call, workspace, sizeof workspace, &rows), RCM_TOP_K_OK);
        const int32_t want[] = {2, 1, 4, 6, -1, -1}, want_more[] = {2, 3, 1, 4, 6, -1};
        ck_assert_mem_eq(indices, more ? want_more : want, sizeof indices);
        ck_assert(values[0] == 7.0F && isnan(values[more ? 4 : 3]));
        ck_assert(!unproved[0] && !unproved[1]);
        ck_assert_uint_eq(rows, (uint64_t)more);
    }
}
END_TEST

/* Exact top-k breaks ties as the merge does. */
START_TEST(exact_takes_the_first_of_equal_ones)
{
    uint64_t state = 61;
    for (unsigned i = 0; i < (few_cases() ? 1000 : 5000); i++) {
        struct dealt d = deal_row(&state);
        const uint64_t k = random_between(&state, 1, d.rows.n);
        int64_t indices[N_MOST];
        struct rcm_top_k_call call = {.rows = d.rows,
                                      .k = k,
                                      .method = RCM_TOP_K_EXACT,
                                      .sorted = true,
                                      .wide = true,
                                      .threads = 1,
                                      .indices = indices};
        size_t bytes;
        ck_assert_int_eq(rcm_top_k_workspace(&call, &bytes), RCM_TOP_K_OK);
        void *workspace = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
        ck_assert_int_eq(rcm_top_k(&call, workspace, bytes), RCM_TOP_K_OK);
        for (uint64_t rank = 0; rank < k; rank++)
            ck_assert_msg((uint64_t)indices[rank] == d.order[rank],
                          "row %u, %s, rank %" PRIu64 ": index %" PRId64 ", want %" PRIu64, i,
                          type_names[d.rows.type], rank, indices[rank], d.order[rank]);
        free(workspace);
        free(d.block);
    }
}
END_TEST

/* Long rows with many equal elements: every way in which exact top-k works. */
START_TEST(exact_takes_the_first_of_many_equal_ones)
{
    uint64_t state = 63;
    for (unsigned i = 0; i < (few_cases() ? 60 : 400); i++) {
        const uint64_t n = random_scale(&state, 1000, 300000);
        struct rcm_top_k_rows rows = {
            .m = 1,
            .n = n,
            .type = (enum rcm_top_k_type)random_between(&state, 0, RCM_TOP_K_TYPES - 1),
            .smallest = random_between(&state, 0, 1) == 1,
            .stride = 1,
            .row_stride = (int64_t)n};
        size_t before;
        unsigned char *block = malloc(rows_bytes(&rows, &before) + 64);
        draw_rows(&rows, i % 3 == 0 ? FEW : i % 3 == 1 ? EQUAL : LEADING_BITS, block, &state);
        const uint64_t k = random_scale(&state, 1, n);
        int32_t *indices = malloc(k * sizeof *indices);
        struct rcm_top_k_call call = {.rows = rows,
                                      .k = k,
                                      .sorted = true,
                                      .threads = (unsigned)random_between(&state, 1, 2),
                                      .indices = indices};
        size_t bytes;
        ck_assert_int_eq(rcm_top_k_workspace(&call, &bytes), RCM_TOP_K_OK);
        void *workspace = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
        ck_assert_int_eq(rcm_top_k(&call, workspace, bytes), RCM_TOP_K_OK);
        const double last = oracle_merit(
            rows.type, oracle_element(&rows, 0, (uint64_t)indices[k - 1]), rows.smallest);
        uint64_t equal = 0, first_equal = 0;
        for (uint64_t rank = 0; rank < k; rank++) {
            const double x = oracle_merit(
                rows.type, oracle_element(&rows, 0, (uint64_t)indices[rank]), rows.smallest);
            equal += oracle_by_merit(&x, &last) == 0;
            if (rank > 0) {
                const double y =
                    oracle_merit(rows.type, oracle_element(&rows, 0, (uint64_t)indices[rank - 1]),
                                 rows.smallest);
                ck_assert(oracle_by_merit(&y, &x) < 0 || indices[rank - 1] < indices[rank]);
            }
        }
        for (int32_t at = 0; at <= indices[k - 1]; at++) {
            const double x =
                oracle_merit(rows.type, oracle_element(&rows, 0, (uint64_t)at), rows.smallest);
            first_equal += oracle_by_merit(&x, &last) == 0;
        }
        ck_assert_msg(equal == first_equal, "row %u: n %" PRIu64 " k %" PRIu64, i, n, k);
        free(workspace);
        free(indices);
        free(block);
    }
}
END_TEST

/* |z| > 5 by chance: 6e-7. */
START_TEST(as_often_unproved_as_the_model_says)
{
    enum { N = 500, K = 40, PARTS = 5, SEND = 12 };
    uint64_t state = 62;
    const unsigned rows = few_cases() ? 4000 : 40000;
    unsigned unproved = 0;
    struct dealt d = {.length = PARTS, .bytes = 4};
    float x[N];
    d.rows = (struct rcm_top_k_rows){
        .x = x, .m = 1, .n = N, .row_stride = N, .stride = 1, .type = RCM_TOP_K_F32};
    for (uint64_t i = 0; i < N; i++)
        d.owner[i] = i % PARTS;
    for (size_t j = 0; j < PARTS; j++)
        d.size[j] = N / PARTS;
    for (unsigned r = 0; r < rows; r++) {
        for (uint64_t i = 0; i < N; i++) {
            x[i] = (float)(next_random(&state) >> 40);
            d.order[i] = i;
        }
        sorted_rows = &d.rows;
        qsort(d.order, N, sizeof *d.order, by_merit_and_position);
        const uint64_t count[PARTS] = {SEND, SEND, SEND, SEND, SEND};
        struct sent *s = merge_of(&d, K, count, (struct way){.by_position = true}, &state);
        unproved += s->unproved_rows ? 1 : 0;
        free_sent(s);
        free(s);
    }
    const struct rcm_part of = {N / PARTS, SEND, PARTS};
    const double p = rcm_parts_probability_unproved((struct rcm_parts){K, &of, 1});
    const double z = (unproved - p * rows) / sqrt(p * (1.0 - p) * rows);
    printf("%u of %u rows not proved, %.1f expected, z %.2f\n", unproved, rows, p * rows, z);
    ck_assert(fabs(z) < 5.0);
}
END_TEST

START_TEST(refusals)
{
    float x = 1.0F, y;
    int32_t at = 0;
    bool unproved;
    uint64_t rows;
    size_t bytes;
    _Alignas(64) char workspace[256];
    struct rcm_top_k_part part = {&x, &at, 1, true};
    const struct rcm_top_k_merge_call good = {
        .parts = &part, .length = 1, .m = 1, .k = 1, .values = &y, .unproved = &unproved};
    struct rcm_top_k_merge_call bad = good;
    ck_assert_int_eq(rcm_top_k_merge_workspace(&good, &bytes), RCM_TOP_K_OK);
    ck_assert_int_eq(rcm_top_k_merge(&good, workspace, bytes, &rows), RCM_TOP_K_OK);
    ck_assert_int_eq(rcm_top_k_merge(&good, workspace, bytes - 1, &rows), RCM_TOP_K_BAD_WORKSPACE);
    ck_assert_int_eq(rcm_top_k_merge(&good, workspace + 8, bytes, &rows), RCM_TOP_K_BAD_WORKSPACE);
    ck_assert_int_eq(rcm_top_k_merge(&good, workspace, bytes, NULL), RCM_TOP_K_BAD_POINTER);
    ck_assert_int_eq(rcm_top_k_merge(NULL, workspace, bytes, &rows), RCM_TOP_K_BAD_POINTER);
    bad.k = 2;
    ck_assert_int_eq(rcm_top_k_merge(&bad, workspace, bytes, &rows), RCM_TOP_K_BAD_SHAPE);
    bad.k = 0;
    ck_assert_int_eq(rcm_top_k_merge(&bad, workspace, bytes, &rows), RCM_TOP_K_BAD_SHAPE);
    bad = good;
    bad.type = RCM_TOP_K_TYPES;
    ck_assert_int_eq(rcm_top_k_merge(&bad, workspace, bytes, &rows), RCM_TOP_K_BAD_TYPE);
    bad = good;
    bad.values = NULL;
    ck_assert_int_eq(rcm_top_k_merge(&bad, workspace, bytes, &rows), RCM_TOP_K_BAD_POINTER);
    part.values = NULL;
    ck_assert_int_eq(rcm_top_k_merge(&good, workspace, bytes, &rows), RCM_TOP_K_BAD_POINTER);
}
END_TEST

TEST_MAIN("merge", random_rows, rows_of_fewer_than_k, exact_takes_the_first_of_equal_ones,
          exact_takes_the_first_of_many_equal_ones, as_often_unproved_as_the_model_says, refusals)
