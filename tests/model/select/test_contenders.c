/* test_contenders.c - buckets, exact top-k and the threshold compete: against exhaustive search,
 * for every objective.
 *
 * Against: exhaustive search over b and k_b; the parser of the command.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

/* The least of each contender over every b and k_b. */
struct best {
    struct rcm_point bucketed, threshold;
    double exact;
};

static bool reaches(const struct rcm_selection *s, struct rcm_topk p)
{
    if (!(s->confidence > 0.0))
        return rcm_reaches(p, s->target);
    struct rcm_lost dist;
    ck_assert_int_eq(rcm_lost(p, &dist), 0);
    const bool enough =
        rcm_lost_at_most(&dist, (double)s->most_lost) >= s->confidence - RCM_LOST_MAX_ERROR;
    rcm_lost_free(&dist);
    return enough;
}

static void keep_least(struct rcm_point *best, struct rcm_topk p, double value)
{
    if (value < best->objective)
        *best = (struct rcm_point){p, value};
}

static struct best exhaustive(const struct rcm_selection *s)
{
    const struct rcm_objective *o = s->objective;
    struct best best = {.bucketed.objective = INFINITY, .threshold.objective = INFINITY};
    const struct rcm_factors factors = rcm_factorise(s->p.n);
    const struct rcm_restriction restriction = {s->target.align,
                                                s->target.divisors ? &factors : NULL};
    struct rcm_topk p = s->p;
    best.exact =
        s->exact_us > 0.0 && strcmp(o->unit, "us") == 0 ? s->exact_us : o->exact(o, &s->machine, p);
    for (p.k_b = 1; p.k_b <= s->k_b_max && p.k_b <= s->kernel->k_b_max; p.k_b++)
        for (p.b = 2; p.b <= p.n; p.b++) {
            if (rcm_check_deployable(p) != RCM_OK || rcm_buckets_of(p).of[0].size <= p.k_b ||
                s->kernel->next_b(p, p.b, &restriction) != p.b)
                continue;
            keep_least(&best.threshold, p, o->threshold(o, &s->machine, p, rcm_reaching(p).mean));
            if (reaches(s, p))
                keep_least(&best.bucketed, p, o->bucketed(o, &s->machine, p));
        }
    return best;
}

/* Are the buckets faster than the exact top-k of the profile, or the measured one, by more than the
 * errors of both? */
static bool surely_faster(const struct rcm_selection *s, const struct rcm_choice *c)
{
    const struct rcm_prediction buckets = rcm_predict(s->machine.profile, c->p),
                                exact = rcm_predict_exact_unpadded(s->machine.profile, s->p);
    const double down = s->exact_us > 0.0 ? 1.0 : exact.time_us / exact.low_us;
    return log(c->exact_objective / c->objective) >
           hypot(log(buckets.high_us / buckets.time_us), log(down));
}

/* Where the objective is the time, buckets must be faster for certain, and nobody can call the
 * threshold. */
static enum rcm_deploy by_time(const struct rcm_selection *s, const struct best *best)
{
    const struct rcm_choice c = {.p = best->bucketed.p,
                                 .objective = best->bucketed.objective,
                                 .exact_objective = best->exact};
    return c.objective < INFINITY && surely_faster(s, &c) ? RCM_DEPLOY_BUCKETED : RCM_DEPLOY_EXACT;
}

/* A bound must leave a tenth, after a launch. The launches are those of the runs: H100-PCIe 2.168
 * and B200 1.5 us (tests/figures/test_pays.sh). */
static enum rcm_deploy deployed(const struct rcm_selection *s, const struct best *best)
{
    const bool bound = strcmp(s->objective->name, "roofline") == 0;
    const double margin = bound ? 1.1 : 1.0;
    const double launch = bound && strcmp(s->machine.device->name, "B200") == 0 ? 1.5 : 0.0;
    const double bucketed = margin * (best->bucketed.objective + launch);
    const bool nothing_known = isnan(best->exact) && isinf(best->bucketed.objective);
    const bool callable = strcmp(s->kernel->name, "cpu") == 0 && !nothing_known;
    const double threshold = callable ? margin * (best->threshold.objective + launch) : INFINITY;
    const double exact = isnan(best->exact) ? INFINITY : best->exact;
    if (s->objective->need == RCM_NEEDS_PROFILE)
        return by_time(s, best);
    if (bucketed < threshold && bucketed < exact)
        return RCM_DEPLOY_BUCKETED;
    return threshold < exact ? RCM_DEPLOY_THRESHOLD : RCM_DEPLOY_EXACT;
}

