/* test_threshold.c - exact top-k by threshold: the distribution of R against counting, the closed
 * sum, distributions term by term.
 *
 * Slow: 8 s.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <model/recall/reaching.h>
#include <tests/test.h>

#define SMALL 16

/* ways[r][s]: the number of ways in which r places of the row hold the r largest so that s of these
 * survive. */
static void count_ways(const struct rcm_buckets *buckets, uint64_t k_b,
                       double ways[SMALL + 1][SMALL + 1])
{
    memset(ways, 0, (SMALL + 1) * sizeof *ways);
    ways[0][0] = 1.0;
    for (unsigned c = 0; c < buckets->classes; c++)
        for (uint64_t bucket = 0; bucket < buckets->of[c].count; bucket++) {
            double next[SMALL + 1][SMALL + 1] = {{0.0}}, choose = 1.0;
            for (uint64_t x = 0; x <= buckets->of[c].size; x++) {
                const uint64_t kept = x < k_b ? x : k_b;
                for (uint64_t r = 0; r + x <= SMALL; r++)
                    for (uint64_t s = 0; s + kept <= SMALL; s++)
                        next[r + x][s + kept] += choose * ways[r][s];
                choose *= (double)(buckets->of[c].size - x) / (double)(x + 1);
            }
            memcpy(ways, next, sizeof next);
        }
}

/* P(R > r) = P(fewer than k of the r largest survive), by counting. */
static double counted_above(double ways[SMALL + 1][SMALL + 1], uint64_t k, uint64_t r)
{
    double below = 0.0, all = 0.0;
    for (uint64_t s = 0; s <= SMALL; s++) {
        all += ways[r][s];
        below += s < k ? ways[r][s] : 0.0;
    }
    return below / all;
}

/* Every shape with n <= 16 and every valid, of all assignments. */
START_TEST(counting)
{
    double worst_mean = 0.0, worst_sd = 0.0, worst_above = 0.0;
    uint64_t shapes = 0, nowhere = 0;
    struct rcm_topk p = {.n = 1};
    for (p.n = 1; p.n <= SMALL; p.n++)
        for (p.valid = p.n > 3 ? p.n - 3 : p.n; p.valid <= p.n; p.valid++)
            for (p.assignment = RCM_INTERLEAVED; p.assignment <= RCM_CONTIGUOUS; p.assignment++)
                for (p.b = 1; p.b <= p.n; p.b++)
                    for (p.k_b = 1; p.k_b <= 5; p.k_b++) {
                        double ways[SMALL + 1][SMALL + 1];
                        struct rcm_topk q = p;
                        q.k = 1;
                        const struct rcm_buckets buckets = rcm_buckets_of(q);
                        count_ways(&buckets, p.k_b, ways);
                        for (p.k = 1; p.k <= p.valid; p.k++) {
                            const struct rcm_reaching got = rcm_reaching(p);
                            double mean = 0.0, square = 0.0;
                            if (counted_above(ways, p.k, p.valid) >
                                0.5) { /* fewer than k of all elements survive */
                                ck_assert_msg(isnan(got.mean) && isnan(rcm_reaching_above(p, p.k)),
                                              TOPK_FMT, TOPK_ARG(p));
                                nowhere++;
                                continue;
                            }
                            for (uint64_t r = 0; r < p.valid; r++) {
                                const double above = counted_above(ways, p.k, r);
                                mean += above;
                                square += above * (2.0 * (double)r + 1.0);
                                worst_above =
                                    fmax(worst_above, fabs(rcm_reaching_above(p, r) - above));
                            }
                            const double sd = sqrt(fmax(square - mean * mean, 0.0));
                            const double off = relative_error(got.mean, mean),
                                         off_sd = fabs(got.sd - sd) / (1.0 + sd);
                            ck_assert_msg(off <= RCM_REACHING_MAX_RELERR &&
                                              off_sd <= RCM_REACHING_SD_MAX_ERROR,
                                          TOPK_FMT " got %.17g sd %.17g, want %.17g sd %.17g",
                                          TOPK_ARG(p), got.mean, got.sd, mean, sd);
                            worst_mean = fmax(worst_mean, off);
                            worst_sd = fmax(worst_sd, off_sd);
                            shapes++;
                        }
                    }
    printf("counting: %" PRIu64
           " shapes, E[R] off by %.1e at most, sd by %.1e, P(R > r) by %.1e; %" PRIu64
           " have no R\n",
           shapes, worst_mean, worst_sd, worst_above, nowhere);
    ck_assert_double_le(worst_above, RCM_LOST_MAX_ERROR);
    ck_assert_uint_gt(shapes, 10000);
    ck_assert_uint_gt(nowhere, 1000);
}
END_TEST

