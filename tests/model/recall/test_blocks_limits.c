/* test_blocks_limits.c - the top-k inside the best blocks: the distribution that it sums, the rule
 * of the sums, edges, domain, order, the smallest number of blocks, time.
 *
 * Against: sums to one, a closed form for a last block of one key, polynomials, a scan.
 *
 * Slow: 3 s.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <model/distribution/sum_rule.h>
#include <model/recall/occupancy.h>
#include <tests/test.h>

#define BLOCKS_FMT "n %" PRIu64 " k %" PRIu64 " size %" PRIu64 " kept %" PRIu64
#define BLOCKS_ARG(b) (b).n, (b).k, (b).size, (b).kept

/* ---- the parts */

/* T has some value: its probabilities sum to one, over both cases of the short block. */
START_TEST(arrivals_sum_to_one)
{
    const struct rcm_blocks shapes[] = {{1048575, 1, 8, 5000},
                                        {1 << 20, 1, 8, 100},
                                        {100003, 1, 1000, 60},
                                        {100003, 1, 997, 100},
                                        {UINT64_C(1) << 53, 1, 1 << 20, 40}};
    double worst = 0.0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        double sum = 0.0;
        for (int shorts = 0; shorts < 2; shorts++) {
            struct rcm_blocks b = shapes[i];
            b.n -= i == 4;
            const struct occupancy occupancy = occupancy_of(b, shorts);
            for (uint64_t r = occupancy.blocks; occupancy.blocks && r <= occupancy.keys; r++) {
                const struct exceeded at = occupancy_exceeded_at(&occupancy, r);
                sum += at.probability;
                if (at.slope < 0.0 && at.probability < 1e-20)
                    break;
            }
        }
        worst = fmax(worst, fabs(sum - 1.0));
        ck_assert_msg(fabs(sum - 1.0) <= 1e-12, BLOCKS_FMT ": %.17g", BLOCKS_ARG(shapes[i]), sum);
    }
    printf("arrivals: sums to one within %.1e\n", worst);
}
END_TEST

/* `blocks` whole blocks and a last one of a single key; all but one are kept, k = n - 1. Draw the
 * keys uniformly: the single key is below all other maxima with probability integral (1 -
 * u^size)^blocks du = product over j of j/(j + 1/size). Then it is what is lost, unless it is the
 * smallest of the row. Otherwise it is a whole block, but for the smallest of the row, which is in
 * it with a probability of about size/(n - m), if m is the mean rank of its maximum. */
START_TEST(lone_key)
{
    double worst = 0.0;
    for (uint64_t blocks = 1 << 16; blocks <= 1 << 20; blocks *= 4)
        for (uint64_t size = 1 << 18; size <= UINT64_C(1) << 32; size *= 16) {
            const uint64_t n = blocks * size + 1;
            double log_single = 0.0;
            for (uint64_t j = blocks; j > 0; j--)
                log_single -= log1p(1.0 / ((double)j * (double)size));
            const double whole = -expm1(log_single), single = exp(log_single);
            const double m = -log_single * (double)size * (double)size;
            const double smallest = (double)(size - 1) / ((double)n - m);
            const double lost = single - 1.0 / (double)n + whole * ((double)size - smallest);
            const struct rcm_blocks b = {n, n - 1, size, blocks};
            const double want = lost / (double)(n - 1), got = rcm_blocks_loss(b);
            worst = fmax(worst, relative_error(got, want));
            ck_assert_msg(relative_error(got, want) <= RCM_BLOCKS_LOSS_MAX_RELERR,
                          BLOCKS_FMT " loss %.17g, should be %.17g", BLOCKS_ARG(b), got, want);
        }
    printf("lone key: errors of the loss %.1e\n", worst);
}
END_TEST

/* A last block of one key, when nearly all other keys are larger: all other blocks are occupied,
 * and each rank is the lone key with probability 1/n. The sum of the distributions is next to its
 * upper end. */
