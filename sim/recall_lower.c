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
 * Groups of rows are bet on in the same way. X is the mean loss of a row of the group, and the
 * stake is multiplied by the rows of the group over those of the largest one.
 *
 * docs/simulation.md 2 says how the stakes are chosen, and "Groups" there why that is right.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "simulate.h"

#define STAKES 34 /* 2^-33 is below 1/sqrt(2^64) */

/* What is bet on: rows that lost the same, or one group of rows. */
struct sample {
    double loss, weight, count; /* the mean loss of a row; the stake's share, at most 1 */
};

struct samples {
    const struct sim_lost *lost; /* NULL: groups */
    const struct sim_group_lost *group;
    double most, largest; /* that a row can lose; rows of the largest group */
    size_t length;
    uint64_t count; /* of rows or groups */
};

static struct sample sample_at(const struct samples *samples, size_t i)
{
    if (samples->lost)
        return (struct sample){(double)(samples->lost->first + i), 1.0,
                               (double)samples->lost->count[i]};
    const double rows = (double)samples->group[i].rows;
    return (struct sample){rows > 0.0 ? (double)samples->group[i].lost / rows : 0.0,
                           rows / samples->largest, rows > 0.0};
}

/* The log of the product over samples for one stake and m < most. */
static double log_product(const struct samples *samples, double m, double stake)
{
    double sum = 0.0;
    for (size_t i = 0; i < samples->length; i++) {
        const struct sample sample = sample_at(samples, i);
        if (sample.count > 0.0)
            sum += sample.count *
                   log1p(stake * sample.weight * (m - sample.loss) / (samples->most - m));
    }
    return sum; /* -inf if a sample lost the most and its stake is 1 */
}

/* The log of the weighted mean of the products. The stake 1 has half of the weight; 1/2, 1/4, ..
 * 2^-halvings share the other half equally. */
static double log_evidence(const struct samples *samples, double m, unsigned halvings)
{
    double logs[STAKES], largest = -INFINITY, sum = 0.0;
    for (unsigned j = 0; j <= halvings; j++) {
        logs[j] = log_product(samples, m, ldexp(1.0, -(int)j)) + log(j ? 0.5 / halvings : 0.5);
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

/* The bound on the recall, from samples whose mean loss is `mean`. */
static double lower_bound(const struct samples *samples, double mean, uint64_t k, double alpha,
                          size_t comparisons)
{
    double low = mean, high = samples->most, wanted = log((double)comparisons) - log(alpha);
    unsigned halvings = halvings_of(samples->count);
    /* At `high` the evidence is enough. It starts at `most`, which is a bound in any case. */
    while (high - low > 1e-9 * samples->most) {
        double middle = 0.5 * (low + high);
        if (log_evidence(samples, middle, halvings) >= wanted)
            high = middle;
        else
            low = middle;
    }
    return 1.0 - high / (double)k;
}

double sim_recall_lower(const struct sim_lost *lost, uint64_t k, double alpha, size_t comparisons)
{
    struct samples samples = {.lost = lost, .most = (double)lost->most, .length = lost->length};
    double sum = 0.0;
    for (size_t i = 0; i < lost->length; i++) {
        samples.count += lost->count[i];
        sum += (double)lost->count[i] * (double)(lost->first + i);
    }
    if (samples.count == 0 || !(alpha > 0.0 && alpha < 1.0) || comparisons == 0)
        return NAN;
    return lower_bound(&samples, sum / (double)samples.count, k, alpha, comparisons);
}

double sim_recall_lower_groups(const struct sim_group_lost *group, size_t groups, uint64_t most,
                               uint64_t k, double alpha, size_t comparisons)
{
    struct samples samples = {.group = group, .most = (double)most, .length = groups};
    double sum = 0.0, rows = 0.0;
    for (size_t i = 0; i < groups; i++) {
        samples.count += group[i].rows > 0;
        samples.largest = fmax(samples.largest, (double)group[i].rows);
        sum += (double)group[i].lost;
        rows += (double)group[i].rows;
    }
    if (samples.count < SIM_GROUPS_FEWEST || !(alpha > 0.0 && alpha < 1.0) || comparisons == 0)
        return NAN;
    return lower_bound(&samples, sum / rows, k, alpha, comparisons);
}

double sim_rows_needed(double most, double loss, double alpha)
{
    return most <= loss ? 1.0 : ceil(log(0.5 * alpha) / log1p(-loss / most));
}
