/* survivors.c - see survivors.h. Derivation: docs/models.md 16.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "survivors.h"

#include <math.h>
#include <stdlib.h>

#include <model/lost/fourier.h>

static const double negligible_term = 1e-21; /* relative to the largest */
static const double negligible_log = 42.0;   /* exp(-42) = 6e-19 */
static const double most_terms =
    131072.0; /* 2^17, in one evaluation; moments take some 100 of them */
static const double most_variance =
    4294967296.0; /* 2^32: the variance of one bucket whose terms are walked */

/* ---- one bucket */

/* P(X = x + 1) / P(X = x) for X ~ Binomial(size, t); odds = t / (1 - t). */
static double ratio(double size, double odds, double x)
{
    return (size - x) / (x + 1.0) * odds;
}

/* The distribution of min(X, k_b) in the buckets of one class: P(min(X, k_b) = first + i) = p[i], i
 * < length. */
struct kept_distribution {
    double count, mean; /* mean: the centre of phases, exact to some 1e-16 of itself */
    double first;
    size_t length;
    double *p;
};

/* How many x below the mode have a term that is not negligible, and how many above. */
static void reach_of_terms(double size, double odds, double mode, double *down, double *up)
{
    double term = 1.0;
    *down = *up = 0.0;
    while (mode - *down > 0.0 && term > negligible_term) {
        ++*down;
        term /= ratio(size, odds, mode - *down);
    }
    term = 1.0;
    while (mode + *up < size && term > negligible_term) {
        term *= ratio(size, odds, mode + *up);
        ++*up;
    }
}

/* Returns 0; or -1 if memory runs out or there are too many terms. */
static int tabulate(struct kept_distribution *dist, uint64_t size, uint64_t k_b, double t)
{
    const double s = (double)size, odds = t / (1.0 - t), mode = fmin(floor((s + 1.0) * t), s);
    const double last = fmin((double)k_b, s);
    if (!(s * t * (1.0 - t) <= most_variance))
        return -1;
    double down, up;
    reach_of_terms(s, odds, mode, &down, &up);
    dist->first = fmin(mode - down, last);
    const double end = fmin(mode + up, last);
    if (end - dist->first + 1.0 > most_terms)
        return -1;
    dist->length = (size_t)(end - dist->first) + 1;
    dist->p = calloc(dist->length, sizeof *dist->p);
    if (!dist->p)
        return -1;
    double total = 0.0, offset = 0.0, term = 1.0;
    for (double x = mode; x >= mode - down; x--) { /* from the mode down, and then up */
        dist->p[(size_t)(fmin(x, end) - dist->first)] += term;
        total += term;
        if (x > 0.0)
            term /= ratio(s, odds, x - 1.0);
    }
    term = 1.0;
    for (double x = mode; x < mode + up; x++) {
        term *= ratio(s, odds, x);
        dist->p[(size_t)(fmin(x + 1.0, end) - dist->first)] += term;
        total += term;
    }
    for (size_t i = 0; i < dist->length; i++) {
        dist->p[i] /= total;
        offset += dist->p[i] * (double)i;
    }
    dist->mean = dist->first + offset;
    return 0;
}

/* log E exp(i theta (min(X, k_b) - mean)), count times. phi - 1 is summed as such. */
static void add_log_phi(const struct kept_distribution *dist, double theta, double *re, double *im)
{
    double cosine = 0.0, sine = 0.0;
    for (size_t i = 0; i < dist->length; i++) {
        const double half = 0.5 * theta * (dist->first + (double)i - dist->mean), s = sin(half);
        cosine -= 2.0 * dist->p[i] * s * s;
        sine += 2.0 * dist->p[i] * s * cos(half);
    }
    *re += dist->count * complex_log_modulus(cosine, sine);
    *im += dist->count * atan2(sine, 1.0 + cosine);
}

/* ---- the sum */

struct survivors {
    unsigned classes;
    struct kept_distribution of[RCM_MAX_CLASSES];
    double shift; /* k less the mean of the sum */
    double low;   /* the smallest sum, less the mean */
    double high;  /* the largest, likewise */
    double variance;
    double farthest; /* |min(X, k_b) - mean|, of one bucket */
    double terms;    /* of all classes */
};

static void free_survivors(struct survivors *sum)
{
    for (unsigned c = 0; c < sum->classes; c++)
        free(sum->of[c].p);
}

