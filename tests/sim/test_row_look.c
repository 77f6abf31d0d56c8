/* test_row_look.c - finite masks and probabilities are noticed, and scores are left in peace.
 *
 * Against: rows of which it is known. The 2000 rows of each kind of scores are drawn with a fixed
 * seed; none is taken for masked.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <unistd.h>

#include <sim/rows/random.h>
#include <sim/rows/row.h>
#include <sim/rows/row_look.h>
#include <tests/test.h>

#define N 64

static char masks[ROW_NOTICE], weights[ROW_NOTICE];

static const uint64_t *lengths; /* of the rows; NULL: all have `valid` */

/* Looks at `rows` rows of double. Returns what row_look() does. */
static int look(const double *x, uint64_t rows, uint64_t valid, uint64_t k, enum sim_weights are)
{
    char path[] = "/tmp/recallmodel-test-XXXXXX", error[300];
    struct row_file file;
    const int descriptor = mkstemp(path);
    const size_t bytes = (size_t)rows * N * sizeof *x;
    ck_assert_int_eq(write(descriptor, x, bytes), (long)bytes);
    close(descriptor);
    ck_assert_msg(row_file_open(&file, path, SIM_F64, N, MESSAGE(error)) == 0, "%s", error);
    const int status = row_look(&file, rows, valid, lengths, k, are, masks, weights);
    row_file_close(&file);
    unlink(path);
    return status;
}

static void normal_rows(double *x, uint64_t rows)
{
    static uint64_t words[N + 1];
    for (uint64_t r = 0; r < rows; r++)
        row_generate(SIM_IID, 0.0, 7, r, x + r * N, N, words);
}

/* Causal masks: row r has r + 1 scores. */
START_TEST(finite_masks)
{
    static const struct {
        double mask;
        bool added; /* to the score, so that no two masked elements are alike */
        uint64_t k, rows;
        const char *value;
    } cases[] = {
        {-0x1.fffffep+127, false, 16, 15, "-3.4028234663852886e+38"},
        {-65504.0, false, 16, 15, "-65504"},
        {-1e9, false, 16, 15, "-1e+09"},
        {-1e9, true, 16, 14, NULL},
        {-1e4, true, 16, 14, NULL},
        {-1e4, true, 64, 62, NULL},
        {-100.0, false, 16, 15, "-100"},
        {-100.0, true, 16, 14, NULL},
        {-60.0, true, 64, 62, NULL},
        {-10.0, true, 16, 0, NULL}, /* it may be a score */
        {-1e9, false, 1, 0, NULL},
        {-INFINITY, false, 16, 0, NULL},
    };
    static double x[N * N], y[N * N];
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char says[80];
        normal_rows(x, N);
        for (size_t r = 0; r < N; r++)
            for (size_t i = r + 1; i < N; i++)
                x[r * N + i] = cases[c].mask + (cases[c].added ? x[r * N + i] : 0.0);
        ck_assert_int_eq(look(x, N, N, cases[c].k, SIM_WEIGHTS_UNSAID), 0);
        ck_assert_str_eq(weights, "");
        snprintf(says, sizeof says, "%d of 64 rows have fewer than k = %d ", (int)cases[c].rows,
                 (int)cases[c].k);
        if (cases[c].rows == 0) {
            ck_assert_str_eq(masks, "");
            continue;
        }
        ck_assert_msg(strncmp(masks, says, strlen(says)) == 0, "%g: '%s', not '%s'", cases[c].mask,
                      masks, says);
        const char *value = strstr(masks, MEMBER "mask_below ");
        ck_assert_ptr_nonnull(value);
        value += strlen(MEMBER "mask_below ");
        if (cases[c].value)
            ck_assert_str_eq(value, cases[c].value);
        /* what it tells to give masks those elements, and no score */
        const double below = strtod(value, NULL);
        ck_assert_msg(below < -50.0, "%s", value);
        memcpy(y, x, sizeof x);
        for (size_t i = 0; i < N * N; i++)
            y[i] = y[i] <= below ? -INFINITY : y[i];
        ck_assert_int_eq(look(y, N, N, cases[c].k, SIM_WEIGHTS_UNSAID), 0);
        ck_assert_msg(*masks == '\0', "%s: '%s'", value, masks);
    }
}
END_TEST