START_TEST(nearly_all_keys)
{
    double worst = 0.0;
    for (uint64_t blocks = 100; blocks < UINT64_C(1) << 45; blocks *= 37) {
        const struct rcm_blocks b = {blocks * 35 + 1, 1, 35, blocks};
        const struct occupancy occupancy = occupancy_of(b, false);
        for (uint64_t left = 0; left < occupancy.keys / 100; left = 3 * left + 1) {
            const double p = occupancy_exceeded_at(&occupancy, occupancy.keys - left).probability;
            worst = fmax(worst, fabs(p * (double)b.n - 1.0));
            ck_assert_msg(fabs(p * (double)b.n - 1.0) <= 1e-12,
                          "blocks %" PRIu64 ", %" PRIu64 " keys left: %.17g / n", blocks, left,
                          p * (double)b.n);
        }
    }
    printf("nearly all keys: errors of the probability %.1e\n", worst);
}
END_TEST

/* A rule sums every polynomial of degree 23 or less: those of x/length against the sum itself. */
START_TEST(sum_rules)
{
    for (uint64_t length = 1; length <= 4000; length += length < 100 ? 1 : 371) {
        const struct sum_rule rule = sum_rule(length);
        for (int degree = 0; degree < SUM_NODES; degree++) {
            double want = 0.0, got = 0.0;
            for (uint64_t x = 0; x < length; x++)
                want += pow((double)(x + 1) / (double)length, degree);
            for (unsigned i = 0; i < rule.nodes; i++)
                got += rule.weight[i] * pow((double)(rule.at[i] + 1) / (double)length, degree);
            ck_assert_msg(relative_error(got, want) <= 1e-13,
                          "length %" PRIu64 " degree %d: %.17g, should be %.17g", length, degree,
                          got, want);
        }
    }
}
END_TEST

/* ---- edges, order, domain, time */

START_TEST(edges)
{
    const uint64_t n = UINT64_C(1) << 20;
    ck_assert_double_eq(rcm_blocks_recall((struct rcm_blocks){n, 1, 8, 1}), 1.0);
    ck_assert_double_eq(rcm_blocks_recall((struct rcm_blocks){n, 2048, 8, 4096}), 1.0);
    ck_assert_double_eq(rcm_blocks_recall((struct rcm_blocks){n, 2048, 8, 2048}), 1.0);
    ck_assert_double_lt(rcm_blocks_recall((struct rcm_blocks){n, 2048, 8, 2047}), 1.0);
    ck_assert_double_eq(rcm_blocks_recall((struct rcm_blocks){n, n, 8, n / 8}), 1.0);
    ck_assert_double_eq(rcm_blocks_recall((struct rcm_blocks){n, n, n, 1}), 1.0);
    ck_assert_double_eq(rcm_blocks_recall((struct rcm_blocks){n, 1000, 1, 1000}), 1.0);
    ck_assert_double_eq(rcm_blocks_sd((struct rcm_blocks){n, 2048, 8, 2048}), 0.0);
    /* k = 2, one block of size s: the second is elsewhere with probability (n - s)/(n - 1). */
    for (uint64_t size = 2; size <= n / 2; size *= 2) {
        const double outside = (double)(n - size) / (double)(n - 1);
        ck_assert_double_eq_tol(rcm_blocks_loss((struct rcm_blocks){n, 2, size, 1}), outside / 2.0,
                                1e-14);
        ck_assert_double_eq_tol(rcm_blocks_sd((struct rcm_blocks){n, 2, size, 1}),
                                sqrt(outside * (1.0 - outside)) / 2.0, 1e-12);
    }
    /* The last key is a block of its own, and just it or one of the others is left out. */
    const struct rcm_blocks last = {n + 1, n, n / 4, 4};
    ck_assert_double_gt(rcm_blocks_loss(last), 0.99 * (double)n / (double)(n + 1) / (double)n);
}
END_TEST

