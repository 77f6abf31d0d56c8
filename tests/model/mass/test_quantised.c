/* test_quantised.c - what quantised queries and keys leave of a selection, and buckets on top.
 *
 * Against: vectors that are drawn and stored element by element, from a list of the numbers of each
 * format; the error of integers in closed form (GSL); pairs of scores that are drawn; the recall
 * and the overlap where one of the two loses nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include <tests/test.h>

/* ---- formats, by their definitions: the numbers from 0 up */

struct list {
    int count;
    double of[256];
};

/* Exponents from `least` on, with so many steps to an octave; before them as many from 0. */
static struct list numbers(int steps, int least, double largest)
{
    struct list list = {0};
    for (int step = 0; step < steps; step++)
        list.of[list.count++] = ldexp((double)step / steps, least);
    for (int exponent = least; list.of[list.count - 1] < largest; exponent++)
        for (int step = 0; step < steps && list.of[list.count - 1] < largest; step++)
            list.of[list.count++] = ldexp(1.0 + (double)step / steps, exponent);
    return list;
}

/* The nearest; of two as near the one at an even place. */
static double nearest(const struct list *list, double x)
{
    const double size = fabs(x);
    int low = 0, high = list->count - 1;
    if (size >= list->of[high])
        return copysign(list->of[high], x);
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        *(list->of[middle] <= size ? &low : &high) = middle;
    }
    const double down = size - list->of[low], up = list->of[high] - size;
    return copysign(list->of[down < up || (down == up && low % 2 == 0) ? low : high], x);
}

static struct list list_of(const char *name)
{
    struct list integers = {.count = 128};
    for (int i = 0; i < 128; i++)
        integers.of[i] = i;
    return strcmp(name, "f8e4m3") == 0   ? numbers(8, -6, 448.0)
           : strcmp(name, "f8e5m2") == 0 ? numbers(4, -14, 57344.0)
           : strcmp(name, "int8") == 0   ? integers
                                         : numbers(2, 0, 6.0);
}

/* Stores `rows` vectors of d elements as the format `name` does. */
static void store(const char *name, const double *x, double *stored, size_t rows, size_t d)
{
    const struct list list = list_of(name), scales = numbers(8, -6, 448.0);
    const bool nvidia = strcmp(name, "nvfp4") == 0, ocp = strcmp(name, "mxfp4") == 0;
    const size_t block = nvidia ? 16 : ocp ? 32 : d;
    double all = 0.0;
    for (size_t i = 0; i < rows * d; i++)
        all = fmax(all, fabs(x[i]));
    for (size_t at = 0; at < rows * d; at += block) {
        double largest = 0.0, scale;
        for (size_t i = at; i < at + block; i++)
            largest = fmax(largest, fabs(x[i]));
        if (ocp)
            scale = ldexp(1.0, (int)floor(log2(largest)) - 2);
        else if (nvidia)
            scale = nearest(&scales, largest / 6.0 / (all / (6.0 * 448.0))) * all / (6.0 * 448.0);
        else
            scale = largest / list.of[list.count - 1];
        for (size_t i = at; i < at + block; i++)
            stored[i] = scale * nearest(&list, x[i] / scale);
    }
}

START_TEST(numbers_by_hand)
{
    const struct {
        const char *name;
        double largest, bits;
        int count;
    } cases[] = {{"f8e4m3", 448.0, 8.0, 127},
                 {"f8e5m2", 57344.0, 8.0, 124},
                 {"int8", 127.0, 8.0, 128},
                 {"nvfp4", 6.0, 4.5, 8},
                 {"mxfp4", 6.0, 4.25, 8}};
    for (size_t i = 0; i < 5; i++) {
        const struct rcm_quantised *row = rcm_quantised(i);
        const struct list list = list_of(cases[i].name);
        ck_assert_ptr_eq(row, rcm_quantised_by_name(cases[i].name));
        ck_assert_double_eq(row->bits, cases[i].bits);
        ck_assert_int_eq(list.count, cases[i].count);
        ck_assert_uint_eq(row->elements.last + 1, (unsigned)list.count);
        for (int j = 0; j < list.count; j++)
            ck_assert_double_eq(rcm_format_value(&row->elements, (uint32_t)j), list.of[j]);
        ck_assert_double_eq(list.of[list.count - 1], cases[i].largest);
    }
    ck_assert_ptr_null(rcm_quantised(5));
    ck_assert_ptr_null(rcm_quantised_by_name("int4"));
    ck_assert_ptr_null(rcm_quantised_by_name(NULL));
    const struct rcm_quantised *int8 = rcm_quantised_by_name("int8");
    ck_assert(isnan(rcm_quantised_correlation(NULL, 128, 0.1)));
    ck_assert(isnan(rcm_quantised_correlation(int8, 15, 0.1)));
    ck_assert(isnan(rcm_quantised_correlation(int8, UINT64_C(1) << 32, 0.1)));
    ck_assert(isnan(rcm_quantised_correlation(int8, 128, 0.0)));
    ck_assert(isnan(rcm_quantised_correlation(int8, 128, 1.0)));
}
END_TEST

