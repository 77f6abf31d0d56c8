/* test_rank_weights.c - mean weights by rank, of the rows of a file and of normal scores.
 *
 * Against: each row sorted and weighed as the definition says, with masks, NaN, ties and infinity;
 * the exact model; rows of normal scores that are drawn whole.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gsl/gsl_randist.h>
#include <unistd.h>

#include <tests/test.h>

#include <sim/sampler/rank_weights.h>

enum { ROWS = 60, N = 40, K = 11 };

static double rows[ROWS][N];
static char path[] = "/tmp/rank_weights_XXXXXX";

static int larger_first(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Rows of few values, so that there are ties; some with masks, NaN or infinity, one of masks alone.
 */
static void make_rows(struct row_file *file)
{
    uint64_t state = 7;
    char error[300];
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < N; i++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
            const unsigned draw = (unsigned)(state >> 40);
            rows[r][i] = (draw % 64) / 8.0 - 4.0;
            if (r == 3 || (r % 7 == 1 && draw % 5))
                rows[r][i] = -INFINITY;
            else if (r % 11 == 5 && draw % 3 == 0)
                rows[r][i] = NAN;
            else if (r == 20 && i % 13 == 0)
                rows[r][i] = INFINITY;
        }
    const int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, rows, sizeof rows), sizeof rows);
    close(descriptor);
    ck_assert_msg(row_file_open(file, path, SIM_F64, N, MESSAGE(error)) == 0, "%s", error);
    unlink(path);
}

/* The weights of a row, sorted; their sum. */
static double weigh(const double *x, double temperature, double *weight)
{
    double sum = 0.0, largest = -INFINITY;
    for (int i = 0; i < N; i++)
        largest = fmax(largest, x[i]);
    for (int i = 0; i < N; i++) {
        const double usual = exp((x[i] - largest) / temperature);
        weight[i] = isnan(x[i]) || x[i] == -INFINITY ? 0.0
                    : largest == INFINITY            ? (double)(x[i] == INFINITY)
                                                     : usual;
        sum += weight[i];
    }
    qsort(weight, N, sizeof *weight, larger_first);
    return sum;
}

/* Top-p of the top k, with a temperature; of the whole row, with it before or behind. */
START_TEST(each_row_by_the_definition)
{
    const double temperatures[] = {1.0, 0.25, 3.0}, top_ps[] = {1.0, 0.9, 0.3};
    struct row_file file;
    make_rows(&file);
    for (int t = 0; t < 27; t++) {
        double want[K] = {0.0}, want_square[K] = {0.0}, weight[N], cut[N];
        double topk_mass = 0.0, counted = 0.0;
        struct rank_weights means;
        char error[300];
        const struct chain_step temperature = {CHAIN_TEMPERATURE, temperatures[t % 3]},
                                top_p = {CHAIN_TOP_P, top_ps[t / 3 % 3]},
                                top_k = {CHAIN_TOP_K, 0.0};
        const struct chain chains[] = {{2, {temperature, top_p}},
                                       {3, {temperature, top_p, top_k}},
                                       {3, {top_p, top_k, temperature}}};
        const struct rank_scores scores = {.file = &file, .n = N, .chain = chains[t / 9]};
        ck_assert_msg(rank_weights(&means, &scores, K, MESSAGE(error)) == 0, "%s", error);
        for (int r = 0; r < ROWS; r++) {
            const double all = weigh(rows[r], temperature.value, weight),
                         whole = weigh(rows[r], t < 18 ? temperature.value : 1.0, cut);
            double top = 0.0, nucleus = 0.0, before = 0.0;
            int inside = 0;
            if (r == 3)
                continue; /* nothing but masks */
            for (int i = 0; i < K; i++)
                top += weight[i];
            while (inside < K && before < top_p.value * (t < 9 ? top : whole) * (1.0 - 1e-14))
                before += cut[inside++];
            for (int i = 0; i < inside; i++)
                nucleus += weight[i];
            for (int i = 0; i < inside; i++) {
                want[i] += weight[i] / nucleus;
                want_square[i] += weight[i] / nucleus * weight[i] / nucleus;
            }
            topk_mass += top / all;
            counted += 1.0;
        }
        ck_assert_double_eq(counted, (double)means.rows);
        ck_assert_double_eq_tol(means.topk_mass, topk_mass / counted, 1e-14);
        for (int i = 0; i < K; i++) {
            ck_assert_double_eq_tol(means.share[i], want[i] / counted, 1e-14);
            ck_assert_double_eq_tol(means.square[i], want_square[i] / counted, 1e-14);
        }
        rank_weights_free(&means);
    }
    row_file_close(&file);
}
END_TEST

/* Means of the draws against the exact mean for these mean weights; and for equal weights against
 * mean, standard deviation and quantile of the recall. |z| > 5 by chance: 6e-7 a number, of 16. The
 * seed is fixed. */
