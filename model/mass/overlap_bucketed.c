/* overlap_bucketed.c - bucketed top-k by other scores: see recallmodel/overlap.h. Derivation:
 * docs/models.md, "Quantised products".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/recallmodel/overlap.h>
#include <model/recallmodel/recall.h>

#include "scores.h"

#define LOWEST (-9.0) /* of a normal score: 1e-19 lie below, and above the opposite */
#define WIDEST 0.5    /* of a panel */
#define RAMP 10.0     /* so many standard deviations on either side the own score decides */

struct bucketed {
    struct rcm_buckets buckets;
    uint64_t k_b;
    double n;
    double own; /* the score above which the own top k lie */
    double correlation, other_sd;
};

static double above(double z)
{
    return 0.5 * erfc(z * sqrt(0.5));
}

/* Does an element survive above which the share y of the row lies? Between two ranks in proportion.
 */
static double survives(const struct bucketed *q, double y)
{
    const double rank = fmin(fmax(y * q->n + 0.5, 1.0), q->n), whole = floor(rank);
    const double at = rcm_buckets_survival(&q->buckets, q->k_b, (uint64_t)whole);
    return whole == rank
               ? at
               : at + (rank - whole) *
                          (rcm_buckets_survival(&q->buckets, q->k_b, (uint64_t)whole + 1) - at);
}

/* Shares of the row, from one score of the other up to a larger one: what survives, and of it what
 * is in the own top k. */
struct kept {
    double all, own;
};

static struct kept kept_between(const struct bucketed *q, double from, double to)
{
    struct kept kept = {0.0, 0.0};
    for (unsigned i = 0; i < 2 * GAUSS_LEGENDRE_PAIRS; i++) {
        const double x = gauss_legendre[i / 2].x, z = from + (to - from) * (i % 2 ? 1.0 - x : x);
        const double all = (to - from) * gauss_legendre[i / 2].weight * survives(q, above(z)) *
                           exp(-0.5 * z * z) / sqrt(2.0 * acos(-1.0));
        const double gap = q->own - q->correlation * z;
        kept.all += all;
        kept.own += all * above(gap / q->other_sd);
    }
    return kept;
}

/* The end of the panel that begins at `at` and goes down: what is summed bends over the width of
 * the ramp, and as the k_b-th of a bucket is distributed. */
static double next_panel(const struct bucketed *q, double at)
{
    const double ramp = q->other_sd / q->correlation, middle = q->own / q->correlation;
    const double first = middle + RAMP * ramp, last = middle - RAMP * ramp;
    double end = at - WIDEST / fmax(1.0, sqrt((double)q->k_b) / 8.0);
    if (at > first)
        return fmax(end, first);
    if (at > last)
        end = fmax(fmax(end, at - 2.0 * ramp), last);
    return end;
}

/* Where in a panel so much has survived, from its upper end on. */
static double where(const struct bucketed *q, double from, double to, double wanted)
{
    double low = from, high = to;
    for (unsigned step = 0; step < 40 && high - low > 1e-15 * fabs(high); step++) {
        const double middle = 0.5 * (low + high);
        if (kept_between(q, middle, to).all < wanted)
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

/* A row of n loses so many elements more than a long row, which would lose this many of its top k:
 * its k-th largest scores are not where their quantiles are. */
static double of_the_row(double lost)
{
    const double pi = acos(-1.0);
    return -expm1(-2.0 * pi * (sqrt(2.0) - 1.0) * lost) / (2.0 * pi);
}

/* The own top k by the other scores, where those above `last` survive and lose this share. */
static double of_row(const struct bucketed *q, double k, double recall, double last)
{
    /* where the last taken is surely of the own top k, or surely not, nothing swaps there */
    const double gap = (q->own - q->correlation * last) / q->other_sd;
    return fmax(recall - of_the_row(k * (1.0 - recall)) * exp(-0.5 * gap * gap) / k, 0.0);
}

static double of_long_row(const struct bucketed *q, double share, double *last)
{
    struct kept sum = {0.0, 0.0};
    for (*last = fmax(q->own, 0.0) - LOWEST; *last > LOWEST && sum.all < share;) {
        double end = next_panel(q, *last);
        struct kept panel = kept_between(q, end, *last);
        if (sum.all + panel.all > share) {
            end = where(q, end, *last, share - sum.all);
            panel = kept_between(q, end, *last);
        }
        sum.all += panel.all;
        sum.own += panel.own;
        if (end < *last - 1e-9 && panel.all < 1e-13 * sum.all && *last < q->own)
            break;
        *last = end;
        if (share - sum.all < 1e-11 * share)
            break;
    }
    return fmin(sum.own / share, 1.0);
}

double rcm_overlap_bucketed(struct rcm_topk p, double correlation)
{
    if (rcm_check(p) != RCM_OK || p.lengths || !(correlation > 0.0 && correlation <= 1.0))
        return NAN;
    const double k = (double)p.k, n = (double)(p.valid ? p.valid : p.n), share = k / n;
    if (share == 1.0 || correlation == 1.0)
        return rcm_recall_exact(p);
    const struct bucketed q = {rcm_buckets_of(p),
                               p.k_b,
                               n,
                               normal_score(log(share) - log1p(-share)),
                               correlation,
                               sqrt((1.0 - correlation) * (1.0 + correlation))};
    if (rcm_loss_exact(p) == 0.0)
        return of_row(&q, k, rcm_overlap(share, share, correlation), q.own);
    double last;
    const double recall = of_long_row(&q, share, &last);
    /* survival falls with the rank, so no other order keeps more than the own */
    return fmin(of_row(&q, k, recall, last), rcm_recall_exact(p));
}