static int make_survivors(struct survivors *sum, const struct rcm_buckets *buckets, uint64_t k,
                          uint64_t k_b, double t)
{
    *sum = (struct survivors){.shift = (double)k};
    for (unsigned c = 0; c < buckets->classes; c++) {
        if (buckets->of[c].size == 0 || buckets->of[c].count == 0)
            continue;
        struct kept_distribution *dist = &sum->of[sum->classes];
        *dist = (struct kept_distribution){.count = (double)buckets->of[c].count};
        if (tabulate(dist, buckets->of[c].size, k_b, t) != 0)
            return -1;
        sum->classes++;
        double square = 0.0;
        for (size_t i = 0; i < dist->length; i++) {
            const double d = dist->first + (double)i - dist->mean;
            square += dist->p[i] * d * d;
        }
        const double last = dist->first + (double)(dist->length - 1);
        sum->variance += dist->count * square;
        sum->low += dist->count * (dist->first - dist->mean);
        sum->high += dist->count * (last - dist->mean);
        sum->farthest = fmax(sum->farthest, fmax(dist->mean - dist->first, last - dist->mean));
        sum->shift = fma(-dist->count, dist->mean, sum->shift);
        sum->terms += (double)dist->length;
    }
    return 0;
}

/* Beyond this distance from its mean, the sum has a probability below 2 exp(-42), by Bernstein. */
static double largest_distance(const struct survivors *sum)
{
    const double a = sum->farthest * negligible_log / 3.0;
    return a + sqrt(a * a + 2.0 * sum->variance * negligible_log) + 1.0;
}

/* P(sum < k): the probability of the sums from `low` on (less the mean) that are below k, by a
 * Fourier sum on an odd number of nodes. */
static double sum_below(const struct survivors *sum, double low, double nodes)
{
    const double count = sum->shift - low, centre = 0.5 * (low + sum->shift - 1.0);
    double total = count / nodes;
    unsigned idle = 0;
    for (double j = 1.0; 2.0 * j < nodes && idle < 3; j++) {
        const double theta = full_turn * (j / nodes);
        double re = 0.0, im = 0.0;
        for (unsigned c = 0; c < sum->classes; c++)
            add_log_phi(&sum->of[c], theta, &re, &im);
        idle = re > -negligible_log ? 0 : idle + 1;
        const double kernel = sin(0.5 * theta * count) / sin(0.5 * theta);
        total += 2.0 / nodes * exp(re) * cos(im - theta * centre) * kernel;
    }
    return fmin(fmax(total, 0.0), 1.0);
}

double survivors_below(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b, double t)
{
    struct survivors sum;
    double result = NAN;
    if (make_survivors(&sum, buckets, k, k_b, t) != 0)
        goto done;
    const double distance = largest_distance(&sum);
    const double from = fmax(sum.low, -distance), to = fmin(sum.high, distance);
    if (sum.shift > to + 0.5) { /* sums differ by whole numbers; the half is for rounding */
        result = 1.0;
    } else if (sum.shift < from + 0.5) {
        result = 0.0;
    } else {
        /* `low` is a possible sum: k less a whole number. */
        const double low = sum.shift - ceil(sum.shift - from),
                     nodes = 2.0 * ceil(0.5 * (to - low)) + 3.0;
        const double used = fmin(0.5 * nodes, 1.5 * nodes / sqrt(sum.variance + 1e-300) + 3.0);
        result = used * sum.terms <= most_terms ? sum_below(&sum, low, nodes) : NAN;
    }
done:
    free_survivors(&sum);
    return result;
}

/* ---- moments */

/* E[min(X, c)], E[min(X, c)^2], P(X < c), E[2 X + 1; X < c] and P(X = c - 1), X ~ Binomial(size,
 * t). */
struct bucket_moments {
    double mean, square, under, odd_under, edge;
};

static struct bucket_moments bucket_moments(double size, double c, double t)
{
    struct bucket_moments one = {0};
    const double odds = t / (1.0 - t), mode = fmin(floor((size + 1.0) * t), size);
    double total = 0.0, term = 1.0, down, up;
    reach_of_terms(size, odds, mode, &down, &up);
    for (int direction = 0; direction < 2; direction++) {
        term = 1.0;
        for (double i = 0.0; i <= (direction ? up : down); i++) {
            const double x = direction ? mode + i : mode - i;
            if (i > 0.0)
                term = direction ? term * ratio(size, odds, x - 1.0) : term / ratio(size, odds, x);
            if (direction && i == 0.0)
                continue;
            const double kept = fmin(x, c);
            total += term;
            one.mean += term * kept;
            one.square += term * kept * kept;
            if (x < c) {
                one.under += term;
                one.odd_under += term * (2.0 * x + 1.0);
            }
            if (x == c - 1.0)
                one.edge = term;
        }
    }
    return (struct bucket_moments){one.mean / total, one.square / total, one.under / total,
                                   one.odd_under / total, one.edge / total};
}

