/* test_partition.c - k-means: one iteration written out in double, the nearest centroid by brute
 * force, seeds against their probabilities, empty buckets by hand, the same bits for any threads.
 *
 * Against: brute force on whole numbers, an iteration in double, cases by hand, the probabilities
 * of k-means++ (6000 seeds, false alarm 4e-6).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <omp.h>

#include <attention/partition/partition.h>
#include <attention/partition/seeding.h>

#include <tests/test.h>

static uint64_t state = 1;

/* About normal: the sum of four uniform numbers. */
static float random_float(void)
{
    double sum = 0.0;
    for (int i = 0; i < 4; i++)
        sum += (double)(next_random(&state) >> 11) * 0x1p-53 - 0.5;
    return (float)sum;
}

/* Keys around a few centres, with an offset, as those of models are. */
static float *clustered_keys(uint32_t n, uint32_t d)
{
    float *keys = malloc((size_t)n * d * sizeof *keys), centres[8][128];
    for (int c = 0; c < 8; c++)
        for (uint32_t i = 0; i < d; i++)
            centres[c][i] = 3.0f * random_float() + 1.0f;
    for (uint32_t j = 0; j < n; j++) {
        const uint64_t c = next_random(&state) % 8;
        for (uint32_t i = 0; i < d; i++)
            keys[(size_t)j * d + i] = centres[c][i] + random_float();
    }
    return keys;
}

static double distance(const float *a, const float *b, uint32_t d)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < d; i++)
        sum += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    return sum;
}

/* The sum of the distances to the nearest centroids. */
static double objective_of(const struct partition *p, const float *keys, uint32_t n)
{
    double sum = 0.0;
    for (uint32_t j = 0; j < n; j++) {
        double least = INFINITY;
        for (uint32_t c = 0; c < p->clusters; c++)
            least = fmin(least,
                         distance(keys + (size_t)j * p->d, p->centroids + (size_t)c * p->d, p->d));
        sum += least;
    }
    return sum;
}

static struct partition_options options_of(uint32_t clusters, uint32_t iterations, bool spherical)
{
    return (struct partition_options){
        .clusters = clusters, .iterations = iterations, .spherical = spherical, .seed = 7};
}

/* Whole numbers, so that float32 is exact and equally near centroids are equal to the bit. */
START_TEST(nearest_is_that_of_brute_force)
{
    const uint32_t dims[] = {1, 2, 7, 64, 65};
    for (size_t at = 0; at < sizeof dims / sizeof *dims; at++)
        for (uint32_t clusters = 1; clusters <= 37; clusters += 9) {
            const uint32_t d = dims[at], n = at % 2 ? 1024 + 13 : 300;
            float *keys = malloc((size_t)n * d * sizeof *keys), centroids[37 * 65];
            for (size_t i = 0; i < (size_t)n * d; i++)
                keys[i] = (float)(next_random(&state) % 7) - 3.0f;
            for (size_t i = 0; i < (size_t)clusters * d; i++)
                centroids[i] = (float)(next_random(&state) % 5) - 2.0f;
            struct partition *p = partition_new(clusters, d, false, centroids);
            uint32_t *bucket = malloc(n * sizeof *bucket);
            partition_assign(p, keys, n, bucket);
            for (uint32_t j = 0; j < n; j++) {
                uint32_t nearest = 0;
                for (uint32_t c = 1; c < clusters; c++)
                    if (distance(keys + (size_t)j * d, centroids + (size_t)c * d, d) <
                        distance(keys + (size_t)j * d, centroids + (size_t)nearest * d, d))
                        nearest = c;
                ck_assert_msg(bucket[j] == nearest, "d %u C %u key %u: bucket %u, want %u", d,
                              clusters, j, bucket[j], nearest);
            }
            partition_free(p);
            free(bucket);
            free(keys);
        }
}
END_TEST

/* New keys get the bucket that they have among others. */
START_TEST(bucket_does_not_depend_on_neighbours)
{
    const uint32_t n = 1500, d = 24;
    float *keys = clustered_keys(n, d);
    const struct partition_options options = options_of(40, 3, false);
    struct partition *p = partition_train(keys, n, d, &options, NULL, NULL);
    uint32_t all[1500], part[1500];
    partition_assign(p, keys, n, all);
    for (uint32_t first = 0; first < n; first += 97) {
        const uint32_t count = n - first < 70 ? n - first : 70;
        partition_assign(p, keys + (size_t)first * d, count, part);
        ck_assert_mem_eq(part, all + first, count * sizeof *part);
    }
    partition_free(p);
    free(keys);
}
END_TEST

