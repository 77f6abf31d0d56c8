/* test_topk_refusals.c - calls that are refused: the status is the one that the header names,
 * nothing is written, and a workspace of 0 bytes is reported.
 *
 * Against: the statuses that the header allows; outputs that stay as they were.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

static _Alignas(64) unsigned char values[4096], indices[4096], workspace[1 << 16];
static float x[64];
static const struct rcm_top_k_call good = {.rows = {x, 2, 32, 0, 0, RCM_TOP_K_F32, false},
                                           .k = 5,
                                           .method = RCM_TOP_K_BUCKETED,
                                           .b = 6,
                                           .k_b = 2,
                                           .values = values,
                                           .indices = indices};

static bool all_are(const unsigned char *bytes, size_t count, unsigned char what)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != what)
            return false;
    return true;
}

static void poison(void)
{
    memset(values, 0xee, sizeof values);
    memset(indices, 0xee, sizeof indices);
}

static void require_untouched(const char *what)
{
    REQUIRE(all_are(values, sizeof values, 0xee) && all_are(indices, sizeof indices, 0xee),
            "%s: refused, but an output was written", what);
}

/* Both the query and the call say `want`, unless only the call can (a fault of the outputs). */
static void refused(const char *what, struct rcm_top_k_call call, bool stage1,
                    enum rcm_top_k_status want, bool query_too)
{
    size_t bytes = 77;
    poison();
    enum rcm_top_k_status status =
        stage1 ? rcm_top_k_stage1_workspace(&call, &bytes) : rcm_top_k_workspace(&call, &bytes);
    REQUIRE(status == (query_too ? want : RCM_TOP_K_OK), "%s, stage1 %d: the query says %d: %s",
            what, stage1, status, rcm_top_k_message(status));
    REQUIRE(!query_too || bytes == 0, "%s, stage1 %d: refused, but %zu bytes", what, stage1, bytes);
    status = stage1 ? rcm_top_k_stage1(&call, workspace, sizeof workspace)
                    : rcm_top_k(&call, workspace, sizeof workspace);
    REQUIRE(status == want, "%s, stage1 %d: the call says %d: %s", what, stage1, status,
            rcm_top_k_message(status));
    require_untouched(what);
}

