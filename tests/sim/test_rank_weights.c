/* test_rank_weights.c - mean weights by rank of the rows of a file.
 *
 * Against: each row sorted and weighed as the definition says, with masks, NaN, ties and infinity.
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

TEST_MAIN("rank weights", each_row_by_the_definition)
