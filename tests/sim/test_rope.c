/* test_rope.c - rows with the wavelengths of RoPE: their distribution, and the loss of buckets that
 * follow a wavelength against the model of one wave.
 *
 * Seeds are fixed, so a pass stays a pass. Each |z| < 5 fails by chance in 6e-7 of cases.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <sim/rows/random.h>
#include <sim/rows/rope.h>

#include "spec.h"

/* Mean, variance and correlation over rows, against the closed form in sim/rows/rope.h. */
START_TEST(rows_have_their_distribution)
{
    enum { N = 300, ROWS = 6000, LAGS = 6 };
    static double x[N];
    static uint64_t words[N + 1];
    static const double given[] = {0.0, 3.0, 1.0, 0.5};
    const struct sim_rope ropes[] = {
        {.theta = 1e5, .head_dim = 64, .share = 0.6, .weight = given, .weights = 4},
        {.theta = 1e4, .head_dim = 128, .share = 0.5, .spread = 1.5},
        {.theta = 500.0, .head_dim = 16, .share = 1.0, .spread = 0.0},
        {.theta = 1e4, .head_dim = 32, .share = 0.0, .spread = 1.0}};
    const size_t lags[LAGS] = {0, 1, 2, 9, 64, 200};
    double worst = 0.0;
    for (size_t c = 0; c < sizeof ropes / sizeof *ropes; c++) {
        const struct sim_rope *rope = &ropes[c];
        double w[SIM_PAIRS_MAX], sum[LAGS + 1] = {0.0}, squares[LAGS + 1] = {0.0}, one = 0.0;
        rope_weights(rope, 3, w);
        for (unsigned i = 0; i < rope->head_dim / 2; i++)
            one += w[i];
        ck_assert(fabs(one - 1.0) < 1e-12);
        for (uint64_t r = 0; r < ROWS; r++) {
            rope_generate(rope, 3, r, x, N, words);
            for (size_t l = 0; l <= LAGS; l++) {
                const double value = l == LAGS ? x[77] : x[20] * x[20 + lags[l]];
                sum[l] += value;
                squares[l] += value * value;
            }
        }
        for (size_t l = 0; l <= LAGS; l++) {
            double want = l == 0 ? 1.0 : 0.0;
            for (unsigned i = 0; i < rope->head_dim / 2 && l > 0 && l < LAGS; i++)
                want += rope->share * w[i] *
                        cos((double)lags[l] *
                            pow(rope->theta, -2.0 * (double)i / (double)rope->head_dim));
            const double mean = sum[l] / ROWS,
                         error = sqrt((squares[l] / ROWS - mean * mean) / ROWS);
            const double z = (mean - want) / error;
            ck_assert_msg(fabs(z) < 5.0, "row distribution %zu, lag %zu: %.5f, want %.5f, z %.2f",
                          c, l < LAGS ? lags[l] : 0, mean, want, z);
            worst = fmax(worst, fabs(z));
        }
    }
    printf("mean, variance and correlation of rope, largest |z| %.2f\n", worst);
}
END_TEST

/* A value is that of its index, whatever the length, and cosines are right far from the start. */
START_TEST(values_depend_on_their_index_alone)
{
    enum { N = 100000 };
    static double x[N], few[1000];
    static uint64_t words[N + 1];
    static const double one[] = {0.0, 1.0};
    const struct sim_rope rope = {
        .theta = 1e5, .head_dim = 64, .share = 1.0, .weight = one, .weights = 2};
    rope_generate(&rope, 9, 4, x, N, words);
    rope_generate(&rope, 9, 4, few, 1000, words);
    ck_assert(memcmp(x, few, sizeof few) == 0);
    /* A cosine goes on by 2 cos(omega) x_j - x_(j-1), also across the ends of the stretches. */
    const double twice = 2.0 * cos(pow(1e5, -1.0 / 32.0));
    double worst = 0.0, largest = 0.0;
    for (size_t j = 1; j + 1 < N; j++) {
        worst = fmax(worst, fabs(twice * x[j] - x[j - 1] - x[j + 1]));
        largest = fmax(largest, fabs(x[j]));
    }
    ck_assert_msg(worst < 1e-9 && fabs(largest - sqrt(2.0)) < 1e-6, "%g, largest %g", worst,
                  largest);
    rope_generate(&rope, 9, 5, few, 1000, words);
    ck_assert(fabs(few[0] - x[0]) > 1e-3); /* another row, another phase */
    row_generate(SIM_ROPE, 0.0, 9, 4, x, 1000, words);
    rope_generate(&sim_rope_default, 9, 4, few, 1000, words);
    ck_assert(memcmp(x, few, sizeof few) == 0);
}
END_TEST

