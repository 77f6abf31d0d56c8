/* test_select_time.c - the choice by time against a search over every b: for each profile that
 * comes with the library, and for stand-ins.
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
            .machine = {.profile = q},
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
    ck_assert_uint_gt(found, questions / 20);
}

START_TEST(every_profile)
{
    const struct rcm_profile *q;
    const unsigned questions = few_cases() ? 60 : 2000;
    for (size_t i = 0; (q = rcm_profile(i)); i++)
        if (!q->kernel->exact_only)
            compare(q, questions, few_cases() ? 1 << 16 : 1 << 18);
}
END_TEST

START_TEST(stand_ins)
{
    struct rcm_profile q;
    const unsigned questions = few_cases() ? 20 : 300;
    for (size_t i = 0; rcm_device(i); i += 5) {
        ck_assert(rcm_stand_in_for(rcm_device(i), NULL, NULL, NULL, &q));
        compare(&q, questions, 1 << 15);
    }
}
END_TEST

TEST_MAIN("select by time", every_profile, stand_ins)
