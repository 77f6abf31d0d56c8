/* test_parts.c - a row in parts: what a merge loses and cannot prove.
 *
 * Against: every small row by counting, and rationals (GMP).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gmp.h>

#include "row.h"

static double worst[4];

static void agree(const struct row *row, struct answers want, double most, double sd_most)
{
    const struct answers got = computed(row);
    const double error[4] = {
        relative_error(got.loss, want.loss), relative_error(got.lost, want.lost),
        relative_error(got.unproved, want.unproved),
        want.sd > 1e-12 ? relative_error(got.sd, want.sd) : fabs(got.sd - want.sd)};
    for (int i = 0; i < 4; i++) {
        ck_assert_msg(error[i] <= (i < 3 ? most : sd_most),
                      "%s: answer %d off by %.3g; loss %.17g %.17g lost %.17g %.17g unproved %.17g "
                      "%.17g sd %.17g %.17g",
                      text_of(row), i, error[i], got.loss, want.loss, got.lost, want.lost,
                      got.unproved, want.unproved, got.sd, want.sd);
        worst[i] = fmax(worst[i], error[i]);
    }
}

/* ---- every small row, by counting placements */

static uint64_t choose_small[33][33];

static void fill_choose(void)
{
    for (int n = 0; n <= 32; n++)
        for (int k = 0; k <= n; k++)
            choose_small[n][k] =
                k == 0 || k == n ? 1 : choose_small[n - 1][k - 1] + choose_small[n - 1][k];
}

struct counts {
    uint64_t all, losing, unproved, lost, square;
};

/* All ways to place `rest` of the top k in the parts from i on. */
static void place(const struct row *row, size_t i, uint64_t rest, uint64_t ways, uint64_t lost,
                  bool unproved, struct counts *counts)
{
    if (i == row->length) {
        if (rest > 0)
            return;
        counts->all += ways;
        counts->losing += lost > 0 ? ways : 0;
        counts->unproved += unproved ? ways : 0;
        counts->lost += lost * ways;
        counts->square += lost * lost * ways;
        return;
    }
    const struct rcm_part *part = &row->of[i];
    for (uint64_t x = 0; x <= part->size && x <= rest; x++) {
        const bool keeps = part->send < part->size && part->send < row->k;
        place(row, i + 1, rest - x, ways * choose_small[part->size][x],
              lost + (x > part->send ? x - part->send : 0), unproved || (keeps && x >= part->send),
              counts);
    }
}

static struct answers counted(const struct row *row)
{
    struct counts c = {0};
    place(row, 0, row->k, 1, 0, false, &c);
    const double all = (double)c.all, k = (double)row->k, mean = (double)c.lost / all;
    const double variance = ((double)c.square * all - (double)c.lost * (double)c.lost) / all / all;
    (void)mean;
    return (struct answers){(double)c.lost / all / k, sqrt(variance) / k, (double)c.losing / all,
                            (double)c.unproved / all};
}

/* All sends of this row's sizes. */
static unsigned every_send(struct row *row, size_t i)
{
    unsigned rows = 0;
    if (i == row->length) {
        agree(row, counted(row), 1e-12, RCM_PARTS_SD_MAX_RELERR);
        return 1;
    }
    for (row->of[i].send = 0; row->of[i].send <= row->of[i].size; row->of[i].send++)
        rows += every_send(row, i + 1);
    return rows;
}

static unsigned every_row(struct row *row, uint64_t n, uint64_t largest)
{
    unsigned rows = 0;
    if (n == 0 && row->length > 0) {
        uint64_t all = 0;
        for (size_t i = 0; i < row->length; i++)
            all += row->of[i].size;
        for (row->k = 1; row->k <= all; row->k++)
            rows += every_send(row, 0);
        return rows;
    }
    for (uint64_t size = 1; size <= n && size <= largest && row->length < 4; size++) {
        row->of[row->length++] = (struct rcm_part){.size = size, .count = 1};
        rows += every_row(row, n - size, size);
        row->length--;
    }
    return rows;
}

