/* lost_inversion.c - see lost_inversion.h; lost_fourier.h says what is summed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lost_inversion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lost_fourier.h"

typedef struct complex_number number;

static const double transform_ns = 2.0; /* a step of the transforms (make bench, c) */

/* exp(-42) = 6e-19 */
const struct lost_precision lost_full = {.negligible = 42.0,
                                         .least_term = 1e-19,
                                         .thetas_sd = 9.5,
                                         .thetas_more = 40.0,
                                         .window_sd = 12.0,
                                         .window_log = 36.0,
                                         .mean_error = 1e-9,
                                         .variance_error = 1e-7,
                                         .turning_buckets = 1024.0,
                                         .most_ns = 2.5e9};
/* exp(-16) = 1e-7 */
const struct lost_precision lost_coarse = {.negligible = 16.0,
                                           .least_term = 1e-9,
                                           .thetas_sd = 5.5,
                                           .thetas_more = 20.0,
                                           .window_sd = 6.0,
                                           .window_log = 14.0,
                                           .mean_error = 1e-4,
                                           .variance_error = 1e-3,
                                           .turning_buckets = INFINITY,
                                           .most_ns = 2.5e7};

/* Tabulates terms that are not negligible. Returns 0; or -1 if memory runs out or where the
 * distribution is too wide. */
static int tabulate(const struct lost_sum *l, struct bucket_distribution *bucket,
                    struct distribution dist, double count, double quantum)
{
    const int64_t mode = distribution_mode(dist);
    const double least = l->precision->least_term / count;
    if (distribution_variance(dist) > 0x1p36) /* some 20 standard deviations are tabulated */
        return -1;
    *bucket = (struct bucket_distribution){.count = count};
    bucket->length =
        distribution_terms(dist, mode, distribution_high(dist), least, NULL, &bucket->first);
    bucket->p = malloc(bucket->length * sizeof *bucket->p);
    if (!bucket->p)
        return -1;
    distribution_terms(dist, mode, distribution_high(dist), least, bucket->p, &bucket->first);
    double offset = 0.0, excess = 0.0;
    for (size_t i = 0; i < bucket->length; i++) {
        const int64_t x = bucket->first + (int64_t)i;
        offset += bucket->p[i] * (double)(x - mode);
        excess += bucket->p[i] * (double)lost_excess(l, x);
    }
    bucket->mean = (double)mode + quantum * nearbyint(offset / quantum);
    bucket->excess = quantum * nearbyint(excess / quantum);
    return 0;
}

static void free_sum(struct lost_sum *l)
{
    for (unsigned c = 0; c < l->classes; c++)
        free(l->of[c].p);
}

static int make_sum(struct lost_sum *l, const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                    const struct lost_precision *precision)
{
    const uint64_t n = classes_elements(buckets);
    double covariance = 0.0, variance = 0.0;
    /* A centre that is not quite the mean costs nothing. A phase that is not quite that of the
     * sum of the centres would. */
    const double quantum = fmax(0x1p-20, ldexp(1.0, ilogb((double)k) - 50));
    uint64_t all = 0; /* buckets */
    *l = (struct lost_sum){.precision = precision, .k_b = (int64_t)k_b};
    for (unsigned c = 0; c < buckets->classes; c++)
        all += buckets->of[c].size ? buckets->of[c].count : 0;
    l->below = k / k_b >= all;
    l->extra = l->below ? (int64_t)(k - all * k_b) : 0;
    l->shift_x = -(double)k;
    for (unsigned c = 0; c < buckets->classes; c++) {
        if (buckets->of[c].size == 0 || buckets->of[c].count == 0)
            continue;
        /* size draws, each of which is a top element with probability k/n */
        struct distribution dist = {
            .n = (int64_t)n, .k = (int64_t)buckets->of[c].size, .s = (int64_t)k, .binomial = true};
        struct bucket_distribution *bucket = &l->of[l->classes];
        if (tabulate(l, bucket, dist, (double)buckets->of[c].count, quantum) != 0)
            return -1;
        l->classes++;
        double x_variance = 0.0, both = 0.0;
        for (size_t i = 0; i < bucket->length; i++) {
            int64_t x = bucket->first + (int64_t)i;
            const double dx = (double)x - bucket->mean;
            x_variance += bucket->p[i] * dx * dx;
            both += bucket->p[i] * dx * (double)lost_excess(l, x);
        }
        variance += bucket->count * x_variance;
        covariance += bucket->count * both;
        l->shift_x = fma(bucket->count, bucket->mean, l->shift_x);
        l->shift_e = fma(bucket->count, bucket->excess, l->shift_e);
    }
    l->beta = variance > 0.0 ? covariance / variance : 0.0;
    l->sd_x = sqrt(variance);
    return 0;
}