#define REFUSED(stage1, change, want, query_too) \
    do { \
        struct rcm_top_k_call call = good; \
        change; \
        refused(#change, call, stage1, want, query_too); \
    } while (0)
#define BOTH(change, want, query_too) \
    do { \
        REFUSED(false, change, want, query_too); \
        REFUSED(true, change, want, query_too); \
    } while (0)

START_TEST(shapes)
{
    BOTH(call.rows.n = 0, RCM_TOP_K_BAD_SHAPE, true);
    BOTH(call.rows.m = 0, RCM_TOP_K_BAD_SHAPE, true);
    BOTH(call.rows.n = RCM_N_MAX + 1, RCM_TOP_K_BAD_SHAPE, true);
    BOTH((call.rows.n = RCM_N_MAX + 1, call.wide = true), RCM_TOP_K_BAD_SHAPE, true);
    BOTH((call.rows.n = UINT64_MAX, call.wide = true), RCM_TOP_K_BAD_SHAPE, true);
    BOTH(call.rows.n = UINT64_C(1) << 31, RCM_TOP_K_BAD_SHAPE, true);
    BOTH(call.b = 0, RCM_TOP_K_BAD_SHAPE, true);
    BOTH((call.b = 33, call.k_b = 1), RCM_TOP_K_BAD_SHAPE, true);
    BOTH(call.b = UINT64_MAX, RCM_TOP_K_BAD_SHAPE, true);
    BOTH(call.k_b = 0, RCM_TOP_K_BAD_SHAPE, true);
    BOTH((call.k_b = 7, call.k = 20), RCM_TOP_K_BAD_SHAPE, true); /* a bucket has 5 or 6 */
    BOTH((call.k_b = UINT64_MAX, call.k = 20), RCM_TOP_K_BAD_SHAPE, true);
    REFUSED(false, call.k = 0, RCM_TOP_K_BAD_SHAPE, true);
    REFUSED(false, call.k = 13, RCM_TOP_K_BAD_SHAPE, true);                /* of 12 candidates */
    REFUSED(false, (call.k = 1, call.k_b = 2), RCM_TOP_K_BAD_SHAPE, true); /* k_b > k */
    REFUSED(false, call.k = UINT64_MAX, RCM_TOP_K_BAD_SHAPE, true);
    REFUSED(false, (call.method = RCM_TOP_K_EXACT, call.k = 0), RCM_TOP_K_BAD_SHAPE, true);
    REFUSED(false, (call.method = RCM_TOP_K_EXACT, call.k = 33), RCM_TOP_K_BAD_SHAPE, true);
}
END_TEST

/* Rows that reach over 2^63 bytes. One byte fewer is legal, as far as the query can tell. */
START_TEST(strides)
{
    const int64_t least = INT64_MIN, most = INT64_MAX;
    BOTH(call.rows.stride = most, RCM_TOP_K_BAD_SHAPE, true);
    BOTH(call.rows.stride = least, RCM_TOP_K_BAD_SHAPE, true);
    BOTH(call.rows.row_stride = most, RCM_TOP_K_BAD_SHAPE, true);
    BOTH(call.rows.row_stride = least, RCM_TOP_K_BAD_SHAPE, true);
    BOTH(call.rows.stride = most / 31 / 4 + 1, RCM_TOP_K_BAD_SHAPE, true);
    BOTH(call.rows.row_stride = most / 4 - 31, RCM_TOP_K_BAD_SHAPE, true);
    BOTH(call.rows.row_stride = -(most / 4 - 31), RCM_TOP_K_BAD_SHAPE, true);
    BOTH(call.rows.m = UINT64_MAX, RCM_TOP_K_BAD_SHAPE, true);
    BOTH(call.rows.m = (UINT64_C(1) << 63) / 32 / 4, RCM_TOP_K_BAD_SHAPE, true);
    static const struct rcm_top_k_rows legal[] = {
        {x, 2, 32, INT64_MAX / 4 - 32, 0, RCM_TOP_K_F32, false},
        {x, 2, 32, -(INT64_MAX / 4 - 32), 0, RCM_TOP_K_F32, false},
        {x, 1, 32, INT64_MIN, 0, RCM_TOP_K_F32, false}, /* of one row no matter */
        {x, 1, 1, 0, INT64_MIN, RCM_TOP_K_F32, false},  /* of one element no matter */
        {x, 5, 1, 1, INT64_MIN, RCM_TOP_K_F32, false},
        {x, 2, 32, 1, -(INT64_MAX / 31 / 4 - 1), RCM_TOP_K_F32, false},
        {x, (UINT64_C(1) << 63) / 32 / 4 - 1, 32, 0, 0, RCM_TOP_K_F32, false}};
    for (size_t i = 0; i < sizeof legal / sizeof *legal; i++) {
        struct rcm_top_k_call call = good;
        size_t bytes = 77;
        call.rows = legal[i];
        call.method = RCM_TOP_K_EXACT;
        call.k = 1;
        REQUIRE(rcm_top_k_workspace(&call, &bytes) == RCM_TOP_K_OK, "legal rows number %zu", i);
        if (call.rows.n > 1 || call.rows.m > 5)
            continue;
        x[0] = 7.0F;
        poison();
        ck_assert_int_eq(rcm_top_k(&call, workspace, sizeof workspace), RCM_TOP_K_OK);
        ck_assert(memcmp(values, x, sizeof *x) == 0);
    }
}
END_TEST

START_TEST(nothing_given)
{
    size_t bytes = 77;
    poison();
    ck_assert_int_eq(rcm_top_k_workspace(NULL, &bytes), RCM_TOP_K_BAD_POINTER);
    ck_assert_uint_eq(bytes, 0);
    bytes = 77;
    ck_assert_int_eq(rcm_top_k_stage1_workspace(NULL, &bytes), RCM_TOP_K_BAD_POINTER);
    ck_assert_uint_eq(bytes, 0);
    ck_assert_int_eq(rcm_top_k_workspace(&good, NULL), RCM_TOP_K_BAD_POINTER);
    ck_assert_int_eq(rcm_top_k_stage1_workspace(&good, NULL), RCM_TOP_K_BAD_POINTER);
    ck_assert_int_eq(rcm_top_k(NULL, workspace, sizeof workspace), RCM_TOP_K_BAD_POINTER);
    ck_assert_int_eq(rcm_top_k_stage1(NULL, workspace, sizeof workspace), RCM_TOP_K_BAD_POINTER);
    ck_assert_int_eq(rcm_top_k_choose(NULL, 0.9, 0.0, NULL, NULL), RCM_TOP_K_BAD_POINTER);
    ck_assert_int_eq(rcm_top_k_max(NULL, 1, values), RCM_TOP_K_BAD_POINTER);
    require_untouched("NULL");
}
END_TEST

START_TEST(types_and_pointers)
{
    for (unsigned wrong = 2; wrong < 40; wrong += 3) {
        REFUSED(false, call.method = (enum rcm_top_k_method)wrong, RCM_TOP_K_BAD_TYPE, true);
        BOTH(call.assignment = (enum rcm_assignment)wrong, RCM_TOP_K_BAD_TYPE, true);
    }
    BOTH(call.rows.type = RCM_TOP_K_TYPES, RCM_TOP_K_BAD_TYPE, true);
    BOTH(call.rows.type = (enum rcm_top_k_type)99, RCM_TOP_K_BAD_TYPE, true);
    BOTH(call.rows.type = (enum rcm_top_k_type) - 1, RCM_TOP_K_BAD_TYPE, true);
    BOTH(call.assignment = RCM_CONTIGUOUS_FLOOR, RCM_TOP_K_BAD_TYPE, true);
    BOTH(call.rows.x = NULL, RCM_TOP_K_BAD_POINTER, true);
    BOTH((call.values = NULL, call.indices = NULL), RCM_TOP_K_BAD_POINTER, false);
    for (unsigned off = 1; off < 8; off++) {
        if (off < 4) {
            BOTH(call.values = values + off, RCM_TOP_K_BAD_POINTER, false);
            BOTH(call.indices = indices + off, RCM_TOP_K_BAD_POINTER, false);
        }
        BOTH((call.wide = true, call.indices = indices + off), RCM_TOP_K_BAD_POINTER, false);
    }
}
END_TEST

/* Each type's outputs must be aligned to its elements, and no more. */
START_TEST(alignment_of_outputs)
{
    static double row[64];
    static const size_t bytes_of[RCM_TOP_K_TYPES] = {4, 8, 2, 2, 1, 4};
    for (unsigned type = 0; type < RCM_TOP_K_TYPES; type++) {
        struct rcm_top_k_call call = good;
        size_t bytes = 0;
        call.rows.type = (enum rcm_top_k_type)type;
        call.rows.x = row;
        ck_assert_uint_eq(rcm_top_k_type_bytes(call.rows.type), bytes_of[type]);
        ck_assert_int_eq(rcm_top_k_workspace(&call, &bytes), RCM_TOP_K_OK);
        for (unsigned off = 0; off < 16; off++) {
            poison();
            call.values = values + off;
            const enum rcm_top_k_status status = rcm_top_k(&call, workspace, bytes);
            REQUIRE(status == (off % bytes_of[type] ? RCM_TOP_K_BAD_POINTER : RCM_TOP_K_OK),
                    "%s off by %u: %s", type_names[type], off, rcm_top_k_message(status));
        }
    }
    ck_assert_uint_eq(rcm_top_k_type_bytes(RCM_TOP_K_TYPES), 0);
    ck_assert_uint_eq(rcm_top_k_type_bytes((enum rcm_top_k_type) - 1), 0);
}
END_TEST

/* Too small by one byte, absent, not at a multiple of 64. And: as large as asked, or larger. */
START_TEST(workspaces)
{
    uint64_t state = 8, with = 0;
    for (unsigned i = 0; i < 3000; i++) {
        struct topk_case c = draw_case(&state, 1000);
        struct rcm_top_k_call *call = &c.call;
        size_t bytes = 0, before;
        static unsigned char input[1 << 20];
        if (rows_bytes(&call->rows, &before) > sizeof input ||
            call->rows.m * oracle_outputs(call, c.stage1) * 8 > sizeof values)
            continue;
        call->rows.x = input + before;
        ck_assert_int_eq(c.stage1 ? rcm_top_k_stage1_workspace(call, &bytes)
                                  : rcm_top_k_workspace(call, &bytes),
                         RCM_TOP_K_OK);
        call->values = values;
        call->indices = indices;
        if (bytes == 0 || bytes + 64 > sizeof workspace)
            continue;
        with++;
        poison();
        const struct {
            void *at;
            size_t bytes;
        } wrong[] = {{workspace, bytes - 1},  {workspace, 0},
                     {NULL, bytes},           {workspace + 1, bytes},
                     {workspace + 32, bytes}, {workspace + 63, sizeof workspace - 63}};
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
            const enum rcm_top_k_status status =
                c.stage1 ? rcm_top_k_stage1(call, wrong[w].at, wrong[w].bytes)
                         : rcm_top_k(call, wrong[w].at, wrong[w].bytes);
            REQUIRE(status == RCM_TOP_K_BAD_WORKSPACE, CASE_FMT ", workspace number %zu: %s",
                    CASE_ARG(&c), w, rcm_top_k_message(status));
            require_untouched("workspace");
        }
        ck_assert_int_eq(c.stage1 ? rcm_top_k_stage1(call, workspace + 64, sizeof workspace - 64)
                                  : rcm_top_k(call, workspace + 64, sizeof workspace - 64),
                         RCM_TOP_K_OK);
    }
    printf("workspaces: %" PRIu64 " calls that need one\n", with);
    ck_assert_uint_ge(with, 100);
}
END_TEST

