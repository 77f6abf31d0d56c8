/* test_sim_parts.c - rows that are dealt out to parts.
 *
 * Against: whole rows, sorted; and the model, on rows of independent values.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <sim/parts.h>
#include <sim/simulate.h>
#include <tests/test.h>

enum { N = 240, PARTS = 6 };

/* Every part gets what it has to, in blocks, and equal parts take turns. */
START_TEST(dealing)
{
    static const uint64_t sizes[][PARTS] = {
        {40, 40, 40, 40, 40, 40}, {100, 60, 40, 20, 19, 1}, {1, 1, 1, 1, 1, 235}};
    static const uint64_t deals[] = {1, 3, 16, 240, 0};
    uint32_t owner[N];
    for (size_t s = 0; s < 3; s++)
        for (size_t d = 0; d < 5; d++) {
            uint64_t count[PARTS] = {0}, blocks = 1;
            sim_deal(sizes[s], PARTS, deals[d], owner);
            for (size_t i = 0; i < N; i++) {
                count[owner[i]]++;
                blocks += i > 0 && owner[i] != owner[i - 1] ? 1 : 0;
                if (s == 0 && deals[d] && deals[d] <= 40)
                    ck_assert_uint_eq(owner[i], i / deals[d] < N / deals[d] / PARTS * PARTS
                                                    ? i / deals[d] % PARTS
                                                    : owner[i]);
            }
            for (size_t p = 0; p < PARTS; p++)
                ck_assert_uint_eq(count[p], sizes[s][p]);
            if (deals[d] == 0)
                ck_assert_uint_eq(blocks, PARTS);
        }
}
END_TEST

struct one {
    double x;
    size_t at;
};

static int larger_first(const void *a, const void *b)
{
    const struct one *p = a, *q = b;
    return p->x > q->x ? -1 : p->x < q->x ? 1 : p->at < q->at ? -1 : 1;
}

/* Each row by its definition: the rows of the input `ties`, whose top k is by index, too. */
START_TEST(rows_by_definition)
{
    static const uint64_t size[PARTS] = {100, 60, 40, 20, 19, 1}, send[PARTS] = {9, 7, 5, 3, 2, 1},
                          deal[] = {1, 5, 0};
    static const enum sim_input inputs[] = {SIM_TIES, SIM_AR1, SIM_CONSTANT};
    struct sim_parts_spec spec = {.n = N,
                                  .k = 20,
                                  .rows = 100,
                                  .rho = 0.9,
                                  .seed = 5,
                                  .size = size,
                                  .send = send,
                                  .parts = PARTS,
                                  .deal = deal,
                                  .deals = 3};
    struct sim_parts_row out[300];
    char error[100] = "";
    for (size_t j = 0; j < 3; j++)
        for (spec.threads = 1; spec.threads <= 3; spec.threads += 2) {
            spec.input = inputs[j];
            ck_assert_uint_eq(sim_parts_run(&spec, out, NULL, NULL, MESSAGE(error)), 100);
            for (uint64_t r = 0; r < 100; r++) {
                double x[N];
                uint64_t words[N + 1];
                struct one order[N];
                row_generate(spec.input, spec.rho, spec.seed, r, x, N, words);
                for (size_t i = 0; i < N; i++)
                    order[i] = (struct one){x[i], i};
                qsort(order, N, sizeof *order, larger_first);
                for (size_t d = 0; d < 3; d++) {
                    uint32_t owner[N];
                    uint64_t count[PARTS] = {0}, lost = 0;
                    double grow = 0.0;
                    sim_deal(size, PARTS, deal[d], owner);
                    for (size_t i = 0; i < spec.k; i++)
                        count[owner[order[i].at]]++;
                    for (size_t p = 0; p < PARTS; p++) {
                        lost += count[p] > send[p] ? count[p] - send[p] : 0;
                        if (send[p] < size[p])
                            grow = fmax(grow, (double)count[p] / (double)send[p]);
                    }
                    ck_assert_uint_eq(out[d * 100 + r].lost, lost);
                    ck_assert_double_eq_tol(out[d * 100 + r].grow, grow, 1e-15);
                }
            }
        }
}
END_TEST

