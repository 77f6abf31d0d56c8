/* test_random.c - random numbers, rows and permutations: known answers, distributions, and draws
 * that depend on their index alone.
 *
 * Seeds are fixed, so a pass stays a pass. Each |z| < 5 fails by chance in 6e-7 of cases.
 *
 * Against: Random123's known answers; 1000 cells and the tail to 5 sd of 80 million normal values;
 * autocorrelation at four lags; all 120 permutations of five.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gsl/gsl_cdf.h>

#include <sim/rows/random.h>
#include <sim/rows/row.h>
#include <tests/test.h>

START_TEST(philox_known_answers)
{
    /* Of Random123's own table of known answers for philox4x32, 10 rounds. */
    const struct {
        uint32_t counter[4], key[2], want[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const uint32_t *c = known[i].counter;
        struct random_key key = {{{known[i].key[0], known[i].key[1]}}};
        philox4x32_ctr_t got =
            random_block(key, (uint64_t)c[3] << 32 | c[2], (uint64_t)c[1] << 32 | c[0]);
        for (int j = 0; j < 4; j++)
            ck_assert_uint_eq(got.v[j], known[i].want[j]);
    }
}
END_TEST

START_TEST(draws_depend_on_their_index_alone)
{
    uint64_t few[8], many[1000];
    struct random_key key = random_key(7, RANDOM_ROW, 3);
    random_words(key, 12, few, 7);
    random_words(key, 12, many, 1000);
    for (int i = 0; i < 7; i++)
        ck_assert_uint_eq(few[i], many[i]);
    struct random_stream stream = random_stream(key, 12);
    for (int i = 0; i < 1000; i++)
        ck_assert_uint_eq(random_next(&stream), many[i]);
    /* Another seed, purpose, salt or repetition gives other numbers. */
    const struct random_key others[] = {
        random_key(8, RANDOM_ROW, 3), random_key(7, RANDOM_SHUFFLE, 3),
        random_key(7, RANDOM_ROW, 4), random_key(UINT64_C(7) << 32, RANDOM_ROW, 3)};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        random_words(others[i], 12, few, 8);
        ck_assert_uint_ne(few[0], many[0]);
    }
    random_words(key, 13, few, 8);
    ck_assert_uint_ne(few[0], many[0]);
    random_words(key, 12 + (UINT64_C(1) << 32), few, 8);
    ck_assert_uint_ne(few[0], many[0]);
}
END_TEST

START_TEST(below_is_uniform)
{
    const uint64_t limits[] = {1, 2, 3, 10, 1000, (UINT64_C(1) << 63) + 1};
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        struct random_stream stream = random_stream(random_key(1, RANDOM_PLACEMENT, l), 0);
        double sum = 0.0, n = (double)limits[l];
        const int draws = 200000;
        for (int i = 0; i < draws; i++) {
            uint64_t value = random_below(&stream, limits[l]);
            ck_assert_uint_lt(value, limits[l]);
            sum += (double)value;
        }
        double sd = sqrt((n * n - 1.0) / 12.0 / draws),
               z = sd > 0.0 ? (sum / draws - (n - 1.0) / 2.0) / sd : 0.0;
        ck_assert_msg(fabs(z) < 5.0, "below %" PRIu64 ": z %.2f", limits[l], z);
    }
    /* 2^64 is 4/3 of 3 2^62: without rejection a third of the values would come twice as often. */
    struct random_stream stream = random_stream(random_key(1, RANDOM_PLACEMENT, 99), 0);
    unsigned seen[3] = {0};
    for (int i = 0; i < 30000; i++)
        seen[random_below(&stream, UINT64_C(3) << 62) % 3]++;
    for (int i = 0; i < 3; i++)
        ck_assert_msg(abs((int)seen[i] - 10000) < 5 * 82, "remainder %d: %u of 30000", i, seen[i]);
}
END_TEST

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov and Smirnov's distance times sqrt(n); above 2.5 by chance: 7e-6. */
static double distance(double *x, size_t n, double (*cdf)(double))
{
    double worst = 0.0;
    qsort(x, n, sizeof *x, by_value);
    for (size_t i = 0; i < n; i++) {
        double p = cdf(x[i]);
        worst = fmax(worst, fmax(p - (double)i / (double)n, (double)(i + 1) / (double)n - p));
    }
    return worst * sqrt((double)n);
}

static double uniform_cdf(double x)
{
    return x;
}

static double lognormal_cdf(double x)
{
    return gsl_cdf_lognormal_P(x, 0.0, 1.0);
}

