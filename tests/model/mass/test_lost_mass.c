/* test_lost_mass.c - what the lost elements weigh.
 *
 * Against: the sum over ranks of their survival, the recall and its distribution where all weights
 * are equal, integrals of GSL for k = 2, and rows that are drawn and cut into buckets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include <tests/test.h>

static double relative(double got, double want)
{
    return want != 0.0 ? fabs(got / want - 1.0) : fabs(got);
}

/* The normal weights of a shape; the caller frees the shares. */
static struct rcm_weights normal_weights(uint64_t n, uint64_t k, double sd)
{
    double *const share = malloc(2 * k * sizeof *share);
    ck_assert_msg(rcm_weights_normal(n, k, sd, share, share + k) == 0,
                  "n %" PRIu64 " k %" PRIu64 " sd %g", n, k, sd);
    return (struct rcm_weights){.k = k, .share = share, .square = share + k, .score_sd = sd};
}

static const struct rcm_topk shapes[] = {
    {.n = 1024, .k = 32, .b = 32, .k_b = 1},
    {.n = 1000, .k = 37, .b = 23, .k_b = 3}, /* buckets of two sizes */
    {.n = 4096, .k = 64, .b = 32, .k_b = 4},
    {.n = 300, .k = 40, .b = 16, .k_b = 4, .valid = 210, .assignment = RCM_CONTIGUOUS},
    {.n = 262144, .k = 1024, .b = 512, .k_b = 4},
    {.n = 100000, .k = 3000, .b = 29, .k_b = 130}, /* loses seldom */
    {.n = 64, .k = 64, .b = 16, .k_b = 3},         /* k = n */
    {.n = 1000, .k = 5, .b = 1, .k_b = 2},         /* the three smallest are lost */
    {.n = UINT64_C(1) << 40, .k = 2048, .b = 4096, .k_b = 2},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

START_TEST(mean_is_the_sum_over_ranks)
{
    double worst = 0.0;
    for (unsigned i = 0; i < SHAPES; i++) {
        struct rcm_weights w = normal_weights(shapes[i].n, shapes[i].k, 1.5);
        double want = 0.0;
        for (uint64_t r = 1; r <= w.k; r++)
            want += w.share[r - 1] * (1.0 - rcm_survival(shapes[i], r));
        const double error = relative(rcm_lost_mass(shapes[i], &w), want);
        if (want > 1e-9) { /* the survival has no more digits */
            ck_assert_msg(error <= 1e-12 / want * 1e-3 + RCM_LOST_MASS_MAX_RELERR,
                          TOPK_FMT " off by %.3g", TOPK_ARG(shapes[i]), error);
            worst = fmax(worst, error);
        }
        free((void *)w.share);
    }
    printf("measured: mean beside the survival of each rank %.1e\n", worst);
}
END_TEST

START_TEST(equal_weights_give_the_recall)
{
    double worst[3] = {0.0};
    for (unsigned i = 0; i < SHAPES; i++) {
        const struct rcm_topk p = shapes[i];
        struct rcm_weights w = normal_weights(p.n, p.k, 0.0);
        const struct rcm_mass mass = rcm_lost_mass_normal(p, 0.0);
        const double loss = rcm_loss_exact(p), sd = rcm_recall_sd(p);
        const double error[] = {relative(rcm_lost_mass(p, &w), loss), relative(mass.mean, loss),
                                fabs(mass.sd - sd) / (sd + 1e-12)};
        ck_assert_msg(error[0] <= RCM_LOST_MASS_MAX_RELERR, TOPK_FMT " mean off by %.3g",
                      TOPK_ARG(p), error[0]);
        ck_assert_msg(error[1] <= RCM_LOST_MASS_SD_MAX_RELERR &&
                          (p.k == p.n || p.b == 1 || error[2] <= RCM_LOST_MASS_SD_MAX_RELERR),
                      TOPK_FMT " off by %.3g, sd %.17g for %.17g", TOPK_ARG(p), error[1], mass.sd,
                      sd);
        for (unsigned j = 0; j < 3; j++)
            worst[j] = fmax(worst[j], j == 2 && (p.k == p.n || p.b == 1) ? 0.0 : error[j]);
        free((void *)w.share);
    }
    printf("measured: equal weights: mean %.1e, by buckets %.1e, sd %.1e\n", worst[0], worst[1],
           worst[2]);
}
END_TEST

/* With equal weights its distribution is that of the recall. With nearly equal ones it has steps
 * that the integral does not resolve. */
START_TEST(equal_weights_give_the_distribution)
{
    const struct rcm_topk of[] = {shapes[0], shapes[4]};
    for (unsigned i = 0; i < 2; i++) {
        const struct rcm_topk p = of[i];
        struct rcm_lost dist;
        ck_assert_int_eq(rcm_lost(p, &dist), 0);
        const double mean = rcm_loss_exact(p) * (double)p.k;
        for (double lost = floor(mean) - 2.5; lost < mean + 9.0; lost += 5.0) {
            if (lost < 0.0)
                continue;
            const double want = 1.0 - rcm_lost_at_most(&dist, lost);
            ck_assert_double_eq(rcm_lost_mass_above(p, 0.0, lost / (double)p.k), want);
            ck_assert(isnan(rcm_lost_mass_above(p, 0.01, lost / (double)p.k)));
        }
        rcm_lost_free(&dist);
    }
}
END_TEST

/* ---- k = 2: the share of the larger is 1/(1 + exp(-sd (z1 - z2))) */

struct two {
    double n, sd, z1;
    gsl_integration_workspace *room;
};

static double below_first(double z2, void *context)
{
    const struct two *t = context;
    const double gap = t->sd * (t->z1 - z2);
    return exp((t->n - 2.0) * log(gsl_cdf_ugaussian_P(z2)) - 0.5 * z2 * z2) / (1.0 + exp(-gap));
}

static double of_first(double z1, void *context)
{
    struct two *t = context;
    double result, error;
    t->z1 = z1;
    gsl_function f = {below_first, t};
    gsl_integration_qag(&f, fmax(-9.0, z1 - 9.0), z1, 1e-300, 1e-11, 500, GSL_INTEG_GAUSS61,
                        t->room, &result, &error);
    return result * exp(-0.5 * z1 * z1);
}

START_TEST(two_by_integrals)
{
    const double n[] = {2, 10, 1e6}, sd[] = {0.1, 4.0, 12.0};
    double worst = 0.0;
    gsl_integration_workspace *outer = gsl_integration_workspace_alloc(500),
                              *inner = gsl_integration_workspace_alloc(500);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 3; j++) {
            struct two t = {n[i], sd[j], 0.0, inner};
            gsl_function f = {of_first, &t};
            double want, error, share[2];
            gsl_integration_qag(&f, -8.0, 12.0, 1e-300, 1e-10, 500, GSL_INTEG_GAUSS61, outer, &want,
                                &error);
            want *= n[i] * (n[i] - 1.0) / (2.0 * acos(-1.0));
            ck_assert_int_eq(rcm_weights_normal((uint64_t)n[i], 2, sd[j], share, NULL), 0);
            const double wrong = fmax(relative(share[0], want), relative(share[1], 1.0 - want));
            worst = fmax(worst, wrong);
            ck_assert_msg(wrong <= (sd[j] > 8.0 && n[i] < 1000 ? 1e-4 : RCM_WEIGHTS_MAX_RELERR),
                          "n %g sd %g: %.12g %.12g for %.12g", n[i], sd[j], share[0], share[1],
                          want);
        }
    gsl_integration_workspace_free(outer);
    gsl_integration_workspace_free(inner);
    printf("measured: shares of two %.1e\n", worst);
}
END_TEST

