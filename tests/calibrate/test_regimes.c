/* test_regimes.c - regimes and the worst runs, worked out by hand.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <calibrate/regimes.h>

#include "short_model.h"

START_TEST(regimes_by_hand)
{
    struct rcm_profile q = short_profile();
    q.launch_us = 1;
    q.roof_bytes_per_s = 1e12;
    q.select_batch_us = 1e-3;
    q.run_count = 8;
    q.exact_count = 1;
    double predicted[8];
    /* Four runs where launching takes longest, three limited by memory, one exact. */
    for (size_t i = 0; i < 8; i++) {
        runs[i] = (struct run){.kind = i == 7 ? RUN_EXACT : RUN_TWO_STAGE,
                               .p = {.n = i < 4 ? 1024 : 1 << 24,
                                     .k = 16,
                                     .b = i == 7 ? 1 : 16,
                                     .k_b = i == 7 ? 16 : 1,
                                     .m = 1}};
        predicted[i] = predicted_us(&q, &runs[i]);
        runs[i].time_us = predicted[i] / (1.0 + 0.1 * (double)i);
    }
    struct regime *regimes;
    size_t count, worst[3];
    ck_assert_int_eq(regimes_of(&q, runs, predicted, 8, &regimes, &count), 0);
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(regimes[0].name, "exact top-k, one block");
    ck_assert_str_eq(regimes[1].name, "stage 1: launch");
    ck_assert_str_eq(regimes[2].name, "stage 1: memory");
    ck_assert(regimes[0].errors.runs == 1 && regimes[1].errors.runs == 4 &&
              regimes[2].errors.runs == 3);
    ck_assert_double_eq_tol(regimes[1].median_ratio, 1.15, 1e-12);
    ck_assert_double_eq_tol(regimes[1].errors.median, 0.15, 1e-12);
    ck_assert_double_eq_tol(regimes[2].errors.worst, 0.6, 1e-12);
    ck_assert_double_eq_tol(regimes[2].errors.p95, 0.59, 1e-12);
    free(regimes);
    ck_assert_uint_eq(worst_runs(runs, predicted, 8, 3, worst), 3);
    ck_assert(worst[0] == 7 && worst[1] == 6 && worst[2] == 5);
    predicted[7] = NAN; /* a run without a prediction is in no regime and not among the worst */
    ck_assert_int_eq(regimes_of(&q, runs, predicted, 8, &regimes, &count), 0);
    ck_assert_uint_eq(count, 2);
    free(regimes);
    ck_assert_uint_eq(worst_runs(runs, predicted, 8, 3, worst), 3);
    ck_assert_uint_eq(worst[0], 6);
    ck_assert_uint_eq(worst_runs(runs, predicted, 2, 3, worst), 2);
    ck_assert_int_eq(regimes_of(&q, runs, predicted, 0, &regimes, &count), 0);
    ck_assert_uint_eq(count, 0);
    free(regimes);
}
END_TEST

TEST_MAIN("regimes", regimes_by_hand)
