/* test_published_runs.c - the fit against the published runs in runs/.
 *
 * Against: the regrets that the papers report, ours below 1.01, the shipped profile; runs that no
 * fit saw; another kernel, each n predicted from the others.
 *
 * Slow: 4 s.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <calibrate/regret.h>
#include <calibrate/validate.h>

#include "published.h"
#include "short_model.h"

static void check_regret(const char *name, const struct regret *r, double mean, double p95)
{
    ck_assert_uint_eq(r->cells, 228);
    ck_assert_msg(fabs(r->mean - mean) < 0.005 && fabs(r->p95 - p95) < 0.05,
                  "%s: mean %g, want %g; 95 %% %g, want %g", name, r->mean, mean, r->p95, p95);
}

/* n = 4096, 65536 and 1048576 are held out. The models of the paper have the regrets that were
 * reported; ours is better than the aim. */
START_TEST(published_runs)
{
    struct run_list runs, exact;
    char error[CSV_ERROR];
    read_published("runs/keyetal/two-stage.csv", NULL, NULL, &runs);
    read_published("runs/keyetal/exact.csv", NULL, NULL, &exact);
    ck_assert_uint_eq(runs.length, 1932);
    ck_assert_uint_eq(exact.length, 140);
    ck_assert_int_eq(runs_append(&runs, &exact), 0);
    runs_free(&exact);
    const size_t length = runs.length;
    bool *out = calloc(length, sizeof *out);
    double *predicted = malloc(length * sizeof *predicted);
    for (size_t i = 0; i < length; i++)
        out[i] =
            runs.items[i].p.n == 4096 || runs.items[i].p.n == 65536 || runs.items[i].p.n == 1048576;
    const struct rcm_profile like = {.kernel = rcm_kernel_by_name("graphcore"), .dtype = RCM_F16};
    ck_assert_msg(predict_held_out(runs.items, length, &like, out, predicted, MESSAGE(error)) == 0,
                  "%s", error);
    struct regret r;
    struct residuals residuals;
    ck_assert_int_eq(residuals_of(runs.items, predicted, out, length, &residuals), 0);
    ck_assert_int_eq(regret_of_losses(runs.items, NULL, predicted, out, length, &r), 0);
    printf("held out: median error %.4f, 95 %% %.4f; regret mean %.4f, 95 %% %.4f, most %.4f of "
           "%zu cells\n",
           residuals.median, residuals.p95, r.mean, r.p95, r.max, r.cells);
    /* 1.006, 1.031 and .036 were measured; the aims were 1.03, 1.15 and .10. The limits lie
     * between, so that a worse model fails and other last digits do not. */
    ck_assert_uint_eq(r.cells, 228);
    ck_assert_double_lt(r.mean, 1.01);
    ck_assert_double_lt(r.p95, 1.05);
    ck_assert_double_lt(residuals.median, 0.06);
    static const double means[] = {2.40, 2.40, 3.34}, p95s[] = {8.3, 8.3, 14.8};
    for (size_t model = 0; model < 3; model++) {
        for (size_t i = 0; i < length; i++)
            predicted[i] = rcm_cost(rcm_cost_model(model), runs.items[i].p).approximate;
        ck_assert_int_eq(regret_of_losses(runs.items, NULL, predicted, out, length, &r), 0);
        check_regret(rcm_cost_model(model)->name, &r, means[model], p95s[model]);
    }
    /* The profile that comes with the library agrees with the fit of today to a fifth of the
     * smallest standard error (1 %). */
    struct rcm_profile now = like;
    struct fit fit;
    const struct rcm_time_parameter *parameter;
    ck_assert_msg(fit_profile(runs.items, length, &now, &fit, MESSAGE(error)) == 0, "%s", error);
    for (size_t i = 0; (parameter = rcm_time_parameter(i)); i++) {
        const double is = rcm_time_value(rcm_profile(0), parameter),
                     should = rcm_time_value(&now, parameter);
        ck_assert_msg(is == should || fabs(is / should - 1.0) < 2e-3,
                      "%s: the profile has %g, the fit gives %g", parameter->name, is, should);
    }
    free(out);
    free(predicted);
    runs_free(&runs);
}
END_TEST

/* Runs that no fit has seen: n = 1409 and 1659, which b does not divide. */
START_TEST(unseen_runs)
{
    struct run_list runs;
    read_published("runs/keyetal/sparq-shapes.csv", NULL, NULL, &runs);
    double *predicted = malloc(runs.length * sizeof *predicted);
    struct residuals residuals;
    for (size_t i = 0; i < runs.length; i++)
        predicted[i] = predicted_us(rcm_profile(0), &runs.items[i]);
    ck_assert_uint_eq(runs.length, 24); /* the interleaved ones */
    ck_assert_int_eq(residuals_of(runs.items, predicted, NULL, runs.length, &residuals), 0);
    printf("24 unseen runs: median error %.4f, worst %.4f\n", residuals.median, residuals.worst);
    /* .050 and .112 were measured. */
    ck_assert_double_lt(residuals.median, 0.07);
    ck_assert_double_lt(residuals.worst, 0.15);
    free(predicted);
    runs_free(&runs);
}
END_TEST

