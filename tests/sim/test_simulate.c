/* test_simulate.c - the simulation against the exact model, and against the simulations that Key
 * et al. published.
 *
 * Seeds are fixed, so a pass stays a pass. With another seed: 6e-7 a case for each |z| < 5 of a
 * mean; standard deviations may be off by 6 of their own errors, by chance in less than 1e-6 a
 * case.
 *
 * Against: the mean and sd of the exact model (b not dividing n, padding, all assignments, shuffled
 * AR(1) rows), Figure 6 of Key et al.
 *
 * SPDX-License-Identifier: Apache-2.0 */

#include <sim/tally/tally.h>

#include "spec.h"

/* z of every result against the model; adds to the sums. */
struct zs {
    unsigned count;
    double sum, squares, largest;
};

static void add_z(struct zs *zs, double z)
{
    zs->count++;
    zs->sum += z;
    zs->squares += z * z;
    zs->largest = fmax(zs->largest, fabs(z));
}

static double zs_sd(const struct zs *zs)
{
    double mean = zs->sum / zs->count;
    return sqrt((zs->squares - zs->count * mean * mean) / (zs->count - 1.0));
}

/* Where the lost elements of a row have variance v, all rows together have about rows v rare
 * events. Below 25 the mean is not normal, and the test only checks that it is near. */
static void compare_with_model(const struct sim_spec *spec, struct zs *means, double limit)
{
    struct simulation *simulation = run_simulation(spec);
    for (size_t rho = 0; rho < spec->rhos; rho++)
        for (size_t s = 0; s < spec->shuffles; s++)
            for (size_t i = 0; i < spec->shapes; i++) {
                struct rcm_topk p = model_shape(spec, spec->shape[i]);
                struct sim_result r = simulation_result(simulation, rho, s, i);
                double rows = (double)r.rows, loss = rcm_loss_exact(p), sd = rcm_recall_sd(p),
                       k = (double)p.k, v = sd * sd * k * k;
                double far = fabs(1.0 - r.recall_mean - loss) * rows * k; /* in elements */
                ck_assert_uint_eq(r.rows, spec->repetitions);
                if (rows * v < 25.0) {
                    ck_assert_msg(far < (v > 0.0 ? 60.0 : 1e-6), TOPK_FMT " lost %.3g, want %.3g",
                                  TOPK_ARG(p), 1.0 - r.recall_mean, loss);
                    continue;
                }
                double z = (loss - (1.0 - r.recall_mean)) / (sd / sqrt(rows));
                ck_assert_msg(fabs(z) < limit,
                              TOPK_FMT " %s rho %g shuffle %s: recall %.6f, model %.6f, z %.2f",
                              TOPK_ARG(p), sim_input_name(spec->input), spec->rho[rho],
                              sim_shuffle_name(spec->shuffle[s]), r.recall_mean, 1.0 - loss, z);
                add_z(means, z);
                /* The sd of R rows has a relative error of sqrt((kurtosis - 1)/(4 R)); the kurtosis
                 * is 3 for a normal distribution and 3 + 1/v for one of rare single losses. Below v
                 * = 1 it may be anything: one bucket that sometimes loses many. */
                if (v < 1.0)
                    continue;
                double error = sqrt((0.5 + 0.25 / v) / rows);
                ck_assert_msg(fabs(r.recall_sd / sd - 1.0) < 6.0 * error,
                              TOPK_FMT " sd %.4g, model %.4g", TOPK_ARG(p), r.recall_sd, sd);
            }
    simulation_free(simulation);
}