#define SAME(got, want) \
    ((got) == (want) || relative_error(got, want) <= 1e-9 || (isnan(got) && isnan(want)))

static struct rcm_selection question(uint64_t *state, const struct rcm_objective *objective)
{
    static const double targets[] = {0.3, 0.1, 0.05, 0.01, 0.001, 0.0};
    const uint64_t n = random_scale(state, 4, 48), k = random_scale(state, 1, n);
    struct rcm_selection s = {
        .p = {.n = n, .k = k, .m = random_scale(state, 1, 300)},
        .target = {.loss = targets[next_random(state) % 6],
                   .align = next_random(state) % 4 ? 1 : random_between(state, 2, 8),
                   .divisors = next_random(state) % 5 == 0},
        .k_b_max = random_between(state, 1, 5),
        .kernel = rcm_kernel(next_random(state) % 2 ? 0 : next_random(state) % 4),
        .objective = objective,
        .machine = {.profile = rcm_profile(0), .device = rcm_device(1), .dtype = RCM_F32},
        .exact_us = next_random(state) % 3 ? 0.0 : 10.0,
    };
    /* near the bound, where its margin and the launch decide */
    if (strcmp(objective->name, "roofline") == 0 && s.exact_us > 0.0) {
        s.machine.device = rcm_device_by_name(s.p.m % 2 ? "B200" : "A100-PCIe-40GB");
        s.exact_us = s.p.m % 2 ? 1.6 : 0.004;
    }
    if (next_random(state) % 4 == 0) {
        s.confidence = 0.9;
        s.most_lost = k / 10;
    }
    if (objective->need == RCM_NEEDS_NOTHING && next_random(state) % 2) {
        s.machine.profile = NULL;
        s.kernel = rcm_kernel_by_name("cpu"); /* its exact top-k is by threshold */
        s.target.loss = fmin(s.target.loss, 0.01);
    }
    if (objective->need == RCM_NEEDS_PROFILE) {
        s.kernel = rcm_profile(0)->kernel;
        s.machine.device = NULL; /* no exact kernel but that of the profile */
        s.exact_us *= (double)random_between(state, 1, 3);
    }
    return s;
}

/* Bounds within RCM_BOUND_TIE of each other are equal (test_stand_in.c). */
static bool same_buckets(const struct rcm_objective *objective, double got, double want)
{
    return SAME(got, want) ||
           (objective->need == RCM_NEEDS_DEVICE && got >= want && got <= RCM_BOUND_TIE * want);
}

START_TEST(three_contenders)
{
    uint64_t state = 41, counts[3] = {0}, questions = 0;
    const struct rcm_objective *objective;
    for (size_t i = 0; (objective = rcm_objective(i)); i++)
        for (unsigned repetition = 0; repetition < 70; repetition++) {
            const struct rcm_selection s = question(&state, objective);
            const struct rcm_choice got = rcm_select(&s);
            const struct best want = exhaustive(&s);
            double reaching;
            const struct rcm_point threshold = rcm_best_threshold(&s, &reaching);
            ck_assert(strcmp(s.kernel->name, "cpu") == 0 && !s.machine.profile
                          ? got.threshold.objective == threshold.objective
                          : isinf(got.threshold.objective));
            ck_assert_msg(
                same_buckets(objective, got.objective, want.bucketed.objective) &&
                    SAME(threshold.objective, want.threshold.objective) &&
                    SAME(got.exact_objective, want.exact) && got.deploy == deployed(&s, &want),
                "%s, n %" PRIu64 " k %" PRIu64 " m %" PRIu64
                " loss %g confidence %g kernel %s k_b_max %" PRIu64 " align %" PRIu64
                ": got %s, %.12g, exact %.12g, threshold %.12g; want %s, %.12g (b %" PRIu64
                "), %.12g, %.12g (b %" PRIu64 ")",
                objective->name, s.p.n, s.p.k, s.p.m, s.target.loss, s.confidence, s.kernel->name,
                s.k_b_max, s.target.align, rcm_deployed(&got), got.objective, got.exact_objective,
                threshold.objective,
                rcm_deployed(&(struct rcm_choice){.deploy = deployed(&s, &want)}),
                want.bucketed.objective, want.bucketed.p.b, want.exact, want.threshold.objective,
                want.threshold.p.b);
            if (got.objective < INFINITY) {
                ck_assert_uint_lt(rcm_candidates(got.p), s.p.n);
                ck_assert(isnan(got.exact_objective) ||
                          SAME(got.over_exact, got.objective / got.exact_objective));
            }
            counts[got.deploy]++;
            questions++;
        }
    printf("three contenders: %" PRIu64 " questions are answered as by exhaustive search: %" PRIu64
           " bucketed, %" PRIu64 " exact, %" PRIu64 " threshold\n",
           questions, counts[0], counts[1], counts[2]);
    ck_assert_uint_ge(questions, 400);
    for (size_t i = 0; i < 3; i++)
        ck_assert_uint_ge(counts[i], 15);
}
END_TEST

