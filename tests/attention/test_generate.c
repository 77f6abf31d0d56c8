/* test_generate.c - generated keys and queries: each knob against its distribution, the same bits
 * for any number of threads, RoPE.
 *
 * A statistical case allows five standard errors: one false alarm in 1.7e6 for a normal value. All
 * seeds are fixed, so a pass stays a pass.
 *
 * Against: sums over all keys in double.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "generated.h"

void omp_set_num_threads(int threads);

START_TEST(threads_change_nothing)
{
    const struct generator g = everything();
    omp_set_num_threads(1);
    struct generated_head *one = made(&g, 1);
    for (int threads = 2; threads <= 5; threads += 3) {
        omp_set_num_threads(threads);
        struct generated_head *other = made(&g, 1);
        const size_t keys = (size_t)g.n * g.d * sizeof(float),
                     queries = group_of(&g) * g.n_q * g.d * sizeof(float);
        ck_assert_mem_eq(one->keys, other->keys, keys);
        ck_assert_mem_eq(one->keys_unroped, other->keys_unroped, keys);
        ck_assert_mem_eq(one->values, other->values, keys);
        ck_assert_mem_eq(one->queries, other->queries, queries);
        ck_assert_mem_eq(one->queries_unroped, other->queries_unroped, queries);
        for (int i = 0; i < 5; i++)
            ck_assert(one->needles[i].key == other->needles[i].key &&
                      one->needles[i].mass == other->needles[i].mass);
        generated_head_free(other);
    }
    generated_head_free(one);
    omp_set_num_threads(1);
}
END_TEST

START_TEST(heads_and_seeds_differ)
{
    struct generator g = everything();
    struct generated_head *a = made(&g, 0), *b = made(&g, 1);
    g.seed = 2;
    struct generated_head *c = made(&g, 0);
    for (uint32_t j = 1; j < 100; j++) {
        ck_assert(memcmp(a->keys + j * g.d, b->keys + j * g.d, g.d * sizeof(float)) != 0);
        ck_assert(memcmp(a->keys + j * g.d, c->keys + j * g.d, g.d * sizeof(float)) != 0);
        ck_assert(memcmp(a->keys + j * g.d, a->values + j * g.d, g.d * sizeof(float)) != 0);
    }
    generated_head_free(a);
    generated_head_free(b);
    generated_head_free(c);
}
END_TEST

/* Without sink and needles a row is a function of seed, head and position. */
START_TEST(a_row_does_not_depend_on_others)
{
    struct generator g = everything();
    g.sink = g.needles = 0;
    struct generated_head *more = made(&g, 0);
    struct generator fewer = g;
    fewer.n_q = 7;
    struct generated_head *less = made(&fewer, 0);
    ck_assert_mem_eq(more->keys, less->keys, (size_t)g.n * g.d * sizeof(float));
    for (size_t member = 0; member < group_of(&g); member++)
        ck_assert_mem_eq(more->queries + (member * g.n_q + g.n_q - 7) * g.d,
                         less->queries + member * 7 * g.d, 7 * g.d * sizeof(float));
    generated_head_free(less);
    fewer.n = 5001;
    less = made(&fewer, 0);
    ck_assert_mem_eq(more->keys, less->keys, (size_t)fewer.n * g.d * sizeof(float));
    ck_assert_mem_eq(more->values, less->values, (size_t)fewer.n * g.d * sizeof(float));
    generated_head_free(less);
    generated_head_free(more);
}
END_TEST

START_TEST(rope_is_applied)
{
    const struct generator g = everything();
    const struct rope rope = {.theta = g.theta, .pairing = ROPE_HALF, .factor = 1};
    struct generated_head *head = made(&g, 0);
    rope_apply(&rope, head->keys_unroped, g.n, g.d, 0);
    ck_assert_mem_eq(head->keys, head->keys_unroped, (size_t)g.n * g.d * sizeof(float));
    for (size_t member = 0; member < group_of(&g); member++) {
        float *queries = head->queries_unroped + member * g.n_q * g.d;
        rope_apply(&rope, queries, g.n_q, g.d, g.n - g.n_q);
        ck_assert_mem_eq(head->queries + member * g.n_q * g.d, queries,
                         (size_t)g.n_q * g.d * sizeof(float));
    }
    generated_head_free(head);
}
END_TEST

