/* recall_lower.c - a lower bound on the expected recall, from measured rows: see simulate.h.
 *
 * N rows lose X_1 .. X_N elements. These are independent, have the same distribution with the mean
 * mu, and lie in [0, w]. Suppose that mu >= m for some m < w. Then for a stake s in [0, 1] the
 * product over rows of 1 + s (m - X)/(w - m) is not negative, and its expectation is
 * (1 + s (m - mu)/(w - m))^N <= 1. Both also hold for the mean of such products over several
 * stakes, with weights that sum to 1. By Markov's inequality this mean reaches 1/alpha with a
 * probability of at most alpha. It rises with m, so the least m at which it reaches 1/alpha is an
 * upper bound on mu.
 *
 * docs/simulation.md 2 says how the stakes are chosen.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "simulate.h"

#define STAKES 34 /* 2^-33 is below 1/sqrt(2^64) */

/* The log of the product over rows for one stake and m < most. */
static double log_product(const struct sim_lost *lost, double m, double stake)
{
    double most = (double)lost->most, sum = 0.0;
    for (size_t i = 0; i < lost->length; i++)
        if (lost->count[i])
            sum += (double)lost->count[i] *
                   log1p(stake * (m - (double)(lost->first + i)) / (most - m));
    return sum; /* -inf if a row lost the most and the stake is 1 */
}

/* The log of the weighted mean of the products. The stake 1 has half of the weight; 1/2, 1/4, ..
 * 2^-halvings share the other half equally. */
static double log_evidence(const struct sim_lost *lost, double m, unsigned halvings)
{
    double logs[STAKES], largest = -INFINITY, sum = 0.0;
    for (unsigned j = 0; j <= halvings; j++) {
        logs[j] = log_product(lost, m, ldexp(1.0, -(int)j)) + log(j ? 0.5 / halvings : 0.5);
        largest = fmax(largest, logs[j]);
    }
    if (!isfinite(largest))
        return largest;
    for (unsigned j = 0; j <= halvings; j++)
        sum += exp(logs[j] - largest);
    return largest + log(sum);
}

/* The least h >= 1 with 2^-h <= 1/sqrt(rows). */
static unsigned halvings_of(uint64_t rows)
{
    unsigned halvings = 1;
    while (halvings < STAKES - 2 && ldexp(1.0, 2 * (int)halvings) < (double)rows)
        halvings++;
    return halvings;
}

double sim_recall_lower(const struct sim_lost *lost, uint64_t k, double alpha, size_t comparisons)
{
    uint64_t rows = 0;
    double sum = 0.0, most = (double)lost->most;
    for (size_t i = 0; i < lost->length; i++) {
        rows += lost->count[i];
        sum += (double)lost->count[i] * (double)(lost->first + i);
    }
    if (rows == 0 || !(alpha > 0.0 && alpha < 1.0) || comparisons == 0)
        return NAN;
    double low = sum / (double)rows, high = most, wanted = log((double)comparisons) - log(alpha);
    unsigned halvings = halvings_of(rows);
    /* At `high` the evidence is enough. It starts at `most`, which is a bound in any case. */
    while (high - low > 1e-9 * most) {
        double middle = 0.5 * (low + high);
        if (log_evidence(lost, middle, halvings) >= wanted)
            high = middle;
        else
            low = middle;
    }
    return 1.0 - high / (double)k;
}

double sim_rows_needed(double most, double loss, double alpha)
{
    return most <= loss ? 1.0 : ceil(log(0.5 * alpha) / log1p(-loss / most));
}
