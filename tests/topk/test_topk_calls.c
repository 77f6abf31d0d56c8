/* test_topk_calls.c - random calls against the oracle, each in watched memory, and each twice: with
 * another instruction set, other threads, other rounding and other bytes in the outputs and in the
 * workspace.
 *
 * Against: the oracle; a second run with another instruction set, other threads and other rounding,
 * bit for bit; of equal elements of a contiguous bucket the first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

static const char *isas[16];
static size_t isa_count;

/* How many: in the short form, and in full. */
static unsigned number(unsigned few, unsigned all)
{
    return few_cases() ? few : all;
}

static void find_isas(void)
{
    for (isa_count = 0; rcm_top_k_isa(isa_count); isa_count++) {
        REQUIRE(isa_count < 16, "too many instruction sets");
        isas[isa_count] = rcm_top_k_isa(isa_count);
    }
    ck_assert_uint_ge(isa_count, 1);
    ck_assert_str_eq(isas[isa_count - 1], "generic");
}

/* Runs the case with two instruction sets, drawn unless there are no more. */
static void run_twice(struct topk_case *c, uint64_t *state)
{
    const enum place place = (enum place)(next_random(state) % PLACES);
    const size_t first = next_random(state) % isa_count;
    place_rows(c, place, state);
    ck_assert(rcm_top_k_use_isa(isas[first]));
    struct outcome one = run_case(c, place, 0xee, true);
    REQUIRE(one.right, CASE_FMT ", %s: %s", CASE_ARG(c), isas[first], one.why);
    const size_t second = (first + (isa_count > 1)) % isa_count;
    const unsigned threads = c->call.threads;
    c->call.threads = next_random(state) % 2 ? 1 : (unsigned)(next_random(state) % 6);
    c->odd_arithmetic = next_random(state) % 2;
    ck_assert(rcm_top_k_use_isa(isas[second]));
    struct outcome two = run_case(c, place, 0x11, false);
    REQUIRE(two.right, CASE_FMT ", %s: %s", CASE_ARG(c), isas[second], two.why);
    REQUIRE(same_bits(&one, &two), CASE_FMT ": other bits with %s, %u threads, than %s, %u threads",
            CASE_ARG(c), isas[second], c->call.threads, isas[first], threads);
    free_outcome(&one);
    free_outcome(&two);
}

/* What makes a call: 16 kinds of row, 6 types, 2 directions, exact, bucketed and stage 1 with both
 * assignments. Several lengths each. */
START_TEST(every_combination)
{
    uint64_t state = 1, calls = 0;
    find_isas();
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (unsigned type = 0; type < RCM_TOP_K_TYPES; type++)
            for (unsigned how = 0; how < 10; how++)
                for (unsigned repeat = 0; repeat < number(1, 2); repeat++, calls++) {
                    struct topk_case c = draw_case(&state, 1);
                    c.kind = (enum kind)kind;
                    c.stage1 = how / 2 == 1 || how / 2 == 2;
                    c.call.method = how / 2 == 0 ? RCM_TOP_K_EXACT : RCM_TOP_K_BUCKETED;
                    c.call.assignment = how / 2 % 2 ? RCM_INTERLEAVED : RCM_CONTIGUOUS;
                    c.call.rows.type = (enum rcm_top_k_type)type;
                    c.call.rows.smallest = how % 2;
                    c.call.rows.n = random_between(&state, 1, few_cases() ? 1500 : 6000);
                    c.call.rows.row_stride = 0;
                    draw_shape(&c, &state);
                    run_twice(&c, &state);
                }
    printf("every combination: %" PRIu64 " calls, each twice, %zu instruction sets\n", calls,
           isa_count);
}
END_TEST

START_TEST(random_calls)
{
    uint64_t state = 2;
    const unsigned calls = number(4000, 8000);
    find_isas();
    for (unsigned i = 0; i < calls; i++) {
        struct topk_case c = draw_case(&state, i % 100 == 7 ? 40000 : 1500);
        run_twice(&c, &state);
    }
    printf("random: %u calls, each twice\n", calls);
}
END_TEST

/* Wide shapes: whole strips of columns and partial ones, each k_b, few and many elements in a
 * bucket. */
