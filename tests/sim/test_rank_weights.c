/* test_rank_weights.c - mean weights by rank of the rows of a file.
 *
 * Against: each row sorted and weighed as the definition says, with masks, NaN, ties and infinity;
 * losses of draws against the exact model.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

#include <unistd.h>

#include <sim/rank_weights.h>

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

START_TEST(each_row_by_the_definition)
{
    const double temperatures[] = {1.0, 0.25, 3.0}, top_ps[] = {1.0, 0.9, 0.3};
    struct row_file file;
    make_rows(&file);
    for (int t = 0; t < 9; t++) {
        double share[K], square[K], want[K] = {0.0}, want_square[K] = {0.0}, weight[N];
        double topk_mass = 0.0, counted = 0.0;
        struct rank_weights means;
        char error[300];
        ck_assert_msg(rank_weights(&file, K, temperatures[t % 3], top_ps[t / 3], share, square,
                                   &means, MESSAGE(error)) == 0,
                      "%s", error);
        for (int r = 0; r < ROWS; r++) {
            const double all = weigh(rows[r], temperatures[t % 3], weight);
            double top = 0.0, nucleus = 0.0, before = 0.0;
            if (r == 3)
                continue; /* nothing but masks */
            for (int i = 0; i < K; i++)
                top += weight[i];
            for (int i = 0; i < K; before += weight[i++])
                nucleus += before < top_ps[t / 3] * top ? weight[i] : 0.0;
            before = 0.0;
            for (int i = 0; i < K; before += weight[i++]) {
                const double part = before < top_ps[t / 3] * top ? weight[i] / nucleus : 0.0;
                want[i] += part;
                want_square[i] += part * part;
            }
            topk_mass += top / all;
            counted += 1.0;
        }
        ck_assert_double_eq(counted, (double)means.rows);
        ck_assert_double_eq_tol(means.topk_mass, topk_mass / counted, 1e-14);
        for (int i = 0; i < K; i++) {
            ck_assert_double_eq_tol(share[i], want[i] / counted, 1e-14);
            ck_assert_double_eq_tol(square[i], want_square[i] / counted, 1e-14);
        }
    }
    row_file_close(&file);
}
END_TEST

/* Means of the draws against the exact mean for these mean weights; and for equal weights against
 * mean, standard deviation and quantile of the recall. |z| > 5 by chance: 6e-7 a number, of 16. The
 * seed is fixed. */
START_TEST(losses_against_the_model)
{
    double share[K], square[K], most = 0.0;
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
        const double top_p = i < 4 ? 1.0 : 0.7;
        ck_assert_int_eq(rank_weights(&file, K, 0.5, top_p, share, square, &means, MESSAGE(error)),
                         0);
        ck_assert_int_eq(rank_loss(&file, K, 0.5, top_p, to, 0.05, &loss, MESSAGE(error)), 0);
        const struct rcm_weights weights = {K, share, square, 0.0, true};
        const double want = rcm_lost_mass(p, &weights), draws = RANK_DRAWS * 59.0 / 61.0;
        const double z = loss.sd > 0.0 ? (loss.mean - want) / (loss.sd / sqrt(draws)) : 0.0;
        most = fmax(most, fabs(z));
        ck_assert_msg(fabs(z) < 5.0 && fabs(loss.mean - want) < 0.01, "%d: z %.2f", i, z);
        ck_assert(loss.quantile >= loss.mean - 1e-12 || want < 0.05);
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
        ck_assert_int_eq(rank_loss(&file, K, 1.0, 1.0, to, 0.3, &loss, MESSAGE(error)), 0);
        const double sd = rcm_recall_sd(p), draws = RANK_DRAWS;
        const double z =
            sd > 0.0 ? (loss.mean - rcm_loss_exact(p)) / (sd / sqrt(draws)) : loss.mean;
        most = fmax(most, fabs(z));
        ck_assert(fabs(z) < 5.0 && fabs(loss.sd - sd) < 0.03 * sd + 1e-12);
        ck_assert_double_eq_tol(1.0 - loss.quantile, rcm_recall_quantile(p, 0.7, 1), 1e-9);
    }
    row_file_close(&file);
    printf("measured: losses against the model |z| up to %.1f\n", most);
}
END_TEST

TEST_MAIN("rank weights", each_row_by_the_definition, losses_against_the_model)
