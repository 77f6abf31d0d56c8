/* test_overlap_bucketed.c - what bucketed top-k by other scores, such as products of quantised
 * vectors, has of the exact top-k.
 *
 * Against: vectors that are drawn and stored element by element, exact top-k and buckets by sorts;
 * pairs of scores that are drawn; the recall and the overlap where one of the two loses nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "stored.h"

/* ---- rows */

static int larger_first(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* The k-th largest. */
static double threshold(const double *x, size_t n, size_t k)
{
    double *sorted = malloc(n * sizeof *sorted);
    memcpy(sorted, x, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, larger_first);
    const double t = sorted[k - 1];
    free(sorted);
    return t;
}

/* What the top k of y has of the top k of x; with b, bucket i mod b of element i hands on its k_b
 * largest y alone. */
static double kept(const double *x, const double *y, struct rcm_topk p)
{
    const size_t n = (size_t)p.n, k = (size_t)p.k, b = (size_t)p.b;
    double *seen = malloc(n * sizeof *seen), *bucket = malloc((n / b + 1) * sizeof *bucket);
    for (size_t j = 0; j < b; j++) {
        size_t length = 0;
        for (size_t i = j; i < n; i += b)
            bucket[length++] = y[i];
        const double least = p.k_b < length ? threshold(bucket, length, (size_t)p.k_b) : -INFINITY;
        for (size_t i = j; i < n; i += b)
            seen[i] = y[i] >= least ? y[i] : -INFINITY;
    }
    const double own = threshold(x, n, k), other = threshold(seen, n, k);
    double both = 0.0;
    for (size_t i = 0; i < n; i++)
        both += x[i] >= own && seen[i] >= other && seen[i] > -INFINITY;
    free(seen);
    free(bucket);
    return both / (double)k;
}

/* |z| > 5 by chance: 6e-7 a case, beside the errors that the headers allow: of the loss, and a part
 * of an element of k. The seeds are fixed. */
static double compare(const struct means *m, double model, double allowed, uint64_t k,
                      const char *what)
{
    const double mean = mean_of(m), se = error_of(m), off = fabs(mean - model) / (1.0 - model);
    ck_assert_msg(fabs(mean - model) <= 5.0 * se + allowed * (1.0 - model) +
                                            RCM_OVERLAP_BUCKETED_ELEMENTS / (double)k,
                  "%s: kept %.5f (%.5f), the model %.5f", what, mean, se, model);
    return off;
}

enum { N = 4096 };

static void product(const double *query, const double *keys, size_t d, double *scores)
{
    for (size_t i = 0; i < N; i++) {
        scores[i] = 0.0;
        for (size_t j = 0; j < d; j++)
            scores[i] += query[j] * keys[i * d + j];
    }
}

/* Skewness and excess kurtosis of what differs, once what goes with x is taken away. */
static void shape_of_error(const double *x, const double *y, double moments[2])
{
    double xx = 0.0, xy = 0.0;
    for (size_t i = 0; i < N; i++) {
        xx += x[i] * x[i];
        xy += x[i] * y[i];
    }
    double e2 = 0.0, e3 = 0.0, e4 = 0.0;
    for (size_t i = 0; i < N; i++) {
        const double e = y[i] - xy / xx * x[i];
        e2 += e * e;
        e3 += e * e * e;
        e4 += e * e * e * e;
    }
    moments[0] += e3 / N / pow(e2 / N, 1.5);
    moments[1] += e4 / N / (e2 / N * e2 / N) - 3.0;
}

/* What is measured of a format. */
struct measured {
    struct means all[3], buckets[3];
    double moments[2];
};

static const uint64_t wanted[] = {64, 512, 1024};

static void judge(const struct rcm_quantised *stored, size_t d, const struct measured *m)
{
    double worst = 0.0, worst_b = 0.0;
    for (int i = 0; i < 3; i++) {
        const double share = (double)wanted[i] / N, r = rcm_quantised_correlation(stored, d, share);
        const struct rcm_topk p = {N, wanted[i], wanted[i], 2, .m = 1},
                              exact = {N, wanted[i], 1, wanted[i], .m = 1};
        char what[100];
        snprintf(what, sizeof what, "%s, d = %zu, k = %d", stored->name, d, (int)wanted[i]);
        worst = fmax(worst, compare(&m->all[i], rcm_overlap_bucketed(exact, r),
                                    RCM_QUANTISED_MAX_RELERR, p.k, what));
        worst_b = fmax(worst_b, compare(&m->buckets[i], rcm_overlap_bucketed(p, r),
                                        RCM_QUANTISED_MAX_RELERR, p.k, what));
    }
    const double skewness = m->moments[0] / m->all[0].rows,
                 kurtosis = m->moments[1] / m->all[0].rows;
    printf("measured: %s, d = %zu: loss off by %.3f, with buckets %.3f; skewness %.3f, kurtosis "
           "%.2f\n",
           stored->name, d, worst, worst_b, skewness, kurtosis);
    /* nearly normal */
    ck_assert_double_lt(fabs(skewness), 0.05);
    ck_assert_double_lt(fabs(kurtosis), 16.0 / (double)d + 0.1);
}

/* One query with its keys stored as each format does. */
static void measure(const double *query, const double *keys, double *const *stored, size_t d,
                    struct measured *of)
{
    static double x[N], y[N];
    double other[128];
    product(query, keys, d, x);
    for (size_t f = 0; rcm_quantised(f); f++) {
        store(rcm_quantised(f)->name, query, other, 1, d);
        product(other, stored[f], d, y);
        shape_of_error(x, y, of[f].moments);
        for (int i = 0; i < 3; i++) {
            const struct rcm_topk p = {N, wanted[i], wanted[i], 2, .m = 1};
            add(&of[f].all[i], kept(x, y, (struct rcm_topk){N, p.k, 1, p.k, .m = 1}));
            add(&of[f].buckets[i], kept(x, y, p));
        }
    }
}

/* 14 sets of keys with four queries each: scores of two queries are not correlated. */
START_TEST(vectors_that_are_drawn)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    double *keys = malloc(N * 128 * sizeof *keys), *stored[FORMATS], query[128];
    for (int f = 0; f < FORMATS; f++)
        stored[f] = malloc(N * 128 * sizeof *keys);
    for (size_t d = 64; d <= 128; d *= 2) {
        struct measured of[FORMATS] = {0};
        for (int row = 0; row < 56; row++) {
            if (row % 4 == 0) {
                draw(rng, keys, N * d);
                for (size_t f = 0; f < FORMATS; f++)
                    store(rcm_quantised(f)->name, keys, stored[f], N, d);
            }
            draw(rng, query, d);
            measure(query, keys, stored, d, of);
        }
        for (size_t f = 0; f < FORMATS; f++)
            judge(rcm_quantised(f), d, &of[f]);
    }
    for (int f = 0; f < FORMATS; f++)
        free(stored[f]);
    free(keys);
    gsl_rng_free(rng);
}
END_TEST