/* ---- rows that are drawn */

enum { LEVELS = 2 };

struct drawn {
    double rows, sum, square, topk_mass, topk_square, rank_1, rank_1_square, error;
    double level[LEVELS], above[LEVELS];
};

static int larger_first(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

static double sum_of_largest(double *x, uint64_t length, uint64_t most)
{
    double sum = 0.0;
    qsort(x, length, sizeof *x, larger_first);
    for (uint64_t i = 0; i < most && i < length; i++)
        sum += x[i];
    return sum;
}

/* One row: of the weights that are at least that of rank k, each bucket keeps its k_b largest. */
static void draw(struct rcm_topk p, double sd, gsl_rng *rng, double *x, double *sorted,
                 struct drawn *d)
{
    double all = 0.0, kept = 0.0;
    for (uint64_t i = 0; i < p.n; i++)
        all += sorted[i] = x[i] = exp(sd * gsl_ran_gaussian_ziggurat(rng, 1.0));
    const double top = sum_of_largest(sorted, p.n, p.k), least = sorted[p.k - 1];
    d->rank_1 += sorted[0] / top;
    d->rank_1_square += sorted[0] / top * (sorted[0] / top);
    for (uint64_t j = 0; j < p.b; j++) {
        uint64_t length = 0;
        for (uint64_t i = j; i < p.n; i += p.b)
            if (x[i] >= least)
                sorted[length++] = x[i];
        kept += sum_of_largest(sorted, length, p.k_b);
    }
    const double lost = fmax(1.0 - kept / top, 0.0);
    d->rows += 1.0;
    d->sum += lost;
    d->square += lost * lost;
    d->topk_mass += top / all;
    d->topk_square += top / all * (top / all);
    for (unsigned l = 0; l < LEVELS; l++)
        d->above[l] += lost > d->level[l] + 1e-12;
}

static double z_of(double want, double sum, double square, double rows)
{
    const double mean = sum / rows, variance = (square / rows - mean * mean) / rows;
    return (mean - want) / sqrt(variance);
}

/* |z| > 5 by chance: 6e-7 a number, of some 40. The seed is fixed. */
START_TEST(rows_that_are_drawn)
{
    const struct {
        struct rcm_topk p;
        double sd;
        unsigned rows;
    } cases[] = {
        {{.n = 1024, .k = 32, .b = 32, .k_b = 1}, 3.0, 3000},
        {{.n = 500, .k = 64, .b = 23, .k_b = 4}, 4.0, 4000},
        {{.n = 256, .k = 16, .b = 12, .k_b = 2}, 2.0, 6000},
        {{.n = 700, .k = 300, .b = 90, .k_b = 5}, 0.5, 3000},
    };
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    double *x = malloc(2048 * sizeof *x), worst = 0.0;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i += few_cases() ? 2 : 1) {
        const struct rcm_topk p = cases[i].p;
        const double sd = cases[i].sd;
        const struct rcm_mass mass = rcm_lost_mass_normal(p, sd);
        struct rcm_weights w = normal_weights(p.n, p.k, sd);
        struct drawn d = {.level = {mass.mean, mass.mean + 2.0 * mass.sd}};
        const unsigned rows = few_cases() ? cases[i].rows / 4 : cases[i].rows;
        for (unsigned r = 0; r < rows; r++)
            draw(p, sd, rng, x, x + 1024, &d);
        const double variance = d.square / d.rows - pow(d.sum / d.rows, 2.0);
        double z[4 + LEVELS] = {
            /* the last ones where the distribution is known */
            z_of(rcm_lost_mass(p, &w), d.sum, d.square, d.rows),
            z_of(rcm_topk_mass_normal(p.n, p.k, sd), d.topk_mass, d.topk_square, d.rows),
            z_of(w.share[0], d.rank_1, d.rank_1_square, d.rows),
            (sqrt(variance) / mass.sd - 1.0) / (1.5 / sqrt(d.rows))};
        for (unsigned l = 0; l < LEVELS && rcm_lost_mass_distribution_known(p.k, sd); l++) {
            const double above = rcm_lost_mass_above(p, sd, d.level[l]);
            z[4 + l] =
                (d.above[l] / d.rows - above) / (sqrt(above * (1.0 - above) / d.rows) + 1e-4);
        }
        for (unsigned j = 0; j < 4 + LEVELS; j++) {
            worst = fmax(worst, fabs(z[j]));
            ck_assert_msg(fabs(z[j]) < 5.0, TOPK_FMT " sd %g: z %u is %.2f", TOPK_ARG(p), sd, j,
                          z[j]);
        }
        free((void *)w.share);
    }
    gsl_rng_free(rng);
    free(x);
    printf("measured: rows that are drawn: |z| up to %.1f\n", worst);
}
END_TEST

