/* test_reaching.c - R, the rank of the k-th largest candidate: against bucketed top-k written out,
 * on small rows of every kind, and against its distribution, P(R > r) = P(r - lost(r) < k), where
 * lost(r) are the lost of the r largest.
 *
 * Against: stage 1 and 2 written out, small configurations; its distribution from that of the lost
 * elements; coupons; other threads.
 *
 * Slow: 4 s.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include <sim/selection/key.h>

#include "bucketed.h"
#include "spec.h"

enum { ROWS = 12, N_MAX = 40, SHAPES = 6 };

/* ---- written out */

/* The rank of the k-th largest candidate; 0 where there are fewer. */
static size_t literal_rank(const double *x, size_t n, size_t valid, size_t k,
                           struct sim_shape shape)
{
    uint64_t keys[N_MAX];
    struct bucketed kept;
    for (size_t i = 0; i < valid; i++)
        keys[i] = recall_key_of(x[i]);
    ck_assert(bucketed_topk(keys, n, valid, k, shape.b, shape.k_b, shape.assignment, &kept));
    size_t rank = 0;
    if (kept.length == k) {
        uint32_t last = kept.result[k - 1];
        for (uint32_t i = 0; i < valid; i++)
            rank += keys[i] > keys[last] || (keys[i] == keys[last] && i <= last);
    }
    bucketed_free(&kept);
    return rank;
}

static double value_of(int kind, uint64_t *state)
{
    uint64_t draw = next_random(state) >> 8;
    switch (kind) {
    case 0:
        return (double)(draw % 100000);
    case 1: /* ties */
        return (double)(draw % 4);
    case 2: /* masks */
        return draw % 3 ? -INFINITY : draw % 2 ? NAN : (double)(draw % 7);
    case 3: /* equal but for the last bits */
        return 1.0 + (double)(draw % 1000) * 0x1p-52;
    case 4:
        return draw % 2 ? INFINITY : -(double)(draw % 5);
    default: /* nothing but masks */
        return draw % 2 ? NAN : -INFINITY;
    }
}

static void compare_rows(const struct sim_spec *spec, double rows[ROWS][N_MAX])
{
    struct simulation *simulation = run_simulation(spec);
    for (size_t s = 0; s < SHAPES; s++) {
        struct sim_result r = simulation_result(simulation, 0, 0, s);
        double sum = 0.0, squares = 0.0, worst = 0.0;
        bool any = true;
        for (size_t i = 0; i < ROWS; i++) {
            size_t rank = literal_rank(rows[i], (size_t)spec->n, (size_t)spec->valid,
                                       (size_t)spec->k, spec->shape[s]);
            any &= rank > 0;
            sum += (double)rank;
            squares += (double)(rank * rank);
            worst = fmax(worst, (double)rank);
        }
        char at[200];
        snprintf(at, sizeof at,
                 "n %" PRIu64 " k %" PRIu64 " valid %" PRIu64 " b %" PRIu64 " k_b %" PRIu64 " %s",
                 spec->n, spec->k, spec->valid, spec->shape[s].b, spec->shape[s].k_b,
                 sim_assignment_name(spec->shape[s].assignment));
        if (!any) {
            ck_assert_msg(isnan(r.reaching_mean) && isnan(r.reaching_sd) && isnan(r.reaching_worst),
                          "%s: %g where nothing reaches", at, r.reaching_mean);
            continue;
        }
        ck_assert_msg(fabs(r.reaching_mean - sum / ROWS) < 1e-12, "%s: mean %.17g, want %.17g", at,
                      r.reaching_mean, sum / ROWS);
        ck_assert_msg(r.reaching_worst == worst, "%s: worst %g, want %g", at, r.reaching_worst,
                      worst);
        double variance = (squares - sum * sum / ROWS) / (ROWS - 1.0);
        ck_assert_msg(fabs(r.reaching_sd * r.reaching_sd - variance) < 1e-10 * (1.0 + variance),
                      "%s: sd %.17g, want %.17g", at, r.reaching_sd, sqrt(variance));
    }
    simulation_free(simulation);
}

