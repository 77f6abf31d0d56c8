/* test_routing.c - what routing by groups loses.
 *
 * Against: the exact loss by the best score, whatever the scores are; integers (uniform scores of
 * 4, 6 and 8 experts); what is known of normal scores and of widely spread ones; weights of the
 * two largest, by a sum; drawn rows (false alarm 6e-7 a number).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

#include <sim/routing.h>

#define ROUTING_FMT "n %" PRIu64 " k %" PRIu64 " size %" PRIu64 " kept %" PRIu64 " scores %d sd %g"
#define ROUTING_ARG(q) \
    (q).groups.n, (q).groups.k, (q).groups.size, (q).groups.kept, (int)(q).scores, (q).logit_sd

static void close_to(struct rcm_routing q, double got, double want)
{
    ck_assert_msg(fabs(got - want) <= (q.logit_sd > RCM_ROUTING_SD ? RCM_ROUTING_WIDE_MAX_ERROR
                                                                   : RCM_ROUTING_MAX_ERROR),
                  ROUTING_FMT ": %.12g, should be %.12g", ROUTING_ARG(q), got, want);
}

START_TEST(by_the_best)
{
    const struct rcm_blocks shapes[] = {
        {256, 8, 32, 4},    {160, 6, 20, 3}, {512, 16, 16, 8},   {64, 30, 4, 15},
        {64, 6, 2, 3},      {24, 16, 8, 2},  {4096, 32, 64, 20}, {2048, 32, 32, 16},
        {2048, 32, 512, 1}, {512, 16, 8, 8}, {40, 2, 20, 1},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (double sd = 0.0; sd <= RCM_SCORE_SD_MOST; sd += 8.0) {
            const struct rcm_routing q = {shapes[i], RCM_GROUP_BEST, RCM_SCORES_SIGMOID, sd};
            const struct rcm_routing_loss loss = rcm_routing_loss(q);
            close_to(q, loss.experts, rcm_blocks_loss(shapes[i]));
            if (sd == 0.0)
                close_to(q, loss.weight, loss.experts);
            else
                ck_assert_double_le(loss.weight, loss.experts + RCM_ROUTING_WIDE_MAX_ERROR);
        }
}
END_TEST

/* ---- integers: how many points of a lattice lose how many experts
 *
 * Rows that lose a given number are a union of polytopes in a cube. Their inner points on a lattice
 * of 1/N are a polynomial of degree n in N, if N is a multiple of what the corners divide by; its
 * n-th difference is the volume times n! step^n, and the next one is 0. */
enum { SMALL = 8, STEP = 2, DILATIONS = SMALL + 2 };

struct lattice {
    unsigned n, size, last;
    int64_t lost[SMALL + 1][SMALL + 1]; /* [kept][k] */
    unsigned at[SMALL];                 /* falling inside a group */
};

static void count_point(struct lattice *all)
{
    unsigned beats[SMALL];
    for (unsigned i = 0; i < all->n; i += all->size) {
        beats[i] = 0;
        for (unsigned j = 0; j < all->n; j += all->size) {
            const unsigned own = all->at[i] + all->at[i + 1], its = all->at[j] + all->at[j + 1];
            if (j != i && own == its)
                return;
            beats[i] += its > own;
        }
    }
    unsigned rank[SMALL];
    for (unsigned i = 0; i < all->n; i++) {
        rank[i] = 0;
        for (unsigned j = 0; j < all->n; j++) {
            if (j != i && all->at[j] == all->at[i])
                return;
            rank[i] += all->at[j] > all->at[i];
        }
    }
    for (unsigned i = 0; i < all->n; i++)
        for (unsigned kept = 1; kept <= beats[i / all->size * all->size]; kept++)
            for (unsigned k = rank[i] + 1; k <= all->n; k++)
                all->lost[kept][k]++;
}

static void count_points(struct lattice *all, unsigned i)
{
    if (i == all->n) {
        count_point(all);
        return;
    }
    const unsigned most = i % all->size ? all->at[i - 1] - 1 : all->last;
    for (all->at[i] = 1; all->at[i] <= most; all->at[i]++)
        count_points(all, i + 1);
}