/* Gives one field an odd value, or leaves the call as it is. */
static void change_field(struct rcm_top_k_call *call, uint64_t *state)
{
    static const uint64_t odd[] = {0,
                                   1,
                                   2,
                                   3,
                                   5,
                                   16,
                                   1000,
                                   1 << 16,
                                   1u << 31,
                                   RCM_N_MAX,
                                   RCM_N_MAX + 1,
                                   UINT64_MAX / 2,
                                   UINT64_MAX};
    const uint64_t value = odd[next_random(state) % (sizeof odd / sizeof *odd)];
    switch (next_random(state) % 9) {
    case 0:
        call->rows.n = value;
        break;
    case 1:
        call->b = value;
        break;
    case 2:
        call->k_b = value;
        break;
    case 3:
        call->k = value;
        break;
    case 4:
        call->method = (enum rcm_top_k_method)value;
        break;
    case 5:
        call->assignment = (enum rcm_assignment)value;
        break;
    case 6:
        call->rows.type = (enum rcm_top_k_type)value;
        break;
    default:
        break;
    }
}

/* Legal calls with a field or two changed: the status is one that the header allows. */
START_TEST(random_faults)
{
    uint64_t state = 9, counts[RCM_TOP_K_NO_CHOICE + 1] = {0};
    for (unsigned i = 0; i < (few_cases() ? 100000 : 1000000); i++) {
        struct topk_case c = draw_case(&state, 100);
        struct rcm_top_k_call *call = &c.call;
        call->rows.x = next_random(&state) % 20 ? x : NULL;
        change_field(call, &state);
        change_field(call, &state);
        const unsigned faults = oracle_faults(call, c.stage1, true);
        size_t bytes = 77;
        const enum rcm_top_k_status status =
            c.stage1 ? rcm_top_k_stage1_workspace(call, &bytes) : rcm_top_k_workspace(call, &bytes);
        REQUIRE(faults ? faults >> status & 1 : status == RCM_TOP_K_OK,
                "stage1 %d method %d type %d assignment %d n %" PRIu64 " m %" PRIu64 " k %" PRIu64
                " b %" PRIu64 " k_b %" PRIu64 " wide %d: %s, but the faults are %x",
                c.stage1, call->method, call->rows.type, call->assignment, call->rows.n,
                call->rows.m, call->k, call->b, call->k_b, call->wide, rcm_top_k_message(status),
                faults);
        ck_assert(status == RCM_TOP_K_OK || bytes == 0);
        counts[status]++;
    }
    for (unsigned s = 0; s < RCM_TOP_K_BAD_WORKSPACE; s++)
        REQUIRE(counts[s] > 1000, "status %u only %" PRIu64 " times", s, counts[s]);
}
END_TEST

