/* test_lengths.c - rows of different lengths: what a batch of them loses.
 *
 * Against: every placement, counted in integers (n <= 9, random lists of lengths); each b in turn;
 * the mean over all lengths, where near ones were put together.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/model/small_shapes.h>

#define MOST 9
#define ROWS 7

static struct rcm_lengths lengths_of(const uint64_t *rows, size_t count)
{
    struct rcm_lengths lengths;
    ck_assert_int_eq(rcm_lengths_of(rows, count, &lengths), 0);
    return lengths;
}

/* What is lost by each placement of the top k in a row of p.valid elements: ways[e] of them lose e.
 * Returns how many placements there are. */
static double count_ways(struct rcm_topk p, double ways[MOST + 1])
{
    double all = 0.0;
    memset(ways, 0, (MOST + 1) * sizeof *ways);
    for (unsigned top = 0; top < 1U << p.valid; top++) {
        uint64_t in[MOST] = {0}, lost = 0, sizes[MOST], before[MOST];
        if ((uint64_t)__builtin_popcount(top) != p.k)
            continue;
        struct rcm_topk head = p;
        for (uint64_t i = 0; i < p.valid; i++) { /* the bucket of i gains an element with it */
            head.valid = i + 1;
            deal(head, sizes);
            for (uint64_t j = 0; j < p.b; j++)
                in[j] += (top >> i & 1) && sizes[j] > (i ? before[j] : 0);
            memcpy(before, sizes, sizeof sizes);
        }
        for (uint64_t j = 0; j < p.b; j++)
            lost += in[j] > p.k_b ? in[j] - p.k_b : 0;
        ways[lost]++;
        all++;
    }
    return all;
}

/* Compares all answers for one batch. */
static void compare(struct rcm_topk p, const uint64_t *rows, double of_length[][MOST + 1])
{
    struct rcm_lengths lengths = lengths_of(rows, ROWS);
    double share[MOST + 1] = {0}, mean = 0.0, variance = 0.0;
    uint64_t worst = 0;
    for (size_t r = 0; r < ROWS; r++)
        for (uint64_t e = 0; e <= p.k; e++)
            share[e] += of_length[rows[r]][e] / ROWS;
    for (uint64_t e = 0; e <= p.k; e++) {
        mean += (double)e * share[e];
        worst = share[e] > 0.0 ? e : worst;
    }
    for (uint64_t e = 0; e <= p.k; e++)
        variance += share[e] * ((double)e - mean) * ((double)e - mean);
    p.lengths = &lengths;
    const double k = (double)p.k;
    ck_assert_msg(relative_error(rcm_loss_exact(p), mean / k) <= RCM_LOSS_MAX_RELERR,
                  TOPK_FMT " got %.17g want %.17g", TOPK_ARG(p), rcm_loss_exact(p), mean / k);
    ck_assert_msg(fabs(rcm_recall_sd(p) - sqrt(variance) / k) <= RCM_SD_MAX_RELERR, TOPK_FMT " sd",
                  TOPK_ARG(p));
    ck_assert_msg(fabs(rcm_probability_exact(p) - share[0]) <= RCM_PROBABILITY_MAX_ERROR,
                  TOPK_FMT " none lost", TOPK_ARG(p));
    ck_assert_msg(rcm_recall_worst_case(p) == (k - (double)worst) / k, TOPK_FMT " worst",
                  TOPK_ARG(p));
    ck_assert(rcm_loss_binomial(p) >= rcm_loss_exact(p) * (1.0 - 1e-12));
    ck_assert(rcm_loss_bound(p) >= rcm_loss_exact(p) * (1.0 - 1e-12));
    struct rcm_lost dist;
    ck_assert_int_eq(rcm_lost(p, &dist), 0);
    ck_assert_uint_eq(dist.most, worst);
    double at_most = 0.0;
    for (uint64_t e = 0; e <= p.k; e++) {
        at_most += share[e];
        ck_assert_msg(fabs(rcm_lost_at_most(&dist, (double)e) - at_most) <= RCM_LOST_MAX_ERROR,
                      TOPK_FMT " at most %" PRIu64, TOPK_ARG(p), e);
    }
    const double median = rcm_lost_recall_quantile(&dist, p.k, 0.501, 1);
    ck_assert(rcm_recall_quantile(p, 0.501, 1) == median);
    rcm_lost_free(&dist);
    rcm_lengths_free(&lengths);
}

