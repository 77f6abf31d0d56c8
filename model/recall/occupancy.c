/* occupancy.c - see occupancy.h. Derivation: docs/models.md 17.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "occupancy.h"

#include <float.h>
#include <math.h>

#include <model/distribution/log_choose.h>

/* Terms of the distribution of a block below this share of the largest, divided by the number of
 * blocks, are left out. The most terms: those of a mean up to MEAN_MOST and 2^53 blocks. */
static const double LEAST = 1e-18;
enum { TERMS_MOST = 640, MEAN_MOST = 120, MANY = 64 };

/* The distribution of the number of chosen keys of a block with at least one, if each key is chosen
 * with the same odds independently: x = first + i has the probability p[i]. */
struct block_distribution {
    unsigned length;
    uint64_t first;
    double p[TERMS_MOST];
    double excess, lack, variance; /* means of x - 1 and of size - x, each with all digits */
};

struct occupancy occupancy_of(struct rcm_blocks b, bool short_one)
{
    const uint64_t whole = b.n / b.size, rest = b.n % b.size;
    const uint64_t full = short_one ? b.kept - 1 : b.kept;
    struct occupancy t = {.n = b.n};
    if (full > whole || (short_one && rest == 0))
        return t;
    t.of[0].count = full;
    t.of[0].size = b.size;
    t.of[1].count = short_one;
    t.of[1].size = rest ? rest : 1;
    t.blocks = b.kept;
    t.keys = full * b.size + (short_one ? rest : 0);
    t.log_ways = log_choose(whole, full);
    return t;
}

/* ---- one block */

/* From the mode outwards by ratios of neighbours, C(size, x) odds^x. */
static void tabulate(struct block_distribution *dist, uint64_t size, double odds, double least)
{
    const double s = (double)size, mode = (s + 1.0) * (odds / (1.0 + odds));
    const uint64_t start = mode < 1.0 ? 1 : mode > s ? size : (uint64_t)mode;
    unsigned above = 0, below = 0;
    double up[TERMS_MOST], down[TERMS_MOST], total = 1.0, term = 1.0;
    for (uint64_t x = start; x < size && above < TERMS_MOST / 2 - 1; x++) {
        term *= (s - (double)x) / ((double)x + 1.0) * odds;
        if (term < least)
            break;
        up[above++] = term;
    }
    term = 1.0;
    for (uint64_t x = start; x > 1 && below < TERMS_MOST / 2 - 1; x--) {
        term *= (double)x / ((s - (double)x + 1.0) * odds);
        if (term < least)
            break;
        down[below++] = term;
    }
    dist->first = start - below;
    dist->length = below + 1 + above;
    for (unsigned i = 0; i < dist->length; i++)
        dist->p[i] = i < below ? down[below - 1 - i] : i == below ? 1.0 : up[i - below - 1];
    for (unsigned i = 0; i < dist->length; i++)
        total += i == below ? 0.0 : dist->p[i];
    dist->excess = dist->lack = dist->variance = 0.0;
    for (unsigned i = 0; i < dist->length; i++) {
        dist->p[i] /= total;
        dist->excess += dist->p[i] * (double)(dist->first - 1 + i);
        dist->lack += dist->p[i] * (double)(size - dist->first - i);
    }
    for (unsigned i = 0; i < dist->length; i++) {
        const double offset = (double)(dist->first - 1 + i) - dist->excess;
        dist->variance += dist->p[i] * offset * offset;
    }
}

/* cos y - 1 and sin y - y, each with all its digits. */
static void circle_rest(double y, double *cosine, double *sine)
{
    const double w = y * y;
    if (fabs(y) > 0.5) {
        const double half = sin(0.5 * y);
        *cosine = -2.0 * half * half;
        *sine = sin(y) - y;
        return;
    }
    *cosine =
        -w / 2.0 *
        (1.0 -
         w / 12.0 *
             (1.0 -
              w / 30.0 *
                  (1.0 - w / 56.0 * (1.0 - w / 90.0 * (1.0 - w / 132.0 * (1.0 - w / 182.0))))));
    *sine = -y * w / 6.0 *
            (1.0 -
             w / 20.0 *
                 (1.0 - w / 42.0 *
                            (1.0 - w / 72.0 *
                                       (1.0 - w / 110.0 * (1.0 - w / 156.0 * (1.0 - w / 210.0))))));
}

/* log E[exp(i t (x - mean))], as log modulus and argument, for few blocks: by turning. */
static void log_transform_of_few(const struct block_distribution *dist, double t, double *modulus,
                                 double *argument)
{
    const double start = t * ((double)(dist->first - 1) - dist->excess);
    const double turn_real = cos(t), turn_imaginary = sin(t);
    double x = cos(start), y = sin(start), real = 0.0, imaginary = 0.0;
    for (unsigned i = 0; i < dist->length; i++) {
        real += dist->p[i] * x;
        imaginary += dist->p[i] * y;
        const double turned = x * turn_real - y * turn_imaginary;
        y = x * turn_imaginary + y * turn_real;
        x = turned;
    }
    *modulus = log(hypot(real, imaginary));
    *argument = atan2(imaginary, real);
}