START_TEST(strips)
{
    uint64_t state = 3, calls = 0;
    find_isas();
    for (uint64_t b = 1; b <= number(70, 110); b++)
        for (uint64_t k_b = 1; k_b <= 17; k_b += few_cases() ? random_between(&state, 1, 4) : 1) {
            struct topk_case c = {
                .stage1 = next_random(&state) % 3 > 0,
                .kind = next_random(&state) % 2 ? NORMAL : (enum kind)(next_random(&state) % KINDS),
                .want_values = true,
                .want_indices = true};
            c.call.rows.type = (enum rcm_top_k_type)(calls % RCM_TOP_K_TYPES);
            c.call.rows.m = 1;
            const uint64_t most = calls % 2 ? 3 * k_b + 12 : 20 * k_b + 100;
            c.call.rows.n = b * random_between(&state, k_b, most) + next_random(&state) % b;
            c.call.rows.smallest = next_random(&state) % 4 == 0;
            c.call.assignment = (enum rcm_assignment)(calls % 5 == 0);
            c.call.method = RCM_TOP_K_BUCKETED;
            c.call.b = b;
            c.call.k_b = k_b;
            c.call.k = random_between(&state, k_b, b * k_b);
            c.call.threads = 1 + (unsigned)(next_random(&state) % 3);
            run_twice(&c, &state);
            calls++;
        }
    printf("strips: %" PRIu64 " calls, each twice\n", calls);
}
END_TEST

/* Long rows, as people have them. */
START_TEST(long_rows)
{
    static const struct {
        uint64_t n, k, b, k_b;
    } shapes[] = {{131072, 50, 0, 0},       {262144, 1024, 2048, 1}, {200003, 1000, 600, 4},
                  {1 << 20, 1024, 4096, 2}, {1 << 20, 1024, 0, 0},   {1000003, 70000, 0, 0},
                  {1 << 19, 1 << 18, 0, 0}, {999999, 100, 128, 3},   {1 << 20, 4096, 1 << 19, 1},
                  {262144, 2000, 2043, 7}};
    uint64_t state = 4;
    find_isas();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (few_cases() && shapes[i].n > 262144)
            continue;
        for (unsigned repeat = 0; repeat < number(1, KINDS); repeat++) {
            struct topk_case c = {.kind = few_cases() ? NORMAL : (enum kind)repeat,
                                  .want_values = true,
                                  .want_indices = true};
            c.call.rows.type =
                few_cases() ? RCM_TOP_K_F32 : (enum rcm_top_k_type)((i + repeat) % RCM_TOP_K_TYPES);
            c.call.rows.m = 1;
            c.call.rows.n = shapes[i].n;
            c.call.rows.smallest = repeat % 5 == 4;
            c.call.method = shapes[i].b ? RCM_TOP_K_BUCKETED : RCM_TOP_K_EXACT;
            c.stage1 = shapes[i].b && repeat % 4 == 3;
            c.call.assignment = (enum rcm_assignment)(repeat % 3 == 2);
            c.call.b = shapes[i].b;
            c.call.k_b = shapes[i].k_b;
            c.call.k = shapes[i].k;
            c.call.sorted = repeat % 2 == 0;
            c.call.threads = 1 + repeat % 4;
            run_twice(&c, &state);
        }
    }
}
END_TEST

/* Buckets with more elements than lanes of 16 bits can count. */
START_TEST(tall_buckets)
{
    static const struct {
        uint64_t n, b, k_b;
    } shapes[] = {{70 * 33000 + 7, 70, 3}, {4 * 1100000 + 1, 4, 5}, {35 * 70000, 35, 16}};
    uint64_t state = 31;
    find_isas();
    for (unsigned i = 0; i < (few_cases() ? 1 : sizeof shapes / sizeof *shapes); i++) {
        struct topk_case c = {
            .kind = NORMAL, .stage1 = true, .want_values = true, .want_indices = true};
        c.call.rows.type = i % 2 ? RCM_TOP_K_BF16 : RCM_TOP_K_F16;
        c.call.rows.m = 1;
        c.call.rows.n = shapes[i].n;
        c.call.method = RCM_TOP_K_BUCKETED;
        c.call.b = shapes[i].b;
        c.call.k_b = shapes[i].k_b;
        c.call.k = shapes[i].k_b;
        c.call.threads = 1;
        run_twice(&c, &state);
    }
}
END_TEST

