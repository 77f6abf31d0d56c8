/* test_threshold_sample.c - the sample of `radix`: which pieces it takes, and how often a threshold
 * from it misleads.
 *
 * Against: gpu/kernels/sample.h, chunk by chunk; the seeds of each chunk, by the inverse of the
 * hash; roots by bisection; exact binomial tails; Monte Carlo over rows and seeds, where each limit
 * of Clopper and Pearson has a false alarm in 1e-6. Seeds are fixed, so a pass stays a pass.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

#include <gsl/gsl_cdf.h>

#include <gpu/kernels/sample.h>
#include <sim/rows/row.h>
#include <sim/selection/key.h>
#include <sim/threshold_sample.h>

static const double few = RCM_GPU_SAMPLE_FEW, many = RCM_GPU_SAMPLE_MANY;

/* Sizes in pieces: one or more for each of the sample, whole multiples and fractions. */
static const uint32_t wholes[] = {1024,  1025,    1536,     2047,      3000,       16384,
                                  65537, 1000003, 16777216, 536870911, 4294967295u};
enum { WHOLES = sizeof wholes / sizeof *wholes };

START_TEST(places_are_those_of_the_kernel)
{
    for (unsigned log2 = 8; log2 <= 10; log2++)
        for (size_t w = 0; w < WHOLES; w++)
            for (uint32_t row = 0; row < 20; row++) {
                const uint64_t long_row = row * UINT64_C(0x100000003);
                const uint32_t seed = rcm_gpu_sample_seed(77, long_row, row % 2);
                ck_assert_uint_eq(seed, sim_sample_seed(77, long_row, row % 2));
                for (uint32_t j = 0; j < 1u << log2; j++) {
                    const uint64_t whole = wholes[w], first = j * whole >> log2,
                                   last = (((j + 1) * whole - 1) >> log2);
                    const uint32_t at = rcm_gpu_sample_place(j, log2, wholes[w], seed);
                    ck_assert_uint_eq(
                        at, sim_sample_place((struct sim_sample){log2, 4}, j, wholes[w], seed));
                    ck_assert_msg(at >= first && at <= last, "piece %u of %u: %u", j, wholes[w],
                                  at);
                }
            }
}
END_TEST

/* The x of which rcm_gpu_sample_mixed(x) is the hash. */
static uint32_t unmixed(uint32_t hash)
{
    hash ^= hash >> 16;
    hash *= 0x43021123u; /* times 0x846ca68b is 1 */
    hash ^= hash >> 15 ^ hash >> 30;
    hash *= 0x1d69e2a5u; /* times 0x7feb352d is 1 */
    return hash ^ hash >> 16;
}

/* Of the 2^32 seeds, those that take a chunk are the points of the row in it, times C: the first
 * and the last point of each chunk have a seed that takes it. The points are its share of 2^32,
 * rounded up or down; so each chunk is expected C/whole times, the last ones of the row too. */
START_TEST(each_chunk_is_taken_alike)
{
    for (uint32_t i = 0; i < 1000000; i++)
        ck_assert_uint_eq(rcm_gpu_sample_mixed(unmixed(i * 4097)), i * 4097);
    for (unsigned log2 = 8; log2 <= 10; log2++)
        for (size_t w = 0; w < WHOLES && wholes[w] < 1u << 24; w++) {
            const uint64_t whole = wholes[w], all = UINT64_C(1) << 32;
            for (uint64_t i = 0; i < whole; i++) {
                const uint64_t ends[] = {(i * all + whole - 1) / whole,
                                         ((i + 1) * all + whole - 1) / whole - 1};
                for (int e = 0; e < 2; e++) {
                    const uint32_t j = (uint32_t)(ends[e] >> (32 - log2)),
                                   seed = unmixed((uint32_t)ends[e] << log2) - j * 0x9e3779b9u;
                    ck_assert_msg(rcm_gpu_sample_place(j, log2, wholes[w], seed) == i,
                                  "chunk %" PRIu64 " of %" PRIu64 ", end %d", i, whole, e);
                }
            }
        }
}
END_TEST

