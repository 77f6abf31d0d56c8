/* test_budget.c - the most recall for a budget, against exhaustive search; the frontier.
 *
 * Against: exhaustive search, 200 budgets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/model/exhaustive.h>

/* Every b, every k_b within the budget. */
START_TEST(most_recall_for_a_budget)
{
    uint64_t state = 25, found = 0;
    for (unsigned i = 0; i < 200; i++) {
        const uint64_t n = random_scale(&state, 16, 4096);
        const bool by_time = i % 2;
        const struct rcm_profile *q = rcm_profile(0);
        struct rcm_selection s = {
            .p = {.n = n, .k = random_scale(&state, 1, n / 2), .m = random_scale(&state, 1, 300)},
            .k_b_max = 4,
            .kernel = by_time ? q->kernel : NULL,
            .target = {.align = i % 3 ? 1 : 4, .divisors = i % 5 == 0},
            .objective = rcm_objective_by_name(by_time ? "time" : "candidates"),
            .machine = {.profile = q},
        };
        struct rcm_factors factors = rcm_factorise(n);
        struct rcm_restriction r = {s.target.align, s.target.divisors ? &factors : NULL};
        const double budget =
            by_time ? 3.0 * pow(20.0, (double)(next_random(&state) >> 11) * 0x1p-53)
                    : (double)random_scale(&state, 1,
                                           n); /* The least loss, and the least objective of the
                                                  shapes with this loss (many lose nothing). */
        double least = INFINITY, cheapest = INFINITY;
        struct rcm_topk p = s.p;
        for (p.k_b = 1; p.k_b <= 4 && p.k_b <= p.k; p.k_b++)
            for (p.b = 2; p.b <= n; p.b++) {
                const double objective = objective_of(&s, p), lost = rcm_loss_exact(p);
                if (rcm_check_deployable(p) != RCM_OK || !drops_elements(p) ||
                    (by_time ? q->kernel : rcm_kernel(0))->next_b(p, p.b, &r) != p.b ||
                    !(objective <= budget) || lost > least)
                    continue;
                cheapest = lost < least ? objective : fmin(cheapest, objective);
                least = lost;
            }
        const struct rcm_choice got = rcm_best_recall(&s, budget, NULL);
        const double loss = got.objective < INFINITY ? rcm_loss_exact(got.p) : INFINITY;
        ck_assert_msg(
            loss == least && got.objective == cheapest,
            "n %" PRIu64 " k %" PRIu64 " m %" PRIu64 " budget %g: got loss %g and %g at b %" PRIu64
            " k_b %" PRIu64 ", want %g and %g",
            n, s.p.k, s.p.m, budget, loss, got.objective, got.p.b, got.p.k_b, least, cheapest);
        ck_assert(!(got.objective < INFINITY) || got.objective <= budget);
        found += got.objective < INFINITY;
    }
    printf("%" PRIu64 " of 200 budgets are enough for something\n", found);
    ck_assert_uint_gt(found, 60);
}
END_TEST

static double half_known(const struct rcm_objective *self, const struct rcm_machine *machine,
                         struct rcm_topk p)
{
    (void)self, (void)machine;
    return p.b % 2 ? NAN : (double)rcm_candidates(p);
}

static double not_known(const struct rcm_objective *self, const struct rcm_machine *machine,
                        struct rcm_topk p)
{
    (void)self, (void)machine, (void)p;
    return NAN;
}

static double threshold_not_known(const struct rcm_objective *self,
                                  const struct rcm_machine *machine, struct rcm_topk p,
                                  double reaching)
{
    (void)reaching;
    return not_known(self, machine, p);
}

/* A shape without an objective is not on the frontier, and it does not change the order of the
 * others. */
START_TEST(frontier_of_what_is_known)
{
    struct rcm_point points[400];
    const struct rcm_objective half = {
        "half", "candidates", RCM_BENDS_WITH_B, RCM_NEEDS_NOTHING,  0,
        0,      half_known,   not_known,        threshold_not_known};
    const struct rcm_selection s = {.p = {.n = 4096, .k = 100}, .k_b_max = 8, .objective = &half};
    const size_t count = rcm_frontier(&s, points, 400);
    ck_assert_uint_gt(count, 20);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(points[i].p.b % 2, 0);
        if (i > 0)
            ck_assert(points[i].objective > points[i - 1].objective &&
                      rcm_loss_exact(points[i].p) < rcm_loss_exact(points[i - 1].p));
    }
}
END_TEST

TEST_MAIN("budget", most_recall_for_a_budget, frontier_of_what_is_known)