START_TEST(small_rows_by_counting)
{
    unsigned rows = 0;
    fill_choose();
    for (uint64_t n = 1; n <= (few_cases() ? 8 : 11); n++) {
        struct row row = {.length = 0};
        rows += every_row(&row, n, n);
    }
    printf("%u rows by counting: loss %.2g, lost %.2g, unproved %.2g, sd %.2g\n", rows, worst[0],
           worst[1], worst[2], worst[3]);
    ck_assert_uint_ge(rows, 5000);
}
END_TEST

/* ---- rationals */

/* By the number of top elements that are placed: the ways in which no part has more than its send
 * less `less`, those in which some part has, and what all ways lose, once and squared. Sums of
 * positive integers. */
enum { NONE, SOME, ONCE, SQUARED, SUMS };

struct ways {
    uint64_t k;
    mpz_t (*of)[SUMS];
};

static struct ways rational_ways(const struct row *row, unsigned less)
{
    struct ways ways = {row->k, malloc((row->k + 1) * sizeof *ways.of)};
    mpz_t binomial, now[SUMS];
    mpz_init(binomial);
    for (int m = 0; m < SUMS; m++)
        mpz_init(now[m]);
    for (uint64_t x = 0; x <= row->k; x++)
        for (int m = 0; m < SUMS; m++)
            mpz_init_set_ui(ways.of[x][m], x == 0 && m == NONE);
    for (size_t i = 0; i < row->length; i++)
        for (uint64_t j = 0; j < row->of[i].count; j++)
            for (uint64_t sum = row->k + 1; sum-- > 0;) { /* downwards: in place */
                const struct rcm_part *part = &row->of[i];
                const bool keeps = part->send < part->size && part->send < row->k;
                for (int m = 0; m < SUMS; m++)
                    mpz_set_ui(now[m], 0);
                mpz_set_ui(binomial, 1);
                for (uint64_t x = 0; x <= sum && x <= part->size; x++) {
                    mpz_t *from = ways.of[sum - x], all;
                    const uint64_t lost = keeps && x > part->send ? x - part->send : 0;
                    mpz_init(all);
                    mpz_add(all, from[NONE], from[SOME]);
                    mpz_addmul(now[SOME], from[SOME], binomial);
                    mpz_addmul(now[keeps && x + less > part->send ? SOME : NONE], from[NONE],
                               binomial);
                    mpz_addmul(now[ONCE], from[ONCE], binomial);
                    mpz_addmul(now[SQUARED], from[SQUARED], binomial);
                    mpz_mul(all, all, binomial);
                    mpz_addmul_ui(now[ONCE], all, lost);
                    mpz_addmul_ui(now[SQUARED], all, lost * lost);
                    mpz_mul(all, from[ONCE], binomial);
                    mpz_addmul_ui(now[SQUARED], all, 2 * lost);
                    mpz_clear(all);
                    mpz_mul_ui(binomial, binomial, part->size - x);
                    mpz_divexact_ui(binomial, binomial, x + 1);
                }
                for (int m = 0; m < SUMS; m++)
                    mpz_set(ways.of[sum][m], now[m]);
            }
    mpz_clear(binomial);
    for (int m = 0; m < SUMS; m++)
        mpz_clear(now[m]);
    return ways;
}

static void free_ways(struct ways ways)
{
    for (uint64_t x = 0; x <= ways.k; x++)
        for (int m = 0; m < SUMS; m++)
            mpz_clear(ways.of[x][m]);
    free(ways.of);
}

static double ratio_of(const mpz_t a, const mpz_t b)
{
    mpf_t quotient, divisor;
    mpf_init2(quotient, 256);
    mpf_init2(divisor, 256);
    mpf_set_z(quotient, a);
    mpf_set_z(divisor, b);
    mpf_div(quotient, quotient, divisor);
    const double ratio = mpf_get_d(quotient);
    mpf_clear(quotient);
    mpf_clear(divisor);
    return ratio;
}

