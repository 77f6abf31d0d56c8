/* quantised.c - see recallmodel/quantised.h. Derivation: docs/models.md, "Quantised products".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include <model/recallmodel/quantised.h>

#include "scores.h"

#define F4E2M1 \
    { \
        "f4e2m1", 1, 1, 0x7 \
    }

static const struct rcm_quantised quantised[] = {
    {"f8e4m3", 8.0, {"f8e4m3", 3, 7, 0x7e}, 0, RCM_SCALE_REAL},
    {"f8e5m2", 8.0, {"f8e5m2", 2, 15, 0x7b}, 0, RCM_SCALE_REAL},
    /* integers are the subnormal numbers of a format whose unit is 1 */
    {"int8", 8.0, {"int8", 7, -6, 127}, 0, RCM_SCALE_REAL},
    {"nvfp4", 4.5, F4E2M1, 16, RCM_SCALE_E4M3},
    {"mxfp4", 4.25, F4E2M1, 32, RCM_SCALE_POWER_OF_TWO},
};

const struct rcm_quantised *rcm_quantised(size_t index)
{
    return index < sizeof quantised / sizeof *quantised ? &quantised[index] : NULL;
}

const struct rcm_quantised *rcm_quantised_by_name(const char *name)
{
    for (size_t i = 0; name && rcm_quantised(i); i++)
        if (strcmp(rcm_quantised(i)->name, name) == 0)
            return rcm_quantised(i);
    return NULL;
}

/* The scale of a block with this largest magnitude. What is rounded to a grid is as likely to lie
 * anywhere between two powers of two: phase is in [0, 1). */
static double scale_of(const struct rcm_quantised *stored, double largest, double phase)
{
    const double number = rcm_format_value(&stored->elements, stored->elements.last);
    const double unit = exp2(-phase), exact = largest / number;
    int exponent, of_number;
    if (stored->scale == RCM_SCALE_REAL)
        return exact;
    if (stored->scale == RCM_SCALE_E4M3) {
        const double fraction = frexp(exact / unit, &exponent);
        return ldexp(nearbyint(16.0 * fraction), exponent - 4) * unit;
    }
    frexp(largest / unit, &exponent);
    frexp(number, &of_number);
    return ldexp(unit, exponent - of_number);
}

/* Means over an element x and the error e of what it is stored as. */
struct errors {
    double ee, xe, xxee, xxxe;
};

/* Integrals of the density times 1, x, .., x^4 from x to infinity. */
struct tail {
    double of[5];
};

static struct tail tail_from(double x)
{
    const double density = exp(-0.5 * x * x) / sqrt(2.0 * acos(-1.0));
    struct tail t = {{0.5 * erfc(x * sqrt(0.5)), density}};
    for (unsigned power = 2; power < 5; power++)
        t.of[power] = (power - 1) * t.of[power - 2] + pow(x, power - 1) * density;
    return t;
}

/* Adds the elements of a cell, which are stored as `value`: m has the integrals over the cell. */
static void add_cell(struct errors *sum, const double m[5], double value, double weight)
{
    sum->ee += weight * (value * value * m[0] - 2.0 * value * m[1] + m[2]);
    sum->xe += weight * (value * m[1] - m[2]);
    sum->xxee += weight * (value * value * m[2] - 2.0 * value * m[3] + m[4]);
    sum->xxxe += weight * (value * m[3] - m[4]);
}

/* Adds a block whose largest magnitude is given: one element of B is that, the others are smaller.
 */
static void add_block(struct errors *sum, const struct rcm_quantised *stored, double size,
                      double largest, double phase)
{
    const double scale = scale_of(stored, largest, phase), others = (size - 1.0) / size;
    const struct tail beyond = tail_from(largest);
    struct tail from = tail_from(0.0);
    const double weight = others / (from.of[0] - beyond.of[0]);
    double value = 0.0, edge = 0.0;
    for (uint32_t bits = 0; bits <= stored->elements.last && edge < largest; bits++) {
        const double end = bits < stored->elements.last
                               ? fmin(scale * rcm_format_edge(&stored->elements, bits + 1), largest)
                               : largest;
        const struct tail to = end < largest ? tail_from(end) : beyond;
        double m[5];
        for (unsigned power = 0; power < 5; power++)
            m[power] = from.of[power] - to.of[power];
        value = scale * rcm_format_value(&stored->elements, bits);
        add_cell(sum, m, value, weight);
        from = to;
        edge = end;
    }
    const double x2 = largest * largest;
    add_cell(sum, (double[5]){1.0, largest, x2, x2 * largest, x2 * x2}, value, 1.0 / size);
}

#define BLOCKS 2048
#define GOLDEN 0.61803398874989485

static struct errors mean_errors(const struct rcm_quantised *stored, double size)
{
    struct errors mean = {0};
    for (unsigned i = 0; i < BLOCKS; i++) {
        /* the share of the normal distribution beyond the largest of the block, on one side */
        const double log_below = log((i + 0.5) / BLOCKS) / size;
        const double share = -0.5 * expm1(log_below);
        const double largest = normal_score(log(share) - log1p(-share));
        add_block(&mean, stored, size, largest, fmod(i * GOLDEN, 1.0));
    }
    mean.ee /= BLOCKS;
    mean.xe /= BLOCKS;
    mean.xxee /= BLOCKS;
    mean.xxxe /= BLOCKS;
    return mean;
}

double rcm_quantised_correlation(const struct rcm_quantised *stored, uint64_t d, double share)
{
    if (!stored || d < 16 || d >> 32 || !(share > 0.0 && share < 1.0))
        return NAN;
    const double size = stored->block && stored->block < d ? stored->block : (double)d;
    const struct errors e = mean_errors(stored, size);
    /* stored = factor x + a rest, uncorrelated with x: its mean square, and that times x^2 */
    const double factor = 1.0 + e.xe, rest = e.ee - e.xe * e.xe;
    const double rest_x2 = e.xxee - 2.0 * e.xe * e.xxxe + 3.0 * e.xe * e.xe;
    const double score = normal_score(log(share) - log1p(-share));
    const double noise = rest / (factor * factor);
    const double grows =
        rest_x2 / (factor * factor) / ((double)d + 2.0); /* rest + 2 h2 = rest_x2 */
    const double variance = noise + (1.0 + noise) * (noise + (score * score - 1.0) * grows);
    return 1.0 / sqrt(1.0 + variance);
}
