/* test_lost.c - the distribution of the number of lost elements against counting, sums of another
 * kind, moments, and simulation.
 *
 * Against: counting (every shape with n <= 16, and twelve up to k = 149); mean and standard
 * deviation of shapes up to k = 2^17, n = 2^40; 20,000 simulated rows of four shapes (false alarm
 * 1e-9); products for k_b = 1.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

/* The distribution by dynamic programming over buckets: ways[t][e] is the number (or the weight) of
 * ways to place t top elements and to lose e of them. All terms are positive. Exact where the ways
 * are integers below 2^53. */
static void lost_by_counting(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                             double *dist)
{
    const size_t width = k + 1;
    double *ways = calloc(width * width, sizeof *ways),
           *next = malloc(width * width * sizeof *next), *choose = malloc(width * sizeof *choose),
           total = 0.0;
    uint64_t n = 0;
    for (unsigned c = 0; c < buckets->classes; c++)
        n += buckets->of[c].size * buckets->of[c].count;
    ways[0] = 1.0;
    for (unsigned c = 0; c < buckets->classes; c++) {
        const uint64_t size = buckets->of[c].size;
        /* C(size, x), for long rows times (k/n)^x (1 - k/n)^(size - x), which changes all sums of k
         * by one factor. */
        const bool weigh = n > 50;
        const double share = (double)k / (double)n;
        choose[0] = weigh ? pow(1.0 - share, (double)size) : 1.0;
        for (uint64_t x = 1; x <= k; x++)
            choose[x] =
                x > size ? 0.0
                : weigh ? choose[x - 1] * (double)(size - x + 1) / (double)x * share / (1.0 - share)
                        : nearbyint(choose[x - 1] * (double)(size - x + 1) / (double)x);
        for (uint64_t bucket = 0; bucket < buckets->of[c].count; bucket++) {
            memset(next, 0, width * width * sizeof *next);
            for (uint64_t t = 0; t <= k; t++)
                for (uint64_t e = 0; e <= t; e++)
                    if (ways[t * width + e] > 0.0)
                        for (uint64_t x = 0; x <= size && t + x <= k; x++)
                            next[(t + x) * width + e + (x > k_b ? x - k_b : 0)] +=
                                ways[t * width + e] * choose[x];
            double *swap = ways;
            ways = next;
            next = swap;
        }
    }
    for (uint64_t e = 0; e <= k; e++)
        total += ways[k * width + e];
    for (uint64_t e = 0; e <= k; e++)
        dist[e] = ways[k * width + e] / total;
    free(ways);
    free(next);
    free(choose);
}

static double compare(struct rcm_topk p)
{
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    double *want = malloc((p.k + 1) * sizeof *want), below = 0.0, worst = 0.0;
    struct rcm_lost dist;
    lost_by_counting(&buckets, p.k, p.k_b, want);
    ck_assert_msg(rcm_lost(p, &dist) == 0, TOPK_FMT " is refused", TOPK_ARG(p));
    const double nothing = rcm_probability_exact(p), off_nothing = fabs(nothing - want[0]);
    if (off_nothing > 1e-22 && off_nothing > RCM_PROBABILITY_MAX_RELERR * want[0])
        ck_abort_msg(TOPK_FMT " P(nothing lost): got %.17g want %.17g", TOPK_ARG(p), nothing,
                     want[0]);
    for (uint64_t e = 0; e <= p.k; e++) {
        below += want[e];
        double got = rcm_lost_at_most(&dist, (double)e), off = fabs(got - below);
        worst = off > worst ? off : worst;
        if (off > RCM_LOST_MAX_ERROR)
            ck_abort_msg(TOPK_FMT " P(lost <= %" PRIu64 "): got %.17g want %.17g", TOPK_ARG(p), e,
                         got, below);
    }
    free(want);
    rcm_lost_free(&dist);
    return worst;
}

