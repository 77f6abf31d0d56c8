/* lost.c - the law of the number of lost elements in one row: which method computes it, and what
 * follows from it. Derivation: docs/models.md 12.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <model/recallmodel/recall.h>
#include <model/shape/classes.h>

#include <model/law/dd.h>
#include "lost_bounds.h"
#include "lost_inversion.h"
#include "lost_pair.h"

static const size_t longest_law = (size_t)1 << 22;

/* The law where only one value is possible. */
static int one_value(struct rcm_lost *law, uint64_t value, uint64_t most)
{
    *law = (struct rcm_lost){value, most, 1, malloc(sizeof *law->probability)};
    if (!law->probability)
        return -1;
    law->probability[0] = 1.0;
    return 0;
}

static int law_of(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                  const struct lost_precision *precision, struct rcm_lost *law)
{
    *law = (struct rcm_lost){0};
    if (!classes_legal(buckets, k, k_b))
        return -1;
    const double mean = (double)k * rcm_buckets_loss(buckets, k, k_b);
    const double sd = (double)k * rcm_buckets_sd(buckets, k, k_b);
    const uint64_t most = classes_most_lost(buckets, k, k_b);
    if (sd < 1e-8) /* another value is at most 4 sd^2 as likely */
        return one_value(law, (uint64_t)nearbyint(mean), most);
    if (24.0 * sd > (double)longest_law)
        return -1;
    uint64_t filled = 0;
    for (unsigned c = 0; c < buckets->classes; c++)
        filled += buckets->of[c].size ? buckets->of[c].count : 0;
    int status;
    if (filled == 2) {
        status = lost_of_pair(buckets->of[0].size, buckets->of[buckets->of[0].count == 1].size, k,
                              k_b, longest_law, law);
    } else {
        status = lost_by_inversion(buckets, k, k_b, sd, longest_law, precision, law);
    }
    if (status != 0) {
        rcm_lost_free(law);
        return status;
    }
    law->most = most;
    if (law->length > most - law->first + 1)
        law->length = (size_t)(most - law->first + 1);
    return 0;
}

int rcm_buckets_lost(const struct rcm_buckets *buckets, uint64_t k, uint64_t k_b,
                     struct rcm_lost *law)
{
    return law_of(buckets, k, k_b, &lost_full, law);
}

int rcm_lost(struct rcm_topk p, struct rcm_lost *law)
{
    struct rcm_buckets buckets = rcm_buckets_of(p);
    return rcm_buckets_lost(&buckets, p.k, p.k_b, law);
}

void rcm_lost_free(struct rcm_lost *law)
{
    free(law->probability);
    *law = (struct rcm_lost){0};
}

double rcm_lost_at_most(const struct rcm_lost *law, double lost)
{
    double sum = 0.0, rounding = 0.0; /* a million roundings would add up to 1e-12 */
    if (!(lost >= (double)law->first))
        return 0.0;
    if (lost - (double)law->first >= (double)law->length || lost >= (double)law->most)
        return 1.0;
    for (size_t e = 0; e <= (size_t)(lost - (double)law->first); e++) {
        const struct dd next = dd_two_sum(sum, law->probability[e]);
        sum = next.hi;
        rounding += next.lo;
    }
    return fmin(sum + rounding, 1.0);
}

double lost_coarsely_at_most(struct rcm_topk p, uint64_t lost)
{
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    struct rcm_lost law;
    if (law_of(&buckets, p.k, p.k_b, &lost_coarse, &law) != 0)
        return NAN;
    const double at_most = rcm_lost_at_most(&law, (double)lost);
    rcm_lost_free(&law);
    return at_most;
}

/* log E[exp(t X)] and its derivative by t, for t >= 0: the largest term is taken out. */
static double log_moment(const struct rcm_lost *law, double t, double *slope)
{
    double sum = 0.0, weighted = 0.0;
    const double last = (double)(law->length - 1);
    for (size_t e = 0; e < law->length; e++) {
        const double term = law->probability[e] * exp(t * ((double)e - last));
        sum += term;
        weighted += term * (double)e;
    }
    *slope = (double)law->first + weighted / sum;
    return t * ((double)law->first + last) + log(sum);
}

