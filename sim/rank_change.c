/* rank_change.c - see rank_weights.h: how the distribution of a token changes.
 *
 * Rows are drawn by the weights of the ranks that they lose, as rank_draw.h says. To these weights
 * 1/k is added: the loss of a small token, too, can move the end of a nucleus, by a large one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "rank_draw.h"
#include "rank_weights.h"

/* The tokens that are left of one row. */
struct left {
    size_t length;
    uint32_t *rank;
    double sum;     /* of their weights */
    double *weight; /* of every rank shown, 0 of those that are not left */
};

struct change {
    const struct rank_weights *weights;
    const struct chain *chain;
    struct drawing drawing;
    struct left exact, approximate;
    double *v, *room;
    uint32_t *order;
};

/* Returns whether there is memory; change_end() after either. */
static bool change_begin(struct change *c, const struct rank_weights *weights,
                         const struct chain *chain, struct rank_placement to)
{
    const size_t shown = (size_t)weights->shown;
    *c = (struct change){.weights = weights,
                         .chain = chain,
                         .exact.rank = malloc(shown * sizeof *c->exact.rank),
                         .approximate.rank = malloc(shown * sizeof *c->approximate.rank),
                         .exact.weight = malloc(shown * sizeof *c->exact.weight),
                         .approximate.weight = malloc(shown * sizeof *c->approximate.weight),
                         .v = malloc((size_t)weights->k * sizeof *c->v),
                         .room = malloc(2 * shown * sizeof *c->room),
                         .order = malloc(shown * sizeof *c->order)};
    return drawing_begin(&c->drawing, weights->n, weights->k, weights->shown, to) &&
           c->exact.rank && c->approximate.rank && c->exact.weight && c->approximate.weight &&
           c->v && c->room && c->order;
}

static void change_end(struct change *c)
{
    free(c->exact.rank);
    free(c->approximate.rank);
    free(c->exact.weight);
    free(c->approximate.weight);
    free(c->v);
    free(c->room);
    free(c->order);
    drawing_end(&c->drawing);
}

static void leave(struct change *c, struct chain_row row, const bool *lost, struct left *left)
{
    const double temperature = chain_temperature(c->chain);
    left->length = chain_kept(c->chain, row, (size_t)c->weights->k, lost, left->rank, c->room);
    left->sum = 0.0;
    for (size_t j = 0; j < row.length; j++)
        left->weight[j] = 0.0;
    for (size_t i = 0; i < left->length; i++)
        left->sum += left->weight[left->rank[i]] = exp(row.score[left->rank[i]] / temperature);
}

/* Both distributions lie in one order as intervals that fill [0, 1]: the share where those of one
 * token do not meet. */
static double apart(const struct change *c, bool by_position)
{
    double meet = 0.0, exact = 0.0, approximate = 0.0;
    for (size_t i = 0; i < (size_t)c->weights->shown; i++) {
        const size_t j = by_position ? c->order[i] : i;
        const double from = exact, to = exact + c->exact.weight[j] / c->exact.sum, at = approximate,
                     end = approximate + c->approximate.weight[j] / c->approximate.sum;
        meet += fmax(fmin(to, end) - fmax(from, at), 0.0);
        exact = to;
        approximate = end;
    }
    return fmax(1.0 - meet, 0.0);
}

/* All orders are equally likely. */
static void shuffle(struct change *c)
{
    for (uint32_t i = 0; i < c->weights->shown; i++) {
        const uint32_t other = (uint32_t)random_below(&c->drawing.stream, i + 1);
        c->order[i] = c->order[other];
        c->order[other] = i;
    }
}

static struct rank_changed next_change(struct change *c)
{
    const struct rank_weights *const weights = c->weights;
    const size_t k = (size_t)weights->k, shown = (size_t)weights->shown;
    const double *const score =
        weights->scores + (size_t)(c->drawing.drawn % weights->kept_rows) * (shown + 1);
    const struct chain_row row = {score, shown, score[shown]};
    double mass = 0.0, lost = 0.0;
    for (size_t j = 0; j < k; j++)
        mass += c->v[j] = exp(score[j] / chain_temperature(c->chain));
    for (size_t j = 0; j < k; j++)
        c->v[j] = c->v[j] / mass + 1.0 / (double)k;
    leave(c, row, NULL, &c->exact);
    struct rank_changed one = {
        .exact = c->exact.sum, .approximate = c->exact.sum, .common = c->exact.sum};
    const double mean = drawing_next_losing(&c->drawing, c->v);
    if (!(mean > 0.0))
        return one;
    for (size_t j = 0; j < k; j++)
        lost += c->drawing.lost[j] ? c->v[j] : 0.0;
    leave(c, row, c->drawing.lost, &c->approximate);
    one.approximate = c->approximate.sum;
    one.common = 0.0;
    for (size_t j = 0; j < shown; j++) /* in the order of both sums */
        one.common += fmin(c->exact.weight[j], c->approximate.weight[j]);
    shuffle(c);
    one.by_rank = apart(c, false);
    one.by_position = apart(c, true);
    one.share = mean / lost;
    return one;
}

size_t rank_change(const struct rank_weights *weights, const struct chain *chain,
                   struct rank_placement placement, struct rank_changed *each)
{
    struct change c;
    size_t length = 0;
    if (change_begin(&c, weights, chain, placement)) {
        length = rank_draws(weights->shown);
        for (size_t i = 0; i < length; i++) {
            each[i] = next_change(&c);
            each[i].share /= (double)length;
        }
    }
    change_end(&c);
    return length;
}

/* Draws of one row are not independent as those of two rows: drawn rows are summed up first. */
double rank_change_mean(const struct rank_weights *weights, const struct rank_changed *each,
                        size_t length, const double *value, size_t stride, double *error)
{
    const size_t groups =
        weights->drawn && weights->kept_rows < length ? weights->kept_rows : length;
    double sum = 0.0, square = 0.0;
    for (size_t g = 0; g < groups; g++) {
        double of_group = 0.0;
        for (size_t i = g; i < length; i += groups)
            of_group += each[i].share * value[i * stride];
        sum += of_group;
        square += of_group * of_group;
    }
    const double many = (double)groups;
    *error = many > 1.0 ? sqrt(fmax(square - sum * sum / many, 0.0) * many / (many - 1.0)) : NAN;
    return sum;
}