/* The distribution on first, .., first + psis - 1, from the characteristic function g of lost -
 * centre. */
static int invert(struct rcm_lost *dist, const number *g, size_t psis, double centre)
{
    number *roots = malloc((psis / 2 + 1) * sizeof *roots), *x = malloc(psis * sizeof *x);
    double *p = malloc(psis * sizeof *p), total = 0.0;
    if (!roots || !x || !p) {
        free(roots);
        free(x);
        free(p);
        return -1;
    }
    fourier_roots(roots, psis);
    /* The conjugates of g(psi), shifted to `first`, summed with exp(+ i psi e), give the
     * conjugate of the distribution, which is real. */
    for (size_t j = 0; j < psis; j++) {
        size_t from = j <= psis / 2 ? j : psis - j;
        double psi = full_turn * ((double)from / (double)psis),
               angle = psi * ((double)dist->first - centre);
        number v = {g[from].re * cos(angle) + g[from].im * sin(angle),
                    g[from].im * cos(angle) - g[from].re * sin(angle)};
        x[j] = (number){v.re, j <= psis / 2 ? -v.im : v.im};
    }
    if (psis > 1)
        x[psis / 2].im = 0.0;
    fourier_transform(x, psis, roots);
    /* Cumulative sums that rounding makes fall are held at their highest value. Otherwise errors
     * of both signs would add up. */
    double sum = 0.0, highest = 0.0;
    for (size_t e = 0; e < psis; e++)
        total += x[e].re;
    for (size_t e = 0; e < psis; e++) {
        const double before = highest;
        sum += x[e].re / total;
        highest = fmax(highest, fmin(sum, 1.0));
        p[e] = highest - before;
    }
    free(roots);
    free(x);
    dist->probability = p;
    dist->length = psis;
    return 0;
}

static size_t power_of_two_from(uint64_t least)
{
    size_t result = 1;
    while (result < least)
        result *= 2;
    return result;
}

/* Compares the first two moments of the distribution with the mean and the sd of the sum of the
 * excesses, which are computed without it. The mean is that of the lost less l->extra, which itself
 * may have no digits behind the point. */
static bool agrees(const struct lost_sum *l, const struct rcm_lost *dist, double mean, double sd)
{
    const double first = (double)((int64_t)dist->first - l->extra) - mean;
    double found = 0.0, square = 0.0;
    for (size_t e = 0; e < dist->length; e++) {
        const double d = first + (double)e;
        found += dist->probability[e] * d;
        square += dist->probability[e] * d * d;
    }
    const double noise = 1e-13 * (double)dist->length; /* and its square at the ends */
    return fabs(found) <= l->precision->mean_error * sd + noise &&
           fabs(square - sd * sd) <=
               l->precision->variance_error * sd * sd + noise * (double)dist->length;
}

/* Mean of the sum of the excesses. */
static double mean_of_excesses(const struct lost_sum *l, const struct rcm_buckets *buckets,
                               uint64_t k)
{
    double mean = 0.0;
    for (unsigned c = 0; c < buckets->classes; c++) {
        struct distribution dist = distribution_of_class(buckets, c, k);
        if (dist.s == 0 || (!l->below && dist.s <= l->k_b))
            continue;
        if (l->below) /* what falls outside of the bucket, beyond k - k_b */
            dist.s = dist.n - dist.s;
        mean += (double)buckets->of[c].count *
                distribution_excess(dist, l->below ? dist.k - l->k_b : l->k_b);
    }
    return mean;
}

/* What the sum of the excesses exceeds with a probability of at most exp(-window_log). By Chernoff,
 * because the losses of the buckets are negatively associated and the binomial distributions are
 * wider than theirs: P(sum >= a) <= exp(-t a) product of (E exp(t excess))^count. */