/* What an iteration makes of p, in double. Returns the objective after it. */
static double iterate_by_hand(const struct partition *p, const float *keys, uint32_t n,
                              double *centroids)
{
    const uint32_t d = p->d;
    uint32_t *bucket = malloc(n * sizeof *bucket), *size = calloc(p->clusters, sizeof *size);
    double *unit = malloc((size_t)n * d * sizeof *unit), objective = 0.0;
    memset(centroids, 0, (size_t)p->clusters * d * sizeof *centroids);
    partition_assign(p, keys, n, bucket);
    for (uint32_t j = 0; j < n; j++) {
        double norm = 0.0;
        for (uint32_t i = 0; i < d; i++)
            norm += (double)keys[(size_t)j * d + i] * (double)keys[(size_t)j * d + i];
        size[bucket[j]]++;
        for (uint32_t i = 0; i < d; i++) {
            unit[(size_t)j * d + i] =
                (double)keys[(size_t)j * d + i] / (p->spherical ? sqrt(norm) : 1.0);
            centroids[(size_t)bucket[j] * d + i] += unit[(size_t)j * d + i];
        }
    }
    for (uint32_t c = 0; c < p->clusters; c++) {
        double norm = 0.0;
        ck_assert_msg(size[c] > 0, "bucket %u is empty: not for this test", c);
        for (uint32_t i = 0; i < d; i++)
            norm += centroids[(size_t)c * d + i] * centroids[(size_t)c * d + i];
        for (uint32_t i = 0; i < d; i++)
            centroids[(size_t)c * d + i] /= p->spherical ? sqrt(norm) : size[c];
    }
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < d; i++) {
            const double off = unit[(size_t)j * d + i] - centroids[(size_t)bucket[j] * d + i];
            objective += off * off;
        }
    free(unit);
    free(size);
    free(bucket);
    return objective;
}

static void check_iterations(bool spherical)
{
    const uint32_t n = 1300, d = 20, clusters = 12;
    float *keys = clustered_keys(n, d);
    double want[12 * 20], before = INFINITY;
    for (uint32_t i = 0; i < 12; i++) {
        struct partition_options options = options_of(clusters, i, spherical);
        struct partition_report report, next_report;
        struct partition *p = partition_train(keys, n, d, &options, NULL, &report);
        options.iterations = i + 1;
        struct partition *next = partition_train(keys, n, d, &options, NULL, &next_report);
        const double objective = iterate_by_hand(p, keys, n, want);
        for (uint32_t c = 0; c < clusters * d; c++)
            ck_assert_msg(fabs((double)next->centroids[c] - want[c]) < 1e-6,
                          "iteration %u, component %u: %.9g, want %.9g", i, c,
                          (double)next->centroids[c], want[c]);
        ck_assert_msg(relative_error(next_report.objective, objective) < 1e-6,
                      "iteration %u: objective %.12g, want %.12g", i, next_report.objective,
                      objective);
        ck_assert_msg(next_report.objective <= before, "iteration %u: the objective rose", i);
        if (!spherical) {
            ck_assert(objective_of(next, keys, n) <= next_report.objective * (1 + 1e-6));
            ck_assert(objective_of(next, keys, n) <= objective_of(p, keys, n) * (1 + 1e-6));
        }
        before = next_report.objective;
        partition_free(p);
        partition_free(next);
    }
    free(keys);
}

START_TEST(iterations_are_those_by_hand)
{
    check_iterations(false);
    check_iterations(true);
}
END_TEST

/* The norms of the keys do not matter: factors of two leave the same bits. */
START_TEST(spherical_ignores_norms)
{
    const uint32_t n = 600, d = 16;
    float *keys = clustered_keys(n, d);
    const struct partition_options options = options_of(9, 10, true);
    struct partition *p = partition_train(keys, n, d, &options, NULL, NULL);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i < d; i++)
            keys[j * d + i] *= (float)(1 << j % 5);
    struct partition *scaled = partition_train(keys, n, d, &options, NULL, NULL);
    ck_assert_mem_eq(p->centroids, scaled->centroids, 9 * d * sizeof(float));
    for (uint32_t c = 0; c < 9; c++) {
        double norm = 0.0;
        for (uint32_t i = 0; i < d; i++)
            norm += (double)p->centroids[c * d + i] * (double)p->centroids[c * d + i];
        ck_assert_msg(fabs(norm - 1.0) < 1e-6, "centroid %u has |c|^2 = %.9g", c, norm);
    }
    partition_free(p);
    partition_free(scaled);
    free(keys);
}
END_TEST