/* Dr. Top-k on a V100S, k_b = 1 and m = 1: a fit to the other sizes predicts each of four n. A
 * median error of .025 and .151 at 95 % were measured; the test allows half as much again. */
START_TEST(published_runs_of_another_kernel)
{
    struct run_list list;
    struct validation v;
    char error[CSV_ERROR] = "";
    const struct rcm_profile like = short_profile();
    read_published("runs/drtopk/two-stage.csv", DRTOPK_COLUMNS, "warp", &list);
    ck_assert_int_eq(validation_begin(&v, list.items, list.length), 0);
    ck_assert_uint_eq(v.size_count, 4);
    ck_assert_msg(validate(&v, list.items, list.length, &like, NULL, NULL, MESSAGE(error)) == 0,
                  "%s", error);
    printf(
        "V100S, sizes left out: median error %.4f, 95 %% %.4f, measured/predicted %.3f to %.3f\n",
        v.each.median, v.each.p95, v.p05_ratio, v.p95_ratio);
    ck_assert_uint_eq(v.each.runs, list.length);
    ck_assert_double_lt(v.each.median, 0.04);
    ck_assert_double_lt(v.each.p95, 0.23);
    /* Eight of the runs, two of each n, are enough for a fit that describes all. */
    struct rcm_profile got =
        fit_prior(rcm_device_by_name("V100S"), rcm_kernel_by_name("generic"), RCM_F32);
    struct fit fit;
    size_t taken = 0;
    for (size_t s = 0; s < 4; s++) {
        size_t low = list.length, high = list.length; /* the fewest and the most buckets */
        for (size_t i = 0; i < list.length; i++)
            if (list.items[i].p.n == v.sizes[s].n) {
                low = low == list.length || list.items[i].p.b < list.items[low].p.b ? i : low;
                high = high == list.length || list.items[i].p.b > list.items[high].p.b ? i : high;
            }
        runs[taken++] = list.items[low];
        runs[taken++] = list.items[high];
    }
    ck_assert_msg(fit_profile(runs, taken, &got, &fit, MESSAGE(error)) == 0, "%s", error);
    double *predicted = malloc(list.length * sizeof *predicted);
    struct residuals residuals;
    for (size_t i = 0; i < list.length; i++)
        predicted[i] = predicted_us(&got, &list.items[i]);
    ck_assert_int_eq(residuals_of(list.items, predicted, NULL, list.length, &residuals), 0);
    printf("V100S, by eight of %zu runs: median error %.4f, 95 %% %.4f\n", list.length,
           residuals.median, residuals.p95);
    ck_assert_double_lt(residuals.median, 0.15); /* .097 was measured, with stage 1 apart .046 */
    free(predicted);
    validation_free(&v);
    runs_free(&list);
}
END_TEST

/* The published runs follow Graphcore's rule. The fit takes the runs with a block for each bucket,
 * and the other variant predicts those with a thread for each bucket, as if they came from another
 * kernel. A median error of .052 was measured, and .209 at 95 %. Runs with a block for each bucket
 * do not fill the card, so only their stage 2 shows how many blocks it holds. */
START_TEST(one_way_predicts_the_other)
{
    struct run_list list;
    char error[CSV_ERROR] = "";
    read_published("runs/keyetal/two-stage.csv", NULL, NULL, &list);
    struct rcm_profile q = {.kernel = rcm_kernel_by_name("graphcore-block"), .dtype = RCM_F16};
    struct fit fit;
    struct run *others = malloc(list.length * sizeof *others);
    size_t fitted = 0, rest = 0;
    ck_assert_uint_le(list.length, RUNS_MOST);
    for (size_t i = 0; i < list.length; i++) {
        const struct rcm_topk *p = &list.items[i].p;
        if (p->m * p->b >= 3840 || p->n / p->b < 64)
            others[rest++] = list.items[i];
        else
            runs[fitted++] = list.items[i];
    }
    ck_assert_msg(fit_profile(runs, fitted, &q, &fit, MESSAGE(error)) == 0, "%s", error);
    double *predicted = malloc(rest * sizeof *predicted);
    struct residuals residuals;
    for (size_t i = 0; i < rest; i++)
        predicted[i] =
            rcm_predict_as(&q, rcm_kernel_by_name("graphcore-thread"), others[i].p).time_us;
    ck_assert_int_eq(residuals_of(others, predicted, NULL, rest, &residuals), 0);
    printf("%zu runs of a block a bucket predict %zu of a thread a bucket: median error %.3f, 95 "
           "%% %.3f\n",
           fitted, residuals.runs, residuals.median, residuals.p95);
    ck_assert_uint_gt(residuals.runs, 700);
    ck_assert_double_lt(residuals.median, 0.08);
    ck_assert_double_lt(residuals.p95, 0.30);
    free(predicted);
    free(others);
    runs_free(&list);
}
END_TEST

TEST_MAIN("published runs", published_runs, unseen_runs, published_runs_of_another_kernel,
          one_way_predicts_the_other)
