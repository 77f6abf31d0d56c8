/* blocks.c - the recall of the top-k inside the best blocks. Derivation: docs/models.md 17.
 *
 * T is the rank that is the first in a further block, when `kept` blocks have been occupied. All
 * larger ranks are kept; the others are lost if they lie in other blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/recallmodel/blocks.h>
#include <model/recallmodel/recall.h>
#include <model/shape/bisect.h>

#include <model/distribution/sum_rule.h>
#include "occupancy.h"

static bool loses_nothing(struct rcm_blocks b)
{
    return b.k <= b.kept || b.kept == rcm_blocks_count(b);
}

/* The number of lost elements where T = r + 1: this one, and those of the k - T further ones that
 * are among the `others` of the n - T places left. */
struct lost_given {
    double mean, variance;
};

static struct lost_given lost_given(const struct occupancy *occupancy, uint64_t k, uint64_t r)
{
    const double places = (double)(occupancy->n - r - 1), wanted = (double)(k - r - 1);
    const double others = (double)(occupancy->n - occupancy->keys - 1);
    const double unwanted = (double)(occupancy->n - k);
    struct lost_given lost = {1.0, 0.0};
    if (places > 0.0)
        lost.mean += wanted * (others / places);
    if (places > 1.0)
        lost.variance =
            wanted * (others / places) * ((places - others) / places) * (unwanted / (places - 1.0));
    return lost;
}

/* ---- sums over T */

/* Points of the distribution of T, in both cases of the short block. */
enum { POINTS = 4096 };
struct arrivals {
    unsigned length;
    bool full; /* POINTS were not enough */
    struct lost_given lost[POINTS];
    double p[POINTS];     /* the share of the distribution that the point stands for */
    double loss, through; /* sums: of p times the mean lost for T <= k; of p for T > k */
};

/* A share of the sum that may be left out at each end. */
static const double NEGLIGIBLE = 1e-17;

/* What is summed: the ranks r = T - 1 in low .. high of one case, all of them T <= k (`lost`: then
 * the lost elements) or all of them T > k (then probabilities). */
struct part {
    struct occupancy occupancy;
    uint64_t k, low, high;
    bool lost;
};

/* How many terms from r on vary so little that the nodes of sum_rule() tell all of them; `slope` is
 * the slope of the logarithm of the terms. */
static uint64_t piece_from(const struct part *part, uint64_t r, bool upwards, struct exceeded at,
                           double slope)
{
    const double left = upwards ? (double)(part->high - r) + 1.0 : (double)(r - part->low) + 1.0;
    double length = fmin(1.8 * at.width, 5.0 / fabs(slope));
    if (at.empty > NEGLIGIBLE) { /* its logarithm changes by size/(n - r) in a step */
        const double rest = (double)(part->occupancy.n - r);
        length =
            fmin(length, fmin((double)r / 5.0, 1.5 * rest / (double)part->occupancy.of[0].size));
    }
    return (uint64_t)fmin(fmax(length, 16.0), left);
}

/* Adds one term of the distribution with a weight. Returns what is summed. */
static double add_term(struct arrivals *a, const struct part *part, uint64_t r, double weight,
                       double probability)
{
    if (!part->lost) {
        a->through += weight * probability;
        return probability;
    }
    const struct lost_given lost = lost_given(&part->occupancy, part->k, r);
    a->p[a->length] = weight * probability;
    a->lost[a->length++] = lost;
    a->loss += weight * probability * lost.mean;
    return probability * lost.mean;
}

/* Adds the terms from `start` on, in pieces, until the rest is negligible: the terms are
 * log-concave, so beyond a piece they fall at least as fast as at its end. */
