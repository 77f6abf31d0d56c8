/* confidence.c - see confidence.h. Derivation: docs/models.md 13.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "confidence.h"

#include <math.h>

#include <model/lost/lost_bounds.h>
#include <model/recallmodel/lost_mass.h>

/* Does a row lose at most target.loss of its mass, with the confidence? In the tail, on the safe
 * side of the error of the distribution. */
static enum answer mass_reaches(const struct rcm_selection *s, struct rcm_topk p)
{
    const struct rcm_weights *weights = s->target.weights;
    const double rest = 1.0 - s->confidence, losing = 1.0 - rcm_probability_exact(p);
    double above = NAN;
    if (losing <= rest)
        return YES;
    if (weights->loses_more)
        above = weights->loses_more(weights, p, s->target.loss, rest);
    else if (!weights->measured)
        above = rcm_lost_mass_above(p, weights->score_sd, s->target.loss) +
                (weights->score_sd > 0.0 ? RCM_LOST_MASS_TAIL_MAX_ERROR * losing : 0.0);
    return isnan(above) ? UNKNOWN : above <= rest ? YES : NO;
}

/* The same, as if elements were lost independently of each other, and the cube root of their mass
 * normal, as that of a gamma distribution nearly is (Wilson and Hilferty). */
static bool mass_seems_to_reach(const struct rcm_selection *s, struct rcm_topk p)
{
    struct rcm_weights squares = *s->target.weights;
    const double mean = rcm_lost_mass(p, &squares);
    if (!(mean <= s->target.loss) || !squares.square)
        return false;
    squares.share = squares.square;
    const double variance = rcm_lost_mass(p, &squares) / (mean * mean) / 9.0;
    const double score = (cbrt(s->target.loss / mean) - 1.0 + variance) / sqrt(variance);
    return !(mean > 0.0) || 0.5 * erfc(score / sqrt(2.0)) <= 1.0 - s->confidence;
}

enum answer confidence_reaches(const struct rcm_selection *s, struct rcm_topk p)
{
    if (!(s->confidence > 0.0))
        return rcm_reaches(p, s->target) ? YES : NO;
    if (s->target.weights)
        return mass_reaches(s, p);
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    if (!p.lengths && lost_certainly_misses(&buckets, p.k, p.k_b, s->most_lost, s->confidence))
        return NO;
    if (!p.lengths && lost_certainly_reaches(&buckets, p.k, p.k_b, s->most_lost, s->confidence))
        return YES;
    const double coarse = lost_coarsely_at_most(p, s->most_lost);
    if (fabs(coarse - s->confidence) > LOST_COARSE_ERROR)
        return coarse > s->confidence ? YES : NO;
    struct rcm_lost dist;
    if (rcm_lost(p, &dist) != 0)
        return UNKNOWN;
    /* The distribution is exact to 1e-12, so a confidence that is reached within that is
     * reached. */
    const bool enough =
        rcm_lost_at_most(&dist, (double)s->most_lost) >= s->confidence - RCM_LOST_MAX_ERROR;
    rcm_lost_free(&dist);
    return enough ? YES : NO;
}

/* Half an element is added, because the distribution is one of whole numbers. */
enum answer confidence_seems_to_reach(const struct rcm_selection *s, struct rcm_topk p)
{
    if (!(s->confidence > 0.0))
        return rcm_reaches(p, s->target) ? YES : NO;
    if (s->target.weights)
        return mass_seems_to_reach(s, p) ? YES : NO;
    const double k = (double)p.k, mean = k * rcm_loss_exact(p), sd = k * rcm_recall_sd(p);
    const double distance = (double)s->most_lost + 0.5 - mean;
    const bool seems =
        sd > 0.0 ? 0.5 * erfc(-distance / sd / sqrt(2.0)) >= s->confidence : distance >= 0.0;
    return seems ? YES : NO;
}

enum answer confidence_seems_to_reach_at(void *context, uint64_t value)
{
    struct confidence_search *search = context;
    *search->field = value;
    return confidence_seems_to_reach(search->selection, search->p);
}

/* An unknown distribution ends the search at the guess. Elsewhere it counts as a miss. */
static enum answer reaches_at_b(void *context, uint64_t b)
{
    struct confidence_search *search = context;
    search->p.b = b;
    const enum answer answer = confidence_reaches(search->selection, search->p);
    return answer == UNKNOWN && b != search->special ? NO : answer;
}

/* The distribution of the lost mass takes a tenth of a second, and its error moves b by more than a
 * 1/512 of it. So the search is among every `step`-th b. */
#define MASS_STEPS 512
struct coarse_search {
    struct confidence_search search;
    uint64_t low, high, step;
};

static enum answer reaches_at_step(void *context, uint64_t i)
{
    struct coarse_search *coarse = context;
    const uint64_t b = coarse->low + (i - 1) * coarse->step;
    return reaches_at_b(&coarse->search, b < coarse->high ? b : coarse->high);
}

static uint64_t coarse_smallest_b(const struct confidence_search *search, uint64_t guess,
                                  struct rcm_range range)
{
    struct coarse_search coarse = {*search, range.low, range.high, guess / MASS_STEPS + 1};
    const uint64_t steps = (range.high - range.low + coarse.step - 1) / coarse.step + 1;
    const uint64_t first = (guess - range.low) / coarse.step + 1;
    coarse.search.special = range.low + (first - 1) * coarse.step;
    const uint64_t i = bisect_from(1, steps, first, 2, reaches_at_step, &coarse);
    const uint64_t b = range.low + (i - 1) * coarse.step;
    return i == 0 ? 0 : b < range.high ? b : range.high;
}

uint64_t confidence_smallest_b(const struct rcm_selection *s, struct rcm_topk p)
{
    const struct rcm_range range = rcm_deployable_b(p);
    if (range.low == 0)
        return 0;
    if (!(s->confidence > 0.0))
        return rcm_smallest_b(
            p, (struct rcm_target){.loss = s->target.loss, .weights = s->target.weights});
    struct confidence_search search = {.selection = s, .p = p, .field = &search.p.b};
    const uint64_t guess = bisect(range.low, range.high, confidence_seems_to_reach_at, &search);
    if (s->target.weights)
        return coarse_smallest_b(&search, guess, range);
    search.special = guess;
    return bisect_from(range.low, range.high, guess, guess / 128 + 1, reaches_at_b, &search);
}
