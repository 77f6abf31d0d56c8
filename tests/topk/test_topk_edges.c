/* test_topk_edges.c - every small shape, and elements that are hard to order.
 *
 * Every legal shape with n <= 17; the order of zeros, denormals, infinities and NaN; every float16,
 * bfloat16 and int8; a processor that takes denormals as zero. Against: the oracle, a ladder of
 * values.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

static uint64_t calls;

static void run_one(struct topk_case *c, uint64_t *state)
{
    const enum place place = (enum place)(calls++ % PLACES);
    c->kind = (enum kind)(next_random(state) % KINDS);
    c->call.rows.type = (enum rcm_top_k_type)(next_random(state) % RCM_TOP_K_TYPES);
    c->call.rows.smallest = next_random(state) % 2;
    c->call.sorted = next_random(state) % 2;
    c->call.wide = next_random(state) % 2;
    c->shift = next_random(state) % 5;
    place_rows(c, place, state);
    struct outcome o = run_case(c, place, 0xee, true);
    REQUIRE(o.right, CASE_FMT ": %s", CASE_ARG(c), o.why);
    free_outcome(&o);
}

/* Every n, b, k_b and k that is legal: n = 1, k = n, b = 1, b = n and buckets shorter than k_b
 * among them. */
START_TEST(every_small_shape)
{
    uint64_t state = 5;
    const uint64_t n_most = few_cases() ? 9 : 17;
    struct topk_case c = {.want_values = true, .want_indices = true};
    struct rcm_top_k_call *call = &c.call;
    call->threads = 1;
    for (uint64_t n = 1; n <= n_most; n++) {
        call->rows.n = n;
        call->rows.m = 1 + n % 3;
        for (call->k = 1; call->k <= n; call->k++) {
            call->method = RCM_TOP_K_EXACT;
            c.stage1 = false;
            run_one(&c, &state);
        }
        call->method = RCM_TOP_K_BUCKETED;
        for (call->b = 1; call->b <= n; call->b++)
            for (call->k_b = 1; call->k_b <= ceil_divide(n, call->b); call->k_b++)
                for (unsigned assignment = 0; assignment < 2; assignment++) {
                    call->assignment = (enum rcm_assignment)assignment;
                    c.stage1 = true;
                    run_one(&c, &state);
                    c.stage1 = false;
                    for (call->k = call->k_b; call->k <= n && call->k <= call->b * call->k_b;
                         call->k++)
                        run_one(&c, &state);
                }
    }
    printf("small shapes: %" PRIu64 " calls\n", calls);
}
END_TEST

/* Rows of n elements that are all `low` but for those at which ..: the order of these values, worst
 * first, by the bits of float32. */
static const uint32_t ladder[] = {
    0xff800000, /* -inf */
    0xff7fffff, 0xbf800001, 0xbf800000, 0x80800000, 0x807fffff,
    0x80000002, 0x80000001, 0x80000000, /* -0 */
    0x00000000, 0x00000001, 0x00000002, 0x007fffff, 0x00800000,
    0x3f800000, 0x3f800001, 0x7f7fffff, 0x7f800000, /* +inf */
};
enum { RUNGS = sizeof ladder / sizeof *ladder };
static const uint32_t nans[] = {0x7f800001, 0x7fc00000, 0x7fffffff,
                                0xff800001, 0xffc00000, 0xffffffff};
enum { NANS = sizeof nans / sizeof *nans };

/* Two values in a row of many: whichever comes first, the better is found, at its place. */
static void better_of(const uint32_t row[], uint64_t n, int32_t want, bool smallest, bool stage1)
{
    uint32_t value = 0xeeeeeeee;
    int32_t index = -7;
    unsigned char workspace[1 << 16] __attribute__((aligned(64)));
    struct rcm_top_k_call call = {.rows = {row, 1, n, 0, 0, RCM_TOP_K_F32, smallest},
                                  .k = 1,
                                  .method = RCM_TOP_K_EXACT,
                                  .b = 1,
                                  .k_b = 1,
                                  .threads = 1,
                                  .values = &value,
                                  .indices = &index};
    size_t bytes;
    ck_assert_int_eq(stage1 ? rcm_top_k_stage1_workspace(&call, &bytes)
                            : rcm_top_k_workspace(&call, &bytes),
                     RCM_TOP_K_OK);
    REQUIRE(bytes <= sizeof workspace, "a workspace of %zu bytes for n %" PRIu64, bytes, n);
    ck_assert_int_eq(stage1 ? rcm_top_k_stage1(&call, workspace, bytes)
                            : rcm_top_k(&call, workspace, bytes),
                     RCM_TOP_K_OK);
    REQUIRE(index == want && value == row[want], "n %" PRIu64 "%s: %08x at %d, not %08x at %d", n,
            smallest ? " smallest" : "", value, index, row[want], want);
}

START_TEST(order_of_values)
{
    uint32_t row[77];
    for (unsigned n = 2; n <= 77; n += 25)
        for (int worse = -NANS; worse < RUNGS; worse++)
            for (int better = 0; better < RUNGS; better++) {
                if (better == worse)
                    continue;
                const unsigned place = (unsigned)(worse + NANS) % n;
                for (unsigned i = 0; i < n; i++)
                    row[i] = worse < 0 ? nans[-worse - 1] : ladder[worse];
                row[place] = ladder[better];
                for (unsigned stage1 = 0; stage1 < 2; stage1++) {
                    if (better > worse)
                        better_of(row, n, (int32_t)place, false, stage1);
                    if (better < worse || worse < 0)
                        better_of(row, n, (int32_t)place, true, stage1);
                }
            }
}
END_TEST