/* d of sample.h. */
static double exponent(double y, double m)
{
    return m - y + (y > 0.0 ? y * log(y / m) : 0.0);
}

/* Two steps of Newton in single precision: never less safe than the root, and little beyond it.
 * Where the elements of a chunk are above the threshold all or none, and as many in each piece of
 * the row, X/V is binomial: the bound holds there too. */
START_TEST(ranks_are_bounds)
{
    double tail = 0.0, tail_many = 0.0;
    for (unsigned log2 = 8; log2 <= 11; log2++)
        for (unsigned v = 1; v <= 8; v *= 2)
            for (uint32_t n = (v << log2) + 4 * v; n < 1u << 30; n = n * 3 / 2 + 1)
                for (uint32_t k = 1; k <= n / 2; k += k / 2 + 1) {
                    const struct sim_sample sample = {log2, v};
                    const uint32_t c = 1u << log2, rank = rcm_gpu_sample_rank(n, k, c, v),
                                   inside = rcm_gpu_sample_rank_inside(n, k, c, v);
                    const double least = sim_sample_rank(sample, n, k, few),
                                 largest = sim_sample_rank_inside(sample, n, k, few),
                                 m = (double)k * c / (n - 2.0 * v), share = m / c;
                    ck_assert_msg(rank == 0 ? least > 0.98 * c * v
                                            : rank <= c * v && rank <= least * 1.01 + 1.0,
                                  "n %u k %u C %u V %u: rank %u, least %g", n, k, c, v, rank,
                                  least);
                    ck_assert_msg(inside <= largest * (1.0 + 1e-5) + 1.0 &&
                                      inside >= largest - 0.02 * m * v - 1.0,
                                  "n %u k %u C %u V %u: inside %u, %g", n, k, c, v, inside,
                                  largest);
                    if (inside > 0) {
                        const double mean = (k - 2.0 * v) * c / n;
                        ck_assert(exponent((inside - 1.0) / v, mean) >= few - 2e-3);
                        ck_assert(gsl_cdf_binomial_P((inside - 1) / v, mean / c, c) <= exp(-few));
                    }
                    if (rank == 0)
                        continue;
                    const uint32_t most = rcm_gpu_sample_most(n, rank, c, v);
                    const double safe = sim_sample_most(sample, n, rank, many);
                    ck_assert_msg(exponent((double)rank / v, m) >= few - 2e-3,
                                  "n %u k %u C %u V %u: rank %u, exponent %g", n, k, c, v, rank,
                                  exponent((double)rank / v, m));
                    ck_assert_msg(most == n ? safe >= 0.999 * n
                                            : most >= safe * (1.0 - 1e-5) - 1.0 &&
                                                  most <= safe * 1.03 + 1.0,
                                  "n %u rank %u C %u V %u: most %u, %g", n, rank, c, v, most, safe);
                    if (share < 1.0)
                        tail = fmax(tail, gsl_cdf_binomial_Q((rank + v - 1) / v - 1, share, c));
                    if (most < n)
                        tail_many = fmax(
                            tail_many, gsl_cdf_binomial_P((rank - 1) / v, (most - 2.0 * v) / n, c));
                }
    printf("binomial rows: risks of %.2g and %.2g at most\n", tail, tail_many);
    ck_assert(tail <= exp(-few) && tail_many <= exp(-many));
}
END_TEST

/* Fewer of `draws` had it than chance would give at this rate in 1e-6 of cases; or more. */
static bool rate_is_below(uint64_t count, uint64_t draws, double rate)
{
    return gsl_cdf_binomial_P((unsigned)count, rate, (unsigned)draws) < 1e-6;
}

static bool rate_is_above(uint64_t count, uint64_t draws, double rate)
{
    return count > 0 && gsl_cdf_binomial_Q((unsigned)count - 1, rate, (unsigned)draws) < 1e-6;
}