/* Calls with enough elements that threads share them: one or two long rows, or many short ones.
 * One thread, and then several, with the same bits. */
START_TEST(shared_work)
{
    uint64_t state = 19;
    const unsigned calls = number(60, 120);
    find_isas();
    for (unsigned i = 0; i < calls; i++) {
        struct topk_case c = draw_case(&state, 1);
        const bool few_rows = i % 3 > 0;
        c.call.rows.m = few_rows ? 1 + i / 2 % 2 : random_between(&state, 1, 300);
        c.call.rows.n = few_rows ? random_between(&state, 60000, few_cases() ? 140000 : 280000)
                                 : random_between(&state, 400, 1200);
        if (i % 4)
            c.call.rows.stride = 0;
        c.call.rows.row_stride = 0;
        c.kind = (enum kind)(i / 2 % KINDS);
        if (i % 2) /* the best are at the end, which is where parts of a row go wrong */
            c.kind = c.call.rows.smallest ? FALLING : RISING;
        draw_shape(&c, &state);
        const enum place place = (enum place)(i % PLACES);
        place_rows(&c, place, &state);
        c.call.threads = 1;
        struct outcome one = run_case(&c, place, 0xee, i % 2 == 0);
        REQUIRE(one.right, CASE_FMT ": %s", CASE_ARG(&c), one.why);
        c.call.threads = 2 + i % 6;
        ck_assert(rcm_top_k_use_isa(isas[i % isa_count]));
        struct outcome many = run_case(&c, place, 0x11, i % 2 == 1);
        REQUIRE(many.right, CASE_FMT ": %s", CASE_ARG(&c), many.why);
        REQUIRE(same_bits(&one, &many), CASE_FMT ": other bits than one thread", CASE_ARG(&c));
        free_outcome(&one);
        free_outcome(&many);
    }
    printf("shared work: %u calls, each with one thread and with several\n", calls);
}
END_TEST

/* Exact top-k of few of many, which a threshold finds: rows of all kinds and lengths, more of them
 * long than in random_calls, with k up to a 16th. */
START_TEST(few_of_many)
{
    uint64_t state = 20;
    const unsigned calls = number(400, 1000);
    find_isas();
    for (unsigned i = 0; i < calls; i++) {
        struct topk_case c = draw_case(&state, 1);
        c.stage1 = false;
        c.call.method = RCM_TOP_K_EXACT;
        c.call.rows.m = 1;
        c.call.rows.n =
            i % 20 == 3 ? random_between(&state, 100000, 400000) : random_between(&state, 64, 9000);
        c.call.rows.row_stride = 0;
        if (i % 4)
            c.call.rows.stride = 0;
        c.call.k = draw_scale(&state, 1, c.call.rows.n / 16);
        if (i % 20 == 3)
            c.call.k = 1 + c.call.k % 2000;
        run_twice(&c, &state);
    }
    printf("few of many: %u calls, each twice\n", calls);
}
END_TEST

/* Of equal elements of a contiguous bucket the first are candidates, in the order of their indices.
 * The header leaves this open; the same bits everywhere need it. */
static void check_first_of_equal(const struct topk_case *c, const struct outcome *o)
{
    const struct rcm_top_k_rows *rows = &c->call.rows;
    const uint64_t n = rows->n, b = c->call.b, floor = n / b, longer = n % b;
    const int64_t *index = (const int64_t *)(const void *)o->indices;
    double *merits = malloc(n * sizeof *merits);
    ck_assert_ptr_nonnull(merits);
    for (uint64_t i = 0; i < n; i++)
        merits[i] = oracle_merit(rows->type, oracle_element(rows, 0, i), rows->smallest);
    for (uint64_t j = 0, begin = 0, out = 0; j < b; j++) {
        const uint64_t length = floor + (j < longer);
        const uint64_t kept = c->call.k_b < length ? c->call.k_b : length;
        uint64_t equal = 0, before = 0;
        const uint64_t last = (uint64_t)index[out + kept - 1];
        for (uint64_t i = 0; i < kept; i++) {
            const uint64_t at = (uint64_t)index[out + i];
            REQUIRE(i == 0 || at > (uint64_t)index[out + i - 1] ||
                        oracle_by_merit(&merits[at], &merits[index[out + i - 1]]) != 0,
                    CASE_FMT ": equal candidates out of order", CASE_ARG(c));
            equal += oracle_by_merit(&merits[at], &merits[last]) == 0;
        }
        for (uint64_t i = begin; i <= last; i++)
            before += oracle_by_merit(&merits[i], &merits[last]) == 0;
        REQUIRE(before == equal, CASE_FMT ": %" PRIu64 " equal up to %" PRIu64 ", %" PRIu64 " kept",
                CASE_ARG(c), before, last, equal);
        begin += length;
        out += kept;
    }
    free(merits);
}