/* A sorted row of the whole ladder and all NaNs comes out in order, and NaNs at the end. */
START_TEST(whole_ladder)
{
    uint32_t row[RUNGS + NANS], got[RUNGS + NANS];
    unsigned char workspace[1 << 16] __attribute__((aligned(64)));
    uint64_t state = 6;
    for (unsigned i = 0; i < RUNGS + NANS; i++)
        row[i] = i < RUNGS ? ladder[i] : nans[i - RUNGS];
    for (unsigned repeat = 0; repeat < 200; repeat++) {
        for (uint64_t i = RUNGS + NANS - 1; i > 0; i--) {
            const uint64_t j = next_random(&state) % (i + 1);
            const uint32_t swap = row[i];
            row[i] = row[j];
            row[j] = swap;
        }
        const bool smallest = repeat % 2;
        struct rcm_top_k_call call = {.rows = {row, 1, RUNGS + NANS, 0, 0, RCM_TOP_K_F32, smallest},
                                      .k = RUNGS + NANS,
                                      .sorted = true,
                                      .threads = 1,
                                      .values = got};
        size_t bytes;
        ck_assert_int_eq(rcm_top_k_workspace(&call, &bytes), RCM_TOP_K_OK);
        ck_assert_uint_le(bytes, sizeof workspace);
        ck_assert_int_eq(rcm_top_k(&call, workspace, bytes), RCM_TOP_K_OK);
        for (unsigned i = 0; i < RUNGS; i++)
            REQUIRE(got[i] == ladder[smallest ? i : RUNGS - 1 - i], "number %u is %08x", i, got[i]);
        for (unsigned i = RUNGS; i < RUNGS + NANS; i++)
            REQUIRE((got[i] & 0x7fffffff) > 0x7f800000, "number %u is %08x, not a NaN", i, got[i]);
    }
}
END_TEST

/* All 2^16 elements of float16 and bfloat16, and all 2^8 of int8, in any order, sort. */
START_TEST(every_short_element)
{
    static const enum rcm_top_k_type types[] = {RCM_TOP_K_F16, RCM_TOP_K_BF16, RCM_TOP_K_I8};
    uint64_t state = 7;
    uint8_t *bytes = malloc(2 << 16);
    for (unsigned t = 0; t < 6; t++) {
        const enum rcm_top_k_type type = types[t / 2];
        const uint32_t n = type == RCM_TOP_K_I8 ? 1 << 8 : 1 << 16;
        const uint32_t factor = (uint32_t)next_random(&state) | 1;
        for (uint32_t i = 0; i < n; i++) { /* a permutation */
            const uint32_t bits = i * factor;
            bytes[n == 256 ? i : 2 * i] = (uint8_t)bits;
            if (n > 256)
                bytes[2 * i + 1] = (uint8_t)(bits >> 8);
        }
        struct topk_case c = {.want_values = true, .want_indices = true};
        c.call.rows = (struct rcm_top_k_rows){bytes, 1, n, 0, 0, type, t % 2};
        c.call.sorted = true;
        c.call.threads = 1;
        const uint64_t ks[] = {n, n / 2, n / 50, 1};
        for (unsigned i = 0; i < 4; i++) {
            c.call.k = ks[i];
            struct outcome o = run_case(&c, PAGE_END, 0xee, true);
            REQUIRE(o.right, CASE_FMT ": %s", CASE_ARG(&c), o.why);
            free_outcome(&o);
        }
    }
    free(bytes);
}
END_TEST

/* Denormals, and zeros or normal numbers among them, by each instruction set, where the processor
 * takes denormals as zero. */
START_TEST(denormals_as_zero)
{
    uint64_t state = 21, count = 0;
    for (size_t isa = 0; rcm_top_k_isa(isa); isa++)
        for (unsigned i = 0; i < (few_cases() ? 40 : 400); i++, count++) {
            ck_assert(rcm_top_k_use_isa(rcm_top_k_isa(isa)));
            struct topk_case c = {.kind = DENORMALS, .want_values = true, .want_indices = true};
            c.call.rows.type = (enum rcm_top_k_type)(i % 2);
            c.call.rows.smallest = i / 2 % 2;
            c.call.rows.m = 1;
            c.call.rows.n = random_between(&state, 64, 5000);
            c.stage1 = i % 3 == 1;
            c.call.method = (enum rcm_top_k_method)(i % 3 == 2);
            c.call.assignment = (enum rcm_assignment)(i / 4 % 2);
            draw_shape(&c, &state);
            if (i % 3 == 0)
                c.call.k = draw_scale(&state, 1, c.call.rows.n / 64);
            place_rows(&c, HEAP, &state);
            unsigned char *x = (unsigned char *)(uintptr_t)c.call.rows.x;
            const size_t bytes = rcm_top_k_type_bytes(c.call.rows.type);
            for (uint64_t e = 0; i % 5 && e < c.call.rows.n; e += random_between(&state, 1, 90)) {
                const uint64_t bits = number_bits(c.call.rows.type, i % 5 == 1 ? 0.0 : i - 200.0);
                memcpy(x + e * bytes, &bits, bytes);
            }
            c.odd_arithmetic = true;
            struct outcome o = run_case(&c, PAGE_END, 0xee, true);
            REQUIRE(o.right, CASE_FMT ", %s: %s", CASE_ARG(&c), rcm_top_k_isa(isa), o.why);
            free_outcome(&o);
        }
    ck_assert_uint_ge(count, 40);
    rcm_top_k_use_isa(NULL);
}
END_TEST

TEST_MAIN("topk edges", every_small_shape, order_of_values, whole_ladder, every_short_element,
          denormals_as_zero)
