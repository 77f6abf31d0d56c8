/* counts.c - see counts.h. Derivation: docs/models.md 2.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "counts.h"

#include <math.h>

#include "dd.h"
#include "gauss_legendre.h"

#define EPSILON 0x1p-56 /* what a sum may leave out, relative */
#define SCALE \
    0x1p400 /* keeps a term of 1e-306 clear of the subnormal numbers, which have fewer digits */

/* n x - k s: n times the distance of x from the mean. */
static int128 centred(struct law law, int64_t x)
{
    return (int128)x * law.n - (int128)law.k * law.s;
}

double law_mean(struct law law)
{
    return (double)law.k * (double)law.s / (double)law.n;
}

double law_variance(struct law law)
{
    double n = (double)law.n;
    double binomial = law_mean(law) * ((double)(law.n - law.s) / n);
    if (law.binomial)
        return binomial;
    return law.n == 1 ? 0.0 : binomial * ((double)(law.n - law.k) / (n - 1.0));
}

double law_offset(struct law law, int64_t x)
{
    return (double)centred(law, x) / (double)law.n;
}

int64_t law_low(struct law law)
{
    if (law.binomial)
        return law.s == law.n ? law.k : 0;
    int64_t least = law.k + law.s - law.n;
    return least > 0 ? least : 0;
}

int64_t law_high(struct law law)
{
    if (law.binomial)
        return law.s == 0 ? 0 : law.k;
    return law.k < law.s ? law.k : law.s;
}

int64_t law_mode(struct law law)
{
    double n = (double)law.n, k = (double)law.k, s = (double)law.s;
    int64_t mode = (int64_t)(law.binomial ? (k + 1.0) * s / n : (k + 1.0) * (s + 1.0) / (n + 2.0));
    int64_t low = law_low(law), high = law_high(law);
    return mode < low ? low : mode > high ? high : mode;
}

/* The law with the numbers that its ratios are made of as doubles. All sums of them are exact: |.|
 * < 2^53. */
struct ratios {
    double n_s, k, s, rest; /* n - s, k, s, n - k - s */
    bool binomial;
};

static struct ratios ratios_of(struct law law)
{
    return (struct ratios){(double)(law.n - law.s), (double)law.k, (double)law.s,
                           (double)(law.n - law.k - law.s), law.binomial};
}

/* P(x + 1) / P(x) = up / down, each a product of two integers. */
struct ratio {
    double up[2], down[2];
};

static inline struct ratio ratio_at(const struct ratios *r, double x)
{
    if (r->binomial)
        return (struct ratio){{r->k - x, r->s}, {x + 1.0, r->n_s}};
    return (struct ratio){{r->k - x, r->s - x}, {x + 1.0, r->rest + x + 1.0}};
}

static inline double ratio_up(const struct ratios *r, double x)
{
    struct ratio q = ratio_at(r, x);
    return q.up[0] * q.up[1] / (q.down[0] * q.down[1]);
}

/* P(x - 1) / P(x). */
static inline double ratio_down(const struct ratios *r, double x)
{
    struct ratio q = ratio_at(r, x - 1.0);
    return q.down[0] * q.down[1] / (q.up[0] * q.up[1]);
}

double law_ratio(struct law law, int64_t x)
{
    struct ratios r = ratios_of(law);
    return ratio_up(&r, (double)x);
}

size_t law_terms(struct law law, int64_t start, int64_t high, double least, double *p,
                 int64_t *first)
{
    const int64_t low = law_low(law);
    int64_t begin = start, end = start;
    double down = 1.0, up = 1.0, total = 1.0;
    while (begin > low && down >= least)
        total += down /= law_ratio(law, --begin);
    while (end < high && up >= least)
        total += up *= law_ratio(law, end++);
    const size_t length = (size_t)(end - begin + 1);
    *first = begin;
    if (!p)
        return length;
    p[start - begin] = 1.0 / total;
    for (int64_t x = start; x > begin; x--)
        p[x - 1 - begin] = p[x - begin] / law_ratio(law, x - 1);
    for (int64_t x = start; x < end; x++)
        p[x + 1 - begin] = p[x - begin] * law_ratio(law, x);
    return length;
}

/* The sums over x > c of P(x), (x - c) P(x), (x - c)^2 P(x), each over P(c + 1), where the terms
 * fall from c + 1 or c + 2 on. With w = x - c >= 1 and q < 1 the next ratio, ratios fall, so the
 * rest of the third sum is at most t sum_{j>=1} (w + j)^2 q^j <= 2 w^2 t / (1 - q)^3; and as that
 * sum is at most w^2 times the first, the first is done too. */