START_TEST(every_small_shape)
{
    uint64_t shapes = 0;
    double worst = 0.0;
    for (uint64_t n = 1; n <= 16; n++)
        for (uint64_t k = 1; k <= n; k++)
            for (uint64_t b = 1; b <= n; b++)
                for (uint64_t k_b = 1; k_b <= k; k_b++)
                    for (unsigned assignment = 0; assignment < 3; assignment++)
                        for (uint64_t valid = n > 2 && assignment ? n - 2 : n; valid <= n;
                             valid += 2) {
                            struct rcm_topk p = {.n = n,
                                                 .k = k,
                                                 .b = b,
                                                 .k_b = k_b,
                                                 .m = 1,
                                                 .valid = valid < n ? valid : 0,
                                                 .assignment = (enum rcm_assignment)assignment};
                            if (rcm_check(p) != RCM_OK)
                                continue;
                            double off = compare(p);
                            worst = off > worst ? off : worst;
                            shapes++;
                        }
    printf("%" PRIu64 " shapes against counting: largest error %.2g\n", shapes, worst);
    ck_assert_uint_gt(shapes, 20000);
}
END_TEST

START_TEST(larger_shapes_by_counting)
{
    static const struct rcm_topk shapes[] = {
        {.n = 1000, .k = 60, .b = 20, .k_b = 4, .m = 1},
        {.n = 1000, .k = 60, .b = 3, .k_b = 22, .m = 1},
        {.n = 999, .k = 80, .b = 70, .k_b = 1, .m = 1},
        {.n = 5000, .k = 100, .b = 100, .k_b = 2, .m = 1},
        {.n = 300, .k = 120, .b = 7, .k_b = 18, .m = 1},
        {.n = 120, .k = 100, .b = 11, .k_b = 9, .m = 1},
        {.n = 4096, .k = 64, .b = 600, .k_b = 1, .m = 1},
        {.n = 2000, .k = 90, .b = 65, .k_b = 3, .m = 1},
        {.n = 150, .k = 149, .b = 10, .k_b = 12, .m = 1},
        {.n = 100000, .k = 50, .b = 64, .k_b = 1, .m = 1},
        {.n = 1000, .k = 100, .b = 2, .k_b = 51, .m = 1},
        {.n = 777, .k = 50, .b = 77, .k_b = 1, .m = 1, .valid = 700, .assignment = RCM_CONTIGUOUS}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        compare(shapes[i]);
}
END_TEST

/* Shapes of any size: the distribution has the mean and the standard deviation that other functions
 * compute without it, and its sum is 1. */
START_TEST(moments)
{
    uint64_t state = 11, tried = 0;
    double worst_mean = 0.0, worst_sd = 0.0;
    for (unsigned i = 0; i < 600; i++) {
        uint64_t b = random_scale(&state, 2, (uint64_t)1 << 18),
                 k = random_scale(&state, 1, b < 65 ? 4096 : 1 << 17),
                 n = random_scale(&state, k, (uint64_t)1 << 40);
        if (b > n)
            continue;
        uint64_t usual = k / b + 1, k_b = random_scale(&state, 1, 2 * usual);
        struct rcm_topk p = {.n = n, .k = k, .b = b, .k_b = k_b, .m = 1};
        const double mean = (double)k * rcm_loss_exact(p), sd = (double)k * rcm_recall_sd(p);
        struct rcm_lost dist;
        ck_assert_msg(rcm_lost(p, &dist) == 0, TOPK_FMT " is refused", TOPK_ARG(p));
        double sum = 0.0, off = 0.0, square = 0.0;
        for (size_t e = 0; e < dist.length; e++) {
            double d = (double)dist.first + (double)e - mean;
            sum += dist.probability[e];
            off += dist.probability[e] * d;
            square += dist.probability[e] * d * d;
        }
        ck_assert_double_eq_tol(sum, 1.0, 1e-13);
        /* Errors of 1e-15 at the ends of a distribution count with the square of its length. */
        double nothing = rcm_probability_exact(p);
        ck_assert_msg(fabs(nothing - rcm_lost_at_most(&dist, 0.0)) <= RCM_LOST_MAX_ERROR,
                      TOPK_FMT " P(nothing lost) %.17g, by the distribution %.17g", TOPK_ARG(p),
                      nothing, rcm_lost_at_most(&dist, 0.0));
        double off_mean = fabs(off) / (1.0 + sd),
               off_sd = fabs(square - sd * sd) /
                        (sd * sd + 1e-5 * (double)dist.length * (double)dist.length);
        ck_assert_msg(off_mean < 1e-10 && off_sd < 1e-8,
                      TOPK_FMT " mean %.17g off %g, sd %.17g got %.17g", TOPK_ARG(p), mean, off, sd,
                      sqrt(square));
        worst_mean = off_mean > worst_mean ? off_mean : worst_mean;
        worst_sd = off_sd > worst_sd ? off_sd : worst_sd;
        rcm_lost_free(&dist);
        tried++;
    }
    printf("%" PRIu64
           " distributions: mean within %.2g standard deviations, variance within %.2g\n",
           tried, worst_mean, worst_sd);
}
END_TEST

/* Random rows: k places of n. By Dvoretzky, Kiefer, Wolfowitz and Massart the empirical
 * distribution of R rows differs somewhere by more than d from the true one with probability at
 * most 2 exp(-2 R d^2): 1e-9 here, with a fixed seed. */
START_TEST(simulated_rows)
{
    static const struct rcm_topk shapes[] = {{.n = 262144, .k = 64, .b = 640, .k_b = 1, .m = 1},
                                             {.n = 16384, .k = 512, .b = 128, .k_b = 4, .m = 1},
                                             {.n = 10007, .k = 300, .b = 9, .k_b = 36, .m = 1},
                                             {.n = 262144, .k = 1024, .b = 512, .k_b = 4, .m = 1}};
    enum { ROWS = 20000 };
    uint64_t state = 12;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct rcm_topk p = shapes[i];
        uint32_t *lost = calloc(p.k + 1, sizeof *lost), *in = malloc(p.b * sizeof *in),
                 *taken = calloc(p.n, sizeof *taken);
        for (uint32_t row = 1; row <= ROWS; row++) {
            uint64_t count = 0;
            memset(in, 0, p.b * sizeof *in);
            for (uint64_t j = 0; j < p.k;) {
                uint64_t place = next_random(&state) % p.n; /* n is tiny against 2^64 */
                if (taken[place] == row)
                    continue;
                taken[place] = row;
                count += ++in[place % p.b] > p.k_b;
                j++;
            }
            lost[count]++;
        }
        struct rcm_lost dist;
        ck_assert_int_eq(rcm_lost(p, &dist), 0);
        double below = 0.0, most = sqrt(log(2.0 / 1e-9) / (2.0 * ROWS));
        for (uint64_t e = 0; e <= p.k; e++) {
            below += (double)lost[e] / ROWS;
            double want = rcm_lost_at_most(&dist, (double)e);
            ck_assert_msg(fabs(below - want) <= most,
                          TOPK_FMT " P(lost <= %" PRIu64 ") = %.6f, simulated %.6f", TOPK_ARG(p), e,
                          want, below);
        }
        rcm_lost_free(&dist);
        free(lost);
        free(in);
        free(taken);
    }
}
END_TEST

