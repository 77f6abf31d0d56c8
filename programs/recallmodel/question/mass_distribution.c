/* mass_distribution.c - see mass_distribution.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mass_distribution.h"

#include <math.h>
#include <stdlib.h>

#include <base/memory.h>
#include <programs/common/format.h>
#include <programs/common/wrap.h>

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

/* ---- the token of a sampler */

/* Sums up the draws. `of` and `losses` have room for each. */
static void sum_up(struct token_change *t, const struct rank_weights *rows,
                   const struct rank_changed *each, size_t length, struct rcm_token_change *of,
                   struct rank_draw *losses)
{
    double unused, finite = 1.0;
    *t = (struct token_change){.chain = t->chain, .quantile_rest = t->quantile_rest};
    for (size_t i = 0; i < length; i++) {
        const struct rank_changed *one = &each[i];
        of[i] = rcm_token_change(one->exact, one->approximate, one->common);
        losses[i] = (struct rank_draw){of[i].total_variation, one->share};
        t->reverse_infinite += one->common < one->exact ? one->share : 0.0;
        if (isinf(of[i].kl))
            t->kl_infinite += one->share;
        else
            t->kl += one->share * of[i].kl;
    }
    t->kl_infinite = fmin(t->kl_infinite, 1.0);
    t->reverse_infinite = fmin(t->reverse_infinite, 1.0);
    finite -= t->kl_infinite;
    t->kl = finite > 0.0 ? t->kl / finite : NAN;
    t->total_variation = rank_change_mean(rows, each, length, &of->total_variation,
                                          sizeof *of / sizeof(double), &t->error);
    t->differs =
        rank_change_mean(rows, each, length, &of->differs, sizeof *of / sizeof(double), &unused);
    t->by_rank = rank_change_mean(rows, each, length, &each->by_rank, sizeof *each / sizeof(double),
                                  &unused);
    t->by_position = rank_change_mean(rows, each, length, &each->by_position,
                                      sizeof *each / sizeof(double), &unused);
    struct rank_loss sorted = {.each = losses, .length = length};
    rank_loss_sort(&sorted);
    t->quantile = rank_loss_quantile(&sorted, t->quantile_rest);
}

bool token_change_is_known(const struct query_weights *w, struct rcm_topk p)
{
    return w->change && can_draw(w, p);
}

struct token_change token_change(const struct query_weights *w, struct rcm_topk p, double rest,
                                 size_t shapes)
{
    struct token_change t = {w->chain_text, NAN, NAN, NAN, rest, NAN, NAN, NAN, NAN, NAN, NAN};
    if (!token_change_is_known(w, p))
        return t;
    struct rank_changed *const each = require_memory(malloc(RANK_DRAWS * sizeof *each));
    struct rcm_token_change *const of = require_memory(malloc(RANK_DRAWS * sizeof *of));
    struct rank_draw *const losses = require_memory(malloc(RANK_DRAWS * sizeof *losses));
    const size_t most = shapes > CHANGE_SHAPES ? RANK_DRAWS * CHANGE_SHAPES / shapes : RANK_DRAWS,
                 length = rank_change(&w->rows, &w->chain, placement_of(p),
                                      most > RANK_DRAWS_LEAST ? most : RANK_DRAWS_LEAST, each);
    if (length > 0)
        sum_up(&t, &w->rows, each, length, of, losses);
    free(each);
    free(of);
    free(losses);
    return t;
}

unsigned token_change_print(const struct token_change *t)
{
    char rows[60];
    if (isnan(t->total_variation))
        return 0;
    format_rows(rows, sizeof rows, t->quantile_rest);
    return print_wrapped(
        "  token       buckets change its distribution by %.2g on average (total variation, "
        "+- %.1g), in %s by at most %.2g; with the same noise for each token, "
        "another one is drawn in %.2g %% of the cases",
        t->total_variation, t->error, rows, t->quantile, 100.0 * t->differs);
}

#define CHANGE(field, name) \
    FIELD(struct token_change, field), .csv = "token_" name, .json = "token_change/" name
static const struct column token_change_items[] = {
    {CHANGE(chain, "chain")},
    {CHANGE(total_variation, "total_variation"), .heading = "token\nchanges", .style = STYLE_LOSS},
    {CHANGE(error, "error")},
    {CHANGE(quantile, "quantile")},
    {CHANGE(differs, "differs")},
    {CHANGE(by_rank, "differs_by_rank")},
    {CHANGE(by_position, "differs_by_position")},
    {CHANGE(kl, "kl")},
    {CHANGE(kl_infinite, "kl_infinite")},
    {CHANGE(reverse_infinite, "kl_exact_infinite")},
};
const struct columns token_change_columns = COLUMNS(struct token_change, token_change_items);

void token_change_json(json_t *object, const struct token_change *t)
{
    if (isnan(t->total_variation))
        return;
    struct table *table = table_of(&token_change_columns, 0);
    table_add(table, t, false);
    json_t *change = row_as_json(table);
    json_object_update(object, change);
    json_decref(change);
}
