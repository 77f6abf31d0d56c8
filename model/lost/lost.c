/* lost.c - the distribution of the number of lost elements in one row: which method computes it,
 * and what follows from it. Derivation: docs/models.md 12.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <model/recallmodel/recall.h>
#include <model/shape/classes.h>
#include <model/shape/shape.h>

#include <model/distribution/dd.h>
#include "lost_bounds.h"
#include "lost_inversion.h"
#include "lost_pair.h"

static const size_t longest_distribution = (size_t)1 << 22;

/* The distribution where only one value is possible. */
static int one_value(struct rcm_lost *dist, uint64_t value, uint64_t most)
{
    *dist = (struct rcm_lost){value, most, 1, malloc(sizeof *dist->probability)};
    if (!dist->probability)
        return -1;
    dist->probability[0] = 1.0;
    return 0;
}

static int distribution_of(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                           const struct lost_precision *precision, struct rcm_lost *dist)
{
    *dist = (struct rcm_lost){0};
    if (!classes_legal(buckets, k, k_b))
        return -1;
    const double mean = (double)k * rcm_buckets_loss(buckets, k, k_b);
    const double sd = (double)k * rcm_buckets_sd(buckets, k, k_b);
    const uint64_t most = classes_most_lost(buckets, k, k_b);
    if (sd < 1e-8) /* another value is at most 4 sd^2 as likely */
        return one_value(dist, (uint64_t)nearbyint(mean), most);
    if (24.0 * sd > (double)longest_distribution)
        return -1;
    uint64_t filled = 0;
    for (unsigned c = 0; c < buckets->classes; c++)
        filled += buckets->of[c].size ? buckets->of[c].count : 0;
    int status;
    if (filled == 2) {
        status = lost_of_pair(buckets->of[0].size, buckets->of[buckets->of[0].count == 1].size, k,
                              k_b, longest_distribution, dist);
    } else {
        status = lost_by_inversion(buckets, k, k_b, sd, longest_distribution, precision, dist);
    }
    if (status != 0) {
        rcm_lost_free(dist);
        return status;
    }
    dist->most = most;
    if (dist->length > most - dist->first + 1)
        dist->length = (size_t)(most - dist->first + 1);
    return 0;
}

int rcm_buckets_lost(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                     struct rcm_lost *dist)
{
    return distribution_of(buckets, k, k_b, &lost_full, dist);
}

/* Adds a share of a distribution to a sum of such. */
static int add_share(struct rcm_lost *sum, const struct rcm_lost *dist, double share)
{
    const uint64_t end = dist->first + dist->length, had = sum->first + sum->length;
    const uint64_t first = sum->length && sum->first < dist->first ? sum->first : dist->first;
    const size_t length = (size_t)((had > end ? had : end) - first);
    if (length > longest_distribution)
        return -1;
    if (length > sum->length) {
        double *wider = calloc(length, sizeof *wider);
        for (size_t e = 0; e < sum->length && wider; e++)
            wider[sum->first - first + e] = sum->probability[e];
        free(sum->probability);
        *sum = (struct rcm_lost){first, sum->most, wider ? length : 0, wider};
        if (!wider)
            return -1;
    }
    for (size_t e = 0; e < dist->length; e++)
        sum->probability[dist->first - sum->first + e] += share * dist->probability[e];
    sum->most = dist->most > sum->most ? dist->most : sum->most;
    return 0;
}

/* The distribution of a row of p, or of one drawn from the rows of all its lengths. */
static int distribution_of_row(struct rcm_topk p, const struct lost_precision *precision,
                               struct rcm_lost *dist)
{
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    if (!p.lengths)
        return distribution_of(&buckets, p.k, p.k_b, precision, dist);
    *dist = (struct rcm_lost){0};
    int status = rcm_check(p) == RCM_OK ? 0 : -1;
    for (size_t i = 0; i < p.lengths->count && status == 0; i++) {
        struct rcm_topk row;
        struct rcm_lost of_length;
        status = shape_of_length(p, i, &row) ? distribution_of_row(row, precision, &of_length)
                                             : one_value(&of_length, 0, 0);
        if (status == 0)
            status = add_share(dist, &of_length, shape_share(p, i));
        rcm_lost_free(&of_length);
    }
    if (status != 0)
        rcm_lost_free(dist);
    return status;
}

int rcm_lost(struct rcm_topk p, struct rcm_lost *dist)
{
    return distribution_of_row(p, &lost_full, dist);
}

void rcm_lost_free(struct rcm_lost *dist)
{
    free(dist->probability);
    *dist = (struct rcm_lost){0};
}

double rcm_lost_at_most(const struct rcm_lost *dist, double lost)
{
    double sum = 0.0, rounding = 0.0; /* a million roundings would add up to 1e-12 */
    if (!(lost >= (double)dist->first))
        return 0.0;
    if (lost - (double)dist->first >= (double)dist->length || lost >= (double)dist->most)
        return 1.0;
    for (size_t e = 0; e <= (size_t)(lost - (double)dist->first); e++) {
        const struct dd next = dd_two_sum(sum, dist->probability[e]);
        sum = next.hi;
        rounding += next.lo;
    }
    return fmin(sum + rounding, 1.0);
}

