/* mass_law.c - see mass_law.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mass_law.h"

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

static bool has_law(const struct query_weights *w)
{
    const struct rcm_weights *weights = &w->weights;
    return weights->k > 0 && !weights->measured &&
           rcm_lost_mass_law_known(weights->k, weights->score_sd);
}

bool mass_law_is_known(const struct query_weights *w, struct rcm_topk p)
{
    return can_draw(w, p) || has_law(w);
}

struct mass_law mass_law(const struct query_weights *w, struct rcm_topk p)
{
    struct mass_law law = {.p = p, .score_sd = w->weights.score_sd, .mean = NAN, .sd = NAN};
    if (w->weights.k == 0)
        return law;
    law.mean = rcm_lost_mass(p, &w->weights);
    law.drawn = can_draw(w, p) && draw(&w->rows, p, &law.draws) == 0;
    law.known = law.drawn || has_law(w);
    if (!w->weights.measured)
        law.sd = rcm_lost_mass_normal(p, law.score_sd).sd;
    if (isnan(law.sd) && law.drawn)
        law.sd = law.draws.sd;
    return law;
}

void mass_law_free(struct mass_law *law)
{
    if (law->drawn)
        free(law->draws.each);
}

double mass_law_quantile(const struct mass_law *law, double share)
{
    if (!law->known || share < MASS_LEAST_SHARE)
        return NAN;
    return law->drawn ? rank_loss_quantile(&law->draws, share)
                      : rcm_lost_mass_quantile(law->p, law->score_sd, share);
}

static double loses_more(const struct rcm_weights *weights, struct rcm_topk p, double share)
{
    const struct query_weights *w = weights->rows;
    struct rank_loss loss;
    if (!can_draw(w, p))
        return has_law(w) ? rcm_lost_mass_above(p, weights->score_sd, share) : NAN;
    if (draw(&w->rows, p, &loss) != 0)
        return NAN;
    const double above = rank_loss_above(&loss, share);
    free(loss.each);
    return above;
}

void mass_law_for_confidence(struct query_weights *w)
{
    if (!w->rows.kept)
        return;
    w->weights.loses_more = loses_more;
    w->weights.rows = w;
}