/* d/dt E[g(X)] = size E[g(X' + 1) - g(X')], X' ~ Binomial(size - 1, t), for any g. */
struct survivor_moments survivors_moments(const struct rcm_buckets *buckets, uint64_t k_b, double t)
{
    struct survivor_moments m = {0};
    const double c = (double)k_b;
    for (unsigned i = 0; i < buckets->classes; i++)
        if ((double)buckets->of[i].size * t * (1.0 - t) > most_variance)
            return (struct survivor_moments){NAN, NAN, NAN, NAN, NAN};
    for (unsigned i = 0; i < buckets->classes; i++) {
        const double size = (double)buckets->of[i].size, count = (double)buckets->of[i].count;
        if (size < 1.0)
            continue;
        const struct bucket_moments x = bucket_moments(size, c, t),
                                    x1 = bucket_moments(size - 1.0, c, t);
        m.mean += count * x.mean;
        m.mean1 += count * size * x1.under;
        m.variance += count * (x.square - x.mean * x.mean);
        m.variance1 += count * size * (x1.odd_under - 2.0 * x.mean * x1.under);
        if (size > 1.0)
            m.mean2 -= count * size * (size - 1.0) * bucket_moments(size - 2.0, c, t).edge;
    }
    return m;
}

/* E[S] and its derivative alone. The terms of X give both, because
 * size t P(X' = x - 1) = x P(X = x). */
static void mean_and_slope(const struct rcm_buckets *buckets, uint64_t k_b, double t, double *mean,
                           double *slope)
{
    const double c = (double)k_b, odds = t / (1.0 - t);
    *mean = *slope = 0.0;
    for (unsigned i = 0; i < buckets->classes; i++)
        if ((double)buckets->of[i].size * t * (1.0 - t) > most_variance)
            *mean = *slope = NAN;
    for (unsigned i = 0; i < buckets->classes && !isnan(*mean); i++) {
        const double size = (double)buckets->of[i].size, count = (double)buckets->of[i].count;
        if (size < 1.0)
            continue;
        const double mode = fmin(floor((size + 1.0) * t), size);
        double total = 0.0, kept = 0.0, inside = 0.0, term = 1.0; /* inside: of x up to c */
        for (double x = mode; x >= 0.0 && term > 1e-18; x--) {
            total += term;
            kept += term * fmin(x, c);
            inside += x <= c ? term * x : 0.0;
            term = x > 0.0 ? term / ratio(size, odds, x - 1.0) : 0.0;
        }
        term = 1.0;
        for (double x = mode; x < size && term > 1e-18;) {
            term *= ratio(size, odds, x++);
            total += term;
            kept += term * fmin(x, c);
            inside += x <= c ? term * x : 0.0;
        }
        *mean += count * kept / total;
        *slope += count * inside / total / t;
    }
}

double survivors_inverse(const struct rcm_buckets *buckets, uint64_t k_b, double level)
{
    /* In log(t / (1 - t)), where E[S] grows and is smooth at both ends. */
    double low = -745.0, high = 36.0, u = 0.0, elements = 0.0;
    for (unsigned c = 0; c < buckets->classes; c++)
        elements += (double)buckets->of[c].size * (double)buckets->of[c].count;
    if (level < elements)
        u = log(level / (elements - level));
    for (unsigned step = 0; step < 200 && high - low > 1e-13 * (1.0 + fabs(low)); step++) {
        const double t = 1.0 / (1.0 + exp(-u));
        double mean, slope;
        mean_and_slope(buckets, k_b, t, &mean, &slope);
        if (isnan(mean))
            return NAN;
        if (mean < level)
            low = u;
        else
            high = u;
        slope *= t * (1.0 - t);
        const double newton = u - (mean - level) / slope;
        const double next =
            slope > 0.0 && newton > low && newton < high ? newton : 0.5 * (low + high);
        if (fabs(next - u) < 1e-12 * (1.0 + fabs(u)))
            return 1.0 / (1.0 + exp(-next));
        u = next;
    }
    return 1.0 / (1.0 + exp(-u));
}