/* Each shape with a list of lengths that is drawn. Rows of at most k elements come back whole. */
START_TEST(every_placement)
{
    uint64_t random = 1;
    for (uint64_t i = 0; i < 3 * 8 * MOST * MOST * MOST; i++) {
        const struct rcm_topk p = {.n = i / MOST / MOST / MOST % 8 + 2,
                                   .k = i % MOST + 1,
                                   .b = i / MOST % MOST + 1,
                                   .k_b = i / MOST / MOST % MOST + 1,
                                   .assignment = (enum rcm_assignment)(i / MOST / MOST / MOST / 8)};
        double of_length[MOST + 1][MOST + 1] = {{0.0}};
        uint64_t rows[ROWS];
        if (rcm_check(p) != RCM_OK)
            continue;
        for (uint64_t length = 0; length <= p.n; length++) {
            struct rcm_topk row = p;
            row.valid = length;
            const double all = length > p.k ? count_ways(row, of_length[length]) : 1.0;
            of_length[length][0] += length <= p.k;
            for (uint64_t e = 0; e <= p.k; e++)
                of_length[length][e] /= all;
        }
        for (size_t r = 0; r < ROWS; r++)
            rows[r] = random_between(&random, 0, p.n);
        compare(p, rows, of_length);
    }
}
END_TEST

static double plain_loss(struct rcm_topk p, const uint64_t *rows, size_t count)
{
    double sum = 0.0;
    for (size_t r = 0; r < count; r++) {
        p.valid = rows[r];
        sum += rows[r] > p.k ? rcm_loss_exact(p) : 0.0;
    }
    return sum / (double)count;
}

/* No smaller b reaches the target, which is that of the mean. */
START_TEST(smallest_b)
{
    uint64_t random = 2;
    for (int i = 0; i < 200; i++) {
        uint64_t rows[5];
        struct rcm_topk p = {.n = random_between(&random, 50, 400), .k_b = 1 + (uint64_t)i % 4};
        p.k = random_between(&random, p.k_b, p.n / 3);
        p.assignment = i % 3 ? RCM_INTERLEAVED : RCM_CONTIGUOUS;
        for (size_t r = 0; r < 5; r++)
            rows[r] = random_between(&random, 0, p.n);
        struct rcm_lengths lengths = lengths_of(rows, 5);
        const struct rcm_target target = {.loss = 0.001 * (double)random_between(&random, 1, 300)};
        const struct rcm_range range = rcm_deployable_b(p);
        uint64_t want = 0;
        for (p.b = range.high; p.b && p.b >= range.low; p.b--) {
            if (!(plain_loss(p, rows, 5) <= target.loss * (1.0 + RCM_TARGET_SLACK)))
                break;
            want = p.b;
        }
        p.lengths = &lengths;
        const uint64_t got = rcm_smallest_b(p, target);
        ck_assert_msg(got == want, TOPK_FMT " got %" PRIu64 " want %" PRIu64, TOPK_ARG(p), got,
                      want);
        p.b = want;
        ck_assert(want == 0 || rcm_reaches(p, target));
        rcm_lengths_free(&lengths);
    }
}
END_TEST

/* 10^5 rows of as good as as many lengths: few are left, and the mean moves as little as promised.
 */
START_TEST(many_lengths)
{
    enum { COUNT = 100000 };
    uint64_t *rows = malloc(COUNT * sizeof *rows), random = 3, rest = 0, sum = 0;
    double worst = 0.0;
    for (int kind = 0; kind < 3; kind++) {
        for (size_t r = 0; r < COUNT; r++)
            rows[r] = kind == 0   ? random_between(&random, 0, 131072)
                      : kind == 1 ? random_scale(&random, 1, 131072)
                      : r % 2     ? 131072
                                  : random_between(&random, 1, 8192);
        struct rcm_lengths lengths = lengths_of(rows, COUNT);
        ck_assert_uint_le(lengths.count, 2 * RCM_LENGTHS_MOST + 2);
        rest = sum = 0;
        for (size_t i = 0; i < lengths.count; i++) {
            ck_assert(i == 0 || lengths.length[i - 1] < lengths.length[i]);
            rest += lengths.rows[i];
            sum += lengths.rows[i] * lengths.length[i];
        }
        for (size_t r = 0; r < COUNT; r++) {
            ck_assert_uint_ge(rows[r], lengths.length[0]);
            ck_assert_uint_le(rows[r], lengths.length[lengths.count - 1]);
        }
        ck_assert_uint_eq(rest, COUNT);
        ck_assert_uint_eq(rest, lengths.all);
        for (size_t r = 0; r < COUNT; r++)
            sum -= rows[r];
        ck_assert_uint_le((uint64_t)llabs((int64_t)sum), COUNT / 2);
        for (uint64_t k = 64; k <= 4096; k *= 8) {
            struct rcm_topk p = {.n = 131072, .k = k, .b = k, .k_b = 2};
            const double want = plain_loss(p, rows, COUNT), most = rcm_loss_exact(p);
            p.lengths = &lengths;
            const double moved = fabs(rcm_loss_exact(p) - want);
            ck_assert_msg(moved <= most / RCM_LENGTHS_MOST, TOPK_FMT " moved %g", TOPK_ARG(p),
                          moved);
            worst = fmax(worst, moved / want);
        }
        rcm_lengths_free(&lengths);
    }
    free(rows);
    printf("measured: the mean loss of 10^5 lengths moves by %.1e of it\n", worst);
}
END_TEST