/* Exact top-k where k is a large part of rows so long that a sample of what was found is followed
 * by another one, and now and then errs. */
START_TEST(many_of_many)
{
    uint64_t state = 31, calls = 0;
    find_isas();
    for (; calls < number(600, 1500); calls++) {
        struct topk_case c = {.kind = calls % 3 ? NORMAL : (enum kind)(next_random(&state) % KINDS),
                              .want_values = true,
                              .want_indices = true};
        struct rcm_top_k_call *call = &c.call;
        call->method = RCM_TOP_K_EXACT;
        call->rows.type = (enum rcm_top_k_type)(calls % RCM_TOP_K_TYPES);
        call->rows.smallest = next_random(&state) % 2;
        call->rows.m = 1;
        call->rows.n = random_between(&state, 800, 9000);
        call->k = random_between(&state, call->rows.n / 100, call->rows.n);
        call->sorted = next_random(&state) % 2;
        call->threads = 1 + (unsigned)(next_random(&state) % 2);
        run_twice(&c, &state);
    }
    printf("many of many: %" PRIu64 " calls, each twice\n", calls);
}
END_TEST

/* Contiguous buckets: all kinds of row, types and directions; so few buckets that a vector is not
 * full, and many; buckets that are short, as long as some groups and a rest, and long. */
START_TEST(contiguous)
{
    static const uint64_t k_bs[] = {1, 1, 2, 3, 4, 5, 8, 13, 16, 17};
    uint64_t state = 21, calls = 0;
    find_isas();
    for (unsigned i = 0; i < KINDS * RCM_TOP_K_TYPES * 2 * (few_cases() ? 1 : 5); i++) {
        struct topk_case c = {.stage1 = true,
                              .kind = (enum kind)(i % KINDS),
                              .want_values = true,
                              .want_indices = true};
        struct rcm_top_k_call *call = &c.call;
        call->rows.type = (enum rcm_top_k_type)(i / KINDS % RCM_TOP_K_TYPES);
        call->rows.smallest = i / KINDS / RCM_TOP_K_TYPES % 2;
        if (next_random(&state) % 2) /* the best are at the end */
            c.kind = call->rows.smallest ? FALLING : RISING;
        call->rows.m = 1;
        call->assignment = RCM_CONTIGUOUS;
        call->wide = true;
        call->k_b = k_bs[next_random(&state) % 10];
        const uint64_t length =
            random_between(&state, 1, (uint64_t[]){20, 90, 600, 1500}[next_random(&state) % 4]);
        const uint64_t most = 12000 / length;
        call->b = random_between(&state, 1,
                                 i % 3 == 0   ? 15
                                 : most < 20  ? 20
                                 : most < 150 ? most
                                              : 150);
        call->rows.n = call->b * length + next_random(&state) % call->b;
        call->k_b = call->k_b < ceil_divide(call->rows.n, call->b)
                        ? call->k_b
                        : ceil_divide(call->rows.n, call->b);
        call->threads = 1 + (unsigned)(i % 2);
        c.shift = next_random(&state) % 64;
        run_twice(&c, &state);
        call->wide = true;
        struct outcome o = run_case(&c, PAGE_END, 0x33, true);
        REQUIRE(o.right, CASE_FMT ": %s", CASE_ARG(&c), o.why);
        check_first_of_equal(&c, &o);
        free_outcome(&o);
        calls++;
    }
    printf("contiguous: %" PRIu64 " calls, each three times\n", calls);
}
END_TEST

TEST_MAIN("topk calls", contiguous, every_combination, random_calls, strips, long_rows,
          tall_buckets, shared_work, few_of_many, many_of_many)