/* ---- buckets on other scores, without vectors */

START_TEST(pairs_in_buckets)
{
    const struct rcm_topk cases[] = {{1000, 100, 100, 1, .m = 1}, {1024, 64, 64, 2, .m = 1},
                                     {4000, 64, 300, 1, .m = 1},  {1024, 256, 30, 10, .m = 1},
                                     {777, 64, 40, 2, .m = 1},    {4000, 1000, 16, 70, .m = 1},
                                     {1000, 100, 1, 100, .m = 1}, {256, 8, 1, 8, .m = 1}};
    static double x[4096], y[4096];
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    double worst = 0.0;
    for (size_t c = 0; c < 8; c++)
        for (int i = 0; i < 3; i++) {
            const double r = (double[]){0.5, 0.95, 0.9995}[i];
            const struct rcm_topk p = cases[c];
            struct means m = {0};
            for (int row = 0; row < 600; row++) {
                for (size_t j = 0; j < p.n; j++) {
                    x[j] = gsl_ran_gaussian_ziggurat(rng, 1.0);
                    y[j] = r * x[j] + gsl_ran_gaussian_ziggurat(rng, sqrt(1.0 - r * r));
                }
                add(&m, kept(x, y, p));
            }
            char what[100];
            snprintf(what, sizeof what, "n = %d, k = %d, b = %d, k_b = %d, correlation %g",
                     (int)p.n, (int)p.k, (int)p.b, (int)p.k_b, r);
            worst = fmax(worst, compare(&m, rcm_overlap_bucketed(p, r), 0.0, p.k, what) *
                                    (double)p.k * (1.0 - rcm_overlap_bucketed(p, r)));
        }
    printf("measured: pairs in buckets, off by %.2f elements\n", worst);
    gsl_rng_free(rng);
}
END_TEST

/* Where one of the two loses nothing, or next to it, the other alone does. */
START_TEST(one_alone)
{
    const struct rcm_topk cases[] = {{1 << 20, 64, 1024, 1, .m = 1},
                                     {65536, 2048, 512, 8, .m = 1},
                                     {1000, 100, 100, 1, .m = 1},
                                     {4096, 1024, 300, 4, .m = 1, .valid = 3000},
                                     {UINT64_C(1) << 40, 1000, 1 << 20, 1, .m = 1}};
    for (size_t c = 0; c < 5; c++) {
        struct rcm_topk p = cases[c], exact = p;
        exact.k_b = exact.k;
        const double share = (double)p.k / (double)(p.valid ? p.valid : p.n);
        const double loss = rcm_loss_exact(p);
        ck_assert_double_eq(rcm_overlap_bucketed(p, 1.0), rcm_recall_exact(p));
        ck_assert_double_eq_tol(1.0 - rcm_overlap_bucketed(p, 1.0 - 1e-15), loss,
                                (0.01 * loss + 1e-5) / (double)p.k);
        double before = rcm_recall_exact(p);
        for (double r = 0.9999; r > 0.3; r -= 0.0999) { /* it falls, and is below either alone */
            const double now = rcm_overlap_bucketed(p, r);
            ck_assert_double_lt(now, before);
            ck_assert_double_lt(now, rcm_overlap_bucketed(exact, r));
            ck_assert_double_lt(rcm_overlap_bucketed(exact, r), rcm_overlap(share, share, r));
            before = now;
        }
    }
    struct rcm_topk p = {100, 100, 10, 5, .m = 1};
    ck_assert_double_eq(rcm_overlap_bucketed(p, 0.5), 0.5); /* all are wanted */
    /* fewer candidates than wanted: steps of the survival */
    ck_assert_double_le(rcm_overlap_bucketed((struct rcm_topk){89, 54, 3, 10, .m = 1}, 0.99998),
                        30.0 / 54.0);
    ck_assert(isnan(rcm_overlap_bucketed(p, 0.0)) && isnan(rcm_overlap_bucketed(p, 1.1)) &&
              isnan(rcm_overlap_bucketed(p, NAN)));
    p.k = 101;
    ck_assert(isnan(rcm_overlap_bucketed(p, 0.5)));
}
END_TEST

TEST_MAIN("overlap_bucketed", vectors_that_are_drawn, pairs_in_buckets, one_alone)