/* ---- resonance */

struct measured {
    double loss, error;
};

static struct measured loss_of(const struct sim_rope *rope, struct rcm_topk p, uint64_t rows)
{
    const struct sim_shape shape = {p.b, p.k_b, SIM_INTERLEAVED};
    struct sim_spec spec = placement_spec(p.n, p.k, &shape, 1, rows);
    spec.input = SIM_ROPE;
    spec.rope = rope;
    spec.seed = 2;
    struct simulation *simulation = run_simulation(&spec);
    const struct sim_result r = simulation_result(simulation, 0, 0, 0);
    simulation_free(simulation);
    return (struct measured){1.0 - r.recall_mean, r.recall_stderr};
}

/* The error of the model of one wave that rope.h states, and five standard errors. Returns the
 * error as a share of the larger of the loss and that of the exact model. */
static double compare(const struct sim_rope *rope, struct rcm_topk p, struct rcm_wave wave,
                      uint64_t rows)
{
    const struct measured m = loss_of(rope, p, rows);
    const double want = rcm_loss_wave(p, wave), exact = rcm_loss_exact(p);
    const double error = want >= exact ? 0.01 * want : 0.05 * exact;
    ck_assert_msg(fabs(m.loss - want) <= error + 5.0 * m.error,
                  TOPK_FMT " wavelength %g share %g: loss %.5f +- %.5f, model %.5f", TOPK_ARG(p),
                  wave.wavelength, wave.share, m.loss, m.error, want);
    return fabs(m.loss - want) / fmax(want, exact);
}

/* At theta 1e5 and head_dim 64 the second wavelength is 9.0039: b = 9 loses much more than its
 * neighbours, as the model of one wave says. */
START_TEST(nine_resonates)
{
    static const double one[] = {0.0, 1.0};
    const struct sim_rope rope = {
        .theta = 1e5, .head_dim = 64, .share = 0.4, .weight = one, .weights = 2};
    const struct rcm_rope model = {1e5, 64, 0};
    const struct rcm_wave wave = {rcm_rope_wavelength(model, 1), 0.4};
    struct rcm_topk p = {.n = 8192, .k = 128, .k_b = 16};
    for (p.b = 8; p.b <= 10; p.b++) {
        const struct measured m = loss_of(&rope, p, 200);
        const double usual = rcm_loss_exact(p);
        printf("b %" PRIu64 ": loss %.4f +- %.4f, exact model %.4f, with the wave %.4f\n", p.b,
               m.loss, m.error, usual, rcm_loss_wave(p, wave));
        compare(&rope, p, wave, 200);
        ck_assert(rcm_rope_resonates(p.n, p.b, model) == (p.b == 9));
        if (p.b == 9)
            ck_assert(m.loss > 5.0 * usual);
        else
            ck_assert(m.loss < 1.1 * usual + 5.0 * m.error);
    }
}
END_TEST

/* The width: theta moves the wavelength of the second pair so that buckets of b = 16 drift by 0 to
 * 4 turns; and multiples, several phases in a bucket, other shares and k. */