/* ---- two ways, quantiles, targets, limits */

START_TEST(two_ways_agree)
{
    const double sd[] = {0.3, 4.0};
    double worst = 0.0;
    for (unsigned i = 0; i < SHAPES; i++)
        for (unsigned j = few_cases() ? i % 2 : 0; j < 2; j += few_cases() ? 2 : 1) {
            const struct rcm_topk p = shapes[i];
            struct rcm_weights w = normal_weights(p.valid ? p.valid : p.n, p.k, sd[j]);
            const double mean = rcm_lost_mass(p, &w), other = rcm_lost_mass_normal(p, sd[j]).mean;
            const double error = relative(other, mean);
            if (mean > 1e-9)
                worst = fmax(worst, error);
            ck_assert_msg(error <= (mean > 1e-9 ? 2e-6 : RCM_LOST_MASS_SD_MAX_RELERR),
                          TOPK_FMT " sd %g: %.12g and %.12g", TOPK_ARG(p), sd[j], mean, other);
            ck_assert_msg(mean <= rcm_loss_exact(p) * (1.0 + 1e-9), TOPK_FMT " sd %g", TOPK_ARG(p),
                          sd[j]);
            free((void *)w.share);
        }
    printf("measured: by ranks and by buckets %.1e\n", worst);
}
END_TEST