static struct answers rational(const struct row *row)
{
    const struct ways lost = rational_ways(row, 0), unproved = rational_ways(row, 1);
    mpz_t *of = lost.of[row->k], all, square, variance;
    mpz_inits(all, square, variance, NULL);
    mpz_add(all, of[NONE], of[SOME]);
    mpz_mul(variance, of[SQUARED], all);
    mpz_submul(variance, of[ONCE], of[ONCE]);
    mpz_mul(square, all, all);
    const double k = (double)row->k;
    const struct answers answers = {ratio_of(of[ONCE], all) / k,
                                    sqrt(ratio_of(variance, square)) / k, ratio_of(of[SOME], all),
                                    ratio_of(unproved.of[row->k][SOME], all)};
    mpz_clears(all, square, variance, NULL);
    free_ways(lost);
    free_ways(unproved);
    return answers;
}

/* A row of unequal parts that send some standard deviations more than their mean. */
static struct row random_row(uint64_t *state)
{
    struct row row = {.length = random_between(state, 1, 8)};
    uint64_t n = 0;
    for (size_t i = 0; i < row.length; i++) {
        row.of[i].size = random_scale(state, 1, next_random(state) % 4 ? 60 : 900);
        row.of[i].count = random_between(state, 1, 3);
        n += row.of[i].size * row.of[i].count;
    }
    row.k = random_between(state, 1, least_of(n, 150));
    const double far = 0.01 * (double)random_between(state, 0, 2500);
    for (size_t i = 0; i < row.length; i++) {
        const double mean = (double)row.k * (double)row.of[i].size / (double)n;
        row.of[i].send = least_of((uint64_t)(mean + far * sqrt(mean)), row.of[i].size);
    }
    return row;
}

START_TEST(rows_by_rationals)
{
    uint64_t state = 40;
    double least = 1.0;
    for (unsigned i = 0; i < (few_cases() ? 150 : 1500); i++) {
        const struct row row = random_row(&state);
        const struct answers want = rational(&row);
        if (want.lost > 0.0 && want.lost < 1e-300)
            continue;
        agree(&row, want, RCM_PARTS_MAX_RELERR, RCM_PARTS_SD_MAX_RELERR);
        least = want.lost > 0.0 ? fmin(least, want.lost) : least;
    }
    printf("rationals, down to %.1g: loss %.2g, lost %.2g, unproved %.2g, sd %.2g\n", least,
           worst[0], worst[1], worst[2], worst[3]);
    ck_assert_double_lt(least, 1e-60);
}
END_TEST

/* Two thirds of a row in two parts that often lose: terms far out count, where F is nearly 0. */
START_TEST(slow_sums_by_rationals)
{
    for (uint64_t size = 60; size <= 240; size += 60)
        for (uint64_t send = size / 3; send < size / 2; send += 5) {
            const struct row row = {
                .k = size, .length = 3, .of = {{size, send, 1}, {size - 3, send, 1}, {5, 3, 1}}};
            agree(&row, rational(&row), RCM_PARTS_MAX_RELERR, RCM_PARTS_SD_MAX_RELERR);
        }
    printf("slow sums: lost %.2g, unproved %.2g, sd %.2g\n", worst[1], worst[2], worst[3]);
}
END_TEST

/* Of two parts, the standard deviation of one that loses all but a few, however large they are. */
START_TEST(two_parts_by_their_formula)
{
    static const uint64_t size[] = {500, 500000000000, 4000000000000000},
                          k[] = {100, 1000000000, 1000000000000};
    for (size_t i = 0; i < 3; i++) {
        const struct rcm_part of[] = {{size[i], 1, 1}, {size[i], k[i] - 1, 1}};
        const double n = 2.0 * (double)size[i], draws = (double)k[i],
                     want = sqrt(0.25 * draws * (n - draws) / (n - 1.0)) / draws,
                     got = rcm_parts_sd((struct rcm_parts){k[i], of, 2});
        ck_assert_msg(relative_error(got, want) < RCM_PARTS_SD_MAX_RELERR, "%.17g %.17g", got,
                      want);
    }
}
END_TEST