START_TEST(messages)
{
    for (int s = -1; s < 12; s++) {
        const char *message = rcm_top_k_message((enum rcm_top_k_status)s);
        ck_assert_ptr_nonnull(message);
        ck_assert_uint_gt(strlen(message), 0);
        for (int other = RCM_TOP_K_OK; other < s && s <= RCM_TOP_K_NO_CHOICE; other++)
            ck_assert_str_ne(message, rcm_top_k_message((enum rcm_top_k_status)other));
    }
}
END_TEST

START_TEST(instruction_sets)
{
    for (size_t i = 0; rcm_top_k_isa(i); i++) {
        ck_assert(rcm_top_k_use_isa(rcm_top_k_isa(i)));
        ck_assert_str_eq(rcm_top_k_isa_in_use(), rcm_top_k_isa(i));
        ck_assert(!rcm_top_k_use_isa("no such instruction set"));
        ck_assert(!rcm_top_k_use_isa(""));
        ck_assert_str_eq(rcm_top_k_isa_in_use(), rcm_top_k_isa(i));
    }
    ck_assert_str_eq(rcm_top_k_isa_in_use(), "generic");
    ck_assert(rcm_top_k_use_isa(NULL));
    ck_assert_str_eq(rcm_top_k_isa_in_use(), rcm_top_k_isa(0));
}
END_TEST

TEST_MAIN("topk refusals", shapes, strides, nothing_given, types_and_pointers, alignment_of_outputs,
          workspaces, random_faults, messages, instruction_sets)