/* The same for many, which multiply every error: all terms are of the order of t^2. */
static void log_transform(const struct block_distribution *dist, double t, double *modulus,
                          double *argument)
{
    double real = 0.0, imaginary = 0.0;
    for (unsigned i = 0; i < dist->length; i++) {
        double cosine, sine;
        circle_rest(t * ((double)(dist->first - 1 + i) - dist->excess), &cosine, &sine);
        real += dist->p[i] * cosine;
        imaginary += dist->p[i] * sine;
    }
    *modulus = fabs(real) + fabs(imaginary) < 0.5
                   ? 0.5 * log1p(2.0 * real + real * real + imaginary * imaginary)
                   : log(hypot(1.0 + real, imaginary));
    *argument = atan2(imaginary, 1.0 + real);
}

/* ---- all occupied blocks */

struct tilt {
    double log_odds, odds;
    struct block_distribution dist[2];
    double off, variance; /* r less the mean of the sum of all distributions; its variance */
};

static void tilt_to(struct tilt *tilt, const struct occupancy *occupancy, uint64_t r)
{
    tilt->odds = exp(tilt->log_odds);
    /* the nearer end has the digits */
    const bool low = r - occupancy->blocks <= occupancy->keys - r;
    tilt->off = low ? (double)(r - occupancy->blocks) : -(double)(occupancy->keys - r);
    tilt->variance = 0.0;
    for (unsigned c = 0; c < 2; c++) {
        if (!occupancy->of[c].count)
            continue;
        const double count = (double)occupancy->of[c].count;
        tabulate(&tilt->dist[c], occupancy->of[c].size, tilt->odds,
                 LEAST / (double)occupancy->blocks);
        tilt->off += count * (low ? -tilt->dist[c].excess : tilt->dist[c].lack);
        tilt->variance += count * tilt->dist[c].variance;
    }
}

/* The odds at which the mean of the sum is close to r, blocks < r < keys: Newton's steps for the
 * logarithm of the mean distance from the nearer end, between bounds. Any odds give the same
 * probability. */
static void find_tilt(struct tilt *tilt, const struct occupancy *occupancy, uint64_t r)
{
    const double excess = (double)(r - occupancy->blocks);
    double low = -750.0, high = 750.0;
    const double places = (double)(occupancy->keys - occupancy->blocks);
    const double free = (double)(occupancy->keys - r);
    tilt->log_odds = log(excess / free * (1.0 + free / places));
    for (unsigned i = 0; i < 100; i++) {
        tilt_to(tilt, occupancy, r);
        if (tilt->off * tilt->off <= 1e-6 * tilt->variance)
            return;
        *(tilt->off > 0.0 ? &low : &high) = tilt->log_odds;
        const double mean = excess <= free ? excess - tilt->off : free + tilt->off;
        const double step = log(excess <= free ? excess / mean : mean / free);
        double next = tilt->log_odds + step * mean / tilt->variance;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        tilt->log_odds = next;
    }
}

/* A bound on the log modulus of all occupied blocks that falls with t: with p + v = 1, p = odds v,
 * the transform of a block is ((v + p e^(it))^size - v^size) / (1 - v^size). */
static double bound_from(const struct occupancy *occupancy, double odds, double t)
{
    const double p = odds / (1.0 + odds), v = 1.0 / (1.0 + odds), half = sin(0.5 * t);
    double bound = 0.0;
    for (unsigned c = 0; c < 2; c++) {
        const double size = (double)occupancy->of[c].size;
        const double turned = exp(0.5 * size * log1p(-4.0 * p * v * half * half));
        const double none = exp(-size * log1p(odds));
        if (occupancy->of[c].count)
            bound += (double)occupancy->of[c].count * log((turned + none) / (1.0 - none));
    }
    return bound;
}

/* P(sum of the distributions = r) = sum over angles t of E[exp(i t (sum - r))] / their number. */
static double inversion(const struct occupancy *occupancy, const struct tilt *tilt)
{
    double most = 1.0; /* different sums */
    for (unsigned c = 0; c < 2; c++)
        if (occupancy->of[c].count)
            most += (double)occupancy->of[c].count * (double)(tilt->dist[c].length - 1);
    const double reach = 14.0 * sqrt(tilt->variance) + 60.0;
    const uint64_t half = (uint64_t)(fmin(most, reach) / 2.0) + 1;
    const double points = 2.0 * (double)half + 1.0;
    double sum = 0.5;
    for (uint64_t j = 1; j <= half; j++) {
        const double t = 6.28318530717958647693 * (double)j / points;
        double modulus = 0.0, argument = -tilt->off * t;
        for (unsigned c = 0; c < 2; c++) {
            double one_modulus, one_argument;
            if (!occupancy->of[c].count)
                continue;
            (occupancy->blocks < MANY ? log_transform_of_few : log_transform)(
                &tilt->dist[c], t, &one_modulus, &one_argument);
            modulus += (double)occupancy->of[c].count * one_modulus;
            argument += (double)occupancy->of[c].count * one_argument;
        }
        if (modulus < -45.0 &&
            (occupancy->blocks >= MANY || bound_from(occupancy, tilt->odds, t) < -45.0))
            break;
        sum += exp(modulus) * cos(argument);
    }
    return 2.0 * sum / points;
}