START_TEST(losses_against_the_model)
{
    double most = 0.0;
    static const double equal[ROWS][N];
    struct row_file file;
    struct rank_weights means;
    struct rank_loss loss;
    char error[300], at[] = "/tmp/rank_weights_XXXXXX";
    make_rows(&file);
    const struct rank_placement placements[] = {{4, 2, 1}, {13, 1, 2}, {7, 3, 3}, {40, 1, 4}};
    for (int i = 0; i < 8; i++) {
        const struct rank_placement to = placements[i % 4];
        const struct rcm_topk p = {.n = N, .k = K, .b = to.b, .k_b = to.k_b, .m = 1};
        const struct rank_scores scores = {
            .file = &file,
            .n = N,
            .chain = {2, {{CHAIN_TEMPERATURE, 0.5}, {CHAIN_TOP_P, i < 4 ? 1.0 : 0.7}}}};
        ck_assert_int_eq(rank_weights(&means, &scores, K, MESSAGE(error)), 0);
        ck_assert_int_eq(rank_loss(&means, to, &loss), 0);
        const struct rcm_weights weights = {.k = K, .share = means.share};
        const double want = rcm_lost_mass(p, &weights), draws = RANK_DRAWS;
        const double z = loss.sd > 0.0 ? (loss.mean - want) / (loss.sd / sqrt(draws)) : 0.0;
        most = fmax(most, fabs(z));
        ck_assert_msg(fabs(z) < 5.0 && fabs(loss.mean - want) < 0.01, "%d: z %.2f", i, z);
        ck_assert(rank_loss_quantile(&loss, 0.05) >= loss.mean - 1e-12 || want < 0.05);
        const double above = rank_loss_above(&loss, rank_loss_quantile(&loss, 0.05));
        ck_assert(above <= 0.05);
        free(loss.each);
        rank_weights_free(&means);
    }
    row_file_close(&file);
    const int descriptor = mkstemp(strcpy(path, at));
    ck_assert_int_eq(write(descriptor, equal, sizeof equal), sizeof equal);
    close(descriptor);
    ck_assert_msg(row_file_open(&file, path, SIM_F64, N, MESSAGE(error)) == 0, "%s", error);
    unlink(path);
    for (int i = 0; i < 4; i++) {
        const struct rank_placement to = placements[i];
        const struct rcm_topk p = {.n = N, .k = K, .b = to.b, .k_b = to.k_b, .m = 1};
        const struct rank_scores scores = {.file = &file, .n = N};
        ck_assert_int_eq(rank_weights(&means, &scores, K, MESSAGE(error)), 0);
        ck_assert_int_eq(rank_loss(&means, to, &loss), 0);
        rank_weights_free(&means);
        const double sd = rcm_recall_sd(p), draws = RANK_DRAWS;
        const double z =
            sd > 0.0 ? (loss.mean - rcm_loss_exact(p)) / (sd / sqrt(draws)) : loss.mean;
        most = fmax(most, fabs(z));
        ck_assert(fabs(z) < 5.0 && fabs(loss.sd - sd) < 0.03 * sd + 1e-12);
        ck_assert_double_eq_tol(1.0 - rank_loss_quantile(&loss, 0.3),
                                rcm_recall_quantile(p, 0.7, 1), 1e-9);
        free(loss.each);
    }
    row_file_close(&file);
    printf("measured: losses against the model |z| up to %.1f\n", most);
}
END_TEST

/* Against the exact mean share of each rank, and the standard deviation that its mean square gives.
 * |z| > 5 by chance: 6e-7 a rank, of 90 looked at. */
START_TEST(normal_scores_against_the_model)
{
    const struct {
        uint64_t n, k;
        double sd;
    } cases[] = {{100, 60, 1.0},      {1000, 60, 3.0}, {1000000, 50, 3.0},
                 {131072, 1024, 2.0}, {5, 5, 0.5},     {800, 1, 1.0}};
    double most = 0.0;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const uint64_t n = cases[c].n, k = cases[c].k;
        const struct rank_scores scores = {
            .n = n, .score_sd = 2.0 * cases[c].sd, .chain = {1, {{CHAIN_TEMPERATURE, 2.0}}}};
        double *const want = malloc(2 * k * sizeof *want), *const want_square = want + k;
        struct rank_weights means;
        char error[300];
        ck_assert_int_eq(rank_weights(&means, &scores, k, MESSAGE(error)), 0);
        ck_assert_int_eq(rcm_weights_normal(n, k, cases[c].sd, want, want_square), 0);
        ck_assert_uint_ge(means.rows, 2048);
        for (uint64_t r = 0; r < k; r += k / 20 + 1) {
            const double sd = sqrt(fmax(want_square[r] - want[r] * want[r], 0.0));
            const double z =
                (means.share[r] - want[r]) / (sd / sqrt((double)means.rows) + 1e-6 * want[r]);
            most = fmax(most, fabs(z));
            ck_assert_msg(fabs(z) < 5.0, "%zu, rank %" PRIu64 ": z %.2f", c, r + 1, z);
        }
        free(want);
        rank_weights_free(&means);
    }
    printf("measured: normal scores against the model |z| up to %.1f\n", most);
}
END_TEST