START_TEST(the_literal_algorithm)
{
    char path[] = "/tmp/recallmodel-reaching-XXXXXX", error[200];
    int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    close(descriptor);
    uint64_t state = 11, compared = 0;
    for (int kind = 0; kind < 6; kind++)
        for (int repeat = 0; repeat < 120; repeat++) {
            static double rows[ROWS][N_MAX];
            size_t n = random_between(&state, 1, N_MAX), k = random_scale(&state, 1, n);
            struct sim_shape shapes[SHAPES];
            for (int i = 0; i < SHAPES; i++)
                shapes[i] = (struct sim_shape){random_scale(&state, 1, n),
                                               random_scale(&state, 1, i % 2 ? k : 3),
                                               (enum sim_assignment)(i % SIM_ASSIGNMENTS)};
            shapes[3].b = shapes[0].b; /* shapes of one walk */
            shapes[3].assignment = shapes[0].assignment;
            FILE *out = fopen(path, "w");
            for (size_t r = 0; r < ROWS; r++) {
                for (size_t i = 0; i < n; i++)
                    rows[r][i] = value_of(kind, &state);
                ck_assert_uint_eq(fwrite(rows[r], sizeof **rows, n, out), n);
            }
            ck_assert_int_eq(fclose(out), 0);
            struct row_file file;
            ck_assert_msg(row_file_open(&file, path, SIM_F64, n, MESSAGE(error)) == 0, "%s", error);
            struct sim_spec spec = placement_spec(n, k, shapes, SHAPES, ROWS);
            spec.valid = repeat % 3 ? n : random_between(&state, k, n);
            spec.input = SIM_FILE;
            spec.file = &file;
            spec.reaching = true;
            spec.weights = repeat % 2;
            spec.temperature = 1.0;
            spec.threads = 1;
            compare_rows(&spec, rows);
            compared += SHAPES;
            row_file_close(&file);
        }
    unlink(path);
    printf("literal algorithm: %" PRIu64 " configurations of %d rows agree\n", compared, ROWS);
}
END_TEST

/* ---- the distribution */

/* Mean and sd of R from the distribution of the lost; NaN where it does not exist. */
static void distribution_of_r(struct rcm_topk p, double *mean, double *sd)
{
    double first = 0.0, second = 0.0; /* sums of P(R > r) and (2 r + 1) P(R > r) */
    uint64_t k = p.k, most = p.valid ? p.valid : p.n;
    for (uint64_t r = 0; r <= most; r++) {
        double beyond = r < k ? 1.0 : 0.0; /* P(R > r) */
        if (r >= k) {
            struct rcm_lost lost;
            p.k = r;
            ck_assert_int_eq(rcm_lost(p, &lost), RCM_OK);
            for (size_t i = 0; i < lost.length; i++)
                beyond += lost.first + i > r - k ? lost.probability[i] : 0.0;
            rcm_lost_free(&lost);
        }
        first += beyond;
        second += (2.0 * (double)r + 1.0) * beyond;
        if (r > k && beyond < 1e-13)
            break;
    }
    *mean = first;
    *sd = sqrt(second - first * first);
}

/* |z| > 5 of a mean by chance: 6e-7 a case. The sd may be off by 25 %, because R has long tails. */
START_TEST(agrees_with_its_distribution)
{
    const struct {
        struct sim_shape shape;
        uint64_t n, k, valid;
    } cases[] = {
        {{8, 1, SIM_INTERLEAVED}, 16, 4, 16},           {{100, 1, SIM_INTERLEAVED}, 1000, 40, 1000},
        {{30, 2, SIM_CONTIGUOUS}, 1000, 40, 1000},      {{40, 1, SIM_INTERLEAVED}, 1000, 40, 1000},
        {{33, 3, SIM_CONTIGUOUS_FLOOR}, 1000, 50, 617}, {{33, 3, SIM_INTERLEAVED}, 1000, 70, 617},
        {{17, 7, SIM_CONTIGUOUS}, 1000, 90, 800},       {{64, 4, SIM_INTERLEAVED}, 4096, 150, 4096},
        {{20, 2, SIM_CONTIGUOUS}, 60, 25, 50}};
    const enum sim_input inputs[] = {SIM_PLACEMENT, SIM_IID};
    double largest = 0.0;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int i = 0; i < 2; i++) {
            double mean, sd;
            struct sim_spec spec = placement_spec(cases[c].n, cases[c].k, &cases[c].shape, 1,
                                                  few_cases() ? 2500 : 10000);
            spec.valid = cases[c].valid;
            spec.input = inputs[i];
            spec.reaching = true;
            spec.seed = 3;
            struct rcm_topk p = {.n = spec.n,
                                 .k = spec.k,
                                 .b = cases[c].shape.b,
                                 .k_b = cases[c].shape.k_b,
                                 .valid = spec.valid,
                                 .assignment = (enum rcm_assignment)cases[c].shape.assignment};
            distribution_of_r(p, &mean, &sd);
            struct simulation *simulation = run_simulation(&spec);
            struct sim_result r = simulation_result(simulation, 0, 0, 0);
            double z = (r.reaching_mean - mean) / (sd / sqrt((double)r.rows));
            ck_assert_msg(fabs(z) < 5.0, TOPK_FMT " %s: R %.5f, distribution %.5f, z %.2f",
                          TOPK_ARG(p), sim_input_name(inputs[i]), r.reaching_mean, mean, z);
            ck_assert_msg(fabs(r.reaching_sd / sd - 1.0) < 0.25,
                          TOPK_FMT ": sd %.4f, distribution %.4f", TOPK_ARG(p), r.reaching_sd, sd);
            largest = fmax(largest, fabs(z));
            if (c == 0)
                ck_assert_double_eq_tol(mean, 4.47, 0.005);
            simulation_free(simulation);
        }
    printf("distribution: %zu means, largest |z| %.2f\n", 2 * sizeof cases / sizeof *cases,
           largest);
}
END_TEST