/* For k_b = 1 and infinitely long rows E[R] is the sum of b / (b - i), i < k. Shorter rows need
 * less. */
START_TEST(closed_sum)
{
    static const struct {
        uint64_t k, b;
    } rows[] = {{4, 8}, {50, 50}, {50, 200}, {1024, 4096}, {1000, 1001}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double sum = 0.0, before = 0.0;
        for (uint64_t j = 0; j < rows[i].k; j++)
            sum += (double)rows[i].b / (double)(rows[i].b - j);
        for (uint64_t n = 2 * rows[i].b; n < UINT64_C(1) << 52; n *= 16) {
            const double mean =
                rcm_reaching((struct rcm_topk){.n = n, .k = rows[i].k, .b = rows[i].b, .k_b = 1})
                    .mean;
            ck_assert_msg(mean > before * (1.0 - 1e-12) && mean < sum * (1.0 + 1e-11),
                          "n %" PRIu64 ": %.17g, before %.17g, limit %.17g", n, mean, before, sum);
            before = mean;
        }
        ck_assert_msg(relative_error(before, sum) < 1e-9, "%.17g, the sum is %.17g", before, sum);
    }
    ck_assert_double_eq_tol(rcm_reaching((struct rcm_topk){.n = 16, .k = 4, .b = 8, .k_b = 1}).mean,
                            4.47, 0.005);
    ck_assert_double_eq_tol(
        rcm_reaching((struct rcm_topk){.n = UINT64_C(1) << 50, .k = 1024, .b = 4096, .k_b = 1})
            .mean,
        1178.0, 0.5);
}
END_TEST

/* E[R] and its sd are sums of P(R > r), which come from another distribution by another method. */
START_TEST(term_by_term)
{
    uint64_t state = 31, shapes = 0;
    double worst = 0.0, worst_sd = 0.0;
    for (unsigned i = 0; i < 150; i++) {
        struct rcm_topk p = {.n = random_scale(&state, 30, 1 << 20)};
        p.k = random_scale(&state, 1, p.n < 200 ? p.n / 2 : 100);
        p.k_b = random_between(&state, 1, 5);
        p.b =
            random_scale(&state, (p.k + p.k_b - 1) / p.k_b, p.n / p.k_b > p.k ? p.n / p.k_b : p.k);
        if (p.b > p.n || isnan(rcm_reaching(p).mean))
            continue;
        const struct rcm_reaching got = rcm_reaching(p);
        double mean = 0.0, square = 0.0, above = 1.0;
        for (uint64_t r = 0; above > 1e-14 && r < p.n && r < p.k + 1200; r++) {
            above = rcm_reaching_above(p, r);
            mean += above;
            square += above * (2.0 * ((double)r - got.mean) + 1.0);
        }
        if (above > 1e-14)
            continue;
        const double centred = square + got.mean * got.mean,
                     sd = sqrt(fmax(centred - (mean - got.mean) * (mean - got.mean), 0.0));
        ck_assert_msg(relative_error(got.mean, mean) <= 1e-10 &&
                          fabs(got.sd - sd) <= 1e-4 * (1.0 + sd),
                      TOPK_FMT " got %.17g sd %.9g, summed %.17g sd %.9g", TOPK_ARG(p), got.mean,
                      got.sd, mean, sd);
        worst = fmax(worst, relative_error(got.mean, mean));
        worst_sd = fmax(worst_sd, fabs(got.sd - sd) / (1.0 + sd));
        shapes++;
    }
    printf("term by term: %" PRIu64 " shapes, E[R] off by %.1e at most, sd by %.1e\n", shapes,
           worst, worst_sd);
    ck_assert_uint_gt(shapes, 80);
}
END_TEST

/* The quantile is the first r that is enough, and falls with the share. E[R] falls with b and with
 * k_b. */