START_TEST(placement_agrees_with_the_model)
{
    const uint64_t ns[] = {7, 100, 1009, 4096, 1000003, UINT64_C(1) << 40},
                   bs[] = {1, 3, 8, 30, 101, 1000}, k_bs[] = {1, 2, 3, 5, 13};
    struct zs zs = {0};
    for (size_t n = 0; n < sizeof ns / sizeof *ns; n++)
        for (int part = 1; part <= 4; part++) {
            struct sim_shape shapes[90];
            uint64_t k = part == 1   ? 5
                         : part == 2 ? ns[n] / 50 + 1
                         : part == 3 ? ns[n] / 3 + 1
                                     : ns[n] - 1;
            k = k < 2000 ? k : 300 + (uint64_t)part;
            size_t length = 0;
            for (size_t b = 0; b < sizeof bs / sizeof *bs; b++)
                for (size_t k_b = 0; k_b < sizeof k_bs / sizeof *k_bs; k_b++)
                    for (int a = 0; a < SIM_ASSIGNMENTS; a++)
                        if (bs[b] <= ns[n])
                            shapes[length++] =
                                (struct sim_shape){bs[b], k_bs[k_b], (enum sim_assignment)a};
            for (int padded = 0; padded < 2; padded++) {
                const uint64_t rows = (k < 100 ? 4000U : 400U) / (few_cases() ? 4 : 1);
                struct sim_spec spec = placement_spec(ns[n], k, shapes, length, rows);
                spec.valid = padded ? k + (ns[n] - k) / 2 : ns[n];
                spec.seed = 17;
                compare_with_model(&spec, &zs, 5.0);
            }
        }
    printf("placement: %u shapes, mean z %.3f, sd %.3f, largest %.2f\n", zs.count,
           zs.sum / zs.count, zs_sd(&zs), zs.largest);
    /* Results of one walk are correlated, so the mean of z scatters more than 1/sqrt(count). The sd
     * of z changes little. */
    ck_assert_double_lt(fabs(zs_sd(&zs) - 1.0), 0.2);
}
END_TEST

START_TEST(rows_agree_with_the_model)
{
    /* Uncorrelated rows as they are; correlated ones after a shuffle; b that does not divide n;
     * padding. */
    const double rhos[] = {0.0, 0.4, 0.9};
    const enum sim_shuffle not_shuffled[] = {SIM_SHUFFLE_NONE}, shuffled[] = {SIM_SHUFFLE_ROW};
    struct sim_shape shapes[] = {{100, 1, 0}, {33, 3, 0},  {17, 7, 0}, {100, 1, 1}, {33, 3, 1},
                                 {17, 7, 1},  {100, 1, 2}, {33, 3, 2}, {17, 7, 2}};
    struct sim_spec spec = placement_spec(1000, 99, shapes, sizeof shapes / sizeof *shapes, 4000);
    spec.seed = 23;
    struct zs zs = {0};
    const uint64_t valids[] = {1000, 617};
    for (int v = 0; v < 2; v++) {
        const enum sim_input inputs[] = {SIM_IID, SIM_LOGNORMAL, SIM_UNIFORM, SIM_AR1};
        spec.valid = valids[v];
        spec.shuffle = not_shuffled;
        spec.rho = rhos; /* 0 for all of these */
        spec.rhos = 1;
        for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
            spec.input = inputs[i];
            compare_with_model(&spec, &zs, 5.0);
        }
        spec.shuffle = shuffled;
        spec.rhos = 3;
        compare_with_model(&spec, &zs, 5.0);
        const enum sim_input without_one[] = {SIM_SORTED, SIM_CONSTANT, SIM_TIES};
        spec.rhos = 1;
        for (size_t i = 0; i < sizeof without_one / sizeof *without_one; i++) {
            spec.input = without_one[i];
            /* Ties are broken by index, which a shuffle does not change. */
            if (without_one[i] == SIM_SORTED)
                compare_with_model(&spec, &zs, 5.0);
        }
    }
    printf("rows: %u results, mean z %.3f, sd %.3f, largest %.2f\n", zs.count, zs.sum / zs.count,
           zs_sd(&zs), zs.largest);
    ck_assert_double_lt(fabs(zs_sd(&zs) - 1.0), 0.25);
}
END_TEST