/* One row in which every 16th chunk, none other, has the k largest elements. Each of its pieces has
 * as many: X/V is exactly binomial, and attempts, neighbouring rows and calls are independent. */
START_TEST(attempts_are_independent)
{
    enum { LOG2 = 8, CHUNKS = 1 << LOG2, WHOLE = CHUNKS * 64 };
    const unsigned draws = few_cases() ? 40000 : 1000000, least = 23;
    const double p = gsl_cdf_binomial_Q(least - 1, 1.0 / 16.0, CHUNKS);
    enum { ALONE, ATTEMPT, ROW, FAR_ROW, CALL, WAYS };
    uint64_t count[WAYS] = {0};
    for (unsigned draw = 0; draw < draws; draw++) {
        const uint64_t row = draw % 1000, call = draw / 1000 * 2;
        const uint32_t seeds[WAYS] = {
            rcm_gpu_sample_seed((uint32_t)call, row * 2, 0),
            rcm_gpu_sample_seed((uint32_t)call, row * 2, 1),
            rcm_gpu_sample_seed((uint32_t)call, row * 2 + 1, 0),
            rcm_gpu_sample_seed((uint32_t)call, row * 2 + (UINT64_C(1) << 32), 0),
            rcm_gpu_sample_seed((uint32_t)call + 1, row * 2, 0)};
        bool missed[WAYS];
        for (int way = 0; way < WAYS; way++) {
            unsigned x = 0;
            for (uint32_t j = 0; j < CHUNKS; j++)
                x += rcm_gpu_sample_place(j, LOG2, WHOLE, seeds[way]) % 16 == 0;
            missed[way] = x >= least;
            count[way] += missed[way] && missed[ALONE];
        }
    }
    for (int way = 0; way < WAYS; way++) {
        const double rate = way == ALONE ? p : p * p;
        ck_assert_msg(!rate_is_below(count[way], draws, rate) &&
                          !rate_is_above(count[way], draws, rate),
                      "way %d: %" PRIu64 " of %u, expected %.5f", way, count[way], draws, rate);
    }
}
END_TEST

enum { ROW = 16387, BEFORE = 3, SAMPLE_MOST = 4096 };

/* Rows of many kinds. In the last one of eight neighbouring pieces the first has the largest
 * elements and the second those that follow: a sample with more of these has fewer of those. */
static const struct {
    const char *name;
    enum sim_input input;
    double rho, k;
    unsigned alike, opposed; /* neighbours */
} kinds[] = {{"independent", SIM_IID, 0.0, 1024.0, 1, 0}, {"ar .9", SIM_AR1, 0.9, 1024.0, 1, 0},
             {"ar .99", SIM_AR1, 0.99, 1024.0, 1, 0},     {"rope", SIM_ROPE, 0.0, 1024.0, 1, 0},
             {"equal 8", SIM_IID, 0.0, 1024.0, 8, 0},     {"equal 64", SIM_IID, 0.0, 1024.0, 64, 0},
             {"rising", SIM_SORTED, 0.0, 1024.0, 1, 0},   {"ties", SIM_TIES, 0.0, 1024.0, 1, 0},
             {"opposed", SIM_UNIFORM, 0.0, ROW / 8, 1, 8}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static uint64_t keys[ROW], sorted[ROW];

static int descending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

static void fill_row(size_t kind, uint64_t row)
{
    static double x[ROW];
    static uint64_t words[ROW + 1];
    const size_t alike = kinds[kind].alike, opposed = kinds[kind].opposed;
    row_generate(kinds[kind].input, kinds[kind].rho, 5, row, x, ROW, words);
    for (size_t i = 0; i < ROW; i++) {
        const size_t turn = opposed > 0 ? (i + opposed - BEFORE) / opposed % 8 : 2;
        keys[i] = key_of(x[i / alike * alike] + (turn < 2 ? 2.0 - (double)turn : 0.0));
    }
    memcpy(sorted, keys, sizeof keys);
    qsort(sorted, ROW, sizeof *sorted, descending);
}

/* How many elements of the row reach a key. */
static double reaching(uint64_t key)
{
    size_t low = 0, high = ROW;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (sorted[middle] >= key)
            low = middle + 1;
        else
            high = middle;
    }
    return (double)low;
}