/* k_b = 1 and buckets of one size s: C(b, k) s^k / C(n, k), a product. */
START_TEST(one_of_each)
{
    static const uint64_t shapes[][3] = {
        {1000, 10, 100}, {1 << 18, 64, 512}, {1 << 18, 1024, 8192}, {1 << 20, 30, 1 << 20},
        {1 << 20, 2, 2}, {160, 16, 16},      {1 << 20, 38, 64},     {1000000, 200, 100000}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const uint64_t n = shapes[i][0], k = shapes[i][1], b = shapes[i][2], s = n / b;
        double want = 1.0;
        for (uint64_t j = 0; j < k; j++)
            want *= (double)((b - j) * s) / (double)(n - j);
        const double got =
            rcm_probability_exact((struct rcm_topk){.n = s * b, .k = k, .b = b, .k_b = 1, .m = 1});
        if (n % b == 0)
            ck_assert_msg(relative_error(got, want) <= RCM_PROBABILITY_MAX_RELERR,
                          "n %" PRIu64 " k %" PRIu64 " b %" PRIu64 ": got %.17g want %.17g", n, k,
                          b, got, want);
    }
    ck_assert_double_eq(
        rcm_probability_exact((struct rcm_topk){.n = 100, .k = 11, .b = 10, .k_b = 1, .m = 1}),
        0.0);
}
END_TEST

/* Two equal buckets: a sum over k - k_b <= x <= k_b of hypergeometric probabilities, by their
 * ratios. */