START_TEST(ranks_survive_as_modelled)
{
    uint64_t ranks[] = {1, 2, 10, 50, 99};
    struct sim_shape shapes[] = {{100, 1, SIM_INTERLEAVED}, {30, 4, SIM_CONTIGUOUS}};
    const enum sim_input inputs[] = {SIM_PLACEMENT, SIM_IID};
    for (int i = 0; i < 2; i++) {
        struct sim_spec spec = placement_spec(1000, 99, shapes, 2, 20000);
        spec.input = inputs[i];
        spec.rank = ranks;
        spec.ranks = 5;
        spec.seed = 5;
        struct simulation *simulation = run_simulation(&spec);
        for (size_t s = 0; s < 2; s++)
            for (size_t r = 0; r < 5; r++) {
                double want = rcm_survival(model_shape(&spec, shapes[s]), ranks[r]),
                       rows = (double)spec.repetitions;
                double got = (double)simulation_result(simulation, 0, 0, s).survived[r] / rows,
                       sd = sqrt(want * (1.0 - want) / rows);
                ck_assert_msg(want == 1.0 ? got == 1.0 : fabs(got - want) < 5.0 * sd,
                              "rank %" PRIu64 ": %.5f, model %.5f", ranks[r], got, want);
            }
        simulation_free(simulation);
    }
}
END_TEST

/* Quantiles, worst and exact rows from a histogram that is known: a placement with k = 2, b = 2,
 * k_b = 1, n = 2^40 loses one of two with probability 1/2. */
START_TEST(spread_is_that_of_the_rows)
{
    struct sim_shape shape = {2, 1, SIM_INTERLEAVED};
    struct sim_spec spec = placement_spec(UINT64_C(1) << 40, 2, &shape, 1, 1000);
    spec.seed = 1;
    struct simulation *simulation = run_simulation(&spec);
    struct sim_result r = simulation_result(simulation, 0, 0, 0);
    double p = r.exact_rows;
    ck_assert_double_lt(fabs(p - 0.5), 5.0 * sqrt(0.25 / 1000.0));
    ck_assert_double_eq(r.recall_worst, 0.5);
    ck_assert_double_eq(r.recall_p01, 0.5);
    ck_assert_double_eq(r.recall_p05, 0.5);
    ck_assert_double_eq(r.recall_p50, p > 0.5 ? 1.0 : 0.5);
    ck_assert_double_eq_tol(r.recall_mean, 0.5 + p / 2.0, 1e-15);
    ck_assert_double_eq_tol(r.recall_sd, 0.5 * sqrt(p * (1.0 - p) * 1000.0 / 999.0), 1e-15);
    ck_assert_double_eq_tol(r.recall_stderr, r.recall_sd / sqrt(1000.0), 1e-15);
    ck_assert_double_eq(r.certified_rows, p);
    ck_assert(isnan(r.mass_mean));
    simulation_free(simulation);
    spec.repetitions = 1; /* one row has no standard deviation */
    simulation = run_simulation(&spec);
    r = simulation_result(simulation, 0, 0, 0);
    ck_assert(isnan(r.recall_sd) && isnan(r.recall_stderr) && r.recall_worst == r.recall_mean &&
              r.recall_p50 == r.recall_mean);
    simulation_free(simulation);
}
END_TEST

/* A histogram by hand, filled in any order: 1 % of 200 rows are 2. */
START_TEST(quantiles_are_those_of_the_rows)
{
    struct histogram h = {0};
    const uint64_t values[] = {5, 900, 3, 7, 40}, counts[] = {120, 1, 69, 9, 1}; /* 200 */
    for (int i = 0; i < 5; i++)
        ck_assert(histogram_add(&h, values[i], counts[i]));
    struct spread spread = histogram_spread(&h);
    ck_assert_uint_eq(spread.rows, 200);
    ck_assert_uint_eq(spread.largest, 900);
    ck_assert_double_eq_tol(spread.mean, (600.0 + 900.0 + 207.0 + 63.0 + 40.0) / 200.0,
                            1e-15 * 9.0);
    ck_assert_uint_eq(histogram_upper(&h, 0), 900);
    ck_assert_uint_eq(histogram_upper(&h, 1), 40); /* two rows have 40 or more */
    ck_assert_uint_eq(histogram_upper(&h, 2), 7);
    ck_assert_uint_eq(histogram_upper(&h, 5), 7); /* eleven have 7 or more; ten would be enough */
    ck_assert_uint_eq(histogram_upper(&h, 6), 5);
    ck_assert_uint_eq(histogram_upper(&h, 50), 5);
    ck_assert_uint_eq(histogram_upper(&h, 100), 3);
    double squares = 0.0;
    for (int i = 0; i < 5; i++)
        squares += (double)counts[i] * ((double)values[i] - spread.mean) *
                   ((double)values[i] - spread.mean);
    ck_assert_double_eq_tol(spread.sd, sqrt(squares / 199.0), 1e-12);
    free(h.count);
}
END_TEST

