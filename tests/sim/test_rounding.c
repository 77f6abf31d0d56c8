/* test_rounding.c - what exact top-k loses on rows of a file whose values are rounded.
 *
 * Against: each row sorted as it is and as it is rounded; bfloat16 by its bits, 8 bits by hand.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

#include <unistd.h>

#include <sim/rounding.h>

enum { ROWS = 80, N = 50, K = 9 };

static const struct rounding bf16 = {7, 127, 0x1.fep127, true}, e4m3 = {3, 7, 448.0, false},
                             e5m2 = {2, 15, 57344.0, true};

START_TEST(numbers_by_hand)
{
    const struct {
        const struct rounding *to;
        double x, want;
    } known[] = {{&e4m3, 1.0625, 1.0}, /* a tie, to the even one */
                 {&e4m3, 1.1875, 1.25},      {&e4m3, 500.0, 448.0},
                 {&e4m3, -1e9, -448.0},      {&e4m3, 0x1p-10, 0.0}, /* half of the least */
                 {&e4m3, 0x1.8p-10, 0x1p-9}, {&e5m2, 61439.0, 57344.0},
                 {&e5m2, 61441.0, INFINITY}, {&e5m2, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ck_assert_double_eq(rounded_to(known[i].to, known[i].x), known[i].want);
    ck_assert(isnan(rounded_to(&e5m2, NAN)));
}
END_TEST

/* To the nearest by the bits of a float, ties to even. */
static float by_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += 0x7fff + (bits >> 16 & 1);
    bits &= 0xffff0000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double random_value(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    const double x = ldexp((double)(*state >> 11), -53) - 0.5;
    return x * (*state % 5 == 0 ? 100.0 : 2.0);
}

START_TEST(bfloat16_by_its_bits)
{
    uint64_t state = 3;
    for (int i = 0; i < 200000; i++) {
        const float x = (float)random_value(&state);
        ck_assert_double_eq(rounded_to(&bf16, (double)x), (double)by_bits(x));
    }
}
END_TEST

static const double *sorted_by; /* equal values rank by index */

static int by_rank(const void *a, const void *b)
{
    const int i = *(const int *)a, j = *(const int *)b;
    const double x = sorted_by[i], y = sorted_by[j];
    return x < y ? 1 : x > y ? -1 : i - j;
}

/* What a row loses by position, and what it loses if of equal values the smallest are taken. */
static double lose(const double *x, double *loss, double *worst)
{
    double rounded[N], key[N];
    int exact[N], seen[N], last[N], length = 0, kept = 0, kept_worst = 0;
    bool among[N] = {false};
    for (int i = 0; i < N; i++) {
        rounded[i] = rounded_to(&e4m3, x[i]);
        if (x[i] > -INFINITY)
            exact[length++] = i;
    }
    memcpy(seen, exact, sizeof seen);
    memcpy(last, exact, sizeof last);
    const int k = length < K ? length : K;
    sorted_by = x;
    qsort(exact, (size_t)length, sizeof *exact, by_rank);
    sorted_by = rounded;
    qsort(seen, (size_t)length, sizeof *seen, by_rank);
    for (int i = 0; i < k; i++)
        among[exact[i]] = true;
    /* of equal ones those first that are not among them */
    for (int i = 0; i < N; i++)
        key[i] = rounded[i] + (among[i] ? 0.0 : 1e-9);
    sorted_by = key;
    qsort(last, (size_t)length, sizeof *last, by_rank);
    for (int i = 0; i < k; i++) {
        kept += among[seen[i]];
        kept_worst += among[last[i]];
    }
    *loss += k ? (double)(k - kept) / k : 0.0;
    *worst += k ? (double)(k - kept_worst) / k : 0.0;
    return k ? (double)(k - kept) / k : 0.0;
}

START_TEST(each_row_by_the_definition)
{
    static double rows[ROWS][N];
    char path[] = "/tmp/rounding_XXXXXX", error[300];
    uint64_t state = 9;
    double loss = 0.0, worst = 0.0;
    struct row_file file;
    struct rounding_means means;
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < N; i++) {
            rows[r][i] = random_value(&state);
            if (r == 2 || (r % 6 == 1 && i > r % 13))
                rows[r][i] = i % 2 ? -INFINITY : NAN;
            if (r == 5) /* the one that loses all */
                rows[r][i] = 1.0 + 1e-4 * i;
        }
    const int descriptor = mkstemp(path);
    ck_assert_int_eq(write(descriptor, rows, sizeof rows), sizeof rows);
    close(descriptor);
    ck_assert_msg(row_file_open(&file, path, SIM_F64, N, MESSAGE(error)) == 0, "%s", error);
    unlink(path);
    ck_assert_msg(rounding_means(&file, K, &e4m3, &means, MESSAGE(error)) == 0, "%s", error);
    row_file_close(&file);
    int more = 0, as_much = 0;
    for (int r = 0; r < ROWS; r++) {
        const double here = lose(rows[r], &loss, &worst);
        more += here > means.loss_99;
        as_much += here >= means.loss_99;
    }
    ck_assert_int_le(100 * more, ROWS - 1);
    ck_assert_int_gt(100 * as_much, ROWS - 1);
    ck_assert_uint_eq(means.rows, ROWS - 1);
    ck_assert_double_gt(means.loss, 0.01);
    ck_assert_double_eq_tol(means.loss, loss / (ROWS - 1), 1e-13);
    ck_assert_double_eq_tol(means.loss_worst, worst / (ROWS - 1), 1e-13);
}
END_TEST

TEST_MAIN("rounding of rows", numbers_by_hand, bfloat16_by_its_bits, each_row_by_the_definition)