/* |z| > 5 by chance: 6e-7 for each of 6 numbers; the seed is fixed. */
START_TEST(independent_rows_as_the_model)
{
    static const uint64_t size[PARTS] = {80, 60, 40, 30, 20, 10}, send[PARTS] = {12, 9, 7, 6, 5, 3},
                          deal[] = {1, 0};
    enum { ROWS = 20000 };
    struct rcm_part of[PARTS];
    for (size_t p = 0; p < PARTS; p++)
        of[p] = (struct rcm_part){size[p], send[p], 1};
    const struct rcm_parts parts = {24, of, PARTS};
    const struct sim_parts_spec spec = {.n = N,
                                        .k = 24,
                                        .rows = ROWS,
                                        .input = SIM_IID,
                                        .seed = 9,
                                        .size = size,
                                        .send = send,
                                        .parts = PARTS,
                                        .deal = deal,
                                        .deals = 2,
                                        .threads = 2};
    struct sim_parts_row *out = malloc(2 * ROWS * sizeof *out);
    char error[100] = "";
    ck_assert_uint_eq(sim_parts_run(&spec, out, NULL, NULL, MESSAGE(error)), ROWS);
    for (size_t d = 0; d < 2; d++) {
        double lost = 0.0, losing = 0.0, unproved = 0.0, scatter = 0.0;
        for (size_t r = 0; r < ROWS; r++) {
            const struct sim_parts_row *row = &out[d * ROWS + r];
            lost += row->lost;
            losing += row->lost > 0;
            unproved += row->grow >= 1.0F;
            scatter += (double)row->scatter;
        }
        const double p = rcm_parts_probability_lost(parts),
                     q = rcm_parts_probability_unproved(parts);
        const double z[3] = {(lost / ROWS / 24.0 - rcm_parts_loss(parts)) /
                                 (rcm_parts_sd(parts) / sqrt(ROWS)),
                             (losing / ROWS - p) / sqrt(p * (1.0 - p) / ROWS),
                             (unproved / ROWS - q) / sqrt(q * (1.0 - q) / ROWS)};
        printf("deal %d: z %.2f %.2f %.2f, scatter %.3f\n", (int)deal[d], z[0], z[1], z[2],
               scatter / ROWS);
        for (int i = 0; i < 3; i++)
            ck_assert(fabs(z[i]) < 5.0);
        ck_assert_double_eq_tol(scatter / ROWS, 1.0, 0.02);
    }
    free(out);
}
END_TEST

/* ---- buckets of the simulation that get several neighbours at a time */

enum { LONG = 960, DEALT_ROWS = 60 };
static const double dealt_rho = 0.9;
static const enum sim_shuffle no_shuffle = SIM_SHUFFLE_NONE;
static const struct sim_shape dealt_shapes[] = {{PARTS, 20, SIM_INTERLEAVED},
                                                {PARTS, 20, SIM_CONTIGUOUS}};

static struct sim_spec dealt_spec(uint64_t deal)
{
    return (struct sim_spec){.n = LONG,
                             .k = 100,
                             .valid = LONG,
                             .input = SIM_AR1,
                             .rho = &dealt_rho,
                             .rhos = 1,
                             .shuffle = &no_shuffle,
                             .shuffles = 1,
                             .deal = deal,
                             .shape = dealt_shapes,
                             .shapes = 2,
                             .temperature = 1.0,
                             .seed = 3,
                             .repetitions = DEALT_ROWS,
                             .threads = 2};
}

/* What the same rows lose as parts: the mean loss, and the share that loses nothing. */
static void lost_as_parts(uint64_t deal, double *loss, double *whole)
{
    static const uint64_t size[PARTS] = {160, 160, 160, 160, 160, 160},
                          send[PARTS] = {20, 20, 20, 20, 20, 20};
    const struct sim_parts_spec parts = {.n = LONG,
                                         .k = 100,
                                         .rows = DEALT_ROWS,
                                         .input = SIM_AR1,
                                         .rho = dealt_rho,
                                         .seed = 3,
                                         .size = size,
                                         .send = send,
                                         .parts = PARTS,
                                         .deal = &deal,
                                         .deals = 1,
                                         .threads = 2};
    struct sim_parts_row rows[DEALT_ROWS];
    char error[200] = "";
    ck_assert_uint_eq(sim_parts_run(&parts, rows, NULL, NULL, MESSAGE(error)), DEALT_ROWS);
    *loss = *whole = 0.0;
    for (size_t r = 0; r < DEALT_ROWS; r++) {
        *loss += rows[r].lost / 100.0 / DEALT_ROWS;
        *whole += rows[r].lost ? 0.0 : 1.0 / DEALT_ROWS;
    }
}

START_TEST(buckets_that_are_dealt_to)
{
    static const uint64_t deals[] = {1, 2, 16, 80, 160};
    char error[200] = "";
    for (size_t d = 0; d < 5; d++) {
        const struct sim_spec spec = dealt_spec(deals[d]);
        struct simulation *simulation = simulation_new(&spec, MESSAGE(error));
        ck_assert_ptr_nonnull(simulation);
        ck_assert_int_eq(simulation_run(simulation, NULL, NULL, MESSAGE(error)), 0);
        for (size_t shape = 0; shape < 2; shape++) { /* runs are runs, whatever `deal` is */
            double loss, whole;
            lost_as_parts(shape ? 0 : deals[d], &loss, &whole);
            const struct sim_result result = simulation_result(simulation, 0, 0, shape);
            ck_assert_double_eq_tol(result.recall_mean, 1.0 - loss, 1e-12);
            ck_assert_double_eq_tol(result.exact_rows, whole, 1e-12);
        }
        simulation_free(simulation);
    }
    struct sim_spec bad = dealt_spec(7);
    ck_assert_ptr_nonnull(simulation_limit(&bad));
    bad = dealt_spec(160);
    ck_assert_ptr_null(simulation_limit(&bad));
    bad.valid = LONG - 1;
    ck_assert_ptr_nonnull(simulation_limit(&bad));
}
END_TEST

TEST_MAIN("sim parts", buckets_that_are_dealt_to, dealing, rows_by_definition,
          independent_rows_as_the_model)