/* One function answers: all of each k_b, the best of one, and the best of all. */
START_TEST(one_answer)
{
    uint64_t state = 42;
    size_t objectives = 0;
    while (rcm_objective(objectives))
        objectives++;
    for (unsigned i = 0; i < 300; i++) {
        struct rcm_selection s = question(&state, rcm_objective(i % objectives));
        s.k_b_max = 12;
        struct rcm_point each[12];
        const struct rcm_choice all = rcm_select_each(&s, each), best = rcm_select(&s);
        ck_assert(all.objective == best.objective && all.deploy == best.deploy);
        ck_assert(!(best.objective < INFINITY) || (all.p.b == best.p.b && all.p.k_b == best.p.k_b));
        double least = INFINITY;
        for (uint64_t k_b = 1; k_b <= 12 && k_b <= s.p.k; k_b++) {
            const double one = rcm_select_k_b(&s, k_b).objective;
            ck_assert(same_buckets(s.objective, each[k_b - 1].objective, one) ||
                      s.objective->need == RCM_NEEDS_DEVICE);
            least = fmin(least, one);
        }
        ck_assert(same_buckets(s.objective, best.objective, least));
    }
}
END_TEST

/* The rows of the tables agree with the registry: names differ, costs are those of their models. */
START_TEST(registry)
{
    const struct rcm_objective *objective, *other;
    for (size_t i = 0; (objective = rcm_objective(i)); i++) {
        ck_assert_ptr_eq(rcm_objective_by_name(objective->name), objective);
        for (size_t j = 0; (other = rcm_objective(j)); j++)
            ck_assert(i == j || strcmp(objective->name, other->name) != 0);
    }
    const struct rcm_cost_model *model;
    const struct rcm_topk p = {.n = 4096, .k = 100, .b = 64, .k_b = 4};
    for (size_t i = 0; (model = rcm_cost_model(i)); i++) {
        objective = rcm_objective_by_name(model->name);
        ck_assert_msg(objective, "objectives[] in model/select/objective.c lacks the cost model %s",
                      model->name);
        ck_assert_msg(objective->bucketed(objective, NULL, p) == rcm_cost(model, p).approximate,
                      "the objective %s is not the cost of that model", model->name);
    }
    ck_assert_ptr_null(rcm_objective_by_name("nothing"));
}
END_TEST

/* The examples that led to this test: select never offers to keep every element, and never deploys
 * what is slower than exact top-k. */
START_TEST(examples)
{
    struct rcm_selection s = {.p = {.n = 8192, .k = 2048, .m = 256},
                              .target = {.loss = 0.01},
                              .objective = rcm_objective_by_name("time"),
                              .machine = {.profile = rcm_profile(0)},
                              .kernel = rcm_profile(0)->kernel};
    struct rcm_choice c = rcm_select(&s);
    ck_assert_int_eq(c.deploy, RCM_DEPLOY_EXACT);
    ck_assert_double_eq_tol(c.exact_objective, 62.80, 0.01);
    ck_assert(c.objective > c.exact_objective && rcm_candidates(c.p) < 8192);
    s.p = (struct rcm_topk){.n = 4096, .k = 1024, .m = 1};
    c = rcm_select(&s);
    ck_assert_double_eq_tol(c.exact_objective, 23.67, 0.01);
    ck_assert(c.deploy == (surely_faster(&s, &c) ? RCM_DEPLOY_BUCKETED : RCM_DEPLOY_EXACT));
    /* Where the user gives the time of an exact top-k, that time decides. */
    s.p = (struct rcm_topk){.n = 131072, .k = 2048, .m = 64};
    ck_assert_int_eq(rcm_select(&s).deploy, RCM_DEPLOY_BUCKETED);
    s.exact_us = 20.0;
    c = rcm_select(&s);
    ck_assert_int_eq(c.deploy, RCM_DEPLOY_EXACT);
    ck_assert(c.exact_objective == 20.0);
    /* Without a profile the exact time is not known. */
    s = (struct rcm_selection){.p = s.p,
                               .target = {.loss = 0.05},
                               .objective = rcm_objective_by_name("roofline"),
                               .machine = {.device = rcm_device(1)}};
    c = rcm_select(&s);
    ck_assert(isnan(c.exact_objective) && c.deploy == RCM_DEPLOY_BUCKETED &&
              c.objective < INFINITY);
    /* No b reaches it. */
    s.target.loss = 0.0;
    c = rcm_select(&s);
    ck_assert(c.objective == INFINITY && c.deploy == RCM_DEPLOY_EXACT);
}
END_TEST

