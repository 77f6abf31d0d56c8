/* test_select_time.c - the choice by time against a search over every b: for each profile that
 * comes with the library, and for stand-ins.
 *
 * Against: every b that the kernel runs, 150 questions to each profile and 40 to stand-ins.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

/* What the choice may be slower than the fastest, as rcm_select promises. */
#define WITHIN (1.0 + RCM_TIME_SEARCH_ERROR)

/* The fastest of every b that the kernel runs and that reaches the target. Recall grows with b, so
 * the smallest b that reaches it is where to begin. */
static struct rcm_point fastest_of_all(const struct rcm_selection *s)
{
    struct rcm_point best = {.objective = INFINITY};
    const struct rcm_factors factors = rcm_factorise(s->p.n);
    const struct rcm_restriction r = {s->target.align, s->kernel->divides ? &factors : NULL};
    struct rcm_topk p = s->p;
    for (p.k_b = 1; p.k_b <= s->k_b_max && p.k_b <= s->kernel->k_b_max && p.k_b <= p.k; p.k_b++) {
        uint64_t low = rcm_smallest_b(p, (struct rcm_target){.loss = s->target.loss});
        for (low = low < 2 ? 2 * (low > 0) : low; low;) {
            p.b = s->kernel->next_b(p, low, &r);
            if (p.b == 0 || rcm_check_deployable(p) != RCM_OK ||
                rcm_buckets_of(p).of[0].size <= p.k_b)
                break;
            const double us = s->objective->bucketed(s->objective, &s->machine, p);
            if (us < best.objective)
                best = (struct rcm_point){p, us};
            low = p.b + 1;
        }
    }
    return best;
}

static const double targets[] = {0.5, 0.2, 0.1, 0.05, 0.01, 0.001};

/* Random questions to one profile. Prints how many choices are not the fastest, and the worst. */
static void compare(const struct rcm_profile *q, unsigned questions, uint64_t n_most)
{
    uint64_t state = 26;
    unsigned found = 0, slower = 0;
    double worst = 1.0;
    for (unsigned i = 0; i < questions; i++) {
        const uint64_t n = i % 8 == 7 ? (uint64_t)128 << random_between(&state, 0, 9)
                                      : random_scale(&state, 16, n_most);
        struct rcm_selection s = {
            .p = {.n = n,
                  .k = random_scale(&state, 1, i % 4 ? n / 16 + 1 : n / 2),
                  .m = random_scale(&state, 1, 300)},
            .target = {.loss = targets[next_random(&state) % 6], .align = 1},
            .k_b_max = 8,
            .kernel = q->kernel,
            .objective = rcm_objective_by_name("time"),
            .machine = {.profile = q, .beyond_runs = i % 2 == 0},
        };
        const struct rcm_point got = rcm_best_buckets(&s), want = fastest_of_all(&s);
        ck_assert_msg(got.objective >= want.objective && got.objective <= WITHIN * want.objective,
                      "%s: n %" PRIu64 " k %" PRIu64 " m %" PRIu64
                      " loss %g: %.17g us with b %" PRIu64 " k_b %" PRIu64 ", where b %" PRIu64
                      " k_b %" PRIu64 " takes %.17g",
                      q->name, s.p.n, s.p.k, s.p.m, s.target.loss, got.objective, got.p.b,
                      got.p.k_b, want.p.b, want.p.k_b, want.objective);
        if (!(want.objective < INFINITY))
            continue;
        found++;
        slower += got.objective > want.objective;
        worst = fmax(worst, got.objective / want.objective);
    }
    printf("%s, %s: %u choices, %u not the fastest, at worst by %.4f %%\n", q->name,
           q->kernel->name, found, slower, 100.0 * (worst - 1.0));
    ck_assert_uint_gt(found, 0);
}

START_TEST(every_profile)
{
    const struct rcm_profile *q;
    const unsigned questions = few_cases() ? 60 : 100;
    for (size_t i = 0; (q = rcm_profile(i)); i++)
        if (q->kernel->model != RCM_TIME_EXACT)
            compare(q, questions, few_cases() ? 1 << 16 : 1 << 17);
}
END_TEST

START_TEST(stand_ins)
{
    struct rcm_profile q;
    const unsigned questions = few_cases() ? 20 : 30;
    for (size_t i = 0; rcm_device(i); i += 5) {
        ck_assert(rcm_stand_in_for(rcm_device(i), NULL, NULL, NULL, &q));
        compare(&q, questions, 1 << 15);
    }
}
END_TEST

/* What a kernel can run is one rule: select keeps to it for every objective, and a time is
 * predicted for nothing else. */
START_TEST(what_kernels_run)
{
    uint64_t state = 27;
    const struct rcm_kernel *kernel;
    for (size_t i = 1; (kernel = rcm_kernel(i)); i++) {
        unsigned found = 0;
        for (unsigned j = 0; j < 400 && kernel->model != RCM_TIME_EXACT; j++) {
            const uint64_t n = random_between(&state, 1, 64) << random_between(&state, 4, 12);
            const struct rcm_selection s = {
                .p = {.n = n, .k = random_scale(&state, 1, n / 4), .m = 1},
                .target = {.loss = targets[next_random(&state) % 6], .align = 1},
                .kernel = kernel,
                .objective = rcm_objective(j % 4)};
            const struct rcm_point got = rcm_best_buckets(&s);
            if (!(got.objective < INFINITY))
                continue;
            found++;
            ck_assert_msg(rcm_kernel_runs(kernel, got.p),
                          "%s, n %" PRIu64 " k %" PRIu64 ": b %" PRIu64 " k_b %" PRIu64,
                          kernel->name, n, s.p.k, got.p.b, got.p.k_b);
        }
        ck_assert_msg(kernel->model == RCM_TIME_EXACT || found > 20, "%s: %u", kernel->name, found);
    }
    static const struct {
        const char *kernel;
        struct rcm_topk no, yes;
    } shapes[] = {
        {"drtopk", {.n = 2755, .k = 1, .b = 19, .k_b = 1}, {.n = 2756, .k = 1, .b = 689, .k_b = 1}},
        {"graphcore",
         {.n = 65536, .k = 1024, .b = 1000, .k_b = 2},
         {.n = 65536, .k = 1024, .b = 1024, .k_b = 2}},
        {"samaga",
         {.n = 1000000, .k = 9, .b = 128, .k_b = 2},
         {.n = 1000064, .k = 9, .b = 128, .k_b = 2}},
        {"cpu",
         {.n = 4096, .k = 64, .b = 64, .k_b = 17},
         {.n = 4096, .k = 64, .b = 64, .k_b = 16}}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        kernel = rcm_kernel_by_name(shapes[i].kernel);
        const struct rcm_profile *q;
        size_t j = 0;
        while ((q = rcm_profile(j)) && q->kernel != kernel)
            j++;
        const struct rcm_objective *time = rcm_objective_by_name("time");
        const struct rcm_machine machine = {.profile = q, .beyond_runs = true};
        ck_assert(!rcm_kernel_runs(kernel, shapes[i].no) && rcm_kernel_runs(kernel, shapes[i].yes));
        ck_assert_double_nan(time->bucketed(time, &machine, shapes[i].no));
        ck_assert(time->bucketed(time, &machine, shapes[i].yes) > 0.0);
    }
}
END_TEST

TEST_MAIN("select by time", every_profile, stand_ins, what_kernels_run)