/* k_b = 1 and long rows: R is the time to collect k of b coupons. */
START_TEST(long_rows_collect_coupons)
{
    const struct {
        uint64_t n, k, b, rows;
        enum sim_input input;
    } cases[] = {{UINT64_C(1) << 40, 1024, 4096, 4000, SIM_PLACEMENT},
                 {UINT64_C(1) << 40, 100, 100, 4000, SIM_PLACEMENT},
                 {1 << 18, 50, 60, 300, SIM_IID}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct sim_shape shape = {cases[c].b, 1, SIM_INTERLEAVED};
        struct sim_spec spec = placement_spec(cases[c].n, cases[c].k, &shape, 1, cases[c].rows);
        spec.input = cases[c].input;
        spec.reaching = true;
        spec.seed = 8;
        double mean = 0.0, variance = 0.0, b = (double)shape.b;
        for (uint64_t i = 0; i < spec.k; i++) {
            double left = b - (double)i;
            mean += b / left;
            variance += b * (double)i / (left * left);
        }
        struct simulation *simulation = run_simulation(&spec);
        struct sim_result r = simulation_result(simulation, 0, 0, 0);
        double z = (r.reaching_mean - mean) / sqrt(variance / (double)r.rows);
        printf("k %" PRIu64 " b %" PRIu64 ", %s: R %.2f, coupons %.2f, z %.2f\n", spec.k, shape.b,
               sim_input_name(spec.input), r.reaching_mean, mean, z);
        ck_assert_double_lt(fabs(z), 5.0);
        simulation_free(simulation);
    }
}
END_TEST

/* The result does not depend on the rows that a thread had before. */
START_TEST(threads_do_not_matter)
{
    const struct sim_shape shapes[] = {{64, 1, 0}, {40, 2, 1}, {13, 6, 2}, {8, 8, 0}, {64, 3, 0}};
    const enum sim_shuffle shuffles[] = {SIM_SHUFFLE_NONE, SIM_SHUFFLE_ROW};
    const enum sim_input inputs[] = {SIM_PLACEMENT, SIM_LOGNORMAL, SIM_TIES};
    for (int i = 0; i < 3; i++) {
        struct sim_result first[10];
        for (unsigned threads = 1; threads <= 7; threads += 2) {
            const double rho = 0.6;
            size_t all = inputs[i] == SIM_PLACEMENT ? 1 : 2;
            struct sim_spec spec = placement_spec(3000, 64, shapes, 5, 500);
            spec.valid = 2900;
            spec.input = inputs[i];
            spec.rho = &rho;
            spec.shuffle = shuffles;
            spec.shuffles = all;
            spec.reaching = true;
            spec.seed = 2;
            spec.threads = threads;
            struct simulation *simulation = run_simulation(&spec);
            for (size_t j = 0; j < all * 5; j++) {
                struct sim_result r = simulation_result(simulation, 0, j / 5, j % 5);
                if (threads == 1)
                    first[j] = r;
                ck_assert(r.reaching_mean == first[j].reaching_mean &&
                          r.reaching_sd == first[j].reaching_sd &&
                          r.reaching_worst == first[j].reaching_worst &&
                          r.recall_mean == first[j].recall_mean);
            }
            simulation_free(simulation);
        }
    }
}
END_TEST

TEST_MAIN("reaching", the_literal_algorithm, agrees_with_its_distribution,
          long_rows_collect_coupons, threads_do_not_matter)