/* Keys are normal with the root mean square --key-spread, and logits with --contrast. */
START_TEST(spread_and_contrast)
{
    struct generator g = plain(4000, 50, 32);
    g.key_spread = 7;
    g.contrast = 3;
    struct generated_head *head = made(&g, 0);
    double squares = 0, values = 0, logits = 0;
    for (uint32_t j = 0; j < g.n; j++) {
        squares += dot(head->keys + j * g.d, head->keys + j * g.d, g.d) / g.n;
        if (j > 0)
            values += dot(head->values + j * g.d, head->values + j * g.d, g.d) / (g.n - 1);
    }
    /* A sum of n d squares of normals has the relative error sqrt(2 / (n d)). */
    const double relative = sqrt(2.0 / g.n / g.d);
    NEAR(squares, 49, 5 * 49 * relative);
    NEAR(values, 32, 5 * 32 * relative);
    for (uint32_t i = 0; i < g.n_q; i++)
        for (uint32_t j = 0; j < 1000; j++)
            logits += pow(dot(head->queries + i * g.d, head->keys + j * g.d, g.d), 2) / g.d;
    /* Given the queries, of which there are 50 with 32 components. */
    NEAR(logits / (g.n_q * 1000), 9, 5 * 9 * sqrt(2.0 / (g.n_q * g.d) + 2.0 / (1000.0 * g.d)));
    generated_head_free(head);
}
END_TEST

/* |k|^2 / spread^2 = g^2 X / d with g^2 = 1 - h + h E: its mean is 1, its second moment
 * (1 + h^2)(1 + 2/d). */
START_TEST(heavy_tails)
{
    struct generator g = plain(20000, 1, 64);
    g.heavy = 0.8;
    struct generated_head *head = made(&g, 0);
    double mean = 0, second = 0, fourth = 0;
    for (uint32_t j = 0; j < g.n; j++) {
        const double x =
            dot(head->keys + j * g.d, head->keys + j * g.d, g.d) / (g.key_spread * g.key_spread);
        mean += x / g.n;
        second += x * x / g.n;
        fourth += x * x * x * x / g.n;
    }
    const double want = (1 + 0.8 * 0.8) * (1 + 2.0 / 64);
    NEAR(mean, 1, 5 * sqrt((second - mean * mean) / g.n));
    NEAR(second, want, 5 * sqrt((fourth - second * second) / g.n));
    generated_head_free(head);
}
END_TEST

/* Keys of one run have the correlation --cluster-share; others almost none with 1000 clusters. */
START_TEST(clusters_and_runs)
{
    struct generator g = plain(20000, 1, 64);
    g.cluster_share = 0.6;
    g.clusters = 1000;
    g.run = 5;
    struct generated_head *head = made(&g, 0);
    double same = 0, other = 0;
    const double squared = g.key_spread * g.key_spread;
    for (uint32_t j = 0; j + 1 < g.n; j++) {
        const double x = dot(head->keys_unroped + j * g.d, head->keys_unroped + (j + 1) * g.d, g.d);
        if ((j + 1) % 5)
            same += x / squared;
        else
            other += x / squared;
    }
    /* 1000 clusters of 64 components: the share has a relative error of sqrt(2 / 64000); the noise
     * of a pair is below 1 / sqrt(64). Two runs are of one cluster once in a thousand. */
    NEAR(same / (g.n * 0.8), 0.6, 5 * (0.6 * sqrt(2 / 64e3) + 1 / sqrt(64.0 * g.n * 0.8)));
    NEAR(other / (g.n * 0.2 - 1), 0.0006, 5 * (1 / sqrt(64.0 * g.n * 0.2) + 0.6e-3));
    generated_head_free(head);
}
END_TEST

/* The largest of two clusters has 1 / (1 + 2^-skew) of the keys. */
START_TEST(cluster_sizes)
{
    struct generator g = plain(60000, 1, 2);
    g.cluster_share = 1;
    g.clusters = 2;
    g.cluster_skew = 1.5;
    g.run = 1;
    struct generated_head *head = made(&g, 0);
    double first = 0;
    const double share = 1 / (1 + pow(2, -1.5));
    for (uint32_t j = 0; j < g.n; j++)
        first += memcmp(head->keys_unroped, head->keys_unroped + j * g.d, 2 * sizeof(float)) == 0;
    first = fmax(first, g.n - first);
    NEAR(first / g.n, share, 5 * sqrt(share * (1 - share) / g.n));
    generated_head_free(head);
}
END_TEST