START_TEST(domain)
{
    const struct {
        struct rcm_blocks b;
        enum rcm_status status;
    } cases[] = {{{100, 10, 8, 2}, RCM_OK},
                 {{0, 10, 8, 2}, RCM_BAD_N},
                 {{RCM_N_MAX + 1, 1, 8, 2}, RCM_BAD_N},
                 {{100, 0, 8, 2}, RCM_BAD_K},
                 {{100, 101, 8, 13}, RCM_BAD_K},
                 {{100, 10, 0, 2}, RCM_BAD_B},
                 {{100, 10, RCM_N_MAX + 1, 1}, RCM_BAD_B},
                 {{100, 10, 8, 0}, RCM_BAD_K_B},
                 {{100, 10, 8, 14}, RCM_BAD_K_B},
                 {{100, 17, 8, 2}, RCM_TOO_FEW},
                 {{100, 16, 8, 2}, RCM_OK},
                 {{100, 100, 8, 13}, RCM_OK},
                 {{100, 100, 101, 1}, RCM_OK},
                 {{100, 97, 8, 12}, RCM_TOO_FEW},
                 {{100, 96, 8, 12}, RCM_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rcm_blocks b = cases[i].b;
        ck_assert_int_eq(rcm_blocks_check(b), cases[i].status);
        ck_assert_int_eq(isnan(rcm_blocks_loss(b)), cases[i].status != RCM_OK);
        ck_assert_int_eq(isnan(rcm_blocks_recall(b)), cases[i].status != RCM_OK);
        ck_assert_int_eq(isnan(rcm_blocks_sd(b)), cases[i].status != RCM_OK);
    }
    ck_assert_uint_eq(rcm_blocks_count((struct rcm_blocks){.n = 100, .size = 8}), 13);
    ck_assert_uint_eq(rcm_blocks_candidates((struct rcm_blocks){100, 1, 8, 12}), 96);
    ck_assert_uint_eq(rcm_blocks_candidates((struct rcm_blocks){100, 1, 8, 13}), 100);
    ck_assert_uint_eq(rcm_blocks_smallest((struct rcm_blocks){0, 1, 8, 1}, 0.05), 0);
    ck_assert_uint_eq(rcm_blocks_smallest((struct rcm_blocks){100, 10, 8, 1}, NAN), 0);
}
END_TEST

/* Recall does not fall with the blocks, and the smallest number is that of a scan. */
START_TEST(order)
{
    const struct rcm_blocks shapes[] = {{4096, 200, 8, 0}, {1000, 150, 7, 0}, {999, 333, 100, 0}};
    const double losses[] = {0.5, 0.2, 0.05, 0.01, 1e-6, 0.0};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct rcm_blocks b = shapes[i];
        double last = 1.0, of[300] = {0.0};
        const uint64_t low = (b.k - 1) / b.size + 1, count = rcm_blocks_count(b);
        for (b.kept = low; b.kept <= count && b.kept <= b.k; b.kept++) {
            of[b.kept] = rcm_blocks_loss(b);
            ck_assert_double_le(of[b.kept], last);
            last = of[b.kept];
        }
        for (size_t j = 0; j < sizeof losses / sizeof *losses; j++) {
            uint64_t smallest = low;
            while (of[smallest] > losses[j])
                smallest++;
            ck_assert_uint_eq(rcm_blocks_smallest(b, losses[j]), smallest);
        }
    }
}
END_TEST

/* Rows of 2^20 keys take some ms (the limits allow for slow builds), any others less than 0.2 s. */
START_TEST(duration)
{
    const struct rcm_blocks shapes[] = {
        {1 << 20, 2048, 8, 4096},
        {1 << 20, 2048, 8, 2000},
        {1 << 20, 2048, 8, 1024},
        {(1 << 20) - 1, 2048, 8, 512},
        {1 << 20, 200000, 8, 100000},
        {RCM_N_MAX, RCM_N_MAX / 8, 8, RCM_N_MAX / 16},
        {RCM_N_MAX, RCM_N_MAX / 2, 1 << 20, (1 << 30)},
        {(UINT64_C(1) << 40) + 1, UINT64_C(1) << 39, 1 << 20, 1 << 20}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct rcm_blocks b = shapes[i];
        if (i == 6)
            b.kept = (b.k - 1) / b.size + 5;
        double least = INFINITY, loss = NAN;
        for (int run = 0; run < 3; run++) {
            const double start = cpu_seconds();
            loss = rcm_blocks_loss(b);
            least = fmin(least, cpu_seconds() - start);
        }
        printf("duration: " BLOCKS_FMT " loss %.4g: %.2f ms\n", BLOCKS_ARG(b), loss, 1e3 * least);
        ck_assert(loss >= 0.0 && loss <= 1.0);
        ck_assert_msg(least <= (i < 5 ? 0.050 : 1.0), "%.3f s", least);
    }
}
END_TEST

TEST_MAIN("blocks_limits", arrivals_sum_to_one, lone_key, nearly_all_keys, sum_rules, edges, domain,
          order, duration)