double lost_coarsely_at_most(struct rcm_topk p, uint64_t lost)
{
    struct rcm_lost dist;
    if (distribution_of_row(p, &lost_coarse, &dist) != 0)
        return NAN;
    const double at_most = rcm_lost_at_most(&dist, (double)lost);
    rcm_lost_free(&dist);
    return at_most;
}

/* log E[exp(t X)] and its derivative by t, for t >= 0: the largest term is taken out. */
static double log_moment(const struct rcm_lost *dist, double t, double *slope)
{
    double sum = 0.0, weighted = 0.0;
    const double last = (double)(dist->length - 1);
    for (size_t e = 0; e < dist->length; e++) {
        const double term = dist->probability[e] * exp(t * ((double)e - last));
        sum += term;
        weighted += term * (double)e;
    }
    *slope = (double)dist->first + weighted / sum;
    return t * ((double)dist->first + last) + log(sum);
}

double rcm_lost_more_of_rows(const struct rcm_lost *dist, uint64_t m, double lost)
{
    if (m <= 1)
        return dist->length ? 1.0 - rcm_lost_at_most(dist, lost) : 1.0;
    const double x = (floor(lost) + 1.0) / (double)m; /* a row, in the mean */
    double slope, low = 0.0, high = 1e-6;
    if (dist->length == 0 || !(log_moment(dist, 0.0, &slope), x > slope))
        return 1.0;
    while (log_moment(dist, high, &slope), slope < x && high < 1e3)
        high *= 2.0;
    for (unsigned i = 0; i < 50; i++) { /* the exponent is convex: its slope is 0 at the best t */
        const double t = 0.5 * (low + high);
        log_moment(dist, t, &slope);
        if (slope < x)
            low = t;
        else
            high = t;
    }
    const double exponent = (double)m * (log_moment(dist, low, &slope) - low * x);
    return fmin(exp(fmin(exponent, 0.0)) + (double)m * RCM_LOST_MAX_ERROR, 1.0);
}

/* The smallest e such that at most a share `rest` of the rows loses more. */
static uint64_t quantile(const struct rcm_lost *dist, double rest)
{
    size_t e = dist->length;
    double above = 0.0; /* the probability of what stopping before e leaves out */
    if (rest < RCM_LOST_MAX_ERROR)
        return dist->most;
    while (e > 1 && above + dist->probability[e - 1] <= rest)
        above += dist->probability[--e];
    return dist->first + (e ? e - 1 : 0);
}

uint64_t rcm_lost_quantile(const struct rcm_lost *dist, double probability)
{
    return quantile(dist, 1.0 - probability);
}

/* The share of rows that may miss what all of m rows reach with this probability. */
static double rest_of(double probability, uint64_t m)
{
    return m == 1 ? 1.0 - probability : -expm1(log(probability) / (double)m);
}

double rcm_lost_recall_quantile(const struct rcm_lost *dist, uint64_t k, double probability,
                                uint64_t m)
{
    if (dist->length == 0 || m < 1 || !(probability > 0.0 && probability <= 1.0))
        return NAN;
    const double rest = rest_of(probability, m);
    if (probability < 1.0 && (rest < RCM_LOST_MAX_ERROR || (double)m * RCM_LOST_MAX_ERROR > 1e-3))
        return NAN;
    return (double)(k - quantile(dist, rest)) / (double)k;
}

/* The coarse distribution answers where all that is within its error has the same quantile. */
double rcm_recall_quantile(struct rcm_topk p, double probability, uint64_t m)
{
    const double rest = rest_of(probability, m);
    struct rcm_lost dist;
    if (m >= 1 && rest > 2.0 * LOST_COARSE_ERROR && rest < 1.0 - LOST_COARSE_ERROR &&
        distribution_of_row(p, &lost_coarse, &dist) == 0) {
        const uint64_t lost = quantile(&dist, rest);
        const bool sure = lost == quantile(&dist, rest - LOST_COARSE_ERROR) &&
                          lost == quantile(&dist, rest + LOST_COARSE_ERROR);
        rcm_lost_free(&dist);
        if (sure)
            return (double)(p.k - lost) / (double)p.k;
    }
    rcm_lost(p, &dist);
    const double recall = rcm_lost_recall_quantile(&dist, p.k, probability, m);
    rcm_lost_free(&dist);
    return recall;
}

double rcm_lost_all_at_most(const struct rcm_lost *dist, double lost, uint64_t m)
{
    return dist->length == 0 || (double)m * RCM_LOST_MAX_ERROR > 1e-3
               ? NAN
               : pow(rcm_lost_at_most(dist, lost), (double)m);
}
