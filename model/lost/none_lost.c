/* none_lost.c - the probability that a row loses nothing. Derivation: docs/models.md 12.
 *
 * The ways to place k top elements so that no bucket has more than k_b, divided by all ways:
 *     P(all X <= k_b) = [z^k] product over buckets of A(z) / C(n, k),
 *     A(z) = sum over x <= k_b of C(size, x) z^x.
 * For any odds > 0, A(odds z)/A(odds) is the generating function of a distribution, so that
 *     P = product of A(odds)^count / (C(n, k) odds^k)  P(sum of the distributions = k).
 * The odds are chosen so that k is the mean of the sum. Then the last factor is not small and has
 * all its digits. The others are logarithms in double-double.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <model/recallmodel/recall.h>
#include <model/shape/classes.h>
#include <model/shape/shape.h>

#include <model/distribution/capped_distribution.h>
#include "fourier.h"
#include <model/distribution/distribution.h>
#include <model/distribution/log_choose.h>

typedef struct complex_number number;

/* The largest distance from k that the sum of the distributions reaches with a probability above
 * e^-48, on the side of `sign`. By Chernoff's bound, P(sum - k >= d) <= exp(-t d) E exp(t (sum -
 * k)), for t from that of a normal distribution downwards, because capped distributions have
 * exponential tails. */
static double largest_distance(const struct capped_sum *dists, double sign)
{
    double best = INFINITY, all = 0.0;
    for (unsigned c = 0; c < dists->classes; c++)
        all += dists->of[c].count * (double)dists->of[c].length;
    for (double t = 9.8 / (dists->sd + 1e-3), i = 0.0; i < 16.0; t /= 1.25, i += 1.0) {
        double log_moment = 48.0 + sign * t * dists->shift;
        for (unsigned c = 0; c < dists->classes; c++) {
            const struct capped_distribution *dist = &dists->of[c];
            const double factor = exp(sign * t);
            double sum = 0.0, power = exp(sign * t * ((double)dist->first - dist->mean));
            for (size_t i = 0; i < dist->length; i++, power *= factor)
                sum += dist->p[i] * power;
            log_moment += dist->count * log(sum);
        }
        if (log_moment < best * t)
            best = log_moment / t;
    }
    return fmin(best, all + fabs(dists->shift));
}

/* log of the product of phi^count at theta, centred at k. phi - 1 is summed as such. Up to `run`
 * terms are computed by a rotation from one to the next. Each rotation adds an error of about
 * 1e-16. */
static void log_phi(const struct capped_sum *dists, double theta, double *re, double *im)
{
    const double turn_re = cos(0.5 * theta), turn_im = sin(0.5 * theta);
    *re = 0.0;
    *im = theta * dists->shift;
    for (unsigned c = 0; c < dists->classes; c++) {
        const struct capped_distribution *dist = &dists->of[c];
        const size_t run = dist->count <= 1024.0 ? 16 : 1;
        double cosine = 0.0, sine = 0.0;
        for (size_t i = 0; i < dist->length;) {
            const double half = 0.5 * theta * ((double)(dist->first + (int64_t)i) - dist->mean);
            double s = sin(half), co = cos(half);
            for (const size_t end = dist->length - i > run ? i + run : dist->length; i < end; i++) {
                const double ps = 2.0 * dist->p[i] * s, next = s * turn_re + co * turn_im;
                cosine -= ps * s;
                sine += ps * co;
                co = co * turn_re - s * turn_im;
                s = next;
            }
        }
        *re += dist->count * complex_log_modulus(cosine, sine);
        *im += dist->count * atan2(sine, 1.0 + cosine);
    }
}

/* P(sum = k): a Fourier sum over theta, outwards from 0 until the terms are negligible. */
static double hit_by_nodes(const struct capped_sum *dists, double thetas)
{
    const double count = 2.0 * ceil(0.5 * thetas) + 1.0; /* odd; -theta is the conjugate */
    double sum = 1.0;
    unsigned idle = 0;
    for (double t = 1.0; t <= 0.5 * count && idle < 3; t += 1.0) {
        double re, im;
        log_phi(dists, full_turn * (t / count), &re, &im);
        idle = re > -42.0 ? 0 : idle + 1;
        sum += 2.0 * exp(re) * cos(im);
    }
    return sum / count;
}

/* product[j] = the product of phi^count at theta = 2 pi j / thetas, times exp(-i theta k), by a
 * transform for each class. */
static void transform_all(const struct capped_sum *dists, size_t thetas, const number *roots,
                          number *phi, number *product)
{
    uint64_t rest =
        dists->k; /* less the first x of all distributions, modulo thetas, a power of two */
    for (size_t j = 0; j < thetas; j++)
        product[j] = (number){1.0, 0.0};
    for (unsigned c = 0; c < dists->classes; c++) {
        const struct capped_distribution *dist = &dists->of[c];
        memset(phi, 0, thetas * sizeof *phi);
        for (size_t i = 0; i < dist->length; i++)
            phi[i % thetas].re += dist->p[i];
        fourier_transform(phi, thetas, roots);
        for (size_t j = 0; j < thetas; j++)
            product[j] = complex_times(product[j], complex_power(phi[j], (uint64_t)dist->count));
        rest -= (uint64_t)dist->first * (uint64_t)dist->count;
    }
    for (size_t j = 0, turns = 0; j < thetas && thetas > 1; j++, turns = (turns + rest) % thetas) {
        const size_t half = thetas / 2;
        const number root = turns < half
                                ? roots[turns]
                                : (number){-roots[turns - half].re, -roots[turns - half].im};
        product[j] = complex_times(product[j], (number){root.re, -root.im});
    }
}

