/* test_topk_callers.c - many threads that call at once, calls inside a parallel region, more
 * threads than there is work.
 *
 * Against: the oracle; one thread, bit for bit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "run.h"

enum { CALLERS = 8 };

struct caller {
    pthread_t thread;
    uint64_t seed, calls;
    char failure[600];
};

static void *call_many(void *context)
{
    struct caller *caller = context;
    uint64_t state = caller->seed;
    const uint64_t most = few_cases() ? 150 : 1500;
    for (caller->calls = 0; caller->calls < most && !*caller->failure; caller->calls++) {
        struct topk_case c = draw_case(&state, caller->calls % 30 ? 1500 : 150000);
        c.call.threads = 1 + (unsigned)(next_random(&state) % 3);
        const enum place place = (enum place)(next_random(&state) % PLACES);
        if (caller->calls % 16 == 0)
            rcm_top_k_use_isa(rcm_top_k_isa(next_random(&state) % 3)); /* NULL: the best */
        place_rows(&c, place, &state);
        struct outcome o = run_case(&c, place, 0xee, true);
        if (!o.right)
            snprintf(caller->failure, sizeof caller->failure, CASE_FMT ": %s", CASE_ARG(&c), o.why);
        free_outcome(&o);
    }
    release_blocks();
    return NULL;
}

START_TEST(callers)
{
    static struct caller all[CALLERS];
    for (unsigned i = 0; i < CALLERS; i++) {
        all[i].seed = 100 + i;
        ck_assert_int_eq(pthread_create(&all[i].thread, NULL, call_many, &all[i]), 0);
    }
    for (unsigned i = 0; i < CALLERS; i++)
        ck_assert_int_eq(pthread_join(all[i].thread, NULL), 0);
    for (unsigned i = 0; i < CALLERS; i++)
        REQUIRE(!*all[i].failure, "caller %u, call %" PRIu64 ": %s", i, all[i].calls,
                all[i].failure);
}
END_TEST

/* Eight threads, one input, one call: the same bits. */
struct sharer {
    pthread_t thread;
    const struct topk_case *c;
    struct outcome outcome;
};

static void *call_shared(void *context)
{
    struct sharer *sharer = context;
    for (unsigned i = 0; i < 5; i++) {
        free_outcome(&sharer->outcome);
        sharer->outcome = run_case(sharer->c, HEAP, 0, true);
        if (!sharer->outcome.right)
            break;
    }
    release_blocks();
    return NULL;
}

START_TEST(one_input)
{
    uint64_t state = 11;
    for (unsigned i = 0; i < (few_cases() ? 6 : 60); i++) {
        struct topk_case c = draw_case(&state, 20000);
        struct sharer all[CALLERS] = {0};
        place_rows(&c, HEAP, &state);
        for (unsigned t = 0; t < CALLERS; t++) {
            all[t].c = &c;
            ck_assert_int_eq(pthread_create(&all[t].thread, NULL, call_shared, &all[t]), 0);
        }
        for (unsigned t = 0; t < CALLERS; t++)
            ck_assert_int_eq(pthread_join(all[t].thread, NULL), 0);
        for (unsigned t = 0; t < CALLERS; t++) {
            REQUIRE(all[t].outcome.right, CASE_FMT ": %s", CASE_ARG(&c), all[t].outcome.why);
            REQUIRE(same_bits(&all[t].outcome, &all[0].outcome), CASE_FMT ": caller %u has others",
                    CASE_ARG(&c), t);
        }
        for (unsigned t = 0; t < CALLERS; t++)
            free_outcome(&all[t].outcome);
    }
}
END_TEST

/* In a parallel region of the caller, and with any number of threads, 0 among
 * them: the same bits as with one. */
START_TEST(numbers_of_threads)
{
    static const unsigned numbers[] = {0, 2, 3, 5, 16, 1000, 4000000000u};
    uint64_t state = 12;
    for (unsigned i = 0; i < (few_cases() ? 20 : 200); i++) {
        struct topk_case c = draw_case(&state, i % 5 ? 3000 : 300000);
        c.call.threads = 1;
        place_rows(&c, PAGE_END, &state);
        struct outcome one = run_case(&c, PAGE_END, 0xee, true);
        REQUIRE(one.right, CASE_FMT ": %s", CASE_ARG(&c), one.why);
        for (size_t t = 0; t < sizeof numbers / sizeof *numbers; t++) {
            c.call.threads = numbers[t];
            struct outcome many = run_case(&c, PAGE_BEGIN, 0x22, false);
            REQUIRE(many.right, CASE_FMT ": %s", CASE_ARG(&c), many.why);
            REQUIRE(same_bits(&one, &many), CASE_FMT ": other bits than one thread", CASE_ARG(&c));
            free_outcome(&many);
        }
        bool same = true;
        c.call.threads = 2;
#ifndef __SANITIZE_THREAD__ /* it cannot see the barriers of OpenMP */
#pragma omp parallel for num_threads(3) reduction(&& : same)
#endif
        for (int t = 0; t < 3; t++) {
            struct outcome inside = run_case(&c, HEAP, 0, false);
            same = same && inside.right && same_bits(&one, &inside);
            free_outcome(&inside);
        }
        REQUIRE(same, CASE_FMT ": other bits in a parallel region", CASE_ARG(&c));
        free_outcome(&one);
    }
}
END_TEST

/* Many parts, whose best are all in the last: what they find has its place in the workspace. */
START_TEST(many_parts)
{
    uint64_t state = 22;
    struct topk_case c = {.kind = RISING, .want_indices = true};
    c.call.rows.m = 1;
    c.call.rows.n = 1 << 20;
    place_rows(&c, HEAP, &state);
    for (c.call.k = 60; c.call.k < 400; c.call.k += few_cases() ? 30 : 3) {
        c.call.threads = 1;
        struct outcome one = run_case(&c, PAGE_END, 0xee, false);
        c.call.threads = 32;
        struct outcome many = run_case(&c, PAGE_END, 0x22, false);
        REQUIRE(one.right && many.right, CASE_FMT ": %s%s", CASE_ARG(&c), one.why, many.why);
        REQUIRE(same_bits(&one, &many), CASE_FMT ": other bits than one thread", CASE_ARG(&c));
        free_outcome(&one);
        free_outcome(&many);
    }
}
END_TEST

TEST_MAIN("topk callers", callers, one_input, numbers_of_threads, many_parts)
