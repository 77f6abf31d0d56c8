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
                         .exact.weight = calloc(shown, sizeof *c->exact.weight),
                         .approximate.weight = calloc(shown, sizeof *c->approximate.weight),
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

static void leave(struct change *c, const struct chain_row *row, const bool *lost,
                  struct left *left)
{
    for (size_t i = 0; i < left->length; i++)
        left->weight[left->rank[i]] = 0.0;
    left->length = chain_kept(c->chain, *row, (size_t)c->weights->k, lost, left->rank, c->room);
    left->sum = 0.0;
    for (size_t i = 0; i < left->length; i++)
        left->sum += left->weight[left->rank[i]] = row->weight[1][left->rank[i]];
}

/* Sets c->order to the tokens that are left in either, in falling order. Returns how many. */
static size_t merge(struct change *c)
{
    const struct left *const a = &c->exact, *const b = &c->approximate;
    size_t count = 0, i = 0, j = 0;
    while (i < a->length || j < b->length) {
        const uint32_t one = i < a->length ? a->rank[i] : UINT32_MAX,
                       other = j < b->length ? b->rank[j] : UINT32_MAX;
        c->order[count++] = one < other ? one : other;
        i += one <= other;
        j += other <= one;
    }
    return count;
}

/* Both distributions lie in this order as intervals that fill [0, 1]: the share where those of one
 * token do not meet. */
static double apart(const struct change *c, size_t count)
{
    double meet = 0.0, exact = 0.0, approximate = 0.0;
    for (size_t i = 0; i < count; i++) {
        const size_t j = c->order[i];
        const double to = exact + c->exact.weight[j] / c->exact.sum,
                     end = approximate + c->approximate.weight[j] / c->approximate.sum;
        meet += fmax(fmin(to, end) - fmax(exact, approximate), 0.0);
        exact = to;
        approximate = end;
    }
    return fmax(1.0 - meet, 0.0);
}

/* All orders are equally likely. */
static void shuffle(struct change *c, size_t count)
{
    for (size_t i = count; i-- > 1;) {
        const size_t other = (size_t)random_below(&c->drawing.stream, i + 1);
        const uint32_t rank = c->order[i];
        c->order[i] = c->order[other];
        c->order[other] = rank;
    }
}

static struct rank_changed next_change(struct change *c)
{
    const struct rank_weights *const weights = c->weights;
    const size_t k = (size_t)weights->k, shown = (size_t)weights->shown;
    const double *const weight =
        weights->shown_weights + (size_t)(c->drawing.drawn % weights->kept_rows) * (2 * shown + 1);
    const struct chain_row row = {{weight, weight + shown}, shown, weight[2 * shown]};
    double mass = 0.0, lost = 0.0;
    for (size_t j = 0; j < k; j++)
        mass += row.weight[1][j];
    for (size_t j = 0; j < k; j++)
        c->v[j] = row.weight[1][j] / mass + 1.0 / (double)k;
    leave(c, &row, NULL, &c->exact);
    struct rank_changed one = {
        .exact = c->exact.sum, .approximate = c->exact.sum, .common = c->exact.sum};
    const double mean = drawing_next_losing(&c->drawing, c->v);
    if (!(mean > 0.0))
        return one;
    for (size_t j = 0; j < k; j++)
        lost += c->drawing.lost[j] ? c->v[j] : 0.0;
    leave(c, &row, c->drawing.lost, &c->approximate);
    const size_t count = merge(c);
    one.approximate = c->approximate.sum;
    one.common = 0.0;
    for (size_t i = 0; i < count; i++) /* in the order of both sums */
        one.common += fmin(c->exact.weight[c->order[i]], c->approximate.weight[c->order[i]]);
    one.by_rank = apart(c, count);
    shuffle(c, count);
    one.by_position = apart(c, count);
    one.share = mean / lost;
    return one;
}

size_t rank_change(const struct rank_weights *weights, const struct chain *chain,
                   struct rank_placement placement, size_t most, struct rank_changed *each)
{
    struct change c;
    size_t length = 0;
    if (change_begin(&c, weights, chain, placement)) {
        length = rank_draws(weights->shown);
        length = length < most ? length : most;
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