static struct tail tail_by_ratios(const struct ratios *r, int64_t c)
{
    struct tail sum = {1.0, 1.0, 1.0};
    double t = 1.0, w = 1.0;
    for (double x = (double)c + 1.0;; x += 1.0) {
        double q = ratio_up(r, x), margin = 1.0 - q, last = w * w * t;
        if (last <= EPSILON * sum.square && q < 1.0 &&
            last <= EPSILON * margin * margin * margin * sum.square)
            return sum;
        t *= q;
        w += 1.0;
        sum.probability += t;
        sum.excess += w * t;
        sum.square += w * w * t;
    }
}

/* The sum over x < from of P(x) / P(from), from at most 2 above the mode: from there on terms fall
 * downwards. What is left after t, next ratio q < 1, is at most t q / (1 - q). */
static double mass_below(const struct ratios *r, double from)
{
    double mass = 0.0, t = 1.0;
    for (double x = from;; x -= 1.0) {
        double q = ratio_down(r, x);
        if (q < 1.0 && t <= EPSILON * (1.0 - q) * (1.0 + mass))
            return mass;
        t *= q;
        mass += t;
    }
}

/* t times the ratios from `from` up to `to`, adding all terms before the last to *mass. Products of
 * two integers that change by one are not rounded at random: left alone, the term drifts by 2e-17 a
 * step, 1e-13 over the longest way. So what the products lose is summed beside. */
static double walk_up(const struct ratios *r, double t, double from, double to, double *mass)
{
    double lost = 0.0;
    for (double x = from; x < to && t > 0.0; x += 1.0) {
        struct ratio q = ratio_at(r, x);
        double up = q.up[0] * q.up[1], down = q.down[0] * q.down[1], quotient = up / down;
        if (to - from > 16.0)
            lost += (fma(q.up[0], q.up[1], -up) - quotient * fma(q.down[0], q.down[1], -down)) / up;
        *mass += t;
        t *= quotient;
    }
    return isfinite(t) ? t + t * lost : t;
}

/* One way up, from the mode or c + 1, whichever is less: the terms up to c, then the tail; and the
 * terms below. The total of all three is the norm. */
struct tail law_upper_by_ratios(struct law law, int64_t c)
{
    struct ratios r = ratios_of(law);
    int64_t mode = law_mode(law), start = mode < c + 1 ? mode : c + 1;
    double mass = 0.0, first = walk_up(&r, SCALE, (double)start, (double)c + 1.0, &mass);
    if (!(first > 0.0))
        return (struct tail){0.0, 0.0, 0.0};
    struct tail sum = tail_by_ratios(&r, c);
    double total = mass + first * sum.probability + SCALE * mass_below(&r, (double)start);
    return (struct tail){first * sum.probability / total, first * sum.excess / total,
                         first * sum.square / total};
}

double law_probability_by_ratios(struct law law, int64_t x)
{
    struct ratios r = ratios_of(law);
    double mode = (double)law_mode(law), mass = 0.0;
    double total = tail_by_ratios(&r, law_mode(law) - 1).probability + mass_below(&r, mode);
    if ((double)x < mode)
        return 1.0 / total / walk_up(&r, 1.0, (double)x, mode, &mass);
    return walk_up(&r, SCALE, mode, (double)x, &mass) / total / SCALE;
}

/* P(x) = factor exp(-exponent). */
struct stirling {
    double factor;
    struct dd exponent;
};

/* cell log(cell/expected) - (cell - expected), with delta = cell - expected known to full accuracy
 * and z = delta / (cell + expected): = delta z + 2 cell z^3 (1/3 + z^2/5 + z^4/7 + ..). Infinite
 * for |z| > 0.17, where the term alone exceeds 745 if expected >= LAW_STIRLING_MIN_SD^2, so that P
 * underflows. The first two coefficients are carried in double-double; the rest weighs z^4 (3/7) <=
 * 4e-4 of the first, so a double will do for a relative error of 1e-19. */
static struct dd deviance(struct dd cell, struct dd delta)
{
    struct dd z = dd_divide(delta, dd_subtract(dd_scale(cell, 2.0), delta));
    if (!(cell.hi > 0.0 && fabs(z.hi) <= 0.17))
        return dd(INFINITY);
    struct dd w = dd_multiply(z, z);
    double series = 0.0;
    for (int j = 14; j >= 2; j--)
        series = series * w.hi + 1.0 / (2 * j + 3);
    const struct dd third = {0x1.5555555555555p-2, 0x1.5555555555555p-56},
                    fifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};
    struct dd sum = dd_add(third, dd_multiply(w, dd_add(fifth, dd_scale(w, series))));
    return dd_add(dd_multiply(delta, z),
                  dd_scale(dd_multiply(dd_multiply(cell, sum), dd_multiply(z, w)), 2.0));
}