START_TEST(quantiles_are_of_the_distribution)
{
    const struct rcm_topk p = shapes[2], few = {.n = 4096, .k = 64, .b = 64, .k_b = 8};
    const double rest[] = {0.2, 0.01};
    for (unsigned i = 0; i < 2; i++) {
        const double q = rcm_lost_mass_quantile(p, 1.5, rest[i]);
        ck_assert_double_le(rcm_lost_mass_above(p, 1.5, q), rest[i] + 1e-4);
        ck_assert_double_ge(rcm_lost_mass_above(p, 1.5, q * 0.995), rest[i] - 1e-4);
    }
    ck_assert_double_eq(rcm_lost_mass_quantile(few, 1.5, 0.01), 0.0); /* nothing is lost */
    ck_assert(isnan(rcm_lost_mass_quantile(p, 1.5, 1e-4)));
}
END_TEST

/* Of equal weights: the least number of elements that all but `rest` of the rows lose at most. */
START_TEST(quantiles_of_equal_weights)
{
    const double rests[] = {0.5, 0.2, 0.05, 0.001};
    ck_assert_double_eq(
        rcm_lost_mass_quantile((struct rcm_topk){.n = 10, .k = 3, .b = 3, .k_b = 1}, 0.0, 0.05),
        1.0 / 3.0);
    for (uint64_t n = 2; n <= 12; n++)
        for (uint64_t k = 1; k <= n; k++)
            for (uint64_t b = 1; b <= n; b++)
                for (uint64_t k_b = 1; k_b <= 2; k_b++) {
                    const struct rcm_topk p = {.n = n, .k = k, .b = b, .k_b = k_b};
                    struct rcm_lost dist;
                    ck_assert_int_eq(rcm_lost(p, &dist), 0);
                    for (unsigned i = 0; i < 4; i++) {
                        const double q = rcm_lost_mass_quantile(p, 0.0, rests[i]),
                                     lost = nearbyint(q * (double)k);
                        ck_assert_double_eq(q, lost / (double)k);
                        ck_assert_double_ge(rcm_lost_at_most(&dist, lost), 1.0 - rests[i] - 1e-11);
                        ck_assert(lost == 0.0 ||
                                  rcm_lost_at_most(&dist, lost - 1.0) < 1.0 - rests[i]);
                    }
                    rcm_lost_free(&dist);
                }
}
END_TEST

START_TEST(smallest_b_for_a_mass)
{
    struct rcm_topk p = {.n = 20000, .k = 200, .k_b = 2};
    struct rcm_weights w = normal_weights(p.n, p.k, 1.0);
    const struct rcm_target target = {.loss = 0.01, .weights = &w}, elements = {.loss = 0.01};
    p.b = rcm_smallest_b(p, target);
    ck_assert_uint_gt(p.b, 100);
    ck_assert_uint_lt(p.b, rcm_smallest_b(p, elements));
    ck_assert(rcm_reaches(p, target) && rcm_lost_mass(p, &w) <= 0.01);
    p.b--;
    ck_assert(!rcm_reaches(p, target) && rcm_lost_mass(p, &w) > 0.01);
    p.k--; /* the weights are those of another k */
    ck_assert(!rcm_reaches(p, target) && isnan(rcm_lost_mass(p, &w)));
    free((void *)w.share);
}
END_TEST