START_TEST(inputs_have_their_distributions)
{
    const struct {
        enum sim_input input;
        double rho;
        double (*cdf)(double);
    } cases[] = {{SIM_IID, 0.0, gsl_cdf_ugaussian_P},
                 {SIM_UNIFORM, 0.0, uniform_cdf},
                 {SIM_LOGNORMAL, 0.0, lognormal_cdf}};
    const size_t n = 400001;
    double *x = malloc(n * sizeof *x);
    uint64_t *words = malloc((n + 1) * sizeof *words);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        row_generate(cases[c].input, cases[c].rho, 5, 0, x, n, words);
        double d = distance(x, n, cases[c].cdf);
        ck_assert_msg(d < 2.5, "%s: distance %.3f", sim_input_name(cases[c].input), d);
    }
    row_generate(SIM_TIES, 0.0, 5, 0, x, n, words);
    unsigned seen[16] = {0};
    for (size_t i = 0; i < n; i++)
        seen[(int)x[i]]++;
    for (int v = 0; v < 16; v++)
        ck_assert_msg(fabs(seen[v] - (double)n / 16.0) < 5.0 * sqrt((double)n * 15.0 / 256.0),
                      "value %d: %u", v, seen[v]);
    row_generate(SIM_SORTED, 0.0, 5, 0, x, n, words);
    for (size_t i = 0; i < n; i++)
        ck_assert_double_eq(x[i], (double)i);
    row_generate(SIM_CONSTANT, 0.0, 5, 0, x, n, words);
    ck_assert_double_eq(x[0], x[n - 1]);
    free(x);
    free(words);
}
END_TEST

/* 8 million values in 1000 cells of equal probability; ten times as many beyond a few places of the
 * tail, both sides. */
START_TEST(normals_are_normal_everywhere)
{
    enum { N = 100000, CELLS = 1000 };
    const uint64_t all_rows = few_cases() ? 80 : 800, rows = all_rows / 10;
    static double x[N], edges[CELLS];
    static uint64_t words[N], seen[CELLS + 1];
    const double beyond[] = {2.5, 3.0, 3.5, 3.65, 3.66, 4.0, 4.5, 5.0};
    enum { PLACES = sizeof beyond / sizeof *beyond };
    uint64_t above[PLACES] = {0}, below[PLACES] = {0};
    double sums[5] = {0.0};
    for (int c = 1; c < CELLS; c++)
        edges[c] = gsl_cdf_ugaussian_Pinv((double)c / CELLS);
    for (uint64_t r = 0; r < all_rows; r++) {
        row_generate(SIM_IID, 0.0, 77, r, x, N, words);
        for (int i = 0; i < N; i++)
            for (int p = 0; p < PLACES && fabs(x[i]) > beyond[p]; p++) {
                above[p] += x[i] > 0.0;
                below[p] += x[i] < 0.0;
            }
        for (int i = 0; i < N && r < rows; i++) {
            int low = 0, high = CELLS; /* edges[low] <= x < edges[high] */
            while (high - low > 1) {
                int middle = (low + high) / 2;
                if (x[i] >= edges[middle])
                    low = middle;
                else
                    high = middle;
            }
            seen[low]++;
            for (int power = 1; power <= 4; power++)
                sums[power] += pow(x[i], power);
        }
    }
    double draws = (double)N * (double)rows, chi2 = 0.0;
    for (int c = 0; c < CELLS; c++)
        chi2 += pow((double)seen[c] - draws / CELLS, 2) / (draws / CELLS);
    double q = gsl_cdf_chisq_Q(chi2, CELLS - 1.0);
    ck_assert_msg(q > 1e-6 && q < 1.0 - 1e-6, "chi2 %.1f of %d cells, tail %.2e", chi2, CELLS, q);
    for (int p = 0; p < PLACES; p++) {
        double want = (double)N * (double)all_rows * gsl_cdf_ugaussian_Q(beyond[p]),
               limit = 5.0 * sqrt(want) + 3.0;
        ck_assert_msg(fabs((double)above[p] - want) < limit, "above %g: %" PRIu64 ", want %.1f",
                      beyond[p], above[p], want);
        ck_assert_msg(fabs((double)below[p] - want) < limit, "below -%g: %" PRIu64 ", want %.1f",
                      beyond[p], below[p], want);
    }
    const double moments[] = {0.0, 0.0, 1.0, 0.0, 3.0}, variances[] = {0.0, 1.0, 2.0, 15.0, 96.0};
    for (int power = 1; power <= 4; power++) {
        double z = (sums[power] / draws - moments[power]) / sqrt(variances[power] / draws);
        ck_assert_msg(fabs(z) < 5.0, "moment %d: %.6f, z %.2f", power, sums[power] / draws, z);
    }
    printf("normal: %.0e values, chi2 %.0f of %d cells\n", draws, chi2, CELLS);
}
END_TEST