START_TEST(two_equal_buckets)
{
    static const uint64_t halves[][3] = {{1178536, 11938, 5985},
                                         {1 << 20, 1 << 14, 8200},
                                         {50000, 3000, 1501},
                                         {1 << 30, 1 << 20, 524800}};
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        const double s = (double)(halves[i][0] / 2), k = (double)halves[i][1],
                     k_b = (double)halves[i][2];
        double inside = 0.0, outside = 0.0,
               term = 1.0; /* over the one at k/2; the distribution is symmetric */
        for (double x = k / 2.0; x <= k && term > 1e-30; x++) {
            *(x <= k_b ? &inside : &outside) += x > k / 2.0 ? 2.0 * term : term;
            term *= (s - x) * (k - x) / ((x + 1.0) * (s - k + x + 1.0));
        }
        const double got = rcm_probability_exact((struct rcm_topk){
            .n = halves[i][0], .k = halves[i][1], .b = 2, .k_b = halves[i][2], .m = 1});
        ck_assert_msg(relative_error(got, inside / (inside + outside)) <=
                          RCM_PROBABILITY_MAX_RELERR,
                      "n %" PRIu64 " k %" PRIu64 " in two: got %.17g want %.17g", halves[i][0],
                      halves[i][1], got, inside / (inside + outside));
    }
}
END_TEST

START_TEST(ends_of_nothing_lost)
{
    /* Empty buckets do not count, and they take no time. */
    ck_assert(isnan(rcm_probability_exact((struct rcm_topk){.n = UINT64_C(1) << 50,
                                                            .k = UINT64_C(1) << 34,
                                                            .b = 4096,
                                                            .k_b = 8590234592,
                                                            .m = 1,
                                                            .valid = UINT64_C(1) << 39,
                                                            .assignment = RCM_CONTIGUOUS})));
    ck_assert_double_eq(
        rcm_probability_exact((struct rcm_topk){.n = 100, .k = 11, .b = 10, .k_b = 11, .m = 1}),
        1.0);
    /* Probabilities below 1e-200, for which there is no p. */
    ck_assert_double_lt(rcm_probability_exact((struct rcm_topk){
                            .n = 117805668151, .k = 131072, .b = 4266, .k_b = 36, .m = 1}),
                        1e-22);
    ck_assert_double_lt(rcm_probability_exact((struct rcm_topk){
                            .n = 147271522198, .k = 129164, .b = 262144, .k_b = 1, .m = 1}),
                        1e-22);
    ck_assert(isnan(
        rcm_probability_exact((struct rcm_topk){.n = 100, .k = 101, .b = 10, .k_b = 1, .m = 1})));
}
END_TEST

START_TEST(quantiles_and_ends)
{
    struct rcm_lost dist;
    /* One large class and many of one element, where |phi| nearly vanishes: (X - 1)+ of the large
     * one alone. */
    const struct rcm_buckets mixed = {2, {{1495, 1}, {1, 178}}};
    double *want = malloc(51 * sizeof *want), below = 0.0;
    lost_by_counting(&mixed, 50, 1, want);
    ck_assert_int_eq(rcm_buckets_lost(&mixed, 50, 1, &dist), 0);
    for (uint64_t e = 0; e <= 50; e++) {
        below += want[e];
        ck_assert_double_le(fabs(rcm_lost_at_most(&dist, (double)e) - below), RCM_LOST_MAX_ERROR);
    }
    free(want);
    rcm_lost_free(&dist);
    /* Rejected at once. */
    ck_assert_int_eq(rcm_lost((struct rcm_topk){.n = (UINT64_C(1) << 53) - 1,
                                                .k = UINT64_C(1) << 42,
                                                .b = 2,
                                                .k_b = (UINT64_C(1) << 41) + 1000,
                                                .m = 1},
                              &dist),
                     -1);
    /* Two buckets of two, both top elements in one of them with probability 1/3. */
    ck_assert_int_eq(rcm_lost((struct rcm_topk){.n = 4, .k = 2, .b = 2, .k_b = 1, .m = 1}, &dist),
                     0);
    ck_assert_double_eq_tol(rcm_lost_at_most(&dist, 0.0), 2.0 / 3.0, 1e-15);
    ck_assert_double_eq_tol(rcm_lost_at_most(&dist, 0.9), 2.0 / 3.0, 1e-15);
    ck_assert_double_eq(rcm_lost_at_most(&dist, -1.0), 0.0);
    ck_assert_double_eq(rcm_lost_at_most(&dist, 1.0), 1.0);
    ck_assert_uint_eq(rcm_lost_quantile(&dist, 0.66666), 0);
    ck_assert_uint_eq(rcm_lost_quantile(&dist, 0.66667), 1);
    ck_assert_uint_eq(rcm_lost_quantile(&dist, 0.0), 0);
    rcm_lost_free(&dist);
    /* Nothing can be lost; all but one element of each bucket is lost. */
    ck_assert_int_eq(
        rcm_lost((struct rcm_topk){.n = 100, .k = 10, .b = 5, .k_b = 10, .m = 1}, &dist), 0);
    ck_assert_uint_eq(dist.length, 1);
    ck_assert_double_eq(rcm_lost_at_most(&dist, 0.0), 1.0);
    rcm_lost_free(&dist);
    ck_assert_int_eq(
        rcm_lost((struct rcm_topk){.n = 100, .k = 100, .b = 5, .k_b = 1, .m = 1}, &dist), 0);
    ck_assert_double_eq(rcm_lost_at_most(&dist, 94.0), 0.0);
    ck_assert_double_eq(rcm_lost_at_most(&dist, 95.0), 1.0);
    ck_assert_uint_eq(rcm_lost_quantile(&dist, 0.5), 95);
    rcm_lost_free(&dist);
    ck_assert_int_eq(rcm_lost((struct rcm_topk){.n = 10, .k = 11, .b = 5, .k_b = 1, .m = 1}, &dist),
                     -1);
    ck_assert_ptr_null(dist.probability);
    /* What the header of the docs quotes: k = 64 of 262144 in 640 buckets. Of 400 rows the worst
     * has lost 9 (.859) in simulation. */
    ck_assert_int_eq(
        rcm_lost((struct rcm_topk){.n = 262144, .k = 64, .b = 640, .k_b = 1, .m = 1}, &dist), 0);
    double nine = pow(rcm_lost_at_most(&dist, 9.0), 400.0),
           eight = pow(rcm_lost_at_most(&dist, 8.0), 400.0);
    ck_assert_msg(nine > 0.5 && eight < 0.5,
                  "of 400 rows: at most 9 with %.3f, at most 8 with %.3f", nine, eight);
    rcm_lost_free(&dist);
}
END_TEST

