/* test_input_distributions.c - the distribution of the values of each kind of rows: moments,
 * correlations, what is masked and what is equal.
 *
 * Against: theory. The seed is fixed. A comparison allows 5 standard errors, which one random
 * comparison in 1.7 million passes; there are about 150.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gpu/host/inputs.h>

#include "gpu.h"

/* m rows of n elements of a kind, float32, as doubles. */
static double *rows_of_kind(enum rcm_gpu_input input, uint64_t m, uint64_t n)
{
    const uint64_t count = m * n;
    float *host = malloc(count * sizeof *host);
    double *x = malloc(count * sizeof *x);
    void *device = rcm_gpu_allocate(count * sizeof *host);
    ck_assert(host && x && device);
    ck_assert_int_eq(rcm_gpu_fill(RCM_GPU_F32, input, m, n, 4711, device, NULL), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_wait(), RCM_GPU_OK);
    ck_assert_int_eq(rcm_gpu_from_device(host, device, count * sizeof *host), RCM_GPU_OK);
    for (uint64_t i = 0; i < count; i++)
        x[i] = (double)host[i];
    rcm_gpu_free(device);
    free(host);
    return x;
}

static void within(double got, double want, double standard_error, const char *what,
                   enum rcm_gpu_input input)
{
    ck_assert_msg(fabs(got - want) <= 5.0 * standard_error, "%s: %s is %g, not %g +- %g",
                  rcm_gpu_input_name(input), what, got, want, 5.0 * standard_error);
}

/* ---- kinds of independent elements */

/* What is known of the elements that are not -inf: E x, E x^2, E x^4; and the share of -inf. */
struct distribution {
    enum rcm_gpu_input input;
    double mean, second, fourth, masked;
};

enum { M = 7, N = 5001 };

/* max(0, z - t) of which 60 % are 0: with the density f(t) and the tail 0.4 of a normal, the
 * integrals of (z - t)^p f(z) from t on are J(1) = f(t) - 0.4 t, J(p) = (p - 1) J(p - 2) - t
 * J(p - 1). */
static struct distribution relu_distribution(void)
{
    const double pi = 3.14159265358979, t = 0.2533471031357997,
                 density = exp(-t * t / 2.0) / sqrt(2.0 * pi);
    double j[5] = {0.4, density - 0.4 * t};
    for (int p = 2; p <= 4; p++)
        j[p] = (p - 1) * j[p - 2] - t * j[p - 1];
    return (struct distribution){RCM_GPU_INPUT_RELU, j[1], j[2], j[4], 0.0};
}

/* The probability of i/32 is that of the normals next to it; the ends have the tails. */
static struct distribution eight_bit_distribution(void)
{
    struct distribution dist = {.input = RCM_GPU_INPUT_EIGHT_BIT};
    for (int i = -128; i <= 127; i++) {
        const double above = i == 127 ? 0.0 : 0.5 * erfc((i + 0.5) / 32.0 / sqrt(2.0)),
                     from = i == -128 ? 1.0 : 0.5 * erfc((i - 0.5) / 32.0 / sqrt(2.0)),
                     x = i / 32.0, p = from - above;
        dist.mean += p * x;
        dist.second += p * x * x;
        dist.fourth += p * x * x * x * x;
    }
    return dist;
}

static void check_distribution(struct distribution dist)
{
    double *x = rows_of_kind(dist.input, M, N);
    double sum = 0.0, squares = 0.0, beside = 0.0, below = 0.0;
    uint64_t finite = 0, pairs_beside = 0, pairs_below = 0;
    for (uint64_t i = 0; i < M * N; i++) {
        if (isinf(x[i])) {
            ck_assert(x[i] < 0.0);
            continue;
        }
        finite++;
        sum += x[i];
        squares += x[i] * x[i];
        if (i % N > 0 && isfinite(x[i - 1]))
            beside += x[i] * x[i - 1], pairs_beside++;
        if (i >= N && isfinite(x[i - N]))
            below += x[i] * x[i - N], pairs_below++;
    }
    const double count = (double)finite, square = dist.mean * dist.mean;
    within(sum / count, dist.mean, sqrt((dist.second - square) / count), "mean", dist.input);
    within(squares / count, dist.second, sqrt((dist.fourth - dist.second * dist.second) / count),
           "mean square", dist.input);
    within(beside / (double)pairs_beside, square, dist.second / sqrt((double)pairs_beside),
           "product of neighbours", dist.input);
    within(below / (double)pairs_below, square, dist.second / sqrt((double)pairs_below),
           "product of rows", dist.input);
    within(1.0 - count / (M * N), dist.masked, sqrt(dist.masked * (1.0 - dist.masked) / (M * N)),
           "share of -inf", dist.input);
    free(x);
}

