/* test_choose.c - how many elements each part of a row sends.
 *
 * Against: every choice of numbers, its recall in integers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "row.h"

static double goal_value(const struct row *row, enum rcm_parts_goal goal)
{
    const struct rcm_parts p = parts_of(row);
    return goal == RCM_PARTS_LOSS   ? rcm_parts_loss(p)
           : goal == RCM_PARTS_LOST ? rcm_parts_probability_lost(p)
                                    : rcm_parts_probability_unproved(p);
}

/* The least sum, or the least cost, over all sends; `equal`: over all single numbers. */
static double searched(struct row *row, size_t i, enum rcm_parts_goal goal, double at_most)
{
    double best = INFINITY;
    if (i < row->length) {
        for (uint64_t send = 0; send <= least_of(row->of[i].size, row->k); send++) {
            row->of[i].send = send;
            best = fmin(best, searched(row, i + 1, goal, at_most));
        }
        return best;
    }
    const double value = goal_value(row, goal), sent = (double)rcm_parts_sent(parts_of(row));
    if (goal == RCM_PARTS_COST)
        return sent + at_most * value;
    return value <= at_most * (1.0 + RCM_TARGET_SLACK) ? sent : INFINITY;
}

static double searched_equal(struct row *row, enum rcm_parts_goal goal, double at_most)
{
    double best = INFINITY;
    for (uint64_t send = 0; send <= row->k; send++) {
        for (size_t i = 0; i < row->length; i++)
            row->of[i].send = least_of(send, row->of[i].size);
        best = fmin(best, searched(row, row->length, goal, at_most));
    }
    return best;
}

START_TEST(choices_by_search)
{
    uint64_t state = 43;
    for (unsigned i = 0; i < (few_cases() ? 60 : 600); i++) {
        struct row row = {.length = random_between(&state, 2, 4)};
        uint64_t n = 0;
        for (size_t j = 0; j < row.length; j++) {
            row.of[j] = (struct rcm_part){.size = random_between(&state, 2, 14), .count = 1};
            n += row.of[j].size;
        }
        row.k = random_between(&state, 1, least_of(n - 1, 10));
        const enum rcm_parts_goal goal = (enum rcm_parts_goal)(i % 3);
        double at_most = pow(10.0, -0.001 * (double)random_between(&state, 500, 4000));
        if (goal == RCM_PARTS_COST)
            at_most = (double)rcm_parts_sent_full(parts_of(&row)) *
                      (0.01 * (double)random_between(&state, 100, 400));
        for (int equal = 0; equal < 2; equal++) {
            struct row chosen = row;
            chosen.length = rcm_parts_choose(row.k, chosen.of, row.length, goal, at_most,
                                             equal ? RCM_PARTS_EQUAL : RCM_PARTS_UNEQUAL);
            const double got = searched(&chosen, chosen.length, goal, at_most);
            const double want =
                equal ? searched_equal(&row, goal, at_most) : searched(&row, 0, goal, at_most);
            ck_assert_msg(relative_error(got, want) < 1e-9, "%s: goal %d at most %g: %g, want %g",
                          text_of(&chosen), (int)goal, at_most, got, want);
        }
    }
}
END_TEST

/* ---- the least sum that loses at most a share, in integers */

enum { N_MOST = 60 };

static uint64_t ways[N_MOST + 1][N_MOST + 1]; /* C(n, k) */

/* What a part of s that sends `send` loses, times C(n, k). */
static uint64_t lost_of_part(uint64_t n, uint64_t k, uint64_t s, uint64_t send)
{
    uint64_t lost = 0;
    for (uint64_t x = send + 1; x <= least_of(s, k); x++)
        if (k - x <= n - s)
            lost += (x - send) * ways[s][x] * ways[n - s][k - x];
    return lost;
}

/* The fewest that the parts send of all that lose at most a/b of the k: by the least that each sum
 * loses. */
static uint64_t fewest_sent(const struct row *row, uint64_t n, uint64_t a, uint64_t b)
{
    uint64_t least[N_MOST + 1] = {0}, sent = 0;
    for (uint64_t t = 1; t <= n; t++)
        least[t] = UINT64_MAX;
    for (size_t i = 0; i < row->length; i++)
        for (uint64_t j = 0; j < row->of[i].count; j++)
            for (uint64_t t = n + 1; t-- > 0;) {
                uint64_t best = UINT64_MAX;
                for (uint64_t send = 0; send <= least_of(row->of[i].size, t); send++)
                    if (least[t - send] != UINT64_MAX)
                        best = least_of(best, least[t - send] +
                                                  lost_of_part(n, row->k, row->of[i].size, send));
                least[t] = best;
            }
    __extension__ typedef unsigned __int128 wide;
    while ((wide)least[sent] * b > (wide)ways[n][row->k] * row->k * a)
        sent++;
    return sent;
}