/* The bound on what several rows lose together, against the distribution of their sum,
 * convolved. */
START_TEST(more_of_rows)
{
    enum { MOST = 4096 };
    uint64_t state = 20261124;
    double least = INFINITY, far = 0.0;
    for (unsigned i = 0; i < 60; i++) {
        const struct rcm_topk p = {.n = 500 + next_random(&state) % 3000,
                                   .k = 8 + next_random(&state) % 40,
                                   .b = 16 + next_random(&state) % 60,
                                   .k_b = 1 + next_random(&state) % 2};
        struct rcm_lost dist;
        static double sum[MOST], next[MOST];
        if (p.b * p.k_b < p.k || rcm_lost(p, &dist) != 0)
            continue;
        memset(sum, 0, sizeof sum);
        sum[0] = 1.0;
        for (uint64_t m = 1; m <= 24; m++) {
            memset(next, 0, sizeof next);
            for (size_t a = 0; a < MOST; a++)
                for (size_t e = 0; sum[a] > 0.0 && e < dist.length; e++)
                    if (a + e + dist.first < MOST)
                        next[a + e + dist.first] += sum[a] * dist.probability[e];
            memcpy(sum, next, sizeof sum);
            for (double share = 0.0; share < 0.5; share += 0.05) {
                const double lost = floor(share * (double)(p.k * m));
                double above = 0.0;
                for (size_t a = MOST; a-- > (size_t)lost + 1;)
                    above += sum[a];
                const double bound = rcm_lost_more_of_rows(&dist, m, lost);
                ck_assert_msg(bound >= above - 1e-11 && bound <= 1.0, "m %" PRIu64 ": %g of %g", m,
                              bound, above);
                if (m == 1)
                    ck_assert_double_le(fabs(bound - above), 1e-11);
                if (above < 1e-2 && above > 1e-8) {
                    least = fmin(least, bound / above);
                    far = fmax(far, bound / above);
                }
            }
        }
        rcm_lost_free(&dist);
    }
    printf("bounds of %.2f to %.1f times the probability\n", least, far);
    ck_assert_double_lt(far, 300.0); /* of probabilities down to 1e-8 */
}
END_TEST

TEST_MAIN("lost", every_small_shape, larger_shapes_by_counting, moments, simulated_rows,
          one_of_each, two_equal_buckets, ends_of_nothing_lost, quantiles_and_ends, more_of_rows)
