/* test_recall_sd.c - standard deviation: against full enumeration for small shapes, against
 * simulation for large ones.
 *
 * Against: enumeration (every shape with n <= 13, padded rows included; 3000 sets of few unequal
 * buckets), `reference.csv`, seeded simulation, smoothness where the method changes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <tests/test.h>

#define SMALL 13
#define MOST 160 /* top elements in an enumeration */

/* The number of ways to place `tops` top elements with `lost` of them lost, bucket after bucket:
 * sums of positive numbers, integers for small shapes. */
static double enumerated_sd(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b)
{
    static double choose[MOST + 1][MOST + 1], ways[MOST + 1][MOST + 1], next[MOST + 1][MOST + 1];
    if (choose[0][0] == 0.0)
        for (int n = 0; n <= MOST; n++)
            for (int i = 0; i <= n; i++)
                choose[n][i] = i == 0 || i == n ? 1.0 : choose[n - 1][i - 1] + choose[n - 1][i];
    for (uint64_t tops = 0; tops <= k; tops++)
        memset(ways[tops], 0, (k + 1) * sizeof(double));
    ways[0][0] = 1.0;
    for (unsigned c = 0; c < buckets->classes; c++)
        for (uint64_t j = 0; j < buckets->of[c].count; j++) {
            uint64_t size = buckets->of[c].size;
            for (uint64_t tops = 0; tops <= k; tops++)
                memset(next[tops], 0, (k + 1) * sizeof(double));
            for (uint64_t tops = 0; tops <= k; tops++)
                for (uint64_t lost = 0; lost <= tops; lost++)
                    for (uint64_t x = 0; ways[tops][lost] > 0.0 && x <= size && tops + x <= k; x++)
                        next[tops + x][lost + (x > k_b ? x - k_b : 0)] +=
                            ways[tops][lost] * choose[size][x];
            for (uint64_t tops = 0; tops <= k; tops++)
                memcpy(ways[tops], next[tops], (k + 1) * sizeof(double));
        }
    double total = 0.0, mean = 0.0, square = 0.0;
    for (uint64_t lost = 0; lost <= k; lost++) {
        total += ways[k][lost];
        mean += ways[k][lost] * (double)lost;
    }
    mean /= total;
    for (uint64_t lost = 0; lost <= k; lost++)
        square += ways[k][lost] * ((double)lost - mean) * ((double)lost - mean);
    return sqrt(square / total) / (double)k;
}

START_TEST(every_small_shape)
{
    double worst = 0.0;
    uint64_t shapes = 0;
    for (uint64_t n = 1; n <= SMALL; n++)
        for (uint64_t valid = 1; valid <= n; valid++)
            for (int assignment = RCM_INTERLEAVED; assignment <= RCM_CONTIGUOUS_FLOOR; assignment++)
                for (uint64_t b = 1; b <= n; b++)
                    for (uint64_t k = 1; k <= valid; k++)
                        for (uint64_t k_b = 1; k_b <= k; k_b++) {
                            struct rcm_topk p = {.n = n,
                                                 .k = k,
                                                 .b = b,
                                                 .k_b = k_b,
                                                 .valid = valid,
                                                 .assignment = (enum rcm_assignment)assignment};
                            struct rcm_buckets buckets = rcm_buckets_of(p);
                            double want = enumerated_sd(&buckets, k, k_b), got = rcm_recall_sd(p);
                            double error = want > 1e-9 ? relative_error(got, want) : fabs(got);
                            worst = fmax(worst, error);
                            shapes++;
                            ck_assert_msg(error <= RCM_SD_MAX_RELERR,
                                          TOPK_FMT " got %.17g want %.17g", TOPK_ARG(p), got, want);
                        }
    printf("measured: standard deviation %.1e over %" PRIu64 " shapes with n <= %d\n", worst,
           shapes, SMALL);
}
END_TEST

START_TEST(few_unequal_buckets)
{
    /* Three to five buckets of very different sizes, as in a padded contiguous row. */
    uint64_t state = 12;
    double worst = 0.0;
    for (int i = 0; i < 3000; i++) {
        struct rcm_buckets buckets = {0};
        uint64_t size = random_between(&state, 20, MOST), n = 0;
        for (unsigned c = 0; c < 3 && size > 0; c++) {
            buckets.of[c].size = size;
            buckets.of[c].count = c == 0 ? random_between(&state, 1, 2) : 1;
            n += size * buckets.of[c].count;
            buckets.classes++;
            size = random_between(&state, 0, size - 1) / (i % 3 ? 1 : 8);
        }
        uint64_t k = random_between(&state, 1, n < MOST ? n : MOST),
                 k_b = random_between(&state, 1 + k / 4, k);
        double want = enumerated_sd(&buckets, k, k_b), got = rcm_buckets_sd(&buckets, k, k_b);
        double error = want > 1e-9 ? relative_error(got, want) : fabs(got - want);
        worst = fmax(worst, error);
        ck_assert_msg(error <= RCM_SD_MAX_RELERR,
                      "sizes %" PRIu64 " x %" PRIu64 ", %" PRIu64 ", %" PRIu64 " k %" PRIu64
                      " k_b %" PRIu64 ": got %.17g want %.17g",
                      buckets.of[0].size, buckets.of[0].count, buckets.of[1].size,
                      buckets.of[2].size, k, k_b, got, want);
    }
    printf("sd of few unequal buckets: worst relative error %.1e\n", worst);
}
END_TEST

/* Recall of `repetitions` rows whose top-k lie anywhere. Returns the standard deviation and the
 * mean. */
