/* test_regret.c - regret, worked out by hand.
 *
 * Against: values calculated by hand.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <base/statistics.h>
#include <calibrate/regret.h>
#include <tests/test.h>

START_TEST(regret_by_hand)
{
    /* n 1024, k 16: nothing is lost with b = 1024 and k_b = 1, or with k_b = k. There are three
     * such runs, of 10, 20 and 40 us. The run at b = 16 (recall .65) never counts. */
    struct run runs[] = {
        {.p = {.n = 1024, .k = 16, .b = 1, .k_b = 16, .m = 1}, .time_us = 20},
        {.p = {.n = 1024, .k = 16, .b = 1024, .k_b = 1, .m = 1}, .time_us = 10},
        {.p = {.n = 1024, .k = 16, .b = 2, .k_b = 16, .m = 1}, .time_us = 40},
        {.p = {.n = 1024, .k = 16, .b = 16, .k_b = 1, .m = 1}, .time_us = 1},
        {.p = {.n = 1024, .k = 16, .b = 1, .k_b = 16, .m = 2},
         .time_us = 7}, /* The only run of this m: there is no choice and no cell */
    };
    struct regret r;
    ck_assert_int_eq(regret_of_losses(runs, NULL, (const double[]){1, 2, 3, 0, 0}, NULL, 5, &r), 0);
    ck_assert_uint_eq(r.cells, 4);
    ck_assert_double_eq(r.mean, 2.0);
    ck_assert_double_eq(r.max, 2.0);
    ck_assert_int_eq(regret_of_losses(runs, NULL, (const double[]){3, 3, 3, 0, 0}, NULL, 5, &r),
                     0); /* the first of equal ones */
    ck_assert_double_eq(r.mean, 2.0);
    ck_assert_int_eq(regret_of_losses(runs, NULL, (const double[]){3, 1, 2, 0, 0},
                                      (const bool[]){true, false, true, true, true}, 5, &r),
                     0);
    ck_assert_double_eq(r.mean, 2.0);
    ck_assert_int_eq(regret_of_losses(runs, NULL, (const double[]){3, 1, 2, 0, 0}, NULL, 5, &r), 0);
    ck_assert_double_eq(r.mean, 1.0);
    /* b = 48 has recall .86: the cell of 0.8 contains it, the others do not. */
    runs[3].p.b = 48;
    ck_assert_int_eq(regret_of_losses(runs, NULL, (const double[]){3, 1, 2, 0, 0}, NULL, 5, &r), 0);
    ck_assert_double_eq(r.mean, 1.0);
    runs[3].time_us = 30;
    ck_assert_int_eq(regret_of_losses(runs, NULL, (const double[]){3, 1, 2, 0, 0}, NULL, 5, &r), 0);
    ck_assert_double_eq(r.mean, (3.0 + 1 + 1 + 1) / 4);
    ck_assert_double_eq_tol(r.p95, 1.0 + 2.0 * 0.85, 1e-12); /* at 2.85 of 0..3 */
    ck_assert_double_eq(r.median, 1.0);
    ck_assert_int_eq(regret_of_losses(runs, NULL, NULL, NULL, 0, &r), 0);
    ck_assert(r.cells == 0 && isnan(r.mean));
    ck_assert_double_eq(sorted_quantile((const double[]){1, 2, 4, 8}, 4, 0.5), 3.0);
}
END_TEST

START_TEST(exact_among_them)
{
    /* At b = 48 recall is .86. m = 1: exact top-k is faster than all that reach 0.9. m = 2: exact
     * top-k alone, no cell. m = 3: it is the slower one. Two threads: it was not measured. */
    struct run runs[] = {
        {.p = {.n = 1024, .k = 16, .b = 48, .k_b = 1, .m = 1}, .time_us = 10},
        {.p = {.n = 1024, .k = 16, .b = 1024, .k_b = 1, .m = 1}, .time_us = 40},
        {.p = {.n = 1024, .k = 16, .b = 1, .k_b = 16, .m = 1}, .kind = RUN_EXACT, .time_us = 20},
        {.p = {.n = 1024, .k = 16, .b = 1, .k_b = 16, .m = 2}, .kind = RUN_EXACT, .time_us = 20},
        {.p = {.n = 1024, .k = 16, .b = 1, .k_b = 16, .m = 3}, .kind = RUN_EXACT, .time_us = 20},
        {.p = {.n = 1024, .k = 16, .b = 48, .k_b = 1, .m = 3}, .time_us = 10},
        {.p = {.n = 1024, .k = 16, .b = 1024, .k_b = 1, .m = 1}, .threads = 2, .time_us = 1},
        {.p = {.n = 1024, .k = 16, .b = 1024, .k_b = 1, .m = 1}, .kind = RUN_STAGE1, .time_us = 2},
    };
    const double exact_first[] = {2, 3, 1, 1, 1, 2, 0, 0},
                 buckets_first[] = {2, 3, 9, 9, 9, 2, 0, 0};
    struct regret r;
    /* m = 1: 0.8 at 10 us, 0.9, 0.95 and 0.99 at 20 us; m = 3: 0.8 at 10 us */
    ck_assert_int_eq(regret_with_exact(runs, NULL, exact_first, NULL, 8, &r), 0);
    ck_assert_uint_eq(r.cells, 5);
    ck_assert_uint_eq(r.exact_fastest, 3);
    ck_assert_uint_eq(r.exact_chosen, 5);
    ck_assert_double_eq(r.mean, (2.0 + 1 + 1 + 1 + 2) / 5);
    ck_assert_int_eq(regret_with_exact(runs, NULL, buckets_first, NULL, 8, &r), 0);
    ck_assert_uint_eq(r.exact_fastest, 3);
    ck_assert_uint_eq(r.exact_chosen, 0);
    ck_assert_double_eq(r.mean, (1.0 + 2 + 2 + 2 + 1) / 5);
    /* without exact top-k one cell is left, of the two at recall 0.8 */
    ck_assert_int_eq(regret_of_losses(runs, NULL, exact_first, NULL, 8, &r), 0);
    ck_assert_uint_eq(r.cells, 1);
    ck_assert_uint_eq(r.exact_fastest + r.exact_chosen, 0);
    ck_assert_int_eq(
        regret_with_exact(runs, NULL, exact_first, (const bool[]){1, 1, 0, 1, 0, 1, 1, 1}, 8, &r),
        0);
    ck_assert_uint_eq(r.cells, 0);
}
END_TEST

TEST_MAIN("regret", regret_by_hand, exact_among_them)