START_TEST(integers)
{
    static const unsigned shapes[][2] = {{4, 2}, {6, 2}, {6, 3}, {8, 4}};
    unsigned compared = 0;
    for (size_t s = 0; s < (few_cases() ? 3 : 4); s++) {
        const unsigned n = shapes[s][0], size = shapes[s][1];
        struct lattice all[DILATIONS];
        for (unsigned t = 0; t <= n + 1; t++) {
            all[t] = (struct lattice){.n = n, .size = size, .last = STEP * (t + 1) - 1};
            count_points(&all[t], 0);
        }
        for (unsigned kept = 1; kept < n / size; kept++)
            for (unsigned k = 1; k <= kept * size; k++) {
                int64_t d[DILATIONS];
                for (unsigned t = 0; t <= n + 1; t++)
                    d[t] = all[t].lost[kept][k];
                for (unsigned order = 0; order < n; order++)
                    for (unsigned t = 0; t <= n - order; t++)
                        d[t] = d[t + 1] - d[t];
                ck_assert_int_eq(d[0], d[1]);
                const double inside = pow(tgamma(size + 1.0), n / size); /* orders in the groups */
                const double lost = (double)d[0] / tgamma(n + 1.0) / pow(STEP, n) * inside;
                const struct rcm_routing q = {
                    {n, k, size, kept}, RCM_GROUP_TWO_BEST, RCM_SCORES_UNIFORM, 0.0};
                close_to(q, rcm_routing_loss(q).experts, lost / k);
                compared++;
            }
    }
    ck_assert_uint_eq(compared, 2 + (2 + 4) + 3 + (few_cases() ? 0 : 4));
}
END_TEST

/* Two groups of two, k = 1: a > b in one, c and d in the other, and c + d > a + b. Of normal scores
 * that is a cone between three planes: 4 (1/8 + (asin(1/2) - 2 asin(1/root 2)) / 4 pi) = 1/6. With
 * k = 2 a row loses one of them unless both are in one group, whatever the scores are: 1/3. A wide
 * softmax is led by the largest alone. */
START_TEST(known)
{
    const struct rcm_routing pair = {{4, 1, 2, 1}, RCM_GROUP_TWO_BEST, RCM_SCORES_SIGMOID, 0.0};
    close_to(pair, rcm_routing_loss(pair).experts, 1.0 / 6.0);
    for (int scores = RCM_SCORES_SIGMOID; scores <= RCM_SCORES_UNIFORM; scores++)
        for (double sd = 1.0; sd <= (scores < RCM_SCORES_UNIFORM ? 16.0 : 1.0); sd *= 4.0) {
            const struct rcm_routing both = {
                {4, 2, 2, 1}, RCM_GROUP_TWO_BEST, (enum rcm_expert_scores)scores, sd};
            close_to(both, rcm_routing_loss(both).experts, 1.0 / 3.0);
        }
    struct rcm_routing q = {{256, 8, 32, 4}, RCM_GROUP_TWO_BEST, RCM_SCORES_SOFTMAX, 16.0};
    ck_assert_double_eq_tol(rcm_routing_loss(q).experts, rcm_blocks_loss(q.groups), 0.01);
    q.logit_sd = 0.0;
    const double normal = rcm_routing_loss(q).experts;
    q.logit_sd = 1e-4;
    ck_assert_double_eq_tol(rcm_routing_loss(q).experts, normal, 1e-5);
    q.scores = RCM_SCORES_SIGMOID;
    ck_assert_double_eq_tol(rcm_routing_loss(q).experts, normal, 1e-5);
    ck_assert_double_lt(normal, rcm_blocks_loss(q.groups));
    q.groups.kept = 8;
    ck_assert(rcm_routing_loss(q).experts == 0.0 && rcm_routing_loss(q).weight == 0.0);
}
END_TEST

/* Of the best group by its best, k = 2: the second largest lies elsewhere with probability (n -
 * size)/(n - 1), whatever it weighs. exp(sd x) times the normal density is that density about sd,
 * so that the few rows with the largest weights are not left out. */