/* Figure 6 of Key et al.: 160 means of 100 rows each. |z| < 4.5 in all 160 fails by chance in
 * 1e-3. */
START_TEST(key_figure_6)
{
    char line[400], *f[9];
    FILE *file = fopen("runs/keyetal/correlation.csv", "r");
    ck_assert_ptr_nonnull(file);
    const double rhos[] = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
    const enum sim_shuffle shuffles[] = {SIM_SHUFFLE_NONE, SIM_SHUFFLE_ONCE};
    struct sim_shape shapes[8];
    for (unsigned i = 0; i < 8; i++)
        shapes[i] = (struct sim_shape){256u >> i % 4, 1u << i % 4,
                                       i < 4 ? SIM_INTERLEAVED : SIM_CONTIGUOUS};
    struct sim_spec spec = placement_spec(2048, 256, shapes, 8, 1000);
    spec.input = SIM_AR1;
    spec.rho = rhos;
    spec.rhos = 10;
    spec.shuffle = shuffles;
    spec.shuffles = 2;
    spec.seed = 6;
    struct simulation *simulation = run_simulation(&spec);
    struct zs zs = {0};
    ck_assert_int_eq(csv_fields(file, line, sizeof line, f, 9), 9);
    while (csv_fields(file, line, sizeof line, f, 9) == 9) {
        size_t rho = (size_t)lround(atof(f[3]) * 10.0), shuffle = (size_t)atoi(f[5]),
               shape = strcmp(f[4], "contiguous") == 0 ? 4 : 0;
        ck_assert(to_count(f[0]) == 2048 && to_count(f[1]) == 256 && rho < 10 && shuffle < 2);
        while (shape < 8 && shapes[shape].k_b != to_count(f[2]))
            shape++;
        ck_assert_uint_lt(shape, 8);
        struct sim_result r = simulation_result(simulation, rho, shuffle, shape);
        double mean = atof(f[6]), error = atof(f[7]) / sqrt(atof(f[8]));
        double z = (r.recall_mean - mean) / sqrt(error * error + r.recall_stderr * r.recall_stderr);
        ck_assert_msg(fabs(z) < 4.5, "rho %s k_b %s %s shuffled %s: %.5f, published %.5f, z %.2f",
                      f[3], f[2], f[4], f[5], r.recall_mean, mean, z);
        add_z(&zs, z);
    }
    fclose(file);
    simulation_free(simulation);
    printf("Key et al., Figure 6: %u means, mean z %.3f, sd %.3f, largest %.2f\n", zs.count,
           zs.sum / zs.count, zs_sd(&zs), zs.largest);
    ck_assert_uint_eq(zs.count, 160);
    ck_assert(zs_sd(&zs) > 0.7 && zs_sd(&zs) < 1.3);
}
END_TEST

START_TEST(limits_are_said)
{
    char error[200];
    struct sim_shape shape = {1, 1, SIM_INTERLEAVED};
    struct sim_spec spec = placement_spec(UINT64_C(1) << 33, 2, &shape, 1, 1);
    spec.input = SIM_IID;
    ck_assert_ptr_null(simulation_new(&spec, MESSAGE(error)));
    ck_assert_ptr_nonnull(strstr(error, "2^32"));
    spec.input = SIM_PLACEMENT;
    shape.b = SIM_B_MAX + 1;
    ck_assert_ptr_null(simulation_new(&spec, MESSAGE(error)));
    ck_assert_ptr_nonnull(strstr(error, "2^28"));
}
END_TEST

TEST_MAIN("simulate", placement_agrees_with_the_model, rows_agree_with_the_model,
          ranks_survive_as_modelled, spread_is_that_of_the_rows, quantiles_are_those_of_the_rows,
          key_figure_6, limits_are_said)