START_TEST(the_model_of_one_wave_holds)
{
    static const double one[] = {0.0, 1.0};
    static const double drifts[] = {0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0};
    double worst = 0.0, at_rest = 0.0;
    for (size_t i = 0; i < sizeof drifts / sizeof *drifts; i++) {
        const struct rcm_topk p = {.n = 4096, .k = 128, .b = 16, .k_b = 10};
        const double wavelength = 16.0 / (1.0 + drifts[i] / 256.0);
        const struct sim_rope rope = {.theta = pow(wavelength / (2.0 * acos(-1.0)), 2.0),
                                      .head_dim = 4,
                                      .share = 0.5,
                                      .weight = one,
                                      .weights = 2};
        const double loss = rcm_loss_wave(p, (struct rcm_wave){wavelength, 0.5});
        at_rest = i == 0 ? loss : at_rest;
        worst = fmax(worst, compare(&rope, p, (struct rcm_wave){wavelength, 0.5}, 1000));
        if (drifts[i] >= 1.0)
            ck_assert_msg(loss < rcm_loss_exact(p) + 0.06 * at_rest, "drift %g: %g", drifts[i],
                          loss);
    }
    const struct {
        struct rcm_topk p;
        double share;
    } cases[] = {{{.n = 4096, .k = 64, .b = 18, .k_b = 6}, 0.3},
                 {{.n = 4096, .k = 512, .b = 9, .k_b = 70}, 0.7},
                 {{.n = 4096, .k = 256, .b = 45, .k_b = 8}, 0.5},
                 {{.n = 4096, .k = 128, .b = 44, .k_b = 4}, 0.8},
                 {{.n = 4096, .k = 128, .b = 14, .k_b = 12}, 0.9}, /* 14/9 = 1 + 5/9 */
                 {{.n = 4096, .k = 128, .b = 450, .k_b = 1}, 0.5},
                 {{.n = 4096, .k = 1024, .b = 90, .k_b = 16}, 0.4},
                 {{.n = 4096, .k = 1024, .b = 91, .k_b = 15}, 0.8},
                 {{.n = 4096, .k = 128, .b = 451, .k_b = 1}, 0.9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sim_rope rope = {.theta = pow(9.0 / (2.0 * acos(-1.0)), 2.0),
                                      .head_dim = 4,
                                      .share = cases[i].share,
                                      .weight = one,
                                      .weights = 2};
        worst =
            fmax(worst, compare(&rope, cases[i].p, (struct rcm_wave){9.0, cases[i].share}, 1000));
    }
    printf("one wave: the model is off by at most %.1f %%\n", 100.0 * worst);
}
END_TEST

/* A shuffle breaks the waves up. */
START_TEST(a_shuffle_avoids_it)
{
    static const double one[] = {0.0, 1.0};
    static const enum sim_shuffle once = SIM_SHUFFLE_ONCE;
    const struct sim_rope rope = {
        .theta = 1e5, .head_dim = 64, .share = 0.4, .weight = one, .weights = 2};
    const struct rcm_topk p = {.n = 8192, .k = 128, .b = 9, .k_b = 16};
    const struct sim_shape shape = {9, 16, SIM_INTERLEAVED};
    struct sim_spec spec = placement_spec(p.n, p.k, &shape, 1, 200);
    spec.input = SIM_ROPE;
    spec.rope = &rope;
    spec.shuffle = &once;
    struct simulation *simulation = run_simulation(&spec);
    const struct sim_result r = simulation_result(simulation, 0, 0, 0);
    simulation_free(simulation);
    ck_assert_msg(fabs(r.recall_mean - rcm_recall_exact(p)) < 5.0 * r.recall_stderr,
                  "recall %.4f, model %.4f", r.recall_mean, rcm_recall_exact(p));
}
END_TEST

TEST_MAIN("rope", rows_have_their_distribution, values_depend_on_their_index_alone, nine_resonates,
          the_model_of_one_wave_holds, a_shuffle_avoids_it)
