/* threshold_sample.c - see threshold_sample.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "threshold_sample.h"

#include <math.h>
#include <string.h>

#include <sim/selection/quickselect.h>

/* Steps of a hash: the word with its upper bits added to the lower ones, times an odd number. */
static uint32_t mixed(uint32_t x)
{
    const struct {
        unsigned down;
        uint32_t factor;
    } step[] = {{16, 2146121005}, {15, 2221713035}, {16, 1}};
    for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
        x ^= x >> step[i].down;
        x *= step[i].factor;
    }
    return x;
}

/* 2^32 over the golden ratio. */
static const uint32_t golden = 2654435769;

uint32_t sim_sample_seed(uint32_t call_seed, uint64_t row, uint32_t attempt)
{
    const uint32_t low = (uint32_t)row, high = (uint32_t)(row >> 32);
    return mixed(mixed(mixed(call_seed + attempt * golden) ^ low) ^ high);
}

/* Point number `at` of the 2^32 of a row, of which each piece of the sample has an equal part. */
uint32_t sim_sample_place(struct sim_sample sample, uint32_t j, uint32_t whole, uint32_t seed)
{
    const uint64_t points = UINT64_C(1) << (32 - sample.log2_pieces),
                   at = j * points + mixed(seed + j * golden) / (1u << sample.log2_pieces);
    return (uint32_t)(at * whole / (UINT64_C(1) << 32));
}

/* -ln of the bound on the probability that a sum of a mean m of independent numbers in [0, 1] lies
 * at y or beyond. */
static double exponent(double y, double m)
{
    return m - y + (y > 0.0 ? y * log(y / m) : 0.0);
}

/* Where exponent() is `risk`, between `near`, where it is less, and `far`: a number not nearer. */
static double bisected(double near, double far, double risk, double given, int given_is_mean)
{
    for (int i = 0; i < 200; i++) {
        const double x = near + (far - near) / 2.0;
        if ((given_is_mean ? exponent(x, given) : exponent(given, x)) < risk)
            near = x;
        else
            far = x;
    }
    return far;
}

static double pieces_of(struct sim_sample sample)
{
    return ldexp(1.0, (int)sample.log2_pieces);
}

double sim_sample_rank(struct sim_sample sample, double n, double k, double risk)
{
    const double v = sample.piece, size = pieces_of(sample) * v, m = k * (size / v) / (n - 2.0 * v),
                 rank = ceil(v * bisected(m, m + 2.0 * risk + 2.0 * sqrt(m * risk), risk, m, 1));
    return rank <= size ? rank : INFINITY;
}

double sim_sample_rank_inside(struct sim_sample sample, double n, double k, double risk)
{
    const double v = sample.piece, m = (k - 2.0 * v) * pieces_of(sample) / n;
    return m > 2.0 * risk ? floor(v * bisected(m, 0.0, risk, m, 1)) + 1.0 : 0.0;
}

double sim_sample_most(struct sim_sample sample, double n, double rank, double risk)
{
    const double v = sample.piece, y = rank / v,
                 m = bisected(y, y + 2.0 * risk + 2.0 * sqrt(y * risk), risk, y, 0);
    return m * n / pieces_of(sample) + 2.0 * v;
}

uint64_t sim_sample_threshold(struct sim_sample sample, uint32_t rank, uint32_t seed,
                              const uint64_t *keys, size_t n, size_t before, uint64_t *scratch,
                              uint32_t *at)
{
    const size_t piece = sample.piece, pieces = (size_t)1 << sample.log2_pieces;
    const uint32_t whole = (uint32_t)((n - before) / piece);
    for (uint32_t j = 0; j < pieces; j++)
        memcpy(scratch + j * piece,
               keys + before + sim_sample_place(sample, j, whole, seed) * piece,
               piece * sizeof *keys);
    return select_largest(scratch, pieces * piece, rank, scratch + pieces * piece, at).threshold;
}