/* Equal lengths are put together, and nothing else is, up to RCM_LENGTHS_MOST of them. */
START_TEST(few_lengths)
{
    uint64_t rows[5 * RCM_LENGTHS_MOST];
    for (size_t r = 0; r < 5 * RCM_LENGTHS_MOST; r++)
        rows[r] = r * 7 % RCM_LENGTHS_MOST;
    struct rcm_lengths lengths = lengths_of(rows, 5 * RCM_LENGTHS_MOST);
    ck_assert_uint_eq(lengths.count, RCM_LENGTHS_MOST);
    for (size_t i = 0; i < RCM_LENGTHS_MOST; i++)
        ck_assert(lengths.length[i] == i && lengths.rows[i] == 5);
    rcm_lengths_free(&lengths);
}
END_TEST

/* Rows that all have one length are those of `valid`: a choice, and the n to pad to. */
START_TEST(one_length)
{
    const uint64_t rows[] = {997, 997};
    struct rcm_lengths lengths = lengths_of(rows, 2);
    struct rcm_selection by_valid = {.p = {.n = 1009, .k = 100, .valid = 997},
                                     .target = {.loss = 0.05}},
                         by_lengths = by_valid;
    by_lengths.p.valid = 0;
    by_lengths.p.lengths = &lengths;
    for (int confident = 0; confident < 2; confident++) {
        by_valid.confidence = by_lengths.confidence = 0.9 * confident;
        by_valid.most_lost = by_lengths.most_lost = 5;
        const struct rcm_choice want = rcm_select(&by_valid), got = rcm_select(&by_lengths);
        ck_assert_uint_gt(want.p.b, 0);
        ck_assert(got.p.b == want.p.b && got.p.k_b == want.p.k_b && got.deploy == want.deploy);
    }
    by_valid.confidence = by_lengths.confidence = 0.0;
    by_valid.target.divisors = by_lengths.target.divisors = true;
    ck_assert_uint_gt(rcm_padded_n(&by_valid), 1009);
    ck_assert_uint_eq(rcm_padded_n(&by_lengths), rcm_padded_n(&by_valid));
    rcm_lengths_free(&lengths);
}
END_TEST

START_TEST(refused)
{
    const uint64_t rows[] = {3, 9}, large = RCM_N_MAX + 1;
    struct rcm_lengths lengths = lengths_of(rows, 2), none;
    ck_assert_int_eq(rcm_lengths_of(rows, 0, &none), -1);
    ck_assert_int_eq(rcm_lengths_of(&large, 1, &none), -1);
    struct rcm_topk p = {.n = 9, .k = 4, .b = 2, .k_b = 2, .lengths = &lengths};
    ck_assert_int_eq(rcm_check(p), RCM_OK);
    struct rcm_topk short_of = p, both = p, empty = p;
    short_of.n = 8, both.valid = 5, empty.lengths = &none;
    const struct rcm_topk wrong[] = {short_of, both, empty};
    for (size_t i = 0; i < 3; i++) {
        struct rcm_lost dist;
        ck_assert_int_eq(rcm_check(wrong[i]), RCM_BAD_LENGTHS);
        ck_assert(isnan(rcm_loss_exact(wrong[i])) && isnan(rcm_recall_sd(wrong[i])));
        ck_assert(isnan(rcm_recall_worst_case(wrong[i])));
        ck_assert(isnan(rcm_probability_exact(wrong[i])));
        ck_assert_int_eq(rcm_lost(wrong[i], &dist), -1);
        ck_assert_uint_eq(rcm_smallest_b(wrong[i], (struct rcm_target){.loss = 0.1}), 0);
        ck_assert(!rcm_reaches(wrong[i], (struct rcm_target){.loss = 0.9}));
    }
    ck_assert(isnan(rcm_survival(p, 2)) && isnan(rcm_loss_series(p, 1)));
    ck_assert(isnan(rcm_reaching(p).mean));
    ck_assert_uint_eq(rcm_buckets_of(p).classes, 0);
    ck_assert_uint_eq(rcm_largest_k(p, (struct rcm_target){.loss = 0.5}), 0);
    ck_assert_uint_eq(rcm_largest_n(p, (struct rcm_target){.loss = 0.5}), 0);
    rcm_lengths_free(&lengths);
}
END_TEST

TEST_MAIN("lengths", every_placement, smallest_b, many_lengths, few_lengths, one_length, refused)
