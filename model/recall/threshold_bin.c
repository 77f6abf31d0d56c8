/* threshold_bin.c - see threshold_bin.h. Derivation: docs/models.md, "The threshold bin".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <model/recallmodel/rounding.h>

#include <math.h>
#include <string.h>

#include <model/distribution/distribution.h>

/* ---- distributions of values */

static double normal_above(double x)
{
    return 0.5 * erfc(x * 0.70710678118654752440);
}

static double lognormal_above(double x)
{
    return x > 0.0 ? normal_above(log(x)) : 1.0;
}

static double uniform_above(double x)
{
    return x <= 0.0 ? 1.0 : x >= 1.0 ? 0.0 : 1.0 - x;
}

static double exponential_above(double x)
{
    return x <= 0.0 ? 1.0 : exp(-x);
}

static const struct rcm_values_distribution dists[] = {
    {"normal", normal_above},
    {"lognormal", lognormal_above},
    {"uniform", uniform_above},
    {"exponential", exponential_above},
};

const struct rcm_values_distribution *rcm_values_distribution(size_t index)
{
    return index < sizeof dists / sizeof *dists ? &dists[index] : NULL;
}

const struct rcm_values_distribution *rcm_values_distribution_by_name(const char *name)
{
    for (size_t i = 0; name && rcm_values_distribution(i); i++)
        if (strcmp(rcm_values_distribution(i)->name, name) == 0)
            return rcm_values_distribution(i);
    return NULL;
}

/* ---- edges of bins */

#define FLOAT_INFINITY 0x7f800000u

/* The smallest value whose key, that of its nearest float16, is at least `key`. */
static double float16_edge(uint32_t key)
{
    const struct rcm_format *half = rcm_format_by_name("f16");
    if (key >= 0x8000u)
        return rcm_format_edge(half, key - 0x8000u);
    const uint32_t bits = 0x7fffu - key; /* the largest magnitude that has this key */
    return -rcm_format_edge(half, bits + 1);
}

/* The same for keys of float32. */
static double float32_edge(uint32_t key)
{
    bool positive = key >= 0x80000000u;
    uint32_t bits = positive ? key - 0x80000000u : 0x7fffffffu - key;
    float value;
    if (bits > FLOAT_INFINITY)
        return positive ? INFINITY : -INFINITY;
    memcpy(&value, &bits, sizeof value);
    return positive ? (double)value : -(double)value;
}

double rcm_bin_edge(struct rcm_bins bins, uint64_t j)
{
    if (bins.bits < 1 || bins.bits > 16 || j > UINT64_C(1) << bins.bits)
        return NAN;
    if (j == 0)
        return -INFINITY;
    if (j == UINT64_C(1) << bins.bits)
        return INFINITY;
    switch (bins.kind) {
    case RCM_BINS_FLOAT16:
        return float16_edge((uint32_t)j << (16 - bins.bits));
    case RCM_BINS_FLOAT32:
        return float32_edge((uint32_t)j << (32 - bins.bits));
    case RCM_BINS_EQUAL:
        return ldexp((double)j, -(int)bins.bits);
    }
    return NAN;
}

/* ---- the threshold bin */

/* Below it a probability times n < 2^31 makes no difference. */
#define TINY 0x1p-52

/* Is it as good as certain on which side of c the count lies? Then *not_above is 0 or 1. Beyond 12
 * standard deviations and 40 the other side has less than 1e-30 (Bernstein). */
static bool is_certain(uint64_t draws, double probability, int64_t c, double *not_above)
{
    const double mean = (double)draws * probability,
                 margin = 12.0 * sqrt(mean * (1.0 - probability)) + 40.0;
    if (c < 0)
        *not_above = 0.0;
    else if ((uint64_t)c >= draws || probability < TINY)
        *not_above = 1.0;
    else if (probability > 1.0 - TINY)
        *not_above = 0.0;
    else if (mean < (double)c - margin || mean > (double)c + margin)
        *not_above = mean < (double)c ? 1.0 : 0.0;
    else
        return false;
    return true;
}

/* P(count <= c). */
static double not_above(uint64_t draws, double probability, int64_t c)
{
    double certain;
    return is_certain(draws, probability, c, &certain)
               ? certain
               : distribution_cdf(distribution_of_draws(draws, probability), c);
}

/* P(count > c). */
static double above(uint64_t draws, double probability, int64_t c)
{
    double certain;
    return is_certain(draws, probability, c, &certain)
               ? 1.0 - certain
               : distribution_sf(distribution_of_draws(draws, probability), c);
}

/* P(T > places, and the bin is the threshold bin). Of n elements, A lie above it with probability
 * `over` each, C in it with `in`: A < k <= A + C and C > places. */
static double overflow_of_bin(uint64_t n, uint64_t k, double over, double in, uint64_t places)
{
    struct distribution dist = distribution_of_draws(n, over);
    const double mean = (double)n * over, margin = 12.0 * sqrt(mean * (1.0 - over)) + 40.0;
    const double inside = in / (1.0 - over);
    double sum = 0.0;
    int64_t least = mean > margin ? (int64_t)(mean - margin) : 0,
            most = (int64_t)fmin((double)k - 1.0, mean + margin);
    for (int64_t a = least; a <= most; a++) {
        double probability = dist.s == 0 ? (double)(a == 0) : distribution_probability(dist, a);
        uint64_t needed = k - (uint64_t)a;
        int64_t more = (int64_t)(needed > places ? needed - 1 : places);
        if (probability > 1e-18)
            sum += probability * above(n - (uint64_t)a, inside, more);
    }
    return sum;
}

/* P(value >= x), continuous. */
static double values_above(struct rcm_values values, double x)
{
    double probability = values.dist->above((x - values.shift) / values.scale);
    return values.scale > 0.0 ? probability : 1.0 - probability;
}

struct rcm_threshold_bin rcm_threshold_bin(uint64_t n, uint64_t k, struct rcm_bins bins,
                                           struct rcm_values values, uint64_t places)
{
    struct rcm_threshold_bin bin = {NAN, NAN};
    if (k < 1 || k > n || n > INT32_MAX || bins.bits < 1 || bins.bits > 16 || !values.dist ||
        values.scale == 0.0 || !isfinite(values.scale) || !isfinite(values.shift) ||
        isnan(rcm_bin_edge(bins, 1)))
        return bin;
    bin = (struct rcm_threshold_bin){0.0, 0.0};
    double over = 0.0; /* P(above the bin) */
    for (uint64_t j = UINT64_C(1) << bins.bits; j-- > 0;) {
        double reach = values_above(values, rcm_bin_edge(bins, j)), in = reach - over;
        double hit = in > 0.0 ? not_above(n - 1, over, (int64_t)k - 1) -
                                    not_above(n - 1, reach, (int64_t)k - 2)
                              : 0.0;
        if (hit > 0.0) {
            bin.mean += (double)n * in * hit;
            if (places < n)
                bin.overflow += overflow_of_bin(n, k, over, in, places);
        }
        over = reach;
    }
    bin.overflow = fmin(bin.overflow, 1.0);
    return bin;
}
