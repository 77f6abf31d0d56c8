/* test_exact_kernels.c - the time model of kernels that only find the exact top-k (docs/models.md
 * 19), and the profiles of today's kernels against the published runs in runs/.
 *
 * The time model of kernels that only find the exact top-k; the profiles that ship: their errors,
 * of each n and each k left out, too, fits again, monotonicity; `select --exact-kernel`, `predict`
 * and the errors of both; the caption of `ours-exact`. Against: shapes calculated by hand; the
 * published runs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <base/csv.h>
#include <calibrate/validate.h>
#include <tests/test.h>

/* ---- worked out by hand */

static struct rcm_profile round_profile(const char *kernel)
{
    return (struct rcm_profile){.name = "round",
                                .kernel = rcm_kernel_by_name(kernel),
                                .dtype = RCM_F32,
                                .launch_us = 1,
                                .row_us = 2,
                                .row_element_us = 0.001,
                                .rows_at_once = 1e9,
                                .roof_bytes_per_s = 1e30,
                                .long_n = 10000,
                                .long_us = 50,
                                .long_element_us = 0.0001};
}

static double time_of(const struct rcm_profile *q, uint64_t n, uint64_t k, uint64_t m)
{
    return rcm_predict_exact(q, (struct rcm_topk){.n = n, .k = k, .m = m});
}

#define NEAR 1e-9

START_TEST(by_hand)
{
    struct rcm_profile q = round_profile("exact");
    ck_assert_double_eq_tol(time_of(&q, 9999, 8, 1), 1 + 2 + 9.999, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 10000, 8, 1), 1 + 50 + 1, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 10000, 8, 0), 1 + 50 + 1, NEAR); /* m = 0 is 1 */
    q.long_n = 0.0;                                                      /* no long way */
    ck_assert_double_eq_tol(time_of(&q, 10000, 8, 1), 1 + 2 + 10, NEAR);
    /* memory: 4 bytes an element; m n 4 bytes in 1e6 us each byte */
    q.row_us = q.row_element_us = 0.0;
    q.roof_bytes_per_s = 1e9;
    ck_assert_double_eq_tol(time_of(&q, 10000, 8, 7), 1 + 7 * 40, NEAR);
}
END_TEST

/* Eight times as many rows as the device holds: the long way of `exact` waits for them in waves,
 * that of `exact-once` does not. |1, 8| = cbrt(513). */
START_TEST(waves)
{
    struct rcm_profile q = round_profile("exact"), once = round_profile("exact-once");
    q.rows_at_once = once.rows_at_once = 2;
    const double w = cbrt(513.0);
    ck_assert_double_eq_tol(time_of(&q, 1000, 8, 16), 1 + w * 3, NEAR);
    ck_assert_double_eq_tol(time_of(&once, 1000, 8, 16), 1 + w * 3, NEAR);
    ck_assert_double_eq_tol(time_of(&q, 10000, 8, 16), 1 + w * 51, NEAR);
    ck_assert_double_eq_tol(time_of(&once, 10000, 8, 16), 1 + 51, NEAR);
    /* torch.topk has a rule of its own: one row from 20000 elements on, 20 to 40 rows from 10000 */
    struct rcm_profile torch = round_profile("torch-topk");
    ck_assert_double_eq_tol(time_of(&torch, 19999, 8, 1), 1 + 2 + 19.999, NEAR);
    ck_assert_double_eq_tol(time_of(&torch, 20000, 8, 1), 1 + 50 + 2, NEAR);
    ck_assert_double_eq_tol(time_of(&torch, 10000, 8, 40), 1 + 50 + 1, NEAR);
}
END_TEST

START_TEST(domain)
{
    struct rcm_profile q = round_profile("exact");
    ck_assert(isnan(time_of(&q, 100, 100, 1))); /* selects nothing */
    ck_assert(isnan(time_of(&q, 100, 101, 1)));
    ck_assert(isnan(time_of(&q, 100, 0, 1)));
    ck_assert(isfinite(time_of(&q, 100, 99, 1)));
    const struct rcm_topk p = {.n = 4096, .k = 64, .b = 128, .k_b = 1, .m = 1};
    ck_assert(isnan(rcm_predict(&q, p).time_us)); /* no stage 1 */
    ck_assert(!rcm_predict(&q, p).within_runs);
    ck_assert_ptr_null(rcm_profile_lacks(&q));
    ck_assert(isnan(rcm_predict_threshold(&q, p, 100.0)));
    q.launch_us = q.row_us = q.long_us = 0.0;
    ck_assert_ptr_nonnull(rcm_profile_lacks(&q));
    ck_assert(isnan(time_of(&q, 100, 8, 1)));
}
END_TEST