/* ---- the error of integers: a twelfth of the square of the step, max/127, for all but the largest
 * of d, which has none */

struct largest_of {
    double d;
};

/* The share of rows whose largest magnitude is above x, times 2 x. */
static double square_of_largest(double x, void *context)
{
    const struct largest_of *of = context;
    return -2.0 * x * expm1(of->d * log1p(-2.0 * gsl_cdf_ugaussian_Q(x)));
}

START_TEST(integers_in_closed_form)
{
    gsl_integration_workspace *room = gsl_integration_workspace_alloc(1000);
    for (double d = 16.0; d <= 4096.0; d *= 4.0) {
        struct largest_of of = {d};
        gsl_function f = {square_of_largest, &of};
        double square, error;
        gsl_integration_qag(&f, 0.0, 20.0, 1e-12, 1e-10, 1000, GSL_INTEG_GAUSS31, room, &square,
                            &error);
        const double want = square / (127.0 * 127.0 * 12.0) * (d - 1.0) / d;
        /* where the score is 1 the error of a product is its mean: noise + noise (1 + noise) */
        const double r = rcm_quantised_correlation(rcm_quantised_by_name("int8"), (uint64_t)d,
                                                   gsl_cdf_ugaussian_Q(1.0));
        const double got = sqrt(1.0 + (1.0 / (r * r) - 1.0)) - 1.0;
        ck_assert_msg(fabs(got - want) <= 2e-3 * want, "d = %g: %.8g for %.8g", d, got, want);
    }
    gsl_integration_workspace_free(room);
}
END_TEST

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

struct means {
    double rows, sum, square;
};

static void add(struct means *m, double x)
{
    m->rows += 1.0;
    m->sum += x;
    m->square += x * x;
}

/* |z| > 5 by chance: 6e-7 a case, beside the errors that the headers allow: of the loss, and a part
 * of an element of k. The seeds are fixed. */
static double compare(const struct means *m, double model, double allowed, uint64_t k,
                      const char *what)
{
    const double mean = m->sum / m->rows,
                 se = sqrt((m->square / m->rows - mean * mean) / (m->rows - 1.0)),
                 off = fabs(mean - model) / (1.0 - model);
    ck_assert_msg(fabs(mean - model) <= 5.0 * se + allowed * (1.0 - model) +
                                            RCM_OVERLAP_BUCKETED_ELEMENTS / (double)k,
                  "%s: kept %.5f (%.5f), the model %.5f", what, mean, se, model);
    return off;
}

enum { N = 4096, FORMATS = 5 };

/* One query and its keys, each with elements of a spread that is not known. */
static void draw(gsl_rng *rng, double *x, size_t count)
{
    const double sd = exp2(gsl_rng_uniform(rng));
    for (size_t i = 0; i < count; i++)
        x[i] = gsl_ran_gaussian_ziggurat(rng, sd);
}

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

/* The error alone: the variance of what is uncorrelated with the element, over the square of the
 * factor. Where the score is 1 it is all that counts: see above. */
START_TEST(elements_that_are_drawn)
{
    enum { VECTORS = 128, D = 128 };
    static double x[VECTORS * D], y[VECTORS * D];
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    for (size_t f = 0; f < FORMATS; f++) {
        struct means m = {0};
        for (int tensor = 0; tensor < 100; tensor++) {
            double xx = 0.0, xy = 0.0, yy = 0.0;
            draw(rng, x, VECTORS * D);
            store(rcm_quantised(f)->name, x, y, VECTORS, D);
            for (size_t i = 0; i < VECTORS * D; i++) {
                xx += x[i] * x[i];
                xy += x[i] * y[i];
                yy += (y[i] - x[i]) * (y[i] - x[i]);
            }
            /* yy: of the error e; x e = x y - x^2 */
            const double xe = xy - xx;
            add(&m, (yy - xe * xe / xx) / xx / (xy / xx * xy / xx));
        }
        const double r = rcm_quantised_correlation(rcm_quantised(f), D, gsl_cdf_ugaussian_Q(1.0)),
                     mean = m.sum / m.rows,
                     se = sqrt((m.square / m.rows - mean * mean) / (m.rows - 1.0));
        printf("measured: %s: error %.4g, the model %+.2f %% (%.2f)\n", rcm_quantised(f)->name,
               mean, 100.0 * (1.0 / r - 1.0 - mean) / mean, 100.0 * se / mean);
        ck_assert_double_le(fabs(1.0 / r - 1.0 - mean), 5.0 * se + 2e-3 * mean);
    }
    gsl_rng_free(rng);
}
END_TEST

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
    ck_assert(isnan(rcm_overlap_bucketed(p, 0.0)) && isnan(rcm_overlap_bucketed(p, 1.1)) &&
              isnan(rcm_overlap_bucketed(p, NAN)));
    p.k = 101;
    ck_assert(isnan(rcm_overlap_bucketed(p, 0.5)));
}
END_TEST

TEST_MAIN("quantised", numbers_by_hand, integers_in_closed_form, elements_that_are_drawn,
          vectors_that_are_drawn, pairs_in_buckets, one_alone)