/* One part has most of the row, and is the one that loses. */
START_TEST(one_large_part_by_rationals)
{
    for (uint64_t send = 130; send < 150; send += 2) {
        const struct row row = {
            .k = 150, .length = 3, .of = {{900, send, 1}, {40, 30, 2}, {20, 19, 1}}};
        agree(&row, rational(&row), RCM_PARTS_MAX_RELERR, RCM_PARTS_SD_MAX_RELERR);
    }
    /* It sends all, and the others hardly anything: the room decides the standard deviation. */
    for (uint64_t k = 30; k < 90; k += 8) {
        const struct row row = {.k = k, .length = 3, .of = {{84, 84, 1}, {5, 0, 1}, {1, 0, 1}}};
        agree(&row, rational(&row), RCM_PARTS_MAX_RELERR, RCM_PARTS_SD_MAX_RELERR);
    }
    printf("one large part: lost %.2g, unproved %.2g, sd %.2g\n", worst[1], worst[2], worst[3]);
}
END_TEST

/* One to four large parts, up to 14 small ones, and one number that all of them send. */
static struct row random_large_parts(uint64_t *state)
{
    struct row row = {.length = random_between(state, 2, 15)};
    const uint64_t small = UINT64_C(1) << (2 * random_between(state, 1, 5));
    uint64_t n = 0;
    for (size_t i = 0; i < row.length; i++) {
        row.of[i] = i == 0 ? (struct rcm_part){random_between(state, 1, 1000), 0,
                                               random_between(state, 1, 4)}
                           : (struct rcm_part){random_scale(state, 1, small), 0, 1};
        n += row.of[i].size * row.of[i].count;
    }
    row.k = random_between(state, 1, least_of(n, 60));
    const uint64_t send = random_between(state, 0, row.k);
    for (size_t i = 0; i < row.length; i++)
        row.of[i].send = least_of(send, row.of[i].size);
    return row;
}

/* What the sums over parts and the probability that any loses share, cancels: with 1e-10 as what
 * is left, in parts of nearly half of the row. */
START_TEST(large_parts_by_rationals)
{
    const struct row rows[] = {
        {30, 5, {{300, 29, 1}, {100, 29, 3}, {1, 1, 2}, {5, 5, 3}, {2, 2, 1}}},
        {43, 4, {{958, 40, 2}, {10, 10, 1}, {5, 5, 1}, {3, 3, 1}}},
        {31, 4, {{713, 30, 2}, {12, 12, 2}, {9, 9, 2}, {5, 5, 8}}}};
    uint64_t state = 44;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        agree(&rows[i], rational(&rows[i]), RCM_PARTS_MAX_RELERR, RCM_PARTS_SD_MAX_RELERR);
    for (unsigned i = 0; i < (few_cases() ? 500 : 2500); i++) {
        const struct row row = random_large_parts(&state);
        agree(&row, rational(&row), RCM_PARTS_MAX_RELERR, RCM_PARTS_SD_MAX_RELERR);
    }
    printf("large parts: lost %.2g, unproved %.2g, sd %.2g\n", worst[1], worst[2], worst[3]);
}
END_TEST

/* P(lost) down to 1e-300: few parts of many elements, all of whose top-k may lie in one. */
START_TEST(small_probabilities_by_rationals)
{
    double least = 1.0;
    for (uint64_t send = 20; send < 200; send += few_cases() ? 40 : 12) {
        const struct row row = {.k = 240,
                                .length = 2,
                                .of = {{.size = 4000, .send = send, .count = 6},
                                       {.size = 90000, .send = 240, .count = 3}}};
        const struct answers want = rational(&row);
        if (want.lost > 1e-300)
            agree(&row, want, RCM_PARTS_MAX_RELERR, RCM_PARTS_SD_MAX_RELERR);
        least = want.lost > 1e-300 ? fmin(least, want.lost) : least;
    }
    ck_assert_double_lt(least, 1e-200);
}
END_TEST

