/* test_properties.c - the properties of keys and queries, by brute force on small tensors.
 *
 * Against: definitions in double on 3000 keys, a Pareto distribution, 128 separate points.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <attention/tensors/properties.h>

#include "made_head.h"

void omp_set_num_threads(int threads);

#define NEAR(got, want) \
    ck_assert_msg(fabs((got) - (want)) <= 2e-5 * fabs((double)(want)) + 1e-7, \
                  #got " is %.9g, not %.9g", (double)(got), (double)(want))

enum { N = 3000, N_Q = 3, HEADS = 2, D = 6, D_V = 5 };

static float keys[N * D], unroped[N * D], values[N * D_V], queries[HEADS * N_Q * D],
    queries_unroped[HEADS * N_Q * D];

static struct context small(void)
{
    made_floats(keys, N * D, 1);
    made_floats(unroped, N * D, 2);
    made_floats(values, N * D_V, 3);
    made_floats(queries, HEADS * N_Q * D, 4);
    made_floats(queries_unroped, HEADS * N_Q * D, 5);
    for (size_t i = 0; i < HEADS * N_Q * D; i++)
        queries[i] = 4 * queries[i] + 1;
    return (struct context){HEADS,           1,      N, N_Q, D, D_V, 0.7f, queries, keys, values,
                            queries_unroped, unroped};
}

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The mean over rows of one function of a row of logits. */
typedef double of_logits(const double *logits, uint32_t position, const struct dense_part *dense);

static double mean_over_rows(const struct context *c, of_logits *f, struct dense_part dense)
{
    double sum = 0, logits[N];
    for (int i = 0; i < HEADS * N_Q; i++) {
        const uint32_t position = (uint32_t)(N - N_Q + i % N_Q);
        for (uint32_t j = 0; j <= position; j++) {
            logits[j] = 0;
            for (int x = 0; x < D; x++)
                logits[j] += 0.7 * (double)queries[i * D + x] * (double)keys[(int)j * D + x];
        }
        sum += f(logits, position, &dense) / (HEADS * N_Q);
    }
    (void)c;
    return sum;
}

static double mass_between(const double *logits, uint32_t first, uint32_t last, uint32_t position)
{
    double part = 0, all = 0;
    for (uint32_t j = 0; j <= position; j++) {
        part += j >= first && j < last ? exp(logits[j]) : 0;
        all += exp(logits[j]);
    }
    return part / all;
}

static double sink(const double *logits, uint32_t position, const struct dense_part *dense)
{
    return mass_between(logits, 0, dense->sink, position);
}

static double window(const double *logits, uint32_t position, const struct dense_part *dense)
{
    return mass_between(logits, position + 1 - dense->window, position + 1, position);
}

static double top(const double *logits, uint32_t position, size_t wanted)
{
    double sorted[N], part = 0, all = 0;
    memcpy(sorted, logits, (position + 1) * sizeof *sorted);
    qsort(sorted, position + 1, sizeof *sorted, falling);
    for (uint32_t j = 0; j <= position; j++) {
        part += j < wanted ? exp(sorted[j]) : 0;
        all += exp(sorted[j]);
    }
    return part / all;
}

#define TOP(count) \
    static double top_##count(const double *logits, uint32_t position, \
                              const struct dense_part *dense) \
    { \
        (void)dense; \
        return top(logits, position, count); \
    }
TOP(64)
TOP(256)
TOP(1024)

static double spread(const double *logits, uint32_t position, const struct dense_part *dense)
{
    const uint32_t last = position + 1 - dense->window;
    double sum = 0, squares = 0, count = last - dense->sink;
    for (uint32_t j = dense->sink; j < last; j++) {
        sum += logits[j];
        squares += logits[j] * logits[j];
    }
    return sqrt((squares - sum * sum / count) / (count - 1));
}

/* By weights, as the distribution is written. */
static double tail(const double *logits, uint32_t position, const struct dense_part *dense)
{
    double weights[N], sum = 0;
    const uint32_t count = position + 1 - dense->window - dense->sink, largest = count / 100;
    for (uint32_t j = 0; j < count; j++)
        weights[j] = exp(logits[dense->sink + j]);
    qsort(weights, count, sizeof *weights, falling);
    for (uint32_t i = 0; i < largest; i++)
        sum += log(weights[i] / weights[largest]);
    return largest / sum;
}

START_TEST(mass_of_logits)
{
    const struct context c = small();
    const struct dense_part dense = {2, 100};
    double out[PROPERTY_COUNT];
    properties_of_head(&c, dense, ROPE_HALF, out);
    NEAR(out[PROPERTY_sink_mass], mean_over_rows(&c, sink, dense));
    NEAR(out[PROPERTY_window_mass], mean_over_rows(&c, window, dense));
    NEAR(out[PROPERTY_top_64], mean_over_rows(&c, top_64, dense));
    NEAR(out[PROPERTY_top_256], mean_over_rows(&c, top_256, dense));
    NEAR(out[PROPERTY_top_1024], mean_over_rows(&c, top_1024, dense));
    NEAR(out[PROPERTY_logit_sd], mean_over_rows(&c, spread, dense));
    NEAR(out[PROPERTY_tail_index], mean_over_rows(&c, tail, dense));
}
END_TEST