/* ---- the profiles that ship, against the published runs */

static const struct shipped {
    const char *name, *runs, *kernel; /* kernel: of the rows; NULL: no such column */
    enum rcm_dtype dtype;
    size_t length;
    /* the most that the errors may be: of the fit, of each n left out, of each k left out (0: one
     * k). What they are, and a tenth more, rounded up: another compiler rounds differently */
    double fit, fit_95, n_out, k_out;
} shipped[] = {
    {"flashinfer_default_blackwell", "flashinfer/exact-blackwell", "flashinfer_default", RCM_F32,
     121, .09, .42, .16, .11},
    {"flashinfer_clusters_blackwell", "flashinfer/exact-blackwell", "flashinfer_clusters", RCM_F32,
     121, .05, .24, .09, .07},
    {"torch_topk_blackwell", "flashinfer/exact-blackwell", "torch.topk", RCM_F32, 121, .04, .15,
     .05, .05},
    {"gvr_v2_b200", "trtllm/exact-b200", "gvr_v2", RCM_F32, 36, .04, .15, .10, .06},
    {"sglang_v2_b200", "trtllm/exact-b200", "sglang_v2_plan_transform", RCM_F32, 36, .03, .07, .03,
     .04},
    {"flashinfer_0_6_14_b200", "trtllm/exact-b200", "flashinfer_0_6_14", RCM_F32, 36, .04, .20, .06,
     .08},
    {"trtllm_radix_b200", "trtllm/exact-b200", "trtllm_radix_cuda", RCM_F32, 36, .04, .12, .07,
     .06},
    {"deepselect_b200", "trtllm/exact-b200", "deepselect_fp32", RCM_F32, 36, .06, .19, .12, .11},
    {"hpc_ops_b200", "trtllm/exact-b200", "hpc_ops_fp32", RCM_F32, 18, .02, .05, .03, 0},
    {"flashinfer_multi_cta_a100", "flashinfer/exact-a100", "multi_cta", RCM_F32, 24, .06, .65, .11,
     0},
    {"flashinfer_filtered_a100", "flashinfer/exact-a100", "filtered_pr", RCM_F32, 24, .09, .34, .26,
     0},
    {"torch_topk_h100_pcie", "keyetal/exact", NULL, RCM_F16, 140, .08, .36, .17, .09},
};
#define SHIPPED (sizeof shipped / sizeof *shipped)

static const struct rcm_profile *profile_of(const struct shipped *s)
{
    const struct rcm_profile *q;
    for (size_t i = 0; (q = rcm_profile(i)); i++)
        if (strcmp(q->name, s->name) == 0)
            return q;
    ck_abort_msg("%s is not in the library", s->name);
}

static struct run_list runs_of(const struct shipped *s)
{
    char path[100], error[CSV_ERROR];
    struct csv csv;
    struct run_list runs;
    snprintf(path, sizeof path, "runs/%s.csv", s->runs);
    ck_assert_msg(csv_read(path, &csv, MESSAGE(error)) == 0, "%s", error);
    const struct run_filter filter = {.has_dtype = true,
                                      .dtype = s->dtype,
                                      .times = true,
                                      .kernel = s->kernel,
                                      .selecting = true};
    ck_assert_msg(runs_from_csv(&csv, filter, &runs, MESSAGE(error)) == 0, "%s", error);
    csv_free(&csv);
    return runs;
}

static double *predictions(const struct rcm_profile *q, const struct run_list *runs)
{
    double *predicted = malloc(runs->length * sizeof *predicted);
    for (size_t i = 0; i < runs->length; i++)
        predicted[i] = predicted_us(q, &runs->items[i]);
    return predicted;
}

/* Each profile predicts its runs as well as it says: medians of at most 12 % of the fit and of each
 * k left out, for all of them. */