/* 1 + v + .. + v^(s-1), by doubling. */
static struct dd geometric(struct dd v, uint64_t s)
{
    struct dd sum = dd(1.0), power = v; /* of m terms; v^m; m the leading bits of s */
    int bit = 63;
    while (!(s >> bit & 1))
        bit--;
    while (bit-- > 0) {
        sum = dd_multiply(sum, dd_add(dd(1.0), power));
        power = dd_multiply(power, power);
        if (s >> bit & 1) {
            sum = dd_add(dd(1.0), dd_multiply(v, sum));
            power = dd_multiply(power, v);
        }
    }
    return sum;
}

/* log of ways / C(n, r) times the product over the occupied blocks of ((1 + odds)^size - 1) over
 * odds^r. With p + v = 1, p = odds v: (1 + odds)^size - 1 = v^-size (1 - v^size), and 1 - v^size =
 * p (1 + v + .. + v^(size-1)). */
static struct dd log_weight(const struct occupancy *occupancy, uint64_t r, double odds)
{
    struct dd p, v;
    if (odds < 1.0) {
        p = dd(odds / (1.0 + odds));
        v = dd_subtract(dd(1.0), p);
    } else {
        v = dd(1.0 / (1.0 + odds));
        p = dd_subtract(dd(1.0), v);
    }
    struct dd sum = dd_subtract(occupancy->log_ways, log_choose(occupancy->n, r));
    for (unsigned c = 0; c < 2; c++)
        if (occupancy->of[c].count)
            sum = dd_add(sum, dd_scale(dd_log(geometric(v, occupancy->of[c].size)),
                                       (double)occupancy->of[c].count));
    sum = dd_subtract(sum, dd_scale(dd_log(p), (double)(r - occupancy->blocks)));
    return dd_subtract(sum, dd_scale(dd_log(v), (double)(occupancy->keys - r)));
}

/* The same for r = blocks, one key of each, and where any r of the keys occupy all blocks. */
static struct dd log_weight_without_odds(const struct occupancy *occupancy, uint64_t r)
{
    struct dd sum = dd_subtract(occupancy->log_ways, log_choose(occupancy->n, r));
    if (r > occupancy->blocks)
        return dd_add(sum, log_choose(occupancy->keys, r));
    for (unsigned c = 0; c < 2; c++)
        if (occupancy->of[c].count)
            sum = dd_add(sum, dd_scale(dd_log(dd((double)occupancy->of[c].size)),
                                       (double)occupancy->of[c].count));
    return sum;
}

static double exp_of(struct dd x)
{
    return exp(x.hi) * (1.0 + x.lo);
}

/* Is a block without one of r keys in `keys` places too rare to matter (below exp(-MEAN_MOST))? */
static bool crowded(const struct occupancy *occupancy, uint64_t r)
{
    const double share = (double)r / (double)occupancy->keys;
    return occupancy->of[0].count && (double)occupancy->of[0].size * share > MEAN_MOST;
}

/* How many blocks would be empty if none had to be occupied. */
static double empty_blocks(const struct occupancy *occupancy, double odds)
{
    double empty = 0.0;
    for (unsigned c = 0; c < 2; c++)
        empty += (double)occupancy->of[c].count * exp(-(double)occupancy->of[c].size * log1p(odds));
    return empty;
}

struct exceeded occupancy_exceeded_at(const struct occupancy *occupancy, uint64_t r)
{
    const double n = (double)occupancy->n, keys = (double)occupancy->keys;
    const double here = (double)r, rest = n - here;
    const double next = (n - keys) / rest;  /* P(the next rank is outside) */
    const bool all = crowded(occupancy, r); /* any r of the keys occupy all blocks */
    struct exceeded at = {.empty = 0.0};
    double variance, log_odds;
    if (all && occupancy->of[1].count)
        return at;
    if (all || r == occupancy->blocks || r == occupancy->keys) {
        at.probability = exp_of(log_weight_without_odds(occupancy, r)) * next;
        variance = here * (keys - here) / keys;
        log_odds = log(here / (keys - here));
        if (r == occupancy->blocks) /* from the ratio of the next probability to this one */
            log_odds = -log(0.5 * (keys - here));
    } else {
        struct tilt tilt;
        find_tilt(&tilt, occupancy, r);
        at.probability =
            exp_of(log_weight(occupancy, r, tilt.odds)) * inversion(occupancy, &tilt) * next;
        at.empty = empty_blocks(occupancy, tilt.odds);
        variance = tilt.variance;
        log_odds = tilt.log_odds;
    }
    const double curvature = 1.0 / variance - n / (here * rest);
    at.slope = log(here / rest) - log_odds;
    at.width = curvature > 0.0 ? 1.0 / sqrt(curvature) : INFINITY;
    return at;
}