START_TEST(moments)
{
    const struct distribution dists[] = {{RCM_GPU_INPUT_NORMAL, 0.0, 1.0, 3.0, 0.0},
                                         {RCM_GPU_INPUT_FEW, -0.5, 21.5, 840.5, 0.0},
                                         {RCM_GPU_INPUT_MASKED_10, 0.0, 1.0, 3.0, 0.1},
                                         {RCM_GPU_INPUT_MASKED_99, 0.0, 1.0, 3.0, 0.99},
                                         relu_distribution(),
                                         eight_bit_distribution()};
    for (size_t i = 0; i < sizeof dists / sizeof *dists; i++)
        check_distribution(dists[i]);
}
END_TEST

/* ---- kinds of which each element says something */

static double count_equal(const double *x, uint64_t count, double value)
{
    uint64_t equal = 0;
    for (uint64_t i = 0; i < count; i++)
        equal += x[i] == value;
    return (double)equal;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint64_t count_distinct(double *x, uint64_t count)
{
    uint64_t distinct = 1;
    qsort(x, count, sizeof *x, by_value);
    for (uint64_t i = 1; i < count; i++)
        distinct += x[i] != x[i - 1];
    return distinct;
}

START_TEST(equal_elements)
{
    static const struct {
        enum rcm_gpu_input input;
        uint64_t least, most; /* distinct values */
    } kinds[] = {{RCM_GPU_INPUT_EQUAL, 1, 1},         {RCM_GPU_INPUT_MASKED_100, 1, 1},
                 {RCM_GPU_INPUT_FEW, 16, 16},         {RCM_GPU_INPUT_LEADING_BITS, 256, 256},
                 {RCM_GPU_INPUT_EIGHT_BIT, 220, 256}, {RCM_GPU_INPUT_RISING, N, N},
                 {RCM_GPU_INPUT_FALLING, N, N},       {RCM_GPU_INPUT_NORMAL, M * N - 50, M * N}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        double *x = rows_of_kind(kinds[i].input, M, N);
        const uint64_t distinct = count_distinct(x, M * N);
        ck_assert_msg(distinct >= kinds[i].least && distinct <= kinds[i].most,
                      "%s has %" PRIu64 " values", rcm_gpu_input_name(kinds[i].input), distinct);
        free(x);
    }
    const uint64_t many = 400000; /* of 35,007 the share is known to 1.3 % only */
    double *x = rows_of_kind(RCM_GPU_INPUT_RELU, 1, many);
    within(count_equal(x, many, 0.0) / (double)many, 0.6, sqrt(0.24 / (double)many), "share of 0",
           RCM_GPU_INPUT_RELU);
    for (uint64_t i = 0; i < many; i++)
        ck_assert(x[i] >= 0.0 && !signbit(x[i]));
    free(x);
    x = rows_of_kind(RCM_GPU_INPUT_EIGHT_BIT, M, N);
    for (uint64_t i = 0; i < M * N; i++)
        ck_assert(x[i] >= -4.0 && x[i] <= 127.0 / 32.0 && 32.0 * x[i] == rint(32.0 * x[i]));
    free(x);
}
END_TEST

START_TEST(order)
{
    double *rising = rows_of_kind(RCM_GPU_INPUT_RISING, M, N),
           *falling = rows_of_kind(RCM_GPU_INPUT_FALLING, M, N);
    for (uint64_t i = 0; i < M * N; i++) {
        ck_assert(i % N == 0 || (rising[i] > rising[i - 1] && falling[i] < falling[i - 1]));
        ck_assert(rising[i] == rising[i % N] && falling[i] == falling[i % N]);
    }
    free(rising);
    free(falling);
}
END_TEST

/* The last share of each row, of N and of lengths of a few elements, and no other element. */
START_TEST(padding)
{
    static const struct {
        enum rcm_gpu_input input;
        uint64_t percent;
    } kinds[] = {{RCM_GPU_INPUT_PADDED_10, 10},
                 {RCM_GPU_INPUT_PADDED_50, 50},
                 {RCM_GPU_INPUT_PADDED_90, 90}};
    static const uint64_t lengths[] = {1, 2, 9, 10, 19, N};
    double *normals = rows_of_kind(RCM_GPU_INPUT_NORMAL, M, N);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            const uint64_t n = lengths[l], kept = n - n * kinds[i].percent / 100;
            double *x = rows_of_kind(kinds[i].input, M, n);
            for (uint64_t at = 0; at < M * n; at++)
                REQUIRE(x[at] == (at % n < kept ? normals[at] : -INFINITY),
                        "%s, n %" PRIu64 ": element %" PRIu64 " is %g",
                        rcm_gpu_input_name(kinds[i].input), n, at, x[at]);
            free(x);
        }
    free(normals);
}
END_TEST