/* log m! = (m + 1/2) log m - m + log(2 pi)/2 + this. The next term is below 3e-23 for m >= 2^13. */
static double stirling_rest(double m)
{
    return 1.0 / (12.0 * m) - 1.0 / (360.0 * m * m * m);
}

/* P at the real number c + y, from the 2 x 2 table of its cells x, k - x, s - x, n - k - s + x
 * (binomial: the first two), all of which differ from their expected value by +-delta, delta = x -
 * mean. */
static struct stirling stirling_at(struct law law, int64_t c, double y)
{
    double n = (double)law.n, k = (double)law.k, s = (double)law.s;
    struct dd delta = dd_add(dd_divide(dd_from_int128(centred(law, c)), dd(n)), dd(y));
    struct dd hit = dd_two_sum((double)c, y);
    struct dd other = dd_two_sum((double)(law.k - c), -y);
    struct stirling at = {0.0, dd_add(deviance(hit, delta), deviance(other, dd_negate(delta)))};
    double square = k / (6.283185307179586 * hit.hi * other.hi);
    double rest = stirling_rest(k) - stirling_rest(hit.hi) - stirling_rest(other.hi);
    if (!law.binomial) {
        struct dd free = dd_two_sum((double)(law.s - c), -y);
        struct dd outside = dd_two_sum((double)(law.n - law.k - law.s + c), y);
        at.exponent =
            dd_add(at.exponent, dd_add(deviance(free, dd_negate(delta)), deviance(outside, delta)));
        square *= (s / free.hi) * ((n - k) / outside.hi) * ((n - s) / n);
        rest += stirling_rest(n - k) + stirling_rest(s) + stirling_rest(n - s) - stirling_rest(n) -
                stirling_rest(free.hi) - stirling_rest(outside.hi);
    }
    if (isfinite(at.exponent.hi))
        at.factor = sqrt(square) * exp(rest);
    return at;
}

/* x exp(-exponent), in two halves: exp(-exponent) itself may be subnormal where the product is not.
 */
static double times_exponential(double x, struct dd exponent)
{
    double half = exp(-0.5 * exponent.hi) * (1.0 - 0.5 * exponent.lo);
    return x * half * half;
}

double law_probability_by_stirling(struct law law, int64_t x)
{
    struct stirling at = stirling_at(law, x, 0.0);
    return at.factor > 0.0 ? times_exponential(at.factor, at.exponent) : 0.0;
}

/* psi(x + 1) without its logarithm; the next term is below 2e-18 for x >= 2^13. */
static double digamma_rest(double x)
{
    return 1.0 / (2.0 * x) - 1.0 / (12.0 * x * x);
}

/* Derivatives of log P at c: the first in full, the second and third to leading order in 1/x (they
 * only enter terms that weigh less than 1e-6 and 1e-12 of the sum). */
struct slopes {
    double first, second, third;
};

static struct slopes slopes_at(struct law law, int64_t c)
{
    double hit = (double)c, other = (double)(law.k - c), shift = (double)centred(law, c);
    struct slopes d = {
        .first = digamma_rest(other) - digamma_rest(hit),
        .second = -1.0 / hit - 1.0 / other,
        .third = 1.0 / (hit * hit) - 1.0 / (other * other),
    };
    if (law.binomial) {
        d.first += log1p(-shift / (hit * (double)(law.n - law.s)));
    } else {
        double free = (double)(law.s - c), outside = (double)(law.n - law.k - law.s + c);
        d.first += digamma_rest(free) - digamma_rest(outside) + log1p(-shift / (hit * outside));
        d.second += -1.0 / free - 1.0 / outside;
        d.third += 1.0 / (outside * outside) - 1.0 / (free * free);
    }
    return d;
}

/* The sums over x > c by Euler and Maclaurin: with f(y) = y^p P(c + y),
 *   sum_{j>=1} f(j) = integral_0^inf f - f(0)/2 - f'(0)/12 + f'''(0)/720 - f'''''(0)/30240 + ..,
 * the derivatives of P at 0 from those of log P. What is left out is below 1e-15 of the sum for
 * slope, 1/sd <= 0.05. The integral runs to where P has fallen by e^-45, by one 48-point rule: P(c
 * + y) is the exponential of a smooth concave function there (tests/test_counts.c compares with
 * sums). Steeper tails have at most a thousand terms and are summed. */