START_TEST(weight_of_two)
{
    static const struct rcm_blocks shapes[] = {
        {4, 2, 2, 1}, {64, 2, 4, 1}, {256, 2, 32, 1}, {4096, 2, 64, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (double sd = 0.5; sd <= RCM_SCORE_SD_MOST; sd *= sqrt(2.0)) {
            const struct rcm_routing q = {shapes[i], RCM_GROUP_BEST, RCM_SCORES_SOFTMAX, sd};
            const double n = (double)q.groups.n;
            double first = 0.0, second = 0.0;
            for (double z = -8.0; z < 8.0; z += 1.0 / 64.0) {
                const double below = 0.5 * erfc(-(sd + z) / sqrt(2.0)), density = exp(-0.5 * z * z);
                first += density * pow(below, n - 1.0);
                second +=
                    density * (n - 1.0) * 0.5 * erfc((sd + z) / sqrt(2.0)) * pow(below, n - 2.0);
            }
            const double elsewhere = (n - (double)q.groups.size) / (n - 1.0);
            close_to(q, rcm_routing_loss(q).weight, elsewhere * second / (first + second));
        }
}
END_TEST

START_TEST(domain)
{
    const struct rcm_routing good = {{256, 8, 32, 4}, RCM_GROUP_TWO_BEST, RCM_SCORES_SIGMOID, 1.0};
    const struct {
        struct rcm_routing q;
        const char *says;
    } cases[] = {
        {good, ""},
        {{{256, 8, 33, 4}, 1, 0, 1.0}, "block 33 does not divide n = 256"},
        {{{64, 8, 1, 8}, 1, 0, 1.0}, "block 1 has no two best; give at least 2"},
        {{{1024, 8, 2, 4}, 1, 0, 1.0}, "block 2 makes 512 groups; give at least 16"},
        {{{256, 33, 32, 4}, 1, 0, 1.0}, "k 33 is more than 32"},
        {{{8192, 8, 4096, 1}, 1, 0, 1.0}, "n 8192 is more than 4096"},
        {{{256, 8, 32, 9}, 1, 0, 1.0}, "blocks 9 is more than the 8 blocks"},
        {{{256, 0, 32, 4}, 1, 0, 1.0}, "k"},
        {{{256, 8, 32, 4}, 1, 0, -1.0}, "score-sd is -1"},
        {{{256, 8, 32, 4}, 1, 0, NAN}, "score-sd"},
        {{{256, 8, 32, 4}, 1, 0, 17.0}, "score-sd is 17; give 0 to 16"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[RCM_STATUS_TEXT_MOST] = "";
        const size_t length = rcm_routing_wrong(cases[i].q, text, sizeof text);
        ck_assert_uint_eq(length, strlen(text));
        ck_assert_msg(strncmp(text, cases[i].says, strlen(cases[i].says)) == 0, "%s", text);
        ck_assert_int_eq(length == 0, i == 0);
        ck_assert_int_eq(isnan(rcm_routing_loss(cases[i].q).experts), i > 0);
        ck_assert_int_eq(isnan(rcm_routing_loss(cases[i].q).weight), i > 0);
    }
}
END_TEST

/* 12 shapes, two numbers by each of two rules: |z| > 5 by chance 6e-7 a number. */
START_TEST(drawn_rows)
{
    static const struct rcm_routing cases[] = {
        {{64, 16, 32, 1}, 0, RCM_SCORES_SIGMOID, 1.0}, /* most by two above the taken one */
        {{256, 8, 32, 4}, 0, RCM_SCORES_SIGMOID, 1.0},
        {{256, 8, 32, 4}, 0, RCM_SCORES_SIGMOID, 6.0},
        {{256, 8, 32, 4}, 0, RCM_SCORES_SOFTMAX, 1.0},
        {{256, 8, 32, 4}, 0, RCM_SCORES_UNIFORM, 0.0},
        {{256, 8, 32, 4}, 0, RCM_SCORES_SIGMOID, 0.0},
        {{160, 6, 20, 3}, 0, RCM_SCORES_SOFTMAX, 2.0},
        {{64, 30, 4, 15}, 0, RCM_SCORES_SIGMOID, 2.0},
        {{24, 12, 8, 2}, 0, RCM_SCORES_SIGMOID, 2.0},
        {{512, 16, 8, 32}, 0, RCM_SCORES_SIGMOID, 1.0},
        {{64, 16, 2, 10}, 0, RCM_SCORES_UNIFORM, 0.0},
        {{128, 4, 64, 1}, 0, RCM_SCORES_SOFTMAX, 4.0},
    };
    double worst = 0.0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i += few_cases() ? 3 : 1) {
        const struct rcm_blocks g = cases[i].groups;
        const struct sim_routing spec = {.n = g.n,
                                         .k = g.k,
                                         .size = g.size,
                                         .kept = g.kept,
                                         .scores = (enum sim_scores)cases[i].scores,
                                         .logit_sd = cases[i].logit_sd,
                                         .rows = 10000,
                                         .seed = 17 + i};
        struct sim_routing_means means;
        ck_assert_int_eq(sim_routing(&spec, &means), 0);
        for (unsigned by = 0; by < 2; by++) {
            struct rcm_routing q = cases[i];
            q.by = (enum rcm_group_score)by;
            const struct rcm_routing_loss loss = rcm_routing_loss(q);
            if (loss.experts == 0.0) {
                ck_assert(means.lost[by].mean == 0.0 && means.weight[by].mean == 0.0);
                continue;
            }
            const double z = (means.lost[by].mean - loss.experts) / means.lost[by].error;
            ck_assert_msg(fabs(z) <= 5.0, ROUTING_FMT " by %u: drawn %g, %g, z %g", ROUTING_ARG(q),
                          by, means.lost[by].mean, loss.experts, z);
            const double of_weight = (means.weight[by].mean - loss.weight) / means.weight[by].error;
            ck_assert_msg(fabs(of_weight) <= 5.0, ROUTING_FMT " by %u: weight drawn %g, %g, z %g",
                          ROUTING_ARG(q), by, means.weight[by].mean, loss.weight, of_weight);
            worst = fmax(worst, fmax(fabs(z), fabs(of_weight)));
        }
    }
    printf("drawn rows: largest |z| %.2f\n", worst);
}
END_TEST

TEST_MAIN("routing", by_the_best, integers, known, weight_of_two, domain, drawn_rows)