/* With a confidence: the least b of each k_b, by a selection. */
static double by_the_distribution(const struct rcm_weights *weights, struct rcm_topk p,
                                  double share, double rest)
{
    (void)rest;
    return rcm_lost_mass_above(p, *(const double *)weights->rows, share);
}

START_TEST(select_with_a_confidence)
{
    const double sd = 1.5;
    struct rcm_topk p = {.n = 4096, .k = 64};
    struct rcm_weights w = normal_weights(p.n, p.k, sd);
    struct rcm_selection s = {.p = p,
                              .target = {.loss = 0.02, .weights = &w},
                              .confidence = 0.99,
                              .kernel = rcm_kernel(0),
                              .k_b_max = 2};
    const struct rcm_point best = rcm_best_buckets(&s);
    ck_assert(best.objective < INFINITY);
    ck_assert_double_le(rcm_lost_mass_above(best.p, sd, 0.02), 0.01);
    p = best.p;
    p.b -= p.b / 256 + 1;
    ck_assert_double_gt(rcm_lost_mass_above(p, sd, 0.02), 0.01);
    w.measured = true; /* then there is no distribution */
    ck_assert(!(rcm_best_buckets(&s).objective < INFINITY));
    w.loses_more = by_the_distribution; /* but the caller's */
    w.rows = &sd;
    ck_assert_double_eq(rcm_best_buckets(&s).objective, best.objective);
    free((void *)w.share);
}
END_TEST

START_TEST(limits)
{
    double share[4];
    const struct rcm_topk p = shapes[0], all = {.n = 64, .k = 8, .b = 64, .k_b = 1};
    ck_assert_int_eq(rcm_weights_normal(10, 4, -1.0, share, NULL), -1);
    ck_assert(isnan(share[0]) && isnan(share[3]));
    ck_assert_int_eq(rcm_weights_normal(3, 4, 1.0, share, NULL), -1);
    ck_assert_int_eq(rcm_weights_normal(10, 4, RCM_SCORE_SD_MOST + 0.1, share, NULL), -1);
    ck_assert_int_eq(rcm_weights_normal(10, 1, 3.0, share, NULL), 0);
    ck_assert_double_eq(share[0], 1.0);
    ck_assert_double_eq(rcm_topk_mass_normal(10, 10, 2.0), 1.0);
    ck_assert(isnan(rcm_topk_mass_normal(10, 11, 2.0)));
    ck_assert_double_eq(rcm_lost_mass_above(all, 1.0, 0.0), 0.0);
    ck_assert_double_eq(rcm_lost_mass_above(p, 2.0, 1.0), 0.0);
    ck_assert(
        rcm_lost_mass_distribution_known(1, 0.0) && rcm_lost_mass_distribution_known(16, 1.5) &&
        rcm_lost_mass_distribution_known(99, 4.0) && !rcm_lost_mass_distribution_known(15, 2.0) &&
        !rcm_lost_mass_distribution_known(99, 1.4) && !rcm_lost_mass_distribution_known(99, 4.1));
    ck_assert(isnan(rcm_lost_mass_above(p, 8.0, 0.1)) &&
              isnan(rcm_lost_mass_quantile(p, 8.0, 0.1)));
    ck_assert(isnan(rcm_lost_mass_above(p, NAN, 0.1)) && isnan(rcm_lost_mass_above(p, 2.0, NAN)));
    ck_assert(isnan(rcm_lost_mass_normal(p, -1.0).sd));
    ck_assert_double_eq(rcm_lost_mass_normal(all, 1.0).mean, 0.0);
    ck_assert(isnan(rcm_lost_mass(p, NULL)));
    /* as the scores spread, all that counts is whether the largest is lost, and it never is */
    ck_assert_double_lt(rcm_lost_mass_normal(p, 16.0).mean, 0.02);
}
END_TEST

TEST_MAIN("lost mass", mean_is_the_sum_over_ranks, equal_weights_give_the_recall,
          equal_weights_give_the_distribution, two_by_integrals, rows_that_are_drawn,
          two_ways_agree, quantiles_are_of_the_distribution, quantiles_of_equal_weights,
          smallest_b_for_a_mass, select_with_a_confidence, limits)