struct tail law_upper_by_stirling(struct law law, int64_t c)
{
    struct slopes d = slopes_at(law, c);
    double slope = -d.first, curvature = -d.second;
    struct tail sum;
    struct stirling base;
    if (!(hypot(slope, sqrt(curvature)) <= 0.05)) {
        base = stirling_at(law, c + 1, 0.0);
        if (!(base.factor > 0.0))
            return (struct tail){0.0, 0.0, 0.0};
        struct ratios r = ratios_of(law);
        sum = tail_by_ratios(&r, c);
    } else {
        base = stirling_at(law, c, 0.0);
        if (!(base.factor > 0.0))
            return (struct tail){0.0, 0.0, 0.0};
        double end = 90.0 / (slope + sqrt(slope * slope + 81.0 * curvature));
        sum = (struct tail){0.0, 0.0, 0.0};
        for (int i = 0; i < 2 * GAUSS_LEGENDRE_PAIRS; i++) {
            int pair = i / 2;
            double y = end * (i % 2 ? 1.0 - gauss_legendre[pair].x : gauss_legendre[pair].x);
            struct stirling at = stirling_at(law, c, y);
            if (!(at.factor > 0.0))
                continue;
            double fall = dd_subtract(at.exponent, base.exponent).hi;
            double term =
                end * gauss_legendre[pair].weight * (at.factor / base.factor) * exp(-fall);
            sum.probability += term;
            sum.excess += y * term;
            sum.square += y * y * term;
        }
        /* P', P'', .. over P (Faa di Bruno); in the fourth and fifth the third derivative of log P
         * no longer counts. */
        double p1 = d.first, u = d.first * d.first, v = d.second;
        double p2 = u + v, p3 = p1 * (u + 3.0 * v) + d.third, p4 = u * (u + 6.0 * v) + 3.0 * v * v;
        double p5 = p1 * (u * (u + 10.0 * v) + 15.0 * v * v);
        sum.probability += -0.5 - p1 / 12.0 + p3 / 720.0 - p5 / 30240.0;
        sum.excess += -1.0 / 12.0 + 3.0 * p2 / 720.0 - 5.0 * p4 / 30240.0;
        sum.square += 6.0 * p1 / 720.0 - 20.0 * p3 / 30240.0;
    }
    return (struct tail){times_exponential(base.factor * sum.probability, base.exponent),
                         times_exponential(base.factor * sum.excess, base.exponent),
                         times_exponential(base.factor * sum.square, base.exponent)};
}

static bool wide(struct law law)
{
    return law_variance(law) >= LAW_STIRLING_MIN_SD * LAW_STIRLING_MIN_SD;
}

double law_probability(struct law law, int64_t x)
{
    if (x < law_low(law) || x > law_high(law))
        return 0.0;
    if (law_low(law) == law_high(law))
        return 1.0;
    return wide(law) ? law_probability_by_stirling(law, x) : law_probability_by_ratios(law, x);
}

struct tail law_upper(struct law law, int64_t c)
{
    if (c >= law_high(law))
        return (struct tail){0.0, 0.0, 0.0};
    if (law_low(law) == law_high(law)) /* X is certain, and c + 1, for c >= mean - 1 */
        return (struct tail){1.0, 1.0, 1.0};
    return wide(law) ? law_upper_by_stirling(law, c) : law_upper_by_ratios(law, c);
}

/* The law of k - X: what falls outside the bucket. */
static struct law mirrored(struct law law)
{
    law.s = law.n - law.s;
    return law;
}

struct tail law_far_tail(struct law law, int64_t c, bool *below)
{
    *below = centred(law, c) < 0;
    if (!*below)
        return law_upper(law, c);
    if (c <= law_low(law))
        return (struct tail){0.0, 0.0, 0.0};
    return law_upper(mirrored(law), law.k - c);
}

double law_excess(struct law law, int64_t c)
{
    bool below;
    struct tail tail = law_far_tail(law, c, &below);
    return below ? tail.excess - law_offset(law, c) : tail.excess;
}

double law_above(struct law law, int64_t c)
{
    if (c < law_low(law))
        return 1.0;
    if (centred(law, c + 1) > 0)
        return law_upper(law, c).probability;
    return 1.0 - law_upper(mirrored(law), law.k - c - 1).probability;
}

double law_not_above(struct law law, int64_t c)
{
    return law_above(mirrored(law), law.k - c - 1);
}