/* Normals, and those of them that are moved by 12: some for a sample of each size. Of a row as
 * short as a sample there are none. */
START_TEST(samples)
{
    for (unsigned low = 0; low < 2; low++) {
        const enum rcm_gpu_input input = low ? RCM_GPU_INPUT_SAMPLE_LOW : RCM_GPU_INPUT_SAMPLE_HIGH;
        const uint64_t n = 40000;
        double *x = rows_of_kind(input, 1, n), *normals = rows_of_kind(RCM_GPU_INPUT_NORMAL, 1, n);
        uint64_t moved = 0;
        for (uint64_t i = 0; i < n; i++) {
            const double by = x[i] - normals[i];
            moved += fabs(by) > 6.0;
            ck_assert(by == 0.0 || fabs(by - (low ? -12.0 : 12.0)) < 1e-5);
        }
        ck_assert(moved > 4096 && moved <= 2048 + 4096 + 4096);
        free(x);
        free(normals);
        x = rows_of_kind(input, 5, 2000);
        for (uint64_t i = 0; i < 5 * 2000; i++)
            ck_assert(fabs(x[i]) < 6.0);
        free(x);
    }
}
END_TEST

/* ---- kinds whose elements depend on their neighbours */

/* x[i + h] - r x[i] at multiples of h, r = 0.99^h, are independent normals of variance 1 - r^2, and
 * independent of x[i]: this is the distribution of the process at distance h. Distances are those
 * of the halving, and others. */
START_TEST(ar_99)
{
    enum { ROWS = 6, LENGTH = 40000 };
    static const uint64_t distances[] = {1, 2, 3, 4, 8, 16, 32, 64, 100, 128, 256, 512};
    const enum rcm_gpu_input input = RCM_GPU_INPUT_AR_99;
    double *x = rows_of_kind(input, ROWS, LENGTH);
    for (size_t d = 0; d < sizeof distances / sizeof *distances; d++) {
        const uint64_t h = distances[d];
        const double r = pow(0.99, (double)h), variance = 1.0 - r * r;
        double squares = 0.0, products = 0.0, beside = 0.0, before = 0.0, count = 0.0;
        for (uint64_t row = 0; row < ROWS; row++)
            for (uint64_t i = 0; i + h < LENGTH; i += h) {
                const double *at = x + row * LENGTH + i, innovation = at[h] - r * at[0];
                squares += innovation * innovation;
                products += innovation * at[0];
                beside += i > 0 ? innovation * before : 0.0;
                before = innovation;
                count += 1.0;
            }
        char what[64];
        snprintf(what, sizeof what, "innovation at distance %" PRIu64, h);
        within(squares / count, variance, variance * sqrt(2.0 / count), what, input);
        within(products / count, 0.0, sqrt(variance / count), what, input);
        within(beside / count, 0.0, variance / sqrt(count), what, input);
    }
    /* The sum of 0.99^|i| over all i is 199, and that of the squares 99.5: of so many elements one
     * is independent. */
    const double all = ROWS * LENGTH;
    double sum = 0.0, squares = 0.0, below = 0.0;
    for (uint64_t i = 0; i < ROWS * LENGTH; i++) {
        sum += x[i];
        squares += x[i] * x[i];
        below += i >= LENGTH ? x[i] * x[i - LENGTH] : 0.0;
    }
    within(sum / all, 0.0, sqrt(199.0 / all), "mean", input);
    within(squares / all, 1.0, sqrt(2.0 * 99.5 / all), "mean square", input);
    within(below / all, 0.0, sqrt(99.5 / all), "product of rows", input);
    free(x);
}
END_TEST