static double furthest_sum(const struct lost_sum *l, double sd)
{
    double best = INFINITY;
    for (double t = 20.0 / (sd + 0.1), i = 0.0; i < 40.0; t /= 1.25, i += 1.0) {
        double log_moment = l->precision->window_log;
        for (unsigned c = 0; c < l->classes; c++) {
            const struct bucket_distribution *bucket = &l->of[c];
            const double factor = exp(t);
            /* from where the excess is 1, or the end of the table beyond that */
            const int64_t step = l->below ? -1 : 1, length = (int64_t)bucket->length;
            int64_t j = l->k_b - bucket->first + step;
            j = l->below ? (j < length ? j : length - 1) : j > 0 ? j : 0;
            double less_1 = 0.0, power = exp(t * ((double)lost_excess(l, bucket->first + j) - 1.0));
            for (; j >= 0 && j < length; j += step) {
                power *= factor;
                less_1 += bucket->p[j] * (power - 1.0);
            }
            log_moment += bucket->count * log1p(less_1);
        }
        if (log_moment < best * t)
            best = log_moment / t;
    }
    return best;
}

/* Nanoseconds for a term of the nodes (make bench, c). Both methods stop where they take half as
 * long again as they may. */
static double term_ns(const struct lost_sum *l, double buckets)
{
    return buckets <= l->precision->turning_buckets ? 4.0 : 25.0;
}

/* Beyond so many buckets, powers of phi from transforms lose digits. */
static const double few = 1024.0;

/* Chooses the method by the time that it takes. Up to 64 buckets the transforms alone; up to 1024
 * the faster one; beyond them the nodes alone. False where the distribution is refused. */
static bool choose_method(const struct lost_sum *l, int64_t thetas, size_t psis, double buckets,
                          bool *nodes_first, bool *transforms_too)
{
    const double most_ns = l->precision->most_ns, ns = term_ns(l, buckets);
    const double most_terms = most_ns / ns, most_steps = most_ns / transform_ns;
    const double terms = buckets <= 64.0 ? INFINITY : lost_nodes_terms(l, thetas, psis, most_terms);
    const double nodes = ns * terms;
    const double transforms = transform_ns * lost_transforms_steps(l, thetas, psis, most_steps);
    *transforms_too = transforms <= most_ns;
    *nodes_first = nodes <= most_ns && (nodes <= transforms || buckets > few);
    return *nodes_first || (*transforms_too && buckets <= few);
}

/* The distribution. mean, sd: those of the sum of the excesses; most: its largest value. */
static int find_distribution(struct lost_sum *l, int64_t most, double mean, double sd,
                             size_t longest, struct rcm_lost *dist)
{
    double buckets = 0.0;
    for (unsigned c = 0; c < l->classes; c++)
        buckets += l->of[c].count;
    const struct lost_precision *precision = l->precision;
    const double sds = precision->window_sd, low = fmax(floor(mean - sds * sd - 10.0), 0.0);
    const double high =
        fmin(fmax(ceil(mean + sds * sd + 10.0), ceil(furthest_sum(l, sd))), (double)most);
    dist->first = (uint64_t)(l->extra + (int64_t)low);
    l->shift_e += (double)l->extra;
    if (high - low >= (double)longest)
        return -1;
    const size_t psis = power_of_two_from((uint64_t)(high - low) + 1);
    /* odd; any other sum that equals k modulo this is 1e-18 times as likely, or as coarse */
    const double turn = precision->thetas_sd * l->sd_x + precision->thetas_more;
    const int64_t thetas = 2 * (int64_t)ceil(0.5 * turn) + 1;
    bool nodes_first, transforms_too;
    if (!choose_method(l, thetas, psis, buckets, &nodes_first, &transforms_too))
        return -1;
    number *g = malloc((psis / 2 + 1) * sizeof *g);
    if (!g)
        return -1;
    int status = -1;
    if (nodes_first &&
        lost_by_nodes(l, thetas, psis, g, 1.5 * precision->most_ns / term_ns(l, buckets)))
        status = invert(dist, g, psis, l->shift_e);
    if (transforms_too && (status != 0 || !agrees(l, dist, mean, sd))) {
        free(dist->probability);
        dist->probability = NULL;
        status = -1;
        if (lost_by_transforms(l, thetas, psis, g, 1.5 * precision->most_ns / transform_ns))
            status = invert(dist, g, psis, l->shift_e);
    }
    free(g);
    return status == 0 && agrees(l, dist, mean, sd) ? 0 : -1;
}

int lost_by_inversion(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b, double sd,
                      size_t longest, const struct lost_precision *precision, struct rcm_lost *dist)
{
    struct lost_sum l = {0};
    int status = make_sum(&l, buckets, k, k_b, precision);
    const int64_t most = (int64_t)classes_most_lost(buckets, k, k_b) - l.extra;
    if (status == 0)
        status = find_distribution(&l, most, mean_of_excesses(&l, buckets, k), sd, longest, dist);
    free_sum(&l);
    return status;
}