START_TEST(errors)
{
    for (size_t i = 0; i < SHIPPED; i++) {
        const struct shipped *s = &shipped[i];
        const struct rcm_profile *q = profile_of(s);
        struct run_list runs = runs_of(s);
        struct residuals r;
        double *predicted = predictions(q, &runs);
        ck_assert_uint_eq(runs.length, s->length);
        ck_assert_uint_eq(runs.length, (size_t)q->exact_count);
        ck_assert_int_eq(residuals_of(runs.items, predicted, NULL, runs.length, &r), 0);
        ck_assert_uint_eq(r.unpredicted, 0);
        /* the file has six digits of the parameters, the library what the fit had of the errors */
        ck_assert_double_eq_tol(r.median, q->median_error, 2e-5);
        ck_assert_double_eq_tol(r.p95, q->p95_error, 1e-4);
        ck_assert_msg(r.median <= s->fit && r.p95 <= s->fit_95, "%s: %g %g", s->name, r.median,
                      r.p95);
        ck_assert_double_le(r.median, .12);
        ck_assert_double_gt(q->held_out_median_error, 0.0);
        ck_assert_double_le(q->held_out_median_error, s->n_out);
        ck_assert_double_le(q->held_out_k_median_error, s->k_out);
        ck_assert_double_le(q->held_out_k_median_error, .12);
        ck_assert((q->held_out_k_median_error > 0.0) == (q->k_high > q->k_low));
        free(predicted);
        runs_free(&runs);
    }
}
END_TEST

/* Fits to the same runs give the same parameters, and the cross-validation the same errors. */
START_TEST(fits_again)
{
    static const char *const names[] = {"gvr_v2_b200", "trtllm_radix_b200", "torch_topk_h100_pcie",
                                        "flashinfer_clusters_blackwell"};
    for (size_t i = 0; i < SHIPPED; i++) {
        bool wanted = false;
        for (size_t j = 0; j < sizeof names / sizeof *names; j++)
            wanted = wanted || strcmp(names[j], shipped[i].name) == 0;
        if (!wanted)
            continue;
        const struct rcm_profile *q = profile_of(&shipped[i]);
        struct run_list runs = runs_of(&shipped[i]);
        const struct rcm_profile like = {.kernel = q->kernel, .dtype = q->dtype};
        struct rcm_profile again = like;
        const struct rcm_time_parameter *parameter;
        struct fit fit;
        char error[CSV_ERROR];
        ck_assert_msg(fit_profile(runs.items, runs.length, &again, &fit, MESSAGE(error)) == 0, "%s",
                      error);
        ck_assert_uint_le(fit.parameters, 8);
        for (size_t j = 0; (parameter = rcm_time_parameter(j)); j++) {
            const double want = rcm_time_value(q, parameter),
                         got = rcm_time_value(&again, parameter);
            ck_assert_msg(fabs(got - want) <= 1e-5 * want, "%s %s: %.9g %.9g", q->name,
                          parameter->name, got, want); /* six digits in the file */
        }
        ck_assert_double_eq_tol(again.median_error, q->median_error, 1e-6);
        ck_assert_double_eq_tol(again.p95_error, q->p95_error, 1e-6);
        struct residuals by_k;
        ck_assert_int_eq(validate_by_k(runs.items, runs.length, &like, &by_k), 0);
        ck_assert_double_eq_tol(by_k.median, q->held_out_k_median_error, 1e-6);
        runs_free(&runs);
    }
}
END_TEST

/* The time never falls with m, but where a rule sends more rows another way (torch.topk), and never
 * with n but at the step. */
START_TEST(monotonic)
{
    for (size_t i = 0; i < SHIPPED; i++) {
        const struct rcm_profile *q = profile_of(&shipped[i]);
        const bool rule = q->kernel->splits;
        for (uint64_t n = 1024; n <= 1u << 22; n += n / 4)
            for (uint64_t m = 1; m <= 4096; m *= 2) {
                const double here = time_of(q, n, 512, m), more = time_of(q, n + n / 4, 512, m);
                const bool step = rule || (q->long_n > (double)n && q->long_n <= 1.25 * (double)n);
                ck_assert_msg(step || more >= here, "%s n %" PRIu64 " m %" PRIu64, q->name, n, m);
                ck_assert_msg(rule || time_of(q, n, 512, 2 * m) >= here,
                              "%s n %" PRIu64 " m %" PRIu64, q->name, n, m);
            }
    }
}
END_TEST

/* What the runs say about the step: TensorRT-LLM's radix takes six times as long for a row of 4099
 * as for one of 2051, and the profile says so. */
START_TEST(the_step)
{
    const struct rcm_profile *q = NULL;
    for (size_t i = 0; i < SHIPPED; i++)
        if (strcmp(shipped[i].name, "trtllm_radix_b200") == 0)
            q = profile_of(&shipped[i]);
    const double ratio = time_of(q, 4099, 512, 1) / time_of(q, 2051, 512, 1);
    ck_assert_msg(ratio > 5.5 && ratio < 6.5, "%g", ratio);
}
END_TEST

TEST_MAIN("exact kernels", by_hand, waves, domain, errors, fits_again, monotonic, the_step)