/* A query points at one cluster: its largest logit over the clusters is that of the share. */
START_TEST(query_share)
{
    struct generator g = plain(2000, 60, 64);
    g.cluster_share = g.query_share = 1;
    g.clusters = 8;
    g.run = 1;
    g.contrast = 2;
    struct generated_head *head = made(&g, 0);
    for (uint32_t i = 0; i < g.n_q; i++) {
        const float *query = head->queries_unroped + i * g.d;
        double most = -INFINITY;
        for (uint32_t j = 0; j < g.n; j++) {
            const float *key = head->keys_unroped + j * g.d;
            const double cosine =
                dot(query, key, g.d) / sqrt(dot(query, query, g.d) * dot(key, key, g.d));
            most = fmax(most, cosine);
        }
        NEAR(most, 1, 1e-5);
    }
    generated_head_free(head);
}
END_TEST

static void mean_of(const float *x, size_t rows, uint32_t d, double *mean)
{
    for (uint32_t c = 0; c < d; c++) {
        mean[c] = 0;
        for (size_t i = 0; i < rows; i++)
            mean[c] += (double)x[i * d + c] / (double)rows;
    }
}

/* The means before RoPE: their norms, and the angle between them. */
START_TEST(offsets_and_angle)
{
    struct generator g = plain(20000, 5000, 16);
    g.key_offset = 1.5;
    g.query_offset = 2;
    g.offset_angle = 110;
    double key[16], query[16], keys = 0, queries = 0, both = 0;
    struct generated_head *head = made(&g, 0);
    const double query_norm = g.contrast * 16 / g.key_spread;
    mean_of(head->keys_unroped, g.n, 16, key);
    mean_of(head->queries_unroped, g.n_q, 16, query);
    for (int c = 0; c < 16; c++) {
        keys += key[c] * key[c];
        queries += query[c] * query[c];
        both += key[c] * query[c];
    }
    /* The mean of rows of norm s has an error of s / sqrt(rows) / sqrt(d) in each direction. */
    NEAR(sqrt(keys), 1.5 * g.key_spread, 5 * g.key_spread / sqrt(20000.0 * 16) + 1e-3);
    NEAR(sqrt(queries), 2 * query_norm, 5 * query_norm / sqrt(5000.0 * 16) + 1e-3);
    NEAR(acos(both / sqrt(keys * queries)), 110 / 180.0 * PI, 0.015);
    generated_head_free(head);
}
END_TEST

/* The slowest pair has exp(slow) times the energy of the fastest. */
START_TEST(slow_pairs)
{
    struct generator g = plain(20000, 1, 8);
    g.slow = 3;
    struct generated_head *head = made(&g, 0);
    double fast = 0, slow = 0;
    for (uint32_t j = 0; j < g.n; j++) {
        const float *x = head->keys + j * 8;
        fast += (double)(x[0] * x[0] + x[4] * x[4]);
        slow += (double)(x[3] * x[3] + x[7] * x[7]);
    }
    NEAR(log(slow / fast), 3, 5 * sqrt(2 * 2.0 / (2.0 * g.n)));
    generated_head_free(head);
}
END_TEST

/* Without own parts the logit at distance t is recency times the mean of cos(f t) over the pairs
 * with f reach <= 1. */
START_TEST(recency_profile)
{
    struct generator g = plain(3000, 5, 32);
    g.key_spread = 1e-3;
    g.contrast = 0;
    g.recency = 7;
    g.reach = 20;
    g.theta = 1e4;
    struct generated_head *head = made(&g, 0);
    for (uint32_t i = 0; i < g.n_q; i++)
        for (uint32_t j = 0; j < g.n; j += 7) {
            const double t = g.n - g.n_q + i - (double)j;
            double want = 0, pairs = 0;
            for (int p = 0; p < 16; p++) {
                const double f = pow(1e4, -p / 16.0);
                pairs += f * 20 <= 1;
                want += f * 20 <= 1 ? 7 * cos(f * t) : 0;
            }
            NEAR(dot(head->queries + i * 32, head->keys + j * 32, 32) / sqrt(32), want / pairs,
                 5e-3);
        }
    generated_head_free(head);
}
END_TEST

TEST_MAIN("generate", threads_change_nothing, heads_and_seeds_differ,
          a_row_does_not_depend_on_others, rope_is_applied, spread_and_contrast, heavy_tails,
          clusters_and_runs, cluster_sizes, query_share, offsets_and_angle, slow_pairs,
          recency_profile)