/* Rows first .. first + rows - 1 of x: their mean, and sums about it. */
struct plain {
    double mean[D], squared, next, norm, norms; /* means over rows; norms: of squared norms */
};

static struct plain plain_of(const float *x, int rows)
{
    struct plain p = {0};
    for (int i = 0; i < rows; i++) {
        double squared = 0;
        for (int c = 0; c < D; c++) {
            p.mean[c] += (double)x[i * D + c] / rows;
            squared += pow((double)x[i * D + c], 2);
        }
        p.norm += sqrt(squared) / rows;
        p.norms += squared / rows;
    }
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < D; c++) {
            p.squared += pow((double)x[i * D + c] - p.mean[c], 2) / rows;
            if (i + 1 < rows)
                p.next += ((double)x[i * D + c] - p.mean[c]) *
                          ((double)x[(i + 1) * D + c] - p.mean[c]) / (rows - 1);
        }
    return p;
}

static double product(const double *a, const double *b)
{
    double sum = 0;
    for (int c = 0; c < D; c++)
        sum += a[c] * b[c];
    return sum;
}

static double degrees(const double *a, const double *b)
{
    return acos(product(a, b) / sqrt(product(a, a) * product(b, b))) / acos(-1) * 180;
}

static double offset(const struct plain *p)
{
    return sqrt(product(p->mean, p->mean) / p->squared);
}

START_TEST(vectors)
{
    const struct context c = small();
    double out[PROPERTY_COUNT], norm = 0, query_offset = 0, angle = 0, before = 0, value = 0;
    properties_of_head(&c, (struct dense_part){2, 100}, ROPE_HALF, out);
    const struct plain k = plain_of(keys + 2 * D, N - 2), u = plain_of(unroped + 2 * D, N - 2);
    for (int h = 0; h < HEADS; h++) {
        const struct plain q = plain_of(queries + h * N_Q * D, N_Q),
                           r = plain_of(queries_unroped + h * N_Q * D, N_Q);
        norm += q.norm / HEADS;
        query_offset += offset(&q) / HEADS;
        angle += degrees(k.mean, q.mean) / HEADS;
        before += degrees(u.mean, r.mean) / HEADS;
    }
    NEAR(out[PROPERTY_key_norm], k.norm);
    NEAR(out[PROPERTY_key_norm_cv], sqrt(k.norms - k.norm * k.norm) / k.norm);
    NEAR(out[PROPERTY_query_norm], norm);
    NEAR(out[PROPERTY_key_offset], offset(&k));
    NEAR(out[PROPERTY_key_offset_unroped], offset(&u));
    NEAR(out[PROPERTY_query_offset], query_offset);
    NEAR(out[PROPERTY_angle], angle);
    NEAR(out[PROPERTY_angle_unroped], before);
    NEAR(out[PROPERTY_neighbour], k.next / k.squared);
    NEAR(out[PROPERTY_neighbour_unroped], u.next / u.squared);
    NEAR(out[PROPERTY_sink_norm], plain_of(keys, 1).norm / k.norm);
    for (int j = 2; j < N; j++) {
        double squared = 0;
        for (int x = 0; x < D_V; x++)
            squared += pow((double)values[j * D_V + x], 2);
        value += sqrt(squared) / (N - 2);
    }
    double first = 0;
    for (int x = 0; x < D_V; x++)
        first += pow((double)values[x], 2);
    NEAR(out[PROPERTY_sink_value], sqrt(first) / value);
}
END_TEST

START_TEST(pairs)
{
    const struct context c = small();
    for (int pairing = ROPE_HALF; pairing <= ROPE_INTERLEAVED; pairing++) {
        double out[PROPERTY_COUNT], effective = 0, slow = 0;
        properties_of_head(&c, (struct dense_part){1, 100}, (enum rope_pairing)pairing, out);
        for (int h = 0; h < HEADS; h++) {
            double part[D / 2], all = 0, squares = 0;
            for (int p = 0; p < D / 2; p++) {
                const int a = pairing == ROPE_HALF ? p : 2 * p,
                          b = pairing == ROPE_HALF ? p + D / 2 : 2 * p + 1;
                double of_keys = 0, of_queries = 0;
                for (int j = 1; j < N; j++)
                    of_keys += hypot((double)keys[j * D + a], (double)keys[j * D + b]) / (N - 1);
                for (int i = h * N_Q; i < (h + 1) * N_Q; i++)
                    of_queries +=
                        hypot((double)queries[i * D + a], (double)queries[i * D + b]) / N_Q;
                part[p] = of_keys * of_queries;
                all += part[p];
            }
            for (int p = 0; p < D / 2; p++)
                squares += pow(part[p] / all, 2);
            effective += 1 / squares / HEADS;
            slow += part[2] / all / HEADS;
        }
        NEAR(out[PROPERTY_pairs_effective], effective);
        NEAR(out[PROPERTY_pairs_slow], slow);
    }
}
END_TEST

/* A Pareto distribution: with the logits -ln(j / n) / index, the weights have that index
 * exactly. */
