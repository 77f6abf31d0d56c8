/* test_residuals.c - bands of measured over predicted time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "short_model.h"

START_TEST(bands)
{
    static double predicted[RUNS_MOST];
    double low, high;
    for (size_t i = 0; i < 101; i++) { /* measured/predicted = 0.5, 0.51, .. 1.5 */
        runs[i] = (struct run){.kind = i % 2 ? RUN_TWO_STAGE : RUN_STAGE1, .time_us = 10.0};
        predicted[i] = 10.0 / (0.5 + 0.01 * (double)i);
    }
    ck_assert_int_eq(band_of(runs, predicted, false, 101, &low, &high), 0);
    ck_assert_double_eq_tol(low, 0.55, 1e-12);
    ck_assert_double_eq_tol(high, 1.45, 1e-12);
    ck_assert_int_eq(band_of(runs, predicted, true, 101, &low, &high), 0);
    ck_assert(low == 0.0 && high == 0.0);
    ck_assert_int_eq(band_of(runs, predicted, false, 7, &low, &high), 0); /* too few */
    ck_assert(low == 0.0 && high == 0.0);
    ck_assert_int_eq(band_of(runs, predicted, false, 8, &low, &high),
                     0); /* the least and the most */
    ck_assert_double_eq_tol(low, 0.5, 1e-12);
    ck_assert_double_eq_tol(high, 0.57, 1e-12);
    predicted[0] = NAN;
    ck_assert_int_eq(band_of(runs, predicted, false, 8, &low, &high), 0);
    ck_assert_double_eq(low, 0.0);
    /* The shipped profile has both bands, and the predictions have them, too. */
    const struct rcm_profile *q = rcm_profile(0);
    const struct rcm_topk p = {.n = 65536, .k = 256, .b = 1024, .k_b = 1, .m = 16};
    const struct rcm_prediction r = rcm_predict(q, p), exact = rcm_predict_exact_unpadded(q, p);
    ck_assert(r.low_us < r.time_us && r.time_us < r.high_us && exact.low_us < exact.time_us &&
              exact.time_us < exact.high_us);
    ck_assert_double_eq(r.low_us, r.time_us * q->held_out_p05_ratio);
    ck_assert_double_eq(exact.high_us, exact.time_us * q->held_out_exact_p95_ratio);
    ck_assert_double_eq(exact.time_us, rcm_predict_exact(q, p));
    struct rcm_profile without = *q;
    without.held_out_p05_ratio = without.held_out_exact_p95_ratio = without.exact_count = 0.0;
    ck_assert(isnan(rcm_predict(&without, p).low_us) &&
              isnan(rcm_predict_exact_unpadded(&without, p).time_us));
    without.run_count = 0.0; /* it counts no runs at all, as one written by hand */
    ck_assert(isnan(rcm_predict_exact_unpadded(&without, p).high_us));
    ck_assert(exact.within_runs && !rcm_predict_exact_unpadded(&without, p).within_runs);
    ck_assert_uint_eq(rcm_predict_exact_unpadded(&without, p).beyond, RCM_BEYOND_N);
}
END_TEST

TEST_MAIN("residuals", bands)