/* The search for a confidence prunes no shape that could win: the result is that of all k_b, each
 * searched alone. */
START_TEST(confidence_and_small_k)
{
    uint64_t state = 43;
    struct rcm_selection s = {
        .p = {.n = 31, .k = 2, .m = 1}, .confidence = 0.999999, .most_lost = 1, .k_b_max = 16};
    struct rcm_choice c = rcm_select(&s);
    ck_assert(c.p.b == 2 && c.p.k_b == 1);
    for (unsigned i = 0; i < (few_cases() ? 150 : 1500); i++) {
        const uint64_t n = random_scale(&state, 4, 4096),
                       k = random_between(&state, 1, n < 24 ? n / 2 : 12);
        s = (struct rcm_selection){.p = {.n = n, .k = k, .m = 1},
                                   .confidence = i % 3 ? 0.9 : 0.999999,
                                   .most_lost = random_between(&state, 0, k - 1),
                                   .k_b_max = 16};
        c = rcm_select(&s);
        double least = INFINITY;
        for (uint64_t k_b = 1; k_b <= 16 && k_b <= k; k_b++)
            least = fmin(least, rcm_select_k_b(&s, k_b).objective);
        ck_assert_msg(c.objective == least,
                      "n %" PRIu64 " k %" PRIu64 " lost <= %" PRIu64 " with %g: got %g, want %g", n,
                      k, s.most_lost, s.confidence, c.objective, least);
    }
}
END_TEST

/* A profile without a run of exact top-k says nothing about it: the buckets are offered, without a
 * gain. A time of the user's own decides. */
START_TEST(exact_is_not_known)
{
    const struct rcm_profile *q = NULL;
    for (size_t i = 0; (q = rcm_profile(i)) && strcmp(q->name, "V100S") != 0; i++)
        ;
    ck_assert(q && q->exact_count == 0.0);
    struct rcm_selection s = {.p = {.n = 1 << 28, .k = 128, .m = 1},
                              .target = {.loss = 0.01},
                              .kernel = q->kernel,
                              .objective = rcm_objective_by_name("time"),
                              .machine = {.profile = q, .dtype = q->dtype}};
    struct rcm_choice c = rcm_select(&s);
    ck_assert(c.deploy == RCM_DEPLOY_BUCKETED && c.objective < INFINITY && !c.too_close);
    ck_assert(isnan(c.exact_objective) && isnan(c.over_exact));
    s.p.k = 1 << 20; /* the threshold takes less and loses nothing, but nobody can call it */
    double reaching;
    const struct rcm_choice many = rcm_select(&s);
    ck_assert(many.deploy == RCM_DEPLOY_BUCKETED && isnan(many.exact_objective));
    ck_assert(rcm_best_threshold(&s, &reaching).objective < many.objective);
    ck_assert(isinf(many.threshold.objective) && many.objective < INFINITY);
    s.p.k = 128;
    s.exact_us = 2 * c.objective;
    c = rcm_select(&s);
    ck_assert(c.deploy == RCM_DEPLOY_BUCKETED && c.over_exact == 0.5 && !c.too_close);
    /* what was measured has no error: that of the buckets decides */
    const double high_us = rcm_predict(q, c.p).high_us;
    ck_assert(high_us > 1.05 * c.objective && high_us < 2 * c.objective);
    s.exact_us = 1.001 * high_us;
    ck_assert(rcm_select(&s).deploy == RCM_DEPLOY_BUCKETED);
    s.exact_us = 0.999 * high_us;
    c = rcm_select(&s);
    ck_assert(c.deploy == RCM_DEPLOY_EXACT && c.too_close && c.objective < c.exact_objective);
    ck_assert_int_eq(c.reason, RCM_REASON_TOO_CLOSE);
    s.exact_us = 0.999 * rcm_predict(q, c.p).low_us;
    c = rcm_select(&s);
    ck_assert(c.deploy == RCM_DEPLOY_EXACT && !c.too_close);
}
END_TEST