START_TEST(tail_of_a_known_distribution)
{
    struct context c = small();
    double out[PROPERTY_COUNT];
    memset(keys, 0, sizeof keys);
    for (uint32_t j = 1; j < N; j++)
        keys[j * D] = (float)(-log((double)j / N) / 1.7);
    for (uint32_t i = 0; i < HEADS * N_Q; i++)
        queries[i * D] = 1;
    c.scale = 1;
    properties_of_head(&c, (struct dense_part){1, 0}, ROPE_HALF, out);
    /* ln n! + ln n: the estimator of 29 ordered points is off by a few per cent. */
    ck_assert_msg(fabs(out[PROPERTY_tail_index] / 1.7 - 1) < 0.08, "%g", out[PROPERTY_tail_index]);
}
END_TEST

/* 128 points, each many times: their centroids explain everything; and the blobs around 128
 * points leave just what is within them. */
START_TEST(clusters_are_found)
{
    struct context c = small();
    double out[PROPERTY_COUNT], within = 0, about = 0, mean[D] = {0};
    for (int j = 1; j < N; j++)
        for (int x = 0; x < D; x++) {
            /* 100 (0 or 1) in six components, and twice as much in the first: 128 points. */
            keys[j * D + x] = (float)(100 * ((j % 128 >> x) & 1) + (x ? 0 : 200 * (j % 128 >> 6)));
            unroped[j * D + x] += keys[j * D + x];
            mean[x] += (double)unroped[j * D + x] / (N - 1);
        }
    for (int j = 1; j < N; j++)
        for (int x = 0; x < D; x++) {
            double own = 0, count = 0;
            for (int i = 1 + (j - 1) % 128; i < N; i += 128, count++)
                own += (double)unroped[i * D + x];
            within += pow((double)unroped[j * D + x] - own / count, 2);
            about += pow((double)unroped[j * D + x] - mean[x], 2);
        }
    properties_of_head(&c, (struct dense_part){1, 100}, ROPE_HALF, out);
    ck_assert_msg(fabs(out[PROPERTY_clustered] - 1) < 1e-6, "%g", out[PROPERTY_clustered]);
    NEAR(1 - out[PROPERTY_clustered_unroped], within / about);
}
END_TEST

START_TEST(threads_change_nothing)
{
    const struct context c = small();
    double one[PROPERTY_COUNT], more[PROPERTY_COUNT];
    omp_set_num_threads(1);
    properties_of_head(&c, (struct dense_part){1, 100}, ROPE_HALF, one);
    omp_set_num_threads(3);
    properties_of_head(&c, (struct dense_part){1, 100}, ROPE_HALF, more);
    ck_assert_mem_eq(one, more, sizeof one);
    omp_set_num_threads(1);
}
END_TEST

/* What is not there is not known; few keys and one query are no fault. */
START_TEST(unknown_is_nan)
{
    struct context c = small();
    double out[PROPERTY_COUNT];
    c.values = c.queries_unroped = NULL;
    properties_of_head(&c, (struct dense_part){1, 100}, ROPE_HALF, out);
    ck_assert(isnan(out[PROPERTY_sink_value]) && isnan(out[PROPERTY_angle_unroped]) &&
              isnan(out[PROPERTY_key_offset_unroped]) && isnan(out[PROPERTY_neighbour_unroped]));
    ck_assert(isfinite(out[PROPERTY_angle]));
    c.n = 2;
    c.n_q = 1;
    properties_of_head(&c, (struct dense_part){1, 100}, ROPE_HALF, out);
    ck_assert(isnan(out[PROPERTY_tail_index]) && isnan(out[PROPERTY_query_offset]) &&
              isnan(out[PROPERTY_logit_sd]));
    NEAR(out[PROPERTY_top_64], 1);
    NEAR(out[PROPERTY_sink_mass] + out[PROPERTY_window_mass], 1);
}
END_TEST

START_TEST(means_and_errors)
{
    double heads[3 * PROPERTY_COUNT];
    struct property_mean means[PROPERTY_COUNT];
    for (int i = 0; i < 3 * PROPERTY_COUNT; i++)
        heads[i] = i / PROPERTY_COUNT == 2 ? 7 : i / PROPERTY_COUNT;
    heads[1] = heads[2] = heads[PROPERTY_COUNT + 2] = heads[2 * PROPERTY_COUNT + 2] = NAN;
    properties_mean(heads, 3, means);
    NEAR(means[0].mean, 8 / 3.0);
    NEAR(means[0].error, sqrt((64 + 25 + 169) / 9.0 / 2 / 3));
    NEAR(means[1].mean, 4); /* of 1 and 7 */
    NEAR(means[1].error, 3);
    ck_assert(isnan(means[2].mean) && isnan(means[2].error));
    properties_mean(heads, 1, means);
    NEAR(means[0].mean, 0);
    ck_assert(isnan(means[0].error));
}
END_TEST

TEST_MAIN("properties", mass_of_logits, vectors, pairs, tail_of_a_known_distribution,
          clusters_are_found, threads_change_nothing, unknown_is_nan, means_and_errors)