double rcm_lost_more_of_rows(const struct rcm_lost *law, uint64_t m, double lost)
{
    if (m <= 1)
        return law->length ? 1.0 - rcm_lost_at_most(law, lost) : 1.0;
    const double x = (floor(lost) + 1.0) / (double)m; /* a row, in the mean */
    double slope, low = 0.0, high = 1e-6;
    if (law->length == 0 || !(log_moment(law, 0.0, &slope), x > slope))
        return 1.0;
    while (log_moment(law, high, &slope), slope < x && high < 1e3)
        high *= 2.0;
    for (unsigned i = 0; i < 50; i++) { /* the exponent is convex: its slope is 0 at the best t */
        const double t = 0.5 * (low + high);
        log_moment(law, t, &slope);
        if (slope < x)
            low = t;
        else
            high = t;
    }
    const double exponent = (double)m * (log_moment(law, low, &slope) - low * x);
    return fmin(exp(fmin(exponent, 0.0)) + (double)m * RCM_LOST_MAX_ERROR, 1.0);
}

/* The smallest e such that at most a share `rest` of the rows loses more. */
static uint64_t quantile(const struct rcm_lost *law, double rest)
{
    size_t e = law->length;
    double above = 0.0; /* the probability of what stopping before e leaves out */
    if (rest < RCM_LOST_MAX_ERROR)
        return law->most;
    while (e > 1 && above + law->probability[e - 1] <= rest)
        above += law->probability[--e];
    return law->first + (e ? e - 1 : 0);
}

uint64_t rcm_lost_quantile(const struct rcm_lost *law, double probability)
{
    return quantile(law, 1.0 - probability);
}

/* The share of rows that may miss what all of m rows reach with this probability. */
static double rest_of(double probability, uint64_t m)
{
    return m == 1 ? 1.0 - probability : -expm1(log(probability) / (double)m);
}

double rcm_lost_recall_quantile(const struct rcm_lost *law, uint64_t k, double probability,
                                uint64_t m)
{
    if (law->length == 0 || m < 1 || !(probability > 0.0 && probability <= 1.0))
        return NAN;
    const double rest = rest_of(probability, m);
    if (probability < 1.0 && (rest < RCM_LOST_MAX_ERROR || (double)m * RCM_LOST_MAX_ERROR > 1e-3))
        return NAN;
    return (double)(k - quantile(law, rest)) / (double)k;
}

/* The coarse law answers where all that is within its error has the same quantile. */
double rcm_recall_quantile(struct rcm_topk p, double probability, uint64_t m)
{
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    const double rest = rest_of(probability, m);
    struct rcm_lost law;
    if (m >= 1 && rest > 2.0 * LOST_COARSE_ERROR && rest < 1.0 - LOST_COARSE_ERROR &&
        law_of(&buckets, p.k, p.k_b, &lost_coarse, &law) == 0) {
        const uint64_t lost = quantile(&law, rest);
        const bool sure = lost == quantile(&law, rest - LOST_COARSE_ERROR) &&
                          lost == quantile(&law, rest + LOST_COARSE_ERROR);
        rcm_lost_free(&law);
        if (sure)
            return (double)(p.k - lost) / (double)p.k;
    }
    rcm_lost(p, &law);
    const double recall = rcm_lost_recall_quantile(&law, p.k, probability, m);
    rcm_lost_free(&law);
    return recall;
}

double rcm_lost_all_at_most(const struct rcm_lost *law, double lost, uint64_t m)
{
    return law->length == 0 || (double)m * RCM_LOST_MAX_ERROR > 1e-3
               ? NAN
               : pow(rcm_lost_at_most(law, lost), (double)m);
}