START_TEST(quantiles_and_monotony)
{
    uint64_t state = 32;
    for (unsigned i = 0; i < 60; i++) {
        struct rcm_topk p = {.n = random_scale(&state, 100, 1 << 22),
                             .k_b = random_between(&state, 1, 4)};
        p.k = random_scale(&state, 2, p.n / 8 < 500 ? p.n / 8 : 500);
        p.b = random_scale(&state, 2 * p.k / p.k_b + 1, p.n / p.k_b);
        uint64_t before = 0;
        for (double share = 0.5; share > 1e-10; share *= 1e-3) {
            const uint64_t r = rcm_reaching_quantile(p, share);
            ck_assert_msg(r >= p.k && r >= before && rcm_reaching_above(p, r) <= share &&
                              rcm_reaching_above(p, r - 1) > share,
                          TOPK_FMT " share %g: %" PRIu64 ", P(R > r) = %g", TOPK_ARG(p), share, r,
                          rcm_reaching_above(p, r));
            before = r;
        }
        const double mean = rcm_reaching(p).mean;
        struct rcm_topk more = p;
        more.b = p.b + 1 + p.b / 50 < p.n ? p.b + 1 + p.b / 50 : p.n;
        ck_assert_msg(rcm_reaching(more).mean <= mean * (1.0 + 1e-11), TOPK_FMT, TOPK_ARG(p));
        more = p;
        more.k_b++;
        ck_assert_msg(rcm_reaching(more).mean <= mean * (1.0 + 1e-11), TOPK_FMT, TOPK_ARG(p));
    }
    const struct rcm_topk p = {.n = 1000, .k = 10, .b = 20, .k_b = 2};
    ck_assert_uint_eq(rcm_reaching_quantile(p, 1e-12), 0);
    ck_assert_uint_eq(rcm_reaching_quantile(p, 1.0), 0);
    ck_assert_uint_eq(
        rcm_reaching_quantile((struct rcm_topk){.n = 100, .k = 50, .b = 10, .k_b = 2}, 0.1), 0);
}
END_TEST

/* The estimate that searches use. */
START_TEST(estimate)
{
    uint64_t state = 33;
    double worst = 0.0, worst_roomy = 0.0;
    for (unsigned i = 0; i < 3000; i++) {
        struct rcm_topk p = {.n = random_scale(&state, 10, UINT64_C(1) << 34),
                             .k_b = random_between(&state, 1, 6)};
        p.k = random_scale(&state, 1, p.n / 2);
        p.b = random_scale(&state, (p.k + p.k_b - 1) / p.k_b, p.n);
        const double mean = rcm_reaching(p).mean, guess = reaching_estimate(p);
        ck_assert_int_eq(isnan(mean), isnan(guess));
        if (isnan(mean))
            continue;
        ck_assert_msg(fabs(guess - mean) <= 0.5 + 0.25 * mean, TOPK_FMT " E[R] %.9g, estimate %.9g",
                      TOPK_ARG(p), mean, guess);
        worst = fmax(worst, fabs(guess - mean) / mean);
        if (p.k >= 64 && (double)p.b * (double)p.k_b >= 1.1 * (double)p.k)
            worst_roomy = fmax(worst_roomy, fabs(guess - mean) / mean);
    }
    printf("estimate: off by %.1e of E[R] at most, by %.1e from k = 64 and b k_b = 1.1 k on\n",
           worst, worst_roomy);
    ck_assert_double_le(worst_roomy, 1e-3);
}
END_TEST

/* The b that the command names minimises b k_b + E[R]. */
START_TEST(fewest_handled)
{
    uint64_t state = 34;
    for (unsigned i = 0; i < (few_cases() ? 5 : 25); i++) {
        const uint64_t n = random_scale(&state, 20, 1500);
        struct rcm_selection s = {.p = {.n = n, .k = random_scale(&state, 1, n / 4)},
                                  .k_b_max = random_between(&state, 1, 5)};
        double reaching;
        const struct rcm_point got = rcm_best_threshold(&s, &reaching);
        ck_assert(isinf(got.objective) ||
                  got.objective == (double)rcm_candidates(got.p) + reaching);
        double least = INFINITY;
        struct rcm_topk p = s.p, best = s.p;
        for (p.k_b = 1; p.k_b <= s.k_b_max && p.k_b <= p.k; p.k_b++)
            for (p.b = 2; p.b * p.k_b < n; p.b++) {
                const double handled = rcm_check_deployable(p) == RCM_OK
                                           ? (double)rcm_candidates(p) + rcm_reaching(p).mean
                                           : INFINITY;
                if (handled < least) {
                    least = handled;
                    best = p;
                }
            }
        ck_assert_msg(relative_error(got.objective, least) <= 1e-9 ||
                          (isinf(least) && isinf(got.objective)),
                      "n %" PRIu64 " k %" PRIu64 ": got %.12g at b %" PRIu64 " k_b %" PRIu64
                      ", want %.12g at b %" PRIu64 " k_b %" PRIu64,
                      n, s.p.k, got.objective, got.p.b, got.p.k_b, least, best.b, best.k_b);
    }
}
END_TEST

TEST_MAIN("threshold", counting, closed_sum, term_by_term, quantiles_and_monotony, estimate,
          fewest_handled)