static void add_terms(struct arrivals *a, const struct part *part, uint64_t start, bool upwards)
{
    const uint64_t end = upwards ? part->high : part->low;
    double fall = 0.0;
    for (uint64_t r = start;; r = upwards ? r + 1 : r - 1) {
        struct exceeded at = occupancy_exceeded_at(&part->occupancy, r);
        const uint64_t length = piece_from(part, r, upwards, at, r == start ? at.slope : fall);
        const struct sum_rule rule = sum_rule(length);
        double term = 0.0, previous = 0.0;
        if (a->length + rule.nodes > POINTS) {
            a->full = true;
            return;
        }
        for (unsigned i = 0; i < rule.nodes; i++) {
            const uint64_t here = upwards ? r + rule.at[i] : r - rule.at[i];
            if (i > 0)
                at = occupancy_exceeded_at(&part->occupancy, here);
            previous = term;
            term = add_term(a, part, here, rule.weight[i], at.probability);
        }
        r = upwards ? r + (length - 1) : r - (length - 1);
        if (r == end || !(term > 0.0))
            return;
        const unsigned last = rule.nodes - 1; /* at least 15 here */
        fall = log(previous / term) / (double)(rule.at[last] - rule.at[last - 1]);
        if (fall > 0.0 && term <= NEGLIGIBLE * expm1(fall) * (part->lost ? a->loss : a->through))
            return;
    }
}

/* Adds the ranks of both cases: those with T <= k, or those with T > k. */
static void add_cases(struct arrivals *a, struct rcm_blocks b, bool lost)
{
    const double share = (double)b.kept * (double)b.size / (double)b.n;
    const double middle = -(double)b.n * expm1(log1p(-fmin(share, 1.0)) / (double)b.size);
    for (unsigned short_one = 0; short_one < 2; short_one++) {
        struct part part = {.occupancy = occupancy_of(b, short_one), .k = b.k, .lost = lost};
        const struct occupancy *occupancy = &part.occupancy;
        part.low = lost || occupancy->blocks > b.k ? occupancy->blocks : b.k;
        part.high = lost && b.k - 1 < occupancy->keys ? b.k - 1 : occupancy->keys;
        if (occupancy->blocks == 0 || part.low > part.high)
            continue;
        const uint64_t start = (uint64_t)fmin(fmax(middle, (double)part.low), (double)part.high);
        add_terms(a, &part, start, false);
        if (start < part.high)
            add_terms(a, &part, start + 1, true);
    }
}

/* The cases in which a row loses some; false where there are none, and then *value is the loss and
 * its standard deviation. */
static bool losing_cases(struct rcm_blocks b, struct arrivals *a, double *value)
{
    *a = (struct arrivals){.length = 0};
    *value = rcm_blocks_check(b) == RCM_OK ? 0.0 : NAN;
    if (isnan(*value) || loses_nothing(b))
        return false;
    add_cases(a, b, true);
    return true;
}

double rcm_blocks_loss(struct rcm_blocks b)
{
    struct arrivals a;
    double value;
    if (!losing_cases(b, &a, &value))
        return value;
    return a.full ? NAN : fmin(a.loss / (double)b.k, 1.0);
}

double rcm_blocks_recall(struct rcm_blocks b)
{
    return 1.0 - rcm_blocks_loss(b);
}

double rcm_blocks_sd(struct rcm_blocks b)
{
    struct arrivals a;
    double value, losing = 0.0, variance = 0.0;
    if (!losing_cases(b, &a, &value))
        return value;
    for (unsigned i = 0; i < a.length; i++)
        losing += a.p[i];
    for (unsigned i = 0; i < a.length; i++) {
        const double off = a.lost[i].mean - a.loss;
        variance += a.p[i] * (a.lost[i].variance + off * off);
    }
    if (losing < 0.5)
        a.through = 1.0 - losing;
    else
        add_cases(&a, b, false);
    variance += a.through * a.loss * a.loss;
    return a.full ? NAN : sqrt(variance) / (double)b.k;
}

struct wish {
    struct rcm_blocks b;
    double loss;
};

static enum answer reaches(void *context, uint64_t kept)
{
    const struct wish *wish = context;
    struct rcm_blocks b = wish->b;
    b.kept = kept;
    const double loss = rcm_blocks_loss(b);
    return isnan(loss) ? UNKNOWN : loss <= wish->loss * (1.0 + RCM_TARGET_SLACK) ? YES : NO;
}

uint64_t rcm_blocks_smallest(struct rcm_blocks b, double loss)
{
    const uint64_t count = rcm_blocks_count(b);
    const uint64_t most = b.k < count ? b.k : count;
    if (count == 0 || b.k < 1 || b.k > b.n || !(loss >= 0.0))
        return 0;
    struct wish wish = {b, loss};
    return bisect((b.k - 1) / b.size + 1, most, reaches, &wish);
}