/* Worked out by hand. All keys are nearest to the first centroid. The first empty bucket takes 10;
 * the second takes 0, which is as far from 1 as 2 is, but comes first. */
START_TEST(empty_buckets_take_the_farthest)
{
    const float keys[] = {0, 1, 2, 10}, centroids[] = {1, 100, 200};
    struct partition *p = partition_new(3, 1, false, centroids);
    struct partition_report report;
    partition_improve(p, keys, 4, 1, NULL, &report);
    ck_assert_float_eq(p->centroids[0], 1.5f);
    ck_assert_float_eq(p->centroids[1], 10.0f);
    ck_assert_float_eq(p->centroids[2], 0.0f);
    ck_assert_double_eq(report.objective, 0.5);
    ck_assert_uint_eq(report.reseeded, 2);
    partition_free(p);
}
END_TEST

/* {0, 0, 8} and centroids 0, 0, 0, 9: key 8 is alone in its bucket and stays; the keys 0 lie on
 * their centroid and stay, so that two buckets remain empty. */
START_TEST(empty_buckets_without_a_key_stay)
{
    const float keys[] = {0, 0, 8}, centroids[] = {0, 0, 0, 9};
    struct partition *p = partition_new(4, 1, false, centroids);
    struct partition_report report;
    partition_improve(p, keys, 3, 5, NULL, &report);
    ck_assert_float_eq(p->centroids[3], 8.0f);
    for (int c = 0; c < 3; c++)
        ck_assert_float_eq(p->centroids[c], 0.0f);
    ck_assert_double_eq(report.objective, 0.0);
    ck_assert_uint_eq(report.reseeded, 0);
    partition_free(p);
}
END_TEST

START_TEST(extreme_numbers_of_buckets)
{
    const uint32_t n = 40, d = 5;
    float *keys = clustered_keys(n, d);
    double mean[5] = {0};
    struct partition_report report;
    struct partition_options options = options_of(1, 10, false);
    struct partition *one = partition_train(keys, n, d, &options, NULL, &report);
    for (uint32_t j = 0; j < n * d; j++)
        mean[j % d] += (double)keys[j] / n;
    for (uint32_t i = 0; i < d; i++)
        ck_assert(fabs((double)one->centroids[i] - mean[i]) < 1e-6);
    partition_free(one);
    options.clusters = n;
    struct partition *all = partition_train(keys, n, d, &options, NULL, &report);
    ck_assert(objective_of(all, keys, n) == 0.0);
    partition_free(all);
    options.clusters = 2 * n; /* more than there are keys */
    all = partition_train(keys, n, d, &options, NULL, &report);
    ck_assert(objective_of(all, keys, n) == 0.0);
    partition_free(all);
    for (uint32_t j = 1; j < n; j++)
        memcpy(keys + j * d, keys, d * sizeof *keys);
    options.clusters = 4; /* all keys are equal */
    all = partition_train(keys, n, d, &options, NULL, &report);
    ck_assert(objective_of(all, keys, n) == 0.0);
    ck_assert_uint_eq(report.reseeded, 0);
    partition_free(all);
    free(keys);
}
END_TEST

START_TEST(weighted_draws_have_their_shares)
{
    const float weights[] = {0, 1, 0, 3, 2, 0};
    const double total = draw_total(weights, 6);
    ck_assert_double_eq(total, 6.0);
    ck_assert_uint_eq(draw_weighted(weights, 6, total, 0.0), 1);
    ck_assert_uint_eq(draw_weighted(weights, 6, total, 0.166), 1);
    ck_assert_uint_eq(draw_weighted(weights, 6, total, 0.167), 3);
    ck_assert_uint_eq(draw_weighted(weights, 6, total, 0.666), 3);
    ck_assert_uint_eq(draw_weighted(weights, 6, total, 0.667), 4);
    ck_assert_uint_eq(draw_weighted(weights, 6, total, 1.0), 4);
    float many[5000] = {0};
    many[4100] = 2;
    many[1023] = 1;
    ck_assert_uint_eq(draw_weighted(many, 5000, draw_total(many, 5000), 0.3), 1023);
    ck_assert_uint_eq(draw_weighted(many, 5000, draw_total(many, 5000), 0.4), 4100);
}
END_TEST

/* Keys 0, 1, 3; two seeds. After 0 the second is 1 with 1/10 and 3 with 9/10; after 1 it is 0 with
 * 1/5; after 3 it is 0 with 9/13. Six pairs: |z| > 5 by chance 4e-6 in all. The seeds are fixed. */