/* The power of the angle of `frequency` radians an element in a row. */
static double power_of(const double *row, uint64_t n, double frequency)
{
    double cosines = 0.0, sines = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        cosines += row[i] * cos(frequency * (double)i);
        sines += row[i] * sin(frequency * (double)i);
    }
    return 2.0 * (cosines * cosines + sines * sines) / (double)(n * n);
}

/* Variance of the noise of a row. x[i + 1] - 2 cos(f) x[i] + x[i - 1] is 0 for a cosine of
 * frequency f. Eight such filters, one after the other, leave noise alone: 17 neighbours of it,
 * with known weights. Of every 17th element these are independent; `count` is how many there are.
 */
static double noise_of(const double *row, uint64_t n, uint64_t *count)
{
    double filter[17] = {1.0}, power = 0.0, squares = 0.0;
    for (int t = 0; t < 8; t++)
        for (int i = 2 * t + 2; i >= 0; i--)
            filter[i] += (i > 1 ? filter[i - 2] : 0.0) -
                         2.0 * cos(pow(10.0, -t / 2.0)) * (i > 0 ? filter[i - 1] : 0.0);
    for (int i = 0; i < 17; i++)
        power += filter[i] * filter[i];
    *count = n / 17;
    for (uint64_t at = 0; at + 17 <= n; at += 17) {
        double sum = 0.0;
        for (int i = 0; i < 17; i++)
            sum += filter[i] * row[at + (uint64_t)i];
        squares += sum * sum / power;
    }
    return squares / (double)*count;
}

/* Over rows, an element has mean 0, variance 1 and a covariance with the next one that is the mean
 * of 0.99 times eight cosines. */
START_TEST(waves_over_rows)
{
    enum { ROWS = 4000, LENGTH = 3 };
    const enum rcm_gpu_input input = RCM_GPU_INPUT_WAVES;
    double *x = rows_of_kind(input, ROWS, LENGTH), expected = 0.0;
    for (int t = 0; t < 8; t++)
        expected += 0.99 / 8.0 * cos(pow(10.0, -t / 2.0));
    double mean = 0.0, square = 0.0, fourth = 0.0, beside = 0.0, beside_square = 0.0;
    for (uint64_t row = 0; row < ROWS; row++) {
        const double y = x[row * LENGTH + 1], product = y * x[row * LENGTH + 2];
        mean += y / ROWS;
        square += y * y / ROWS;
        fourth += y * y * y * y / ROWS;
        beside += product / ROWS;
        beside_square += product * product / ROWS;
    }
    within(mean, 0.0, sqrt(1.0 / ROWS), "mean", input);
    within(square, 1.0, sqrt((fourth - square * square) / ROWS), "mean square", input);
    within(beside, expected, sqrt((beside_square - beside * beside) / ROWS),
           "product of neighbours", input);
    free(x);
}
END_TEST

/* A long row has its power in the eight frequencies, but for its noise, and other weights than the
 * next row. */
START_TEST(waves_of_a_row)
{
    enum { LENGTH = 150000 };
    double *x = rows_of_kind(RCM_GPU_INPUT_WAVES, 2, LENGTH), powers[2][8];
    for (uint64_t row = 0; row < 2; row++) {
        const double *of_row = x + row * LENGTH;
        uint64_t count;
        double all = 0.0;
        for (int t = 0; t < 8; t++) {
            powers[row][t] = power_of(of_row, LENGTH, pow(10.0, -t / 2.0));
            all += powers[row][t];
        }
        ck_assert_double_eq_tol(all, 0.99, 0.03); /* long waves are not quite orthogonal */
        ck_assert(power_of(of_row, LENGTH, 0.5) < 1e-4);
        const double noise = noise_of(of_row, LENGTH, &count);
        within(noise, 0.01, 0.01 * sqrt(2.0 / (double)count), "noise", RCM_GPU_INPUT_WAVES);
    }
    for (int t = 0; t < 8; t++)
        ck_assert(fabs(powers[0][t] - powers[1][t]) > 1e-6);
    free(x);
}
END_TEST

TEST_MAIN("gpu input distributions", moments, equal_elements, order, padding, samples, ar_99,
          waves_over_rows, waves_of_a_row)
