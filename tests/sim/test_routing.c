/* test_routing.c - what rounding and a bias do to a choice of experts, in drawn rows.
 *
 * Against: two experts, of which one is chosen, with what is known of two normal numbers; scores
 * that are all equal once rounded. |z| > 5 by chance: 6e-7 a number; the seeds are fixed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

#include <sim/routing.h>

static const struct rounding bf16 = {7, 127, 3.3895e38, true};

static struct sim_routing_means means_of(struct sim_routing spec)
{
    struct sim_routing_means means;
    ck_assert_int_eq(sim_routing(&spec, &means), 0);
    return means;
}

/* The difference of two normal scores and that of two scores with a bias correlate by 1/sqrt(1 +
 * bias^2); their signs differ with probability acos of that over pi. */
START_TEST(a_bias_is_independent_of_the_scores)
{
    double most = 0.0;
    for (double bias = 0.05; bias < 100.0; bias *= 3.0) {
        const struct sim_routing_means means =
            means_of((struct sim_routing){.n = 2,
                                          .k = 1,
                                          .size = 1,
                                          .kept = 1,
                                          .rows = 40000,
                                          .scores = SIM_SCORES_SIGMOID,
                                          .bias_sd = bias,
                                          .seed = 3});
        const struct sim_mean lost = means.lost[SIM_UNGROUPED];
        const double want = acos(1.0 / sqrt(1.0 + bias * bias)) / acos(-1.0),
                     error = sqrt(want * (1.0 - want) / 40000.0);
        most = fmax(most, fabs(lost.mean - want) / error);
        ck_assert_msg(fabs(lost.mean - want) < 5.0 * error, "bias %g: %g for %g", bias, lost.mean,
                      want);
        ck_assert_double_eq_tol(lost.error, error, 0.1 * error);
        ck_assert_double_eq(lost.mean, means.weight[SIM_UNGROUPED].mean); /* all weigh 1 */
    }
    printf("measured: |z| up to %.1f\n", most);
}
END_TEST

/* Logits so small that each sigmoid rounds to 1/2: always the first experts, and the first group
 * (which ones, no mean shows); of exact scores any. */
START_TEST(equal_scores_go_to_the_same)
{
    enum { N = 8, TOP = 2, COUNT = 20000 };
    const struct sim_routing_means means =
        means_of((struct sim_routing){.n = N,
                                      .k = TOP,
                                      .size = 4,
                                      .kept = 1,
                                      .rows = COUNT,
                                      .scores = SIM_SCORES_SIGMOID,
                                      .logit_sd = 1e-6,
                                      .rounding = &bf16,
                                      .seed = 5});
    const double share = (double)TOP / N;
    ck_assert_double_eq(means.load.largest, 1.0 / share);
    ck_assert_double_eq_tol(means.load.variation, sqrt(1.0 / share - 1.0), 1e-12);
    ck_assert_double_lt(means.exact_load.largest, 1.1);
    ck_assert_double_lt(means.exact_load.variation, 0.03);
    for (int s = 0; s < SIM_SELECTIONS; s++)
        ck_assert_double_eq_tol(means.lost[s].mean, 1.0 - share, 5.0 * means.lost[s].error);
}
END_TEST

/* Scores that round to a few numbers: the other one of two is chosen if the second is larger and
 * both round alike. Uniform scores round to a multiple of h with probability h. */
START_TEST(scores_are_rounded)
{
    const struct rounding coarse = {3, -2, 1e9, true}; /* from 0 to 16 by the step of 2^0 = 1 */
    const struct rounding eighths = {3, 1, 1e9, true};
    const struct sim_routing spec = {.n = 2,
                                     .k = 1,
                                     .size = 1,
                                     .kept = 1,
                                     .rows = 40000,
                                     .scores = SIM_SCORES_UNIFORM,
                                     .seed = 7};
    for (int i = 0; i < 2; i++) {
        struct sim_routing rounded = spec;
        double alike = 0.0;
        rounded.rounding = i ? &eighths : &coarse;
        /* what rounds to one number, on a lattice of 2^12 with the middles of its cells */
        double share[4097] = {0.0};
        for (int x = 0; x < 4096; x++)
            share[(int)(rounded_to(rounded.rounding, (x + 0.5) / 4096.0) * 4096.0)] += 1.0 / 4096.0;
        for (int x = 0; x <= 4096; x++)
            alike += share[x] * share[x];
        const struct sim_mean lost = means_of(rounded).lost[SIM_UNGROUPED];
        ck_assert_double_eq_tol(lost.mean, 0.5 * alike, 5.0 * lost.error);
    }
}
END_TEST

TEST_MAIN("sim routing", a_bias_is_independent_of_the_scores, equal_scores_go_to_the_same,
          scores_are_rounded)
