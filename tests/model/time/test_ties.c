/* test_ties.c - which of equal elements a kernel takes: the registry, and what a selection
 * compares.
 *
 * Against: names and choices by hand.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

START_TEST(rules_by_name)
{
    const struct {
        const char *name, *kernel;
    } known[] = {{"torch.topk", "torch.topk"},
                 {"torch_topk_h100_pcie", "torch.topk"},
                 {"torch_topk_b580", "torch_topk_b580"},
                 {"torch_topk_blackwell", "torch_topk_blackwell"},
                 {"FlashInfer 0.6", "flashinfer"},
                 {"gvr_v2_b200", "gvr"},
                 {"cpu-epyc-zen4", "cpu"},
                 {"hpc-ops", "hpc_ops"},
                 {"any", "any"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct rcm_tie_rule *rule = rcm_tie_rule_of(known[i].name);
        ck_assert_msg(rule && strcmp(rule->kernel, known[i].kernel) == 0, "%s: %s", known[i].name,
                      rule ? rule->kernel : "none");
    }
    ck_assert(!rcm_tie_rule_of("anything") && !rcm_tie_rule_of("") && !rcm_tie_rule_of(NULL));
    for (size_t i = 0; rcm_tie_rule(i); i++) { /* no row hides another */
        ck_assert_ptr_eq(rcm_tie_rule_of(rcm_tie_rule(i)->kernel), rcm_tie_rule(i));
        ck_assert(rcm_ties_name(rcm_tie_rule(i)->ties) && *rcm_tie_rule(i)->source);
    }
    ck_assert(!rcm_ties_name((enum rcm_keeps_ties)3));
}
END_TEST

static const struct rcm_profile *profile_named(const char *name)
{
    for (size_t i = 0; rcm_profile(i); i++)
        if (strcmp(rcm_profile(i)->name, name) == 0)
            return rcm_profile(i);
    return NULL;
}

START_TEST(what_is_compared)
{
    const struct rcm_profile *h100 = profile_named("H100-PCIe");
    struct rcm_selection s = {.p = {.n = 131072, .k = 2048, .m = 64},
                              .target = {.loss = 0.05},
                              .kernel = h100->kernel,
                              .objective = rcm_objective_by_name("time"),
                              .machine = {.profile = h100, .dtype = h100->dtype}};
    ck_assert_int_eq(rcm_select(&s).deploy, RCM_DEPLOY_BUCKETED);
    s.ties = RCM_TIES_REPEATABLE;
    ck_assert_int_eq(rcm_select(&s).deploy, RCM_DEPLOY_BUCKETED);
    s.ties = RCM_TIES_BY_POSITION; /* torch.topk does, Graphcore's kernel does not */
    const struct rcm_choice choice = rcm_select(&s);
    ck_assert_int_eq(choice.deploy, RCM_DEPLOY_EXACT);
    ck_assert_int_eq(choice.reason, RCM_REASON_TIES);
    ck_assert(choice.exact_objective > 0.0 && !(choice.objective < INFINITY));
    s.kernel = rcm_kernel(0); /* one's own, by candidates */
    s.objective = NULL;
    ck_assert(rcm_select(&s).objective < INFINITY);
}
END_TEST

START_TEST(the_fastest_that_keeps_ties)
{
    const struct rcm_topk p = {.n = 131072, .k = 1024, .m = 1};
    const struct rcm_device *b200 = rcm_device_by_name("B200");
    struct rcm_profile any, repeatable;
    ck_assert(rcm_fastest_exact(b200, NULL, RCM_TIES_ANY, p, &any));
    ck_assert_int_eq(rcm_exact_ties(&any), RCM_TIES_ANY);
    ck_assert(rcm_fastest_exact(b200, NULL, RCM_TIES_REPEATABLE, p, &repeatable));
    ck_assert_int_ge(rcm_exact_ties(&repeatable), RCM_TIES_REPEATABLE);
    ck_assert_str_eq(repeatable.name, "deepselect_b200");
    ck_assert_double_gt(rcm_predict_exact(&repeatable, p), rcm_predict_exact(&any, p));
    /* by position torch.topk alone: of an H200, as a B300 has no run of so few rows */
    struct rcm_exact_contender of[RCM_EXACT_MOST];
    ck_assert_uint_eq(rcm_exact_contenders(b200, NULL, RCM_TIES_BY_POSITION, p, of), 1);
    ck_assert_str_eq(of[0].profile.name, "torch_topk_h200_f16");
    ck_assert(!of[0].at_most && rcm_exact_ties(&of[0].profile) == RCM_TIES_BY_POSITION);
    ck_assert(rcm_fastest_exact(b200, NULL, RCM_TIES_BY_POSITION, p, &any));
    ck_assert_str_eq(any.name, "torch_topk_h200_f16");
    ck_assert_uint_eq(rcm_exact_contenders(b200, NULL, RCM_TIES_BY_POSITION,
                                           (struct rcm_topk){.n = p.n, .k = p.k, .m = 16}, of),
                      1);
    ck_assert_str_eq(of[0].profile.name, "torch_topk_b300"); /* the nearest */
    /* that of float32 takes others on a B200, and so what it does on an H200 does not count */
    const enum rcm_dtype f32 = RCM_F32;
    ck_assert(!rcm_fastest_exact(b200, &f32, RCM_TIES_BY_POSITION, p, &any));
    ck_assert(rcm_fastest_exact(rcm_device_by_name("L4"), &f32, RCM_TIES_BY_POSITION, p, &any));
}
END_TEST

TEST_MAIN("ties", rules_by_name, what_is_compared, the_fastest_that_keeps_ties)
