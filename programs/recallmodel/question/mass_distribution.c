/* mass_distribution.c - see mass_distribution.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mass_distribution.h"

#include <math.h>
#include <stdlib.h>

#define SEED 1

static struct rank_placement placement_of(struct rcm_topk p)
{
    return (struct rank_placement){p.b, p.k_b, SEED};
}

/* Draws deal the elements out in turn: so do interleaved buckets of padded rows, but not runs. */
static bool can_draw(const struct query_weights *w, struct rcm_topk p)
{
    const bool padded = p.valid && p.valid != p.n;
    return w->rows.kept && p.k <= DRAWN_MOST && (!padded || p.assignment == RCM_INTERLEAVED);
}

static bool has_distribution(const struct query_weights *w)
{
    const struct rcm_weights *weights = &w->weights;
    return weights->k > 0 && !weights->measured &&
           rcm_lost_mass_distribution_known(weights->k, weights->score_sd);
}

struct mass_distribution mass_distribution(const struct query_weights *w, struct rcm_topk p)
{
    struct mass_distribution dist = {
        .p = p, .score_sd = w->weights.score_sd, .mean = NAN, .sd = NAN};
    if (w->weights.k == 0)
        return dist;
    dist.mean = rcm_lost_mass(p, &w->weights);
    dist.drawn = can_draw(w, p) && rank_loss(&w->rows, placement_of(p), &dist.draws) == 0;
    dist.known = dist.drawn || has_distribution(w);
    if (!w->weights.measured)
        dist.sd = rcm_lost_mass_normal(p, dist.score_sd).sd;
    if (isnan(dist.sd) && dist.drawn)
        dist.sd = dist.draws.sd;
    return dist;
}

void mass_distribution_free(struct mass_distribution *dist)
{
    if (dist->drawn)
        free(dist->draws.each);
}

double mass_distribution_quantile(const struct mass_distribution *dist, double share)
{
    if (!dist->known || (!dist->drawn && share < MASS_LEAST_SHARE))
        return NAN;
    return dist->drawn ? rank_loss_quantile(&dist->draws, share)
                       : rcm_lost_mass_quantile(dist->p, dist->score_sd, share);
}

bool mass_distribution_is_known(const struct query_weights *w, struct rcm_topk p)
{
    return can_draw(w, p) || has_distribution(w);
}

static double loses_more(const struct rcm_weights *weights, struct rcm_topk p, double share,
                         double rest)
{
    const struct rank_share more = rank_loses_more(weights->rows, placement_of(p), share, rest);
    return more.above + more.error;
}

void mass_distribution_for_confidence(struct query_weights *w, struct rcm_topk p)
{
    w->weights.loses_more = can_draw(w, p) ? loses_more : NULL;
    w->weights.rows = &w->rows;
}