/* The same for few buckets, where most theta count. The nodes near 0 make up most of the sum and
 * are computed as above, because the powers of phi have an error of the count times 1e-16. NaN
 * if memory runs out. */
static double hit_by_transform(const struct capped_sum *dists, double least_thetas)
{
    size_t thetas = 1;
    while ((double)thetas < least_thetas)
        thetas *= 2;
    number *roots = malloc((thetas / 2 + 1) * sizeof *roots), *phi = malloc(thetas * sizeof *phi);
    number *product = malloc(thetas * sizeof *product);
    double sum = NAN;
    if (roots && phi && product) {
        fourier_roots(roots, thetas);
        transform_all(dists, thetas, roots, phi, product);
        size_t from = 1;
        sum = 1.0;
        for (; from < thetas / 2 && hypot(product[from].re, product[from].im) > 0.01; from++) {
            double re, im;
            log_phi(dists, full_turn * ((double)from / (double)thetas), &re, &im);
            sum += 2.0 * exp(re) * cos(im);
        }
        double rest = 0.0;
        for (size_t j = from; j + from <= thetas; j++)
            rest += product[j].re;
        sum = (sum + (thetas > 1 ? rest : 0.0)) / (double)thetas;
    }
    free(roots);
    free(phi);
    free(product);
    return sum;
}

/* The mean number of buckets that have more than k_b. By Bonferroni it exceeds P(some bucket has
 * more than k_b), by at most half its square, because the X are negatively associated. */
static double rare_loss(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b)
{
    double sum = 0.0;
    for (unsigned c = 0; c < buckets->classes; c++)
        if (buckets->of[c].size > k_b)
            sum += (double)buckets->of[c].count *
                   distribution_sf(distribution_of_class(buckets, c, k), (int64_t)k_b);
    return sum;
}

/* The distributions where stage 1 has `room` >= k places, without their tables. */
static struct capped_sum capped_sum_of(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                                       uint64_t room)
{
    struct capped_sum dists = {.k = k};
    for (unsigned c = 0; c < buckets->classes; c++) {
        const uint64_t size = buckets->of[c].size, high = size < k_b ? size : k_b;
        if (size == 0)
            continue;
        struct capped_distribution *dist = &dists.of[dists.classes++];
        *dist = (struct capped_distribution){
            .count = (double)buckets->of[c].count, .size = (double)size, .high = (int64_t)high};
        dist->low = room - k < high ? (int64_t)(high - (room - k))
                                    : 0; /* the others have no more than their room */
        dists.buckets += dist->count;
    }
    dists.least = 1e-19 / dists.buckets;
    return dists;
}

/* The probability, where it is neither 0 nor 1. */
static double interior_probability(struct capped_sum *dists, uint64_t n)
{
    const double quantum = fmax(0x1p-20, ldexp(1.0, ilogb((double)dists->k) - 50));
    const double odds = capped_sum_odds(dists, (double)n);
    struct dd log =
        dd_negate(dd_add(log_choose(n, dists->k), dd_scale(dd_log(dd(odds)), (double)dists->k)));
    double variance = 0.0;
    dists->shift = -(double)dists->k;
    for (unsigned c = 0; c < dists->classes; c++) {
        struct capped_distribution *dist = &dists->of[c];
        log = dd_add(log, dd_scale(capped_distribution_tabulate(dist, odds, dists->least, quantum),
                                   dist->count));
        dists->shift = fma(dist->count, dist->mean, dists->shift);
        variance += dist->count * dist->variance;
    }
    if (!isfinite(log.hi))
        return NAN;
    dists->sd = sqrt(variance);
    const double thetas =
        1.0 + ceil(fmax(largest_distance(dists, 1.0), largest_distance(dists, -1.0)));
    const double hit =
        dists->buckets <= 64.0 ? hit_by_transform(dists, thetas) : hit_by_nodes(dists, thetas);
    return fmin(1.0, exp(log.hi) * (1.0 + log.lo) * hit);
}

double rcm_buckets_probability_exact(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b)
{
    if (!classes_legal(buckets, k, k_b))
        return NAN;
    if (k_b >= k || k_b >= buckets->of[0].size)
        return 1.0;
    const uint64_t room = classes_room(buckets, k_b);
    if (room < k)
        return 0.0;

    const double rare = rare_loss(buckets, k, k_b);
    if (rare < 1e-8)
        return 1.0 - rare;
    const uint64_t n = classes_elements(buckets);
    struct capped_sum dists = capped_sum_of(buckets, k, k_b, room);
    /* The standard deviations of distributions without a cap tell how much time and memory it
     * takes. */
    const double of_sum = sqrt((double)k * (1.0 - (double)k / (double)n));
    if ((dists.buckets <= 64.0 ? of_sum : of_sum / sqrt(dists.buckets)) > 0x1p14 &&
        room - k > 1 << 16)
        return NAN;
    const double probability = interior_probability(&dists, n);
    for (unsigned c = 0; c < dists.classes; c++)
        free(dists.of[c].p);
    return probability;
}

double rcm_probability_exact(struct rcm_topk p)
{
    if (p.lengths)
        return shape_mean(rcm_probability_exact, p, 1.0);
    struct rcm_buckets buckets = rcm_buckets_of(p);
    return rcm_buckets_probability_exact(&buckets, p.k, p.k_b);
}
