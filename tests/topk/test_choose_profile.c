/* test_choose_profile.c - by which profile rcm_top_k_choose chooses: the one of a CPU that comes
 * with the library, or the one that it is given, with the threads of the call. On another CPU than
 * those measured the errors are wider.
 *
 * Against: the predictions of that profile.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>
#include <topk/topk.h>

static const struct rcm_profile *shipped(void)
{
    size_t i = 0;
    while (rcm_profile(i) && rcm_profile(i)->kernel->model != RCM_TIME_CPU)
        i++;
    return rcm_profile(i);
}

static struct rcm_choice choose(const struct rcm_profile *profile, unsigned threads)
{
    struct rcm_top_k_call call = {
        .rows = {.m = 1, .n = 1 << 20, .type = RCM_TOP_K_F32}, .k = 1024, .threads = threads};
    struct rcm_choice choice;
    ck_assert_int_eq(rcm_top_k_choose(&call, 0.95, 0.0, profile, &choice), RCM_TOP_K_OK);
    const bool bucketed = choice.deploy == RCM_DEPLOY_BUCKETED;
    ck_assert_int_eq(call.method, bucketed ? RCM_TOP_K_BUCKETED : RCM_TOP_K_EXACT);
    ck_assert_uint_eq(call.b, bucketed ? choice.p.b : 0);
    return choice;
}

START_TEST(the_profile_that_is_used)
{
    const struct rcm_topk p = {.n = 1 << 20, .k = 1024, .m = 1};
    ck_assert_ptr_nonnull(shipped());
    struct rcm_profile mine = *shipped();
    char cpu[RCM_CPU_TEXT];
    struct rcm_profile carried;
    rcm_this_cpu(cpu);
    const struct rcm_choice by_default = choose(NULL, 1), given = choose(&mine, 1);
    const struct rcm_profile *here = rcm_profile_of_cpu(cpu, &carried);
    ck_assert_double_eq(by_default.exact_objective, rcm_predict_exact(here, p));
    ck_assert_double_eq(given.exact_objective, rcm_predict_exact(shipped(), p));
    for (uint64_t k = 8; k <= 512; k *= 2) {
        struct rcm_top_k_call mine_call = {.rows = {.m = 64, .n = 1 << 16}, .k = k, .threads = 1},
                              here_call = mine_call;
        ck_assert_int_eq(rcm_top_k_choose(&mine_call, 0.9, 0.0, NULL, NULL), RCM_TOP_K_OK);
        ck_assert_int_eq(rcm_top_k_choose(&here_call, 0.9, 0.0, here, NULL), RCM_TOP_K_OK);
        ck_assert_int_eq(mine_call.method, here_call.method);
        ck_assert_uint_eq(mine_call.b, here_call.b);
    }
    mine.thread_us = 1e-3;
    ck_assert_double_eq(choose(&mine, 1).exact_objective, given.exact_objective);
    ck_assert_double_lt(choose(&mine, 4).exact_objective, given.exact_objective / 3);
    /* where exact top-k takes long, buckets are chosen, and the other way round */
    mine.wanted_us *= 100;
    ck_assert_int_eq(choose(&mine, 1).deploy, RCM_DEPLOY_BUCKETED);
    mine = *shipped();
    mine.keep_us *= 1000;
    ck_assert_int_eq(choose(&mine, 1).deploy, RCM_DEPLOY_EXACT);
}
END_TEST

START_TEST(the_profile_of_a_cpu)
{
    struct rcm_profile carried = {0};
    size_t cpus = 0;
    const struct rcm_profile *q;
    for (size_t i = 0; (q = rcm_profile(i)); i++)
        if (q->kernel->model == RCM_TIME_CPU) {
            ck_assert_ptr_eq(rcm_profile_of_cpu(q->card, &carried), q);
            cpus++;
        }
    ck_assert_uint_ge(cpus, 2);
    ck_assert_ptr_null(carried.name);
    q = rcm_profile_of_cpu("", &carried);
    ck_assert_ptr_eq(q, &carried);
    ck_assert_str_eq(q->name, shipped()->name);
    const struct rcm_exact_carried *row = rcm_exact_carried_of(RCM_OTHER_CPUS);
    const double lows[] = {q->held_out_p05_ratio, q->held_out_exact_p05_ratio},
                 highs[] = {q->held_out_p95_ratio, q->held_out_exact_p95_ratio};
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_double_le(lows[i], row->low_ratio);
        ck_assert_double_ge(highs[i], row->high_ratio);
    }
    /* so buckets are chosen more rarely */
    unsigned own = 0, other = 0;
    for (uint64_t n = 1 << 12; n <= 1 << 22; n *= 2)
        for (uint64_t k = 8; k <= n / 8; k *= 2) {
            struct rcm_top_k_call call = {.rows = {.m = 64, .n = n}, .k = k, .threads = 1};
            ck_assert_int_eq(rcm_top_k_choose(&call, 0.9, 0.0, shipped(), NULL), RCM_TOP_K_OK);
            own += call.method == RCM_TOP_K_BUCKETED;
            ck_assert_int_eq(rcm_top_k_choose(&call, 0.9, 0.0, &carried, NULL), RCM_TOP_K_OK);
            other += call.method == RCM_TOP_K_BUCKETED;
        }
    printf("buckets: %u by a profile of this CPU, %u of another\n", own, other);
    ck_assert_uint_gt(own, other);
}
END_TEST

TEST_MAIN("choose_profile", the_profile_that_is_used, the_profile_of_a_cpu)