START_TEST(seeds_have_their_probabilities)
{
    enum { RUNS = 6000 };
    const float keys[] = {0, 1, 3};
    const double want[4][4] = {{0, 0.1, 0, 0.9}, {0.2, 0, 0, 0.8}, {0}, {9 / 13.0, 4 / 13.0, 0, 0}};
    int count[4][4] = {{0}};
    for (int run = 0; run < RUNS; run++) {
        const struct partition_options options = {.clusters = 2, .seed = (uint64_t)run, .salt = 5};
        struct partition *p = partition_train(keys, 3, 1, &options, NULL, NULL);
        count[(int)p->centroids[0]][(int)p->centroids[1]]++;
        partition_free(p);
    }
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            const double share = want[a][b] / 3.0, sd = sqrt(RUNS * share * (1.0 - share));
            ck_assert_msg(fabs(count[a][b] - RUNS * share) <= 5.0 * sd, "%d then %d: %d, want %.0f",
                          a, b, count[a][b], RUNS * share);
        }
}
END_TEST

/* With more keys than seeding looks at, seeds come from all parts, and no key twice. */
START_TEST(seeds_of_many_keys)
{
    const uint32_t n = 3 * PARTITION_SEED_KEYS + 1, clusters = 30;
    float *keys = malloc(n * sizeof *keys);
    for (uint32_t j = 0; j < n; j++)
        keys[j] = (float)j;
    const struct partition_options options = options_of(clusters, 0, false);
    struct partition *p = partition_train(keys, n, 1, &options, NULL, NULL);
    int thirds[4] = {0};
    for (uint32_t c = 0; c < clusters; c++) {
        thirds[(uint32_t)p->centroids[c] / PARTITION_SEED_KEYS]++;
        for (uint32_t before = 0; before < c; before++)
            ck_assert(p->centroids[before] != p->centroids[c]);
    }
    ck_assert(thirds[0] > 0 && thirds[1] > 0 && thirds[2] > 0);
    partition_free(p);
    free(keys);
}
END_TEST

START_TEST(threads_give_the_same_bits)
{
    const uint32_t n = 2100, d = 33;
    float *keys = clustered_keys(n, d);
    for (int spherical = 0; spherical < 2; spherical++) {
        const struct partition_options options = options_of(100, 5, spherical);
        struct partition_report report[3];
        struct partition *p[3];
        uint32_t *bucket[3];
        for (int run = 0; run < 3; run++) {
            omp_set_num_threads((int[]){1, 2, 5}[run]);
            p[run] = partition_train(keys, n, d, &options, NULL, &report[run]);
            bucket[run] = malloc(n * sizeof **bucket);
            partition_assign(p[run], keys, n, bucket[run]);
            ck_assert_mem_eq(p[run]->centroids, p[0]->centroids, 100 * d * sizeof(float));
            ck_assert_mem_eq(bucket[run], bucket[0], n * sizeof **bucket);
            ck_assert(report[run].objective == report[0].objective);
        }
        for (int run = 0; run < 3; run++) {
            partition_free(p[run]);
            free(bucket[run]);
        }
    }
    free(keys);
}
END_TEST

static bool stop_after_two(void *context, uint64_t done, uint64_t total)
{
    if (total == 0)
        return false;
    ck_assert_uint_eq(total, 50);
    *(uint64_t *)context = done;
    return done == 2;
}

START_TEST(stops)
{
    const uint32_t n = 900, d = 8;
    float *keys = clustered_keys(n, d);
    uint64_t done = 0;
    const struct watch watch = {stop_after_two, &done};
    struct partition_options options = options_of(30, 50, false);
    struct partition_report report;
    struct partition *stopped = partition_train(keys, n, d, &options, &watch, &report);
    options.iterations = 2;
    struct partition *two = partition_train(keys, n, d, &options, NULL, NULL);
    ck_assert_uint_eq(done, 2);
    ck_assert_uint_eq(report.iterations, 2);
    ck_assert_mem_eq(stopped->centroids, two->centroids, 30 * d * sizeof(float));
    partition_free(stopped);
    partition_free(two);
    free(keys);
}
END_TEST

TEST_MAIN("partition", nearest_is_that_of_brute_force, bucket_does_not_depend_on_neighbours,
          iterations_are_those_by_hand, spherical_ignores_norms, empty_buckets_take_the_farthest,
          empty_buckets_without_a_key_stay, extreme_numbers_of_buckets,
          weighted_draws_have_their_shares, seeds_have_their_probabilities, seeds_of_many_keys,
          threads_give_the_same_bits, stops)