START_TEST(rows_without_masks)
{
    static double x[2000 * N];
    static uint64_t words[N + 1];
    const uint64_t ks[] = {1, 16, N / 2, N - 1, N};
    normal_rows(x, 2000);
    for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
        ck_assert_int_eq(look(x, 2000, N, ks[i], SIM_WEIGHTS_UNSAID), 0);
        ck_assert_msg(*masks == '\0' && *weights == '\0', "k = %d: '%s'", (int)ks[i], masks);
    }
    for (int way = 0; way < 4; way++) { /* wide, alike with their neighbours, of a long tail */
        for (uint64_t r = 0; r < 2000; r++)
            row_generate(way == 1   ? SIM_AR1
                         : way == 2 ? SIM_LOGNORMAL
                                    : SIM_IID,
                         0.99, 7, r, x + r * N, N, words);
        for (size_t i = 0; i < sizeof x / sizeof *x; i++)
            x[i] = way == 3 ? 5.0 * x[i] * fabs(x[i]) : 10.0 * x[i];
        ck_assert_int_eq(look(x, 2000, N, N / 4, SIM_WEIGHTS_UNSAID), 0);
        ck_assert_msg(*masks == '\0' && *weights == '\0', "way %d: '%s', '%s'", way, masks,
                      weights);
    }
    for (uint64_t r = 0; r < 2000; r++)
        row_generate(SIM_TIES, 0.0, 7, r, x + r * N, N, words);
    ck_assert_int_eq(look(x, 2000, N, N / 2, SIM_WEIGHTS_UNSAID), 0);
    ck_assert_str_eq(masks, "");
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = 0.0;
    ck_assert_int_eq(look(x, 2000, N, N / 2, SIM_WEIGHTS_UNSAID), 0);
    ck_assert_str_eq(masks, "");
    /* padding behind `valid` is not looked at */
    normal_rows(x, 1);
    for (size_t i = 32; i < N; i++)
        x[i] = -1e9;
    ck_assert_int_eq(look(x, 1, 32, 16, SIM_WEIGHTS_UNSAID), 0);
    ck_assert_str_eq(masks, "");
    /* nor is that behind the end of a shorter row, where it would be no probability either */
    const uint64_t of_rows[] = {32, 1, 0};
    for (size_t r = 0; r < 3; r++)
        for (size_t i = 0; i < N; i++)
            x[r * N + i] = i < of_rows[r] ? 1.0 / 32.0 + 1e-4 * (double)i : -1e9;
    lengths = of_rows;
    ck_assert_int_eq(look(x, 3, 32, 16, SIM_PROBABILITIES), 0);
    ck_assert_str_eq(masks, "");
    lengths = NULL;
    ck_assert_int_eq(look(x, 3, 32, 16, SIM_PROBABILITIES), -1);
}
END_TEST

START_TEST(probabilities)
{
    /* the first is no distribution; then dropout, a sink, half of the keys, percent */
    static const double sums[8] = {1.1, 1.02, 0.985, 0.667, 0.5, 100.0, 99.5, 1.0};
    static double x[8 * N];
    normal_rows(x, 8);
    for (size_t r = 0; r < 8; r++) {
        double sum = 0.0;
        for (size_t i = 0; i < N; i++)
            sum += x[r * N + i] = exp(x[r * N + i]);
        for (size_t i = 0; i < N; i++)
            x[r * N + i] *= sums[r] / sum;
    }
    ck_assert_int_eq(look(x, 8, N, 4, SIM_WEIGHTS_UNSAID), 0);
    ck_assert_msg(strncmp(weights,
                          "7 of 8 rows have no element below 0 and sum to at most 1, or to 100",
                          67) == 0,
                  "%s", weights);
    ck_assert(strstr(weights, MEMBER "weights_are probabilities") && *masks == '\0');
    ck_assert_int_eq(look(x, 8, N, 4, SIM_SCORES), 0);
    ck_assert_str_eq(weights, "");
    ck_assert_int_eq(look(x, 8, N, 4, SIM_PROBABILITIES), 0);
    ck_assert_str_eq(weights, "");
    x[5 * N + 3] = -1e-9;
    ck_assert_int_eq(look(x, 8, N, 4, SIM_PROBABILITIES), -1);
    ck_assert_msg(strstr(masks, "below 0 in row 5"), "%s", masks);
}
END_TEST

TEST_MAIN("row look", finite_masks, rows_without_masks, probabilities)
