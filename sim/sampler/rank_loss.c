/* rank_loss.c - see rank_weights.h: what rows lose, by placing them at random.
 *
 * Rows that lose much are rare, so that they are drawn by what they lose (rank_draw.h). The share
 * of rows that lose more than x is then the mean of W/L over the draws with L > x, W being what the
 * row loses on average. That is at most W/x, however rare such rows are.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "rank_draw.h"
#include "rank_weights.h"

static bool begin(struct drawing *d, const struct rank_weights *weights, struct rank_placement to)
{
    return drawing_begin(d, weights->n, weights->k, weights->k, to);
}

static double lost_share(const struct drawing *d, const double *share)
{
    double sum = 0.0;
    for (uint64_t j = 0; j < d->k; j++)
        sum += d->lost[j] ? share[j] : 0.0;
    return sum;
}

/* The shares of the row that is drawn next. */
static const double *next_shares(const struct drawing *d, const struct rank_weights *weights)
{
    return weights->kept + (size_t)(d->drawn % weights->kept_rows) * (size_t)weights->k;
}

/* What the next row loses, given that it loses something, and how much on average. 0: nothing. */
static double next_given_loss(struct drawing *d, const struct rank_weights *weights, double *mean)
{
    const double *const share = next_shares(d, weights);
    *mean = drawing_next_losing(d, share);
    return *mean > 0.0 ? lost_share(d, share) : 0.0;
}

/* Draws all that lose something, and their mean and the variance over all rows. Returns the
 * standard error of the variance. */
static double draw_losing(struct drawing *d, const struct rank_weights *weights,
                          struct rank_loss *loss, double *variance)
{
    const double draws = (double)loss->length;
    double square = 0.0, spread = 0.0;
    for (size_t i = 0; i < loss->length; i++) {
        double mean;
        const double lost = next_given_loss(d, weights, &mean);
        loss->each[i] = (struct rank_draw){lost, lost > 0.0 ? mean / lost / draws : 0.0};
        loss->mean += mean / draws;
        square += mean * lost / draws;
        spread += mean * lost * mean * lost / draws;
    }
    *variance = square - loss->mean * loss->mean;
    return sqrt(fmax(spread - square * square, 0.0) / draws);
}

/* By rows as they come: where rows hardly differ, that is a difference of nearly equal numbers. */
static double usual_variance(struct drawing *d, const struct rank_weights *weights, size_t draws,
                             double mean)
{
    double square = 0.0;
    for (size_t i = 0; i < draws; i++) {
        const double *const share = next_shares(d, weights);
        drawing_next(d);
        square += pow(lost_share(d, share) - mean, 2.0);
    }
    return square / (double)draws;
}

static int by_loss(const void *a, const void *b)
{
    const double x = ((const struct rank_draw *)a)->lost, y = ((const struct rank_draw *)b)->lost;
    return (x > y) - (x < y);
}

void rank_loss_sort(struct rank_loss *loss)
{
    qsort(loss->each, loss->length, sizeof *loss->each, by_loss);
}

#define VARIANCE_ERROR 0.02

int rank_loss(const struct rank_weights *weights, struct rank_placement to, struct rank_loss *loss)
{
    struct drawing d;
    *loss = (struct rank_loss){.length = rank_draws(weights->k)};
    loss->each = malloc(loss->length * sizeof *loss->each);
    const bool could = begin(&d, weights, to) && loss->each;
    if (could) {
        double variance;
        if (draw_losing(&d, weights, loss, &variance) > VARIANCE_ERROR * variance)
            variance = usual_variance(&d, weights, loss->length, loss->mean);
        loss->sd = sqrt(variance);
        rank_loss_sort(loss);
    } else {
        free(loss->each);
    }
    drawing_end(&d);
    return could ? 0 : -1;
}

double rank_loss_quantile(const struct rank_loss *loss, double rest)
{
    double above = 0.0;
    for (size_t i = loss->length; i-- > 0;)
        if ((above += loss->each[i].share) > rest)
            return loss->each[i].lost;
    return 0.0;
}

double rank_loss_above(const struct rank_loss *loss, double share)
{
    double above = 0.0;
    for (size_t i = loss->length; i-- > 0 && loss->each[i].lost > share;)
        above += loss->each[i].share;
    return above;
}

struct rank_share rank_loses_more(const struct rank_weights *weights, struct rank_placement to,
                                  double share, double enough)
{
    const double draws = (double)rank_draws(weights->k);
    struct rank_share more = {NAN, NAN};
    struct drawing d;
    if (begin(&d, weights, to)) {
        double sum = 0.0, square = 0.0, means = 0.0;
        while ((double)d.drawn < draws && sum <= enough * draws) {
            double mean;
            const double lost = next_given_loss(&d, weights, &mean),
                         term = lost > share ? mean / lost : 0.0;
            sum += term;
            square += term * term;
            means += mean;
        }
        /* the next draw might have been the first that loses more */
        more.above = sum / draws;
        more.error = (sqrt(square) + (share > 0.0 ? means / (double)d.drawn / share : 0.0)) / draws;
    }
    drawing_end(&d);
    return more;
}
