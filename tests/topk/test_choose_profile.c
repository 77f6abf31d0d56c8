/* test_choose_profile.c - by which profile rcm_top_k_choose chooses: the one of a CPU that comes
 * with the library, or the one that it is given, with the threads of the call.
 *
 * Against: the predictions of that profile.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>
#include <topk/topk.h>

static const struct rcm_profile *shipped(void)
{
    size_t i = 0;
    while (rcm_profile(i) && !rcm_profile(i)->kernel->cpu)
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
    const struct rcm_choice by_default = choose(NULL, 1), given = choose(&mine, 1);
    ck_assert_double_eq(by_default.exact_objective, rcm_predict_exact(shipped(), p));
    ck_assert_double_eq(by_default.objective, given.objective);
    mine.thread_us = 1e-3;
    ck_assert_double_eq(choose(&mine, 1).exact_objective, by_default.exact_objective);
    ck_assert_double_lt(choose(&mine, 4).exact_objective, by_default.exact_objective / 3);
    /* where exact top-k takes long, buckets are chosen, and the other way round */
    mine.wanted_us *= 100;
    ck_assert_int_eq(choose(&mine, 1).deploy, RCM_DEPLOY_BUCKETED);
    mine = *shipped();
    mine.keep_us *= 1000;
    ck_assert_int_eq(choose(&mine, 1).deploy, RCM_DEPLOY_EXACT);
}
END_TEST

TEST_MAIN("choose_profile", the_profile_that_is_used)
