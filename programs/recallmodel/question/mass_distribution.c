/* mass_distribution.c - see mass_distribution.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mass_distribution.h"

#include <math.h>
#include <stdlib.h>

#define SEED 1

static int draw(const struct rank_weights *rows, struct rcm_topk p, struct rank_loss *loss)
{
    return rank_loss(rows, (struct rank_placement){p.b, p.k_b, SEED}, loss);
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

bool mass_distribution_is_known(const struct query_weights *w, struct rcm_topk p)
{
    return can_draw(w, p) || has_distribution(w);
}

struct mass_distribution mass_distribution(const struct query_weights *w, struct rcm_topk p)
{
    struct mass_distribution dist = {
        .p = p, .score_sd = w->weights.score_sd, .mean = NAN, .sd = NAN};
    if (w->weights.k == 0)
        return dist;
    dist.mean = rcm_lost_mass(p, &w->weights);
    dist.drawn = can_draw(w, p) && draw(&w->rows, p, &dist.draws) == 0;
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
    if (!dist->known || share < MASS_LEAST_SHARE)
        return NAN;
    return dist->drawn ? rank_loss_quantile(&dist->draws, share)
                       : rcm_lost_mass_quantile(dist->p, dist->score_sd, share);
}

static double loses_more(const struct rcm_weights *weights, struct rcm_topk p, double share)
{
    const struct query_weights *w = weights->rows;
    struct rank_loss loss;
    if (!can_draw(w, p))
        return has_distribution(w) ? rcm_lost_mass_above(p, weights->score_sd, share) : NAN;
    if (draw(&w->rows, p, &loss) != 0)
        return NAN;
    const double above = rank_loss_above(&loss, share);
    free(loss.each);
    return above;
}

void mass_distribution_for_confidence(struct query_weights *w)
{
    if (!w->rows.kept)
        return;
    w->weights.loses_more = loses_more;
    w->weights.rows = w;
}