/* Each row gives its mean product at a lag. Rows are independent, so their scatter is the error. */
START_TEST(ar1_has_its_autocorrelation)
{
    enum { N = 512, ROWS = 4000 };
    static double x[N];
    static uint64_t words[N + 1];
    const size_t lags[] = {0, 1, 2, 8};
    enum { LAGS = sizeof lags / sizeof *lags };
    double worst = 0.0;
    for (int tenth = 0; tenth <= 9; tenth++) {
        double rho = tenth / 10.0, sum[LAGS] = {0.0}, squares[LAGS] = {0.0}, ends = 0.0;
        for (uint64_t r = 0; r < ROWS; r++) {
            row_generate(SIM_AR1, rho, 11, r, x, N, words);
            ends += x[0] * x[0] - x[N - 1] * x[N - 1];
            for (size_t l = 0; l < LAGS; l++) {
                double product = 0.0;
                for (size_t i = 0; i + lags[l] < N; i++)
                    product += x[i] * x[i + lags[l]];
                product /= (double)(N - lags[l]);
                sum[l] += product;
                squares[l] += product * product;
            }
        }
        double stationary = ends / ROWS / sqrt(4.0 / ROWS); /* the variance at both ends is 1 */
        ck_assert_msg(fabs(stationary) < 5.0, "rho %.1f: the ends differ in variance, z %.2f", rho,
                      stationary);
        for (size_t l = 0; l < LAGS; l++) {
            double mean = sum[l] / ROWS, error = sqrt((squares[l] / ROWS - mean * mean) / ROWS),
                   want = pow(rho, (double)lags[l]);
            double z = (mean - want) / error;
            ck_assert_msg(fabs(z) < 5.0, "rho %.1f lag %zu: %.5f, want %.5f, z %.2f", rho, lags[l],
                          mean, want, z);
            worst = fmax(worst, fabs(z));
        }
    }
    printf("ar1: autocorrelation at lags 0, 1, 2 and 8, largest |z| %.2f\n", worst);
}
END_TEST

/* Rows of different inputs and rho share no numbers: neither values nor permutations. */
START_TEST(inputs_are_independent)
{
    enum { N = 4000 };
    static double rows[4][N];
    static uint64_t words[N];
    static uint32_t permutations[2][N];
    row_generate(SIM_IID, 0.0, 1, 0, rows[0], N, words);
    row_generate(SIM_AR1, 0.0, 1, 0, rows[1], N, words);
    row_generate(SIM_AR1, 0.1, 1, 0, rows[2], N, words);
    row_generate(SIM_UNIFORM, 0.0, 1, 0, rows[3], N, words);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < a; b++) {
            double sum = 0.0, squares_a = 0.0, squares_b = 0.0;
            for (int i = 0; i < N; i++) {
                double x = rows[a][i] - (a == 3 ? 0.5 : 0.0), y = rows[b][i];
                sum += x * y;
                squares_a += x * x;
                squares_b += y * y;
            }
            double z = sum / sqrt(squares_a * squares_b) * sqrt(N);
            ck_assert_msg(fabs(z) < 5.0, "rows %d and %d: correlation, z %.2f", a, b, z);
        }
    unsigned same = 0;
    row_permutation(SIM_AR1, 0.1, 1, 0, permutations[0], N);
    row_permutation(SIM_AR1, 0.2, 1, 0, permutations[1], N);
    for (int i = 0; i < N; i++)
        same += permutations[0][i] == permutations[1][i];
    ck_assert_uint_lt(same, 15);
}
END_TEST

START_TEST(permutations_are_uniform)
{
    enum { N = 5, DRAWS = 120000 };
    unsigned seen[120] = {0};
    for (uint64_t r = 0; r < DRAWS; r++) {
        uint32_t p[N], code = 0, used = 0;
        row_permutation(SIM_IID, 0.0, 3, r, p, N);
        for (uint32_t i = 0; i < N; i++) {
            uint32_t smaller = 0;
            ck_assert_uint_lt(p[i], N);
            used |= 1u << p[i];
            for (uint32_t j = i + 1; j < N; j++)
                smaller += p[j] < p[i];
            code = code * (N - i) + smaller;
        }
        ck_assert_uint_eq(used, (1u << N) - 1);
        seen[code]++;
    }
    double chi2 = 0.0;
    for (int i = 0; i < 120; i++)
        chi2 += (seen[i] - DRAWS / 120.0) * (seen[i] - DRAWS / 120.0) / (DRAWS / 120.0);
    double q = gsl_cdf_chisq_Q(chi2, 119.0);
    ck_assert_msg(q > 1e-6 && q < 1.0 - 1e-6, "chi2 %.1f, tail %.2e", chi2, q);
}
END_TEST

TEST_MAIN("random", philox_known_answers, draws_depend_on_their_index_alone, below_is_uniform,
          inputs_have_their_distributions, normals_are_normal_everywhere,
          ar1_has_its_autocorrelation, inputs_are_independent, permutations_are_uniform)