START_TEST(least_sums_in_integers)
{
    uint64_t state = 45;
    for (int n = 0; n <= N_MOST; n++)
        for (int k = 0; k <= n; k++)
            ways[n][k] = k == 0 || k == n ? 1 : ways[n - 1][k - 1] + ways[n - 1][k];
    for (unsigned i = 0; i < (few_cases() ? 300 : 3000); i++) {
        struct row row = {.length = random_between(&state, 1, 4)};
        uint64_t n = 0;
        for (size_t j = 0; j < row.length; j++) {
            row.of[j] = (struct rcm_part){.size = random_scale(&state, 1, 15),
                                          .count = random_between(&state, 1, 3)};
            row.of[j].count = row.of[j].size > 5 ? 1 : row.of[j].count;
            n += row.of[j].size * row.of[j].count;
        }
        row.k = random_between(&state, 1, least_of(n, 30));
        const uint64_t b = random_between(&state, 0, 1) ? row.k : random_between(&state, 2, 200),
                       a = random_between(&state, 1, b), want = fewest_sent(&row, n, a, b);
        row.length = rcm_parts_choose(row.k, row.of, row.length, RCM_PARTS_LOSS,
                                      (double)a / (double)b, RCM_PARTS_UNEQUAL);
        const uint64_t got = rcm_parts_sent(parts_of(&row));
        ck_assert_msg(row.length > 0 && got == want,
                      "%s: at most %" PRIu64 "/%" PRIu64 " in %" PRIu64 ", want %" PRIu64,
                      text_of(&row), a, b, got, want);
    }
}
END_TEST

/* What each of these sends is in the top k for certain, or as good as: one goes for another. */
START_TEST(least_sums_of_sure_elements)
{
    static const struct {
        struct row row;
        double loss;
        uint64_t sent;
    } cases[] = {{{2048, 3, {{900000, 0, 1}, {100000, 0, 1}, {48576, 0, 1}}}, 0.5, 1024},
                 {{2048, 1, {{1 << 17, 0, 8}}}, 0.5, 1024},
                 {{100, 1, {{1000, 0, 1}}}, 0.1, 90}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct row row = cases[i].row;
        row.length = rcm_parts_choose(row.k, row.of, row.length, RCM_PARTS_LOSS, cases[i].loss,
                                      RCM_PARTS_UNEQUAL);
        ck_assert_msg(rcm_parts_sent(parts_of(&row)) == cases[i].sent, "%s", text_of(&row));
    }
}
END_TEST

/* Entries of several parts are divided, and not one part more sends than must. */
START_TEST(choice_divides_an_entry)
{
    struct row row = {.k = 2048, .of = {{.size = 1 << 17, .count = 8}}};
    row.length = rcm_parts_choose(row.k, row.of, 1, RCM_PARTS_LOST, 1e-6, RCM_PARTS_UNEQUAL);
    ck_assert_uint_eq(row.length, 2);
    ck_assert_uint_eq(row.of[0].send, row.of[1].send + 1);
    ck_assert_uint_eq(row.of[0].count + row.of[1].count, 8);
    ck_assert_double_le(rcm_parts_probability_lost(parts_of(&row)), 1e-6);
    row.of[0].count--;
    row.of[1].count++;
    ck_assert_double_gt(rcm_parts_probability_lost(parts_of(&row)), 1e-6);
}
END_TEST

/* A second round that costs less than what it saves: nothing is sent before it. */
START_TEST(cheap_second_round)
{
    for (int send = 0; send < 2; send++)
        for (double price = 0.0; price < 900.0; price += 100.0) {
            struct rcm_part of[3] = {{100000, 0, 8}};
            ck_assert_uint_eq(rcm_parts_choose(1000, of, 1, RCM_PARTS_COST, price,
                                               send ? RCM_PARTS_EQUAL : RCM_PARTS_UNEQUAL),
                              1);
            ck_assert_uint_eq(of[0].send, 0);
        }
    struct rcm_part of[3] = {{100000, 5, 8}};
    ck_assert_uint_eq(rcm_parts_choose(1000, of, 1, RCM_PARTS_LOST, 1.0, RCM_PARTS_UNEQUAL), 1);
    ck_assert_uint_eq(of[0].send, 0);
}
END_TEST

TEST_MAIN("choose", cheap_second_round, choices_by_search, least_sums_in_integers,
          least_sums_of_sure_elements, choice_divides_an_entry)