static uint64_t threshold(struct sim_sample sample, double rank, uint32_t seed)
{
    static uint64_t scratch[2 * SAMPLE_MOST];
    static uint32_t at[SAMPLE_MOST];
    return sim_sample_threshold(sample, (uint32_t)rank, seed, keys, ROW, BEFORE, scratch, at);
}

/* In each kind of row it is as rare as promised, at the risk of the kernel and at one that chance
 * reaches, that fewer than k reach the lower threshold, that more lie above it than the list is
 * for, that more than k lie above the upper one, and that more lie between than differ in rank. */
START_TEST(rows_seldom_mislead)
{
    enum { SAMPLES = 3, RISKS = 2, FAULTS = 4 };
    const struct sim_sample samples[SAMPLES] = {{9, 4}, {8, 8}, {9, 8}};
    const double risks[RISKS] = {1.0, RCM_GPU_SAMPLE_FEW};
    const unsigned rows = few_cases() ? 3 : 20, draws = few_cases() ? 50 : 300;
    for (size_t kind = 0; kind < KINDS; kind++) {
        uint64_t faults[SAMPLES * RISKS][FAULTS] = {{0}};
        for (uint64_t row = 0; row < rows; row++) {
            fill_row(kind, row);
            for (size_t c = 0; c < SAMPLES * RISKS; c++) {
                const struct sim_sample sample = samples[c / RISKS];
                const double risk = risks[c % RISKS], k = kinds[kind].k,
                             low = sim_sample_rank(sample, ROW, k, risk),
                             high = sim_sample_rank_inside(sample, ROW, k, risk),
                             most = sim_sample_most(sample, ROW, low, risk),
                             between = sim_sample_most(sample, ROW, low - high, risk);
                for (uint32_t draw = 0; draw < draws; draw++) {
                    const uint32_t seed = sim_sample_seed(draw, row, 0);
                    const uint64_t lower = threshold(sample, low, seed),
                                   upper = high > 0.0 ? threshold(sample, high, seed) : UINT64_MAX;
                    const double above = reaching(lower + 1);
                    faults[c][0] += reaching(lower) < k;
                    faults[c][1] += above > most;
                    faults[c][2] += high > 0.0 && reaching(upper + 1) > k;
                    faults[c][3] += above - reaching(upper) > between;
                }
            }
        }
        for (size_t c = 0; c < SAMPLES * RISKS; c++)
            for (int fault = 0; fault < FAULTS; fault++)
                ck_assert_msg(
                    !rate_is_above(faults[c][fault], rows * draws, exp(-risks[c % RISKS])),
                    "%s, 2^%u pieces of %u, risk exp(-%.2f): fault %d in %" PRIu64 " of %u",
                    kinds[kind].name, samples[c / RISKS].log2_pieces, samples[c / RISKS].piece,
                    risks[c % RISKS], fault, faults[c][fault], rows * draws);
        for (size_t c = 0; c < SAMPLES * RISKS; c += RISKS)
            printf("%s, V %u: %" PRIu64 " few, %" PRIu64 " many, %" PRIu64 " outside, %" PRIu64
                   " wide of %u\n",
                   kinds[kind].name, samples[c / RISKS].piece, faults[c][0], faults[c][1],
                   faults[c][2], faults[c][3], rows * draws);
    }
}
END_TEST

TEST_MAIN("threshold sample", places_are_those_of_the_kernel, each_chunk_is_taken_alike,
          ranks_are_bounds, attempts_are_independent, rows_seldom_mislead)