/* "0.95" is what is written, not the nearest double. */
START_TEST(written_recalls)
{
    struct rcm_goal goal;
    static const struct {
        const char *text;
        uint64_t k, most_lost;
        double loss;
    } rows[] = {{"0.95", 2048, 102, 0.05},
                {".857142857142", 7, 1, 0.142857142858},
                {"0.857142857143", 7, 0, 0.142857142857},
                {"1", 10, 0, 0.0},
                {"1.0000000000000000000000", 10, 0, 0.0},
                {"9.5e-1", 100, 5, 0.05},
                {"95E-2", 100, 5, 0.05},
                {"0.99999992", 1000, 0, 8e-8},
                {"0.000000000000000001", 5, 4, 1.0},
                {"0.3", 2, 1, 0.7},
                {"0.95", UINT64_C(1) << 52, 225179981368524, 0.05},
                {"1e-05", 100, 99, 0.99999}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_msg(rcm_goal(rows[i].text, rows[i].k, &goal) == 0, "%s", rows[i].text);
        ck_assert_msg(goal.most_lost == rows[i].most_lost && goal.loss == rows[i].loss &&
                          goal.recall == strtod(rows[i].text, NULL),
                      "%s of %" PRIu64 ": %" PRIu64 ", loss %.17g, recall %.17g", rows[i].text,
                      rows[i].k, goal.most_lost, goal.loss, goal.recall);
    }
    static const char *const wrong[] = {
        "",     ".",     "0",       "0.0",  "1.1", "1.0000000000000000001", "-0.5",
        "0.5x", "nan",   "0x1p-1",  " 0.5", "1e5", "0.1234567890123456789", "e-1",
        "1e",   "0.5.5", "1e-99999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(rcm_goal(wrong[i], 10, &goal) == -1, "'%s' is taken", wrong[i]);
    ck_assert_int_eq(rcm_goal("0.5", 0, &goal), -1);
    ck_assert(rcm_goal_of_number(2.0 / 3.0, 3, &goal) == 0 && goal.most_lost == 1);
    ck_assert(rcm_goal_of_number(0.99, 1000, &goal) == 0 && goal.loss == 0.01);
}
END_TEST

static uint64_t most_lost(const char *format, double recall, uint64_t k)
{
    char text[40];
    struct rcm_goal goal = {.most_lost = UINT64_MAX};
    snprintf(text, sizeof text, format, recall);
    ck_assert_msg(rcm_goal(text, k, &goal) == 0, "'%s'", text);
    return goal.most_lost;
}

/* A recall that an answer prints for `lost` of k, given back, allows as many to be lost: as c/k or
 * as 1 - lost/k, with 17 digits. Four units of the last place more is another number. */
START_TEST(printed_recalls)
{
    uint64_t state = 5;
    unsigned counted = 0;
    for (uint64_t i = 0; i < 40000; i++) {
        const uint64_t k = i < 20000 ? 2 + i / 100 : random_scale(&state, 2, UINT64_C(1) << 50),
                       lost = random_between(&state, 1, k - 1 - k / 10);
        const double kept = (double)(k - lost) / (double)k, back = 1.0 - (double)lost / (double)k;
        ck_assert_uint_eq(most_lost("%.17g", kept, k), lost);
        if (2 * lost <= k) /* where 1 - lost/k is within a unit */
            ck_assert_uint_eq(most_lost("%.17g", back, k), lost);
        const double more = kept + 4.0 * (nextafter(kept, 1.0) - kept);
        if (floor(kept * 1e12) / 1e12 == kept || more >= 1.0)
            continue; /* 0.75 */
        counted++;
        ck_assert_uint_eq(most_lost("%.17g", more, k), lost - 1);
    }
    ck_assert_uint_gt(counted, 20000);
}
END_TEST

/* XLA holds its recall_target in single precision: n 191880, k 7, .999 is 12288 buckets in JAX
 * 0.10.2. */
START_TEST(xla_in_single_precision)
{
    const struct rcm_topk p = {.n = 191880, .k = 7, .b = 1, .k_b = 1, .m = 1};
    ck_assert_uint_eq(rcm_xla_b(p, 0.001), 12288);
    ck_assert_uint_eq(rcm_xla_b((struct rcm_topk){.n = 128256, .k = 50, .m = 1}, 0.1), 2048);
    ck_assert_uint_eq(rcm_xla_b((struct rcm_topk){.n = 128256, .k = 50, .m = 2}, 0.1), 512);
}
END_TEST

TEST_MAIN("contenders", examples, registry, three_contenders, one_answer, confidence_and_small_k,
          exact_is_not_known, written_recalls, printed_recalls, xla_in_single_precision)