/* The distribution of the lost, of parts in any order, has these moments and this P(lost). */
START_TEST(distribution_of_the_lost)
{
    const struct rcm_part of[] = {{100, 9, 3}, {700, 30, 1}, {5, 5, 4}, {300, 30, 2}, {100, 9, 1}};
    const struct rcm_part equal[] = {
        {100, 22, 3}, {700, 22, 1}, {5, 5, 4}, {300, 22, 2}, {100, 22, 1}};
    struct rcm_lost dist;
    ck_assert_int_eq(rcm_parts_lost((struct rcm_parts){60, of, 5}, &dist), -1);
    const struct rcm_parts parts = {60, equal, 5};
    ck_assert_int_eq(rcm_parts_lost(parts, &dist), 0);
    double mean = 0.0, square = 0.0;
    for (size_t i = 0; i < dist.length; i++) {
        const double lost = (double)(dist.first + i);
        mean += dist.probability[i] * lost;
        square += dist.probability[i] * lost * lost;
    }
    ck_assert_double_eq_tol(mean / 60.0, rcm_parts_loss(parts), 1e-11);
    ck_assert_double_eq_tol(sqrt(square - mean * mean) / 60.0, rcm_parts_sd(parts), 1e-9);
    ck_assert_double_eq_tol(1.0 - rcm_lost_at_most(&dist, 0.0), rcm_parts_probability_lost(parts),
                            1e-11);
    rcm_lost_free(&dist);
}
END_TEST

/* ---- the domain */

START_TEST(domain)
{
    struct rcm_part of[] = {{10, 2, 1}, {5, 1, 2}};
    const struct rcm_parts good = {4, of, 2};
    ck_assert_int_eq(rcm_parts_check(good), RCM_OK);
    ck_assert_uint_eq(rcm_parts_elements(good), 20);
    ck_assert_uint_eq(rcm_parts_sent(good), 4);
    ck_assert_uint_eq(rcm_parts_sent_full(good), 12);
    ck_assert_int_eq(rcm_parts_check((struct rcm_parts){0, of, 2}), RCM_BAD_K);
    ck_assert_int_eq(rcm_parts_check((struct rcm_parts){21, of, 2}), RCM_BAD_K);
    ck_assert_int_eq(rcm_parts_check((struct rcm_parts){4, of, 0}), RCM_BAD_N);
    of[1].send = 6;
    ck_assert_int_eq(rcm_parts_check(good), RCM_BAD_K_B);
    ck_assert(isnan(rcm_parts_loss(good)) && isnan(rcm_parts_sd(good)));
    ck_assert(isnan(rcm_parts_probability_lost(good)));
    ck_assert(isnan(rcm_parts_probability_unproved(good)));
    of[1] = (struct rcm_part){RCM_N_MAX, 1, 2};
    ck_assert_int_eq(rcm_parts_check(good), RCM_BAD_N);
    ck_assert_uint_eq(rcm_parts_choose(4, of, 2, RCM_PARTS_LOST, 0.1, RCM_PARTS_EQUAL), 0);
    of[1] = (struct rcm_part){5, 0, 2};
    ck_assert_uint_eq(rcm_parts_choose(4, of, 2, RCM_PARTS_LOST, NAN, RCM_PARTS_EQUAL), 0);
    ck_assert_uint_eq(rcm_parts_choose(4, of, 2, RCM_PARTS_LOST, 0.0, RCM_PARTS_EQUAL), 2);
    ck_assert_double_eq(rcm_parts_probability_lost((struct rcm_parts){4, of, 2}), 0.0);
    ck_assert_double_eq(rcm_parts_probability_unproved((struct rcm_parts){4, of, 2}), 0.0);
}
END_TEST

TEST_MAIN("parts", small_rows_by_counting, rows_by_rationals, slow_sums_by_rationals,
          one_large_part_by_rationals, large_parts_by_rationals, two_parts_by_their_formula,
          small_probabilities_by_rationals, distribution_of_the_lost, domain)