/* The nucleus of drawn rows against that of rows that are drawn whole, by another generator. */
START_TEST(nucleus_of_normal_scores)
{
    enum { LONG = 300, TOP = 40, COUNT = 4000 };
    const struct rank_scores scores = {
        .n = LONG, .score_sd = 1.5, .chain = {1, {{CHAIN_TOP_P, 0.8}}}};
    const struct rank_placement to = {30, 2, 9};
    double row[LONG], sum[TOP] = {0.0}, squares[TOP] = {0.0}, most = 0.0;
    struct rank_weights means;
    struct rank_loss loss;
    char error[300];
    ck_assert_int_eq(rank_weights(&means, &scores, TOP, MESSAGE(error)), 0);
    const double *const share = means.share, *const square = means.square;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    for (int i = 0; i < COUNT; i++) {
        double top = 0.0, nucleus = 0.0;
        int inside = 0;
        for (int j = 0; j < LONG; j++)
            row[j] = exp(1.5 * gsl_ran_gaussian(rng, 1.0));
        qsort(row, LONG, sizeof *row, larger_first);
        for (int j = 0; j < TOP; j++)
            top += row[j];
        while (nucleus < 0.8 * top)
            nucleus += row[inside++];
        for (int j = 0; j < inside; j++) {
            sum[j] += row[j] / nucleus / COUNT;
            squares[j] += pow(row[j] / nucleus, 2.0) / COUNT;
        }
    }
    gsl_rng_free(rng);
    for (int j = 0; j < TOP; j++) {
        const double variance =
            (squares[j] - sum[j] * sum[j]) / COUNT + (square[j] - share[j] * share[j]) / RANK_ROWS;
        const double z = variance > 0.0 ? (share[j] - sum[j]) / sqrt(variance) : share[j] - sum[j];
        most = fmax(most, fabs(z));
        ck_assert_msg(fabs(z) < 5.0, "rank %d: z %.2f", j + 1, z);
    }
    ck_assert_double_gt(sum[0], 0.05);
    const struct rcm_topk p = {.n = LONG, .k = TOP, .b = to.b, .k_b = to.k_b, .m = 1};
    const struct rcm_weights weights = {.k = TOP, .share = share};
    ck_assert_int_eq(rank_loss(&means, to, &loss), 0);
    const double z = (loss.mean - rcm_lost_mass(p, &weights)) / (loss.sd / sqrt(RANK_DRAWS));
    free(loss.each);
    rank_weights_free(&means);
    ck_assert_msg(fabs(z) < 5.0, "z %.2f", z);
    printf("measured: nucleus of normal scores |z| up to %.1f\n", fmax(most, fabs(z)));
}
END_TEST

/* Of scores that spread so far, the tokens behind the top k weigh nothing, so that the nucleus of
 * the row is that of its top k; the temperature makes the weights of both differ less. */
START_TEST(nucleus_of_wide_scores)
{
    for (double sd = 20.0; sd <= 160.0; sd *= 2.0) {
        struct rank_weights means[2];
        char error[300];
        for (int first = 0; first < 2; first++) {
            struct rank_scores scores = {.n = 400, .score_sd = sd};
            scores.chain = (struct chain){3,
                                          {{first ? CHAIN_TOP_P : CHAIN_TOP_K, 0.9999},
                                           {first ? CHAIN_TOP_K : CHAIN_TOP_P, 0.9999},
                                           {CHAIN_TEMPERATURE, 10.0}}};
            ck_assert_int_eq(rank_weights(&means[first], &scores, 100, MESSAGE(error)), 0);
        }
        for (int j = 0; j < 100; j++)
            ck_assert_double_eq_tol(means[1].share[j], means[0].share[j], 1e-12);
        ck_assert_double_gt(means[1].share[1], 0.0);
        rank_weights_free(&means[0]);
        rank_weights_free(&means[1]);
    }
}
END_TEST

/* Half of eight have half of the mass: no fifth is needed. */
START_TEST(nucleus_of_equal_scores)
{
    const struct rank_scores scores = {.n = 100, .chain = {1, {{CHAIN_TOP_P, 0.5}}}};
    struct rank_weights means;
    char error[300];
    ck_assert_int_eq(rank_weights(&means, &scores, 8, MESSAGE(error)), 0);
    for (int j = 0; j < 8; j++)
        ck_assert_double_eq_tol(means.share[j], j < 4 ? 0.25 : 0.0, 1e-15);
    rank_weights_free(&means);
}
END_TEST

TEST_MAIN("rank weights", each_row_by_the_definition, losses_against_the_model,
          normal_scores_against_the_model, nucleus_of_normal_scores, nucleus_of_wide_scores,
          nucleus_of_equal_scores)