static double simulated_sd(struct rcm_topk p, int repetitions, uint64_t seed, double *mean_recall)
{
    unsigned char *taken = calloc(p.n, 1);
    uint64_t *count = calloc(p.b, sizeof *count), *position = calloc(p.k, sizeof *position);
    double mean = 0.0, square = 0.0;
    for (int r = 0; r < repetitions; r++) {
        uint64_t kept = 0;
        for (uint64_t i = 0; i < p.k; i++) {
            do
                position[i] = next_random(&seed) % p.n;
            while (taken[position[i]]);
            taken[position[i]] = 1;
            kept += count[position[i] % p.b]++ < p.k_b;
        }
        for (uint64_t i = 0; i < p.k; i++) {
            taken[position[i]] = 0;
            count[position[i] % p.b] = 0;
        }
        double recall = (double)kept / (double)p.k, old = mean;
        mean += (recall - mean) / (r + 1);
        square += (recall - mean) * (recall - old);
    }
    free(taken);
    free(count);
    free(position);
    *mean_recall = mean;
    return sqrt(square / (repetitions - 1));
}

START_TEST(simulated)
{
    /* With 20000 rows the sd of a sample sd is sd sqrt((kurtosis - 1) / (4 rows)); 0.6 % covers
     * kurtosis up to 4. |z| > 5 by chance: 6e-7 each of 18. Fixed seeds: a pass stays a pass. */
    const struct rcm_topk shapes[] = {
        {.n = 262144, .k = 1024, .b = 512, .k_b = 4}, {.n = 262144, .k = 64, .b = 640, .k_b = 1},
        {.n = 2048, .k = 256, .b = 256, .k_b = 1},    {.n = 2048, .k = 256, .b = 32, .k_b = 8},
        {.n = 1659, .k = 96, .b = 96, .k_b = 1},      {.n = 1409, .k = 96, .b = 48, .k_b = 2},
        {.n = 10007, .k = 5000, .b = 3, .k_b = 1700}, {.n = 5000, .k = 2500, .b = 2, .k_b = 1260},
        {.n = 100, .k = 90, .b = 7, .k_b = 14},
    };
    const int rows = 20000;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i += few_cases() ? 3 : 1) {
        struct rcm_topk p = shapes[i];
        double mean, simulated = simulated_sd(p, rows, 100 + i, &mean), sd = rcm_recall_sd(p);
        double z_mean = (mean - rcm_recall_exact(p)) / (sd / sqrt(rows)),
               z_sd = (simulated / sd - 1.0) / 0.006;
        ck_assert_msg(fabs(z_mean) < 5.0 && fabs(z_sd) < 5.0,
                      TOPK_FMT " mean z %.2f, sd %g simulated %g", TOPK_ARG(p), z_mean, sd,
                      simulated);
    }
}
END_TEST

START_TEST(wide_distributions_join_narrow_ones)
{
    /* Near a standard deviation of 128 the sum changes from single steps to strides. Along k = 2 b
     * k_b / 3 and k_b the sd is smooth, so its third differences must stay small across the
     * change. */
    double value[400];
    for (int i = 0; i < 400; i++) {
        uint64_t k_b = 23000 + 10 * (uint64_t)i; /* sd from 123 to 133 */
        struct rcm_topk p = {.n = 3 * (UINT64_C(1) << 22), .k = 3 * k_b - 600, .b = 3, .k_b = k_b};
        value[i] = log(rcm_recall_sd(p));
    }
    double worst = 0.0;
    for (int i = 3; i < 400; i++) {
        double third = value[i] - 3.0 * value[i - 1] + 3.0 * value[i - 2] - value[i - 3];
        worst = fmax(worst, fabs(third));
        ck_assert_msg(fabs(third) < RCM_SD_MAX_RELERR, "step %d: third difference %g", i, third);
    }
    printf("sd across the change of method: third differences up to %.1e\n", worst);
}
END_TEST

START_TEST(edges)
{
    ck_assert_double_eq(rcm_recall_sd((struct rcm_topk){.n = 100, .k = 100, .b = 10, .k_b = 5}),
                        0.0); /* all are top */
    ck_assert_double_eq(rcm_recall_sd((struct rcm_topk){.n = 100, .k = 50, .b = 1, .k_b = 20}),
                        0.0); /* one bucket */
    ck_assert_double_eq(rcm_recall_sd((struct rcm_topk){.n = 100, .k = 5, .b = 10, .k_b = 5}),
                        0.0); /* nothing is lost */
    ck_assert_double_eq(rcm_recall_sd((struct rcm_topk){.n = 100, .k = 50, .b = 10, .k_b = 10}),
                        0.0);
    uint64_t state = 9;
    for (int i = 0; i < 2000; i++) {
        struct rcm_topk p = random_shape(&state, RCM_N_MAX);
        double sd = rcm_recall_sd(p);
        ck_assert_msg(sd >= 0.0 && sd <= 0.5, TOPK_FMT " sd %g", TOPK_ARG(p), sd);
        /* Recall is within [worst, 1]: its variance is at most (1 - mean) (mean - worst). */
        double most = sqrt(rcm_loss_exact(p) * (rcm_recall_exact(p) - rcm_recall_worst_case(p)));
        ck_assert_msg(sd <= most * (1.0 + 1e-9) + 1e-300, TOPK_FMT " sd %g, at most %g",
                      TOPK_ARG(p), sd, most);
    }
}
END_TEST

TEST_MAIN("sd", every_small_shape, few_unequal_buckets, simulated,
          wide_distributions_join_narrow_ones, edges)
