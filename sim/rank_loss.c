/* rank_loss.c - see rank_weights.h: what rows lose, by placing them at random.
 *
 * Rows that lose much are rare, so that they are drawn by importance. A row and the rank of a lost
 * element are drawn with probability weight times P(this rank is lost), and the places given that
 * it is lost. Where the row then loses L in all, the share of rows that lose more than x is the
 * mean of W/L over those draws with L > x, where W is what the row loses on average. That is at
 * most W/x, however rare such rows are.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <base/statistics.h>
#include <sim/rows/random.h>

#include "rank_weights.h"

/* ---- rows placed at random */

/* What the buckets have; those that have any, so that they can be emptied. */
struct filling {
    uint32_t *in; /* elements of each bucket */
    uint64_t *touched;
};

/* A rank is lost if k_b larger ones lie in its bucket: the last of these is of rank h = 1, .., k.
 * Buckets of one size are alike, and there are two sizes. */
struct passing {
    uint64_t size, bucket; /* one of them */
    double share;          /* of all places */
    double *before;        /* k + 1: P(h <= index) for an element in it */
};

struct drawing {
    const struct rank_weights *weights;
    struct rank_placement to;
    struct random_key key;
    struct random_stream stream;
    struct filling filling;
    uint64_t drawn;
    struct passing passing[2]; /* of draws by importance */
    double *room, *up_to;      /* up_to: k, the sum of weights times P(lost) up to a rank */
};

static const double *next_row(struct drawing *d)
{
    const struct rank_weights *weights = d->weights;
    const size_t row = (size_t)(d->drawn % weights->kept_rows);
    d->stream = random_stream(d->key, d->drawn++);
    return weights->kept + row * weights->k;
}

/* The bucket of a random place that is free: in a bucket, those from `in` on. */
static uint64_t free_bucket(struct drawing *d)
{
    for (;;) {
        const uint64_t place = random_below(&d->stream, d->weights->n), before = place / d->to.b,
                       bucket = place - before * d->to.b;
        if (before >= d->filling.in[bucket])
            return bucket;
    }
}

static void empty(struct drawing *d)
{
    for (uint64_t j = 0; j < d->weights->k; j++)
        d->filling.in[d->filling.touched[j]] = 0;
}

/* The share that the next row loses if its ranks, the largest first, are placed one after the
 * other. */
static double next_loss(struct drawing *d)
{
    const double *const share = next_row(d);
    double lost = 0.0;
    for (uint64_t j = 0; j < d->weights->k; j++) {
        const uint64_t bucket = d->filling.touched[j] = free_bucket(d);
        if (++d->filling.in[bucket] > d->to.k_b)
            lost += share[j];
    }
    empty(d);
    return lost;
}

/* ---- by importance */

/* The probabilities of h, in a bucket that has size - 1 of the n - 1 other places. at[x]: P(x of
 * the ranks up to here lie in it), x < k_b; `hit` is that of the next one. */
static void set_passing(struct passing *p, const struct rank_weights *weights, uint64_t k_b,
                        double *at)
{
    for (uint64_t x = 0; x < k_b; x++)
        at[x] = x == 0;
    p->before[0] = 0.0;
    for (uint64_t h = 1; h <= weights->k; h++) {
        const double left = (double)(weights->n - h), others = (double)p->size - 1.0;
        double passed = 0.0;
        for (uint64_t x = k_b < h ? k_b : h; x-- > 0;) {
            const double hit = left > 0.0 ? fmax(others - (double)x, 0.0) / left : 0.0;
            if (x + 1 < k_b)
                at[x + 1] += at[x] * hit;
            else
                passed = at[x] * hit;
            at[x] *= fmax(1.0 - hit, 0.0);
        }
        p->before[h] = p->before[h - 1] + passed;
    }
}

/* Returns whether there is memory. */
static bool drawing_begin(struct drawing *d, const struct rank_weights *weights,
                          struct rank_placement to)
{
    const size_t k = (size_t)weights->k;
    const uint64_t n = weights->n, larger = n % to.b, k_b = to.k_b < k ? to.k_b : k;
    *d = (struct drawing){.weights = weights,
                          .to = to,
                          .key = random_key(to.seed, RANDOM_PLACEMENT, to.b),
                          .filling = {calloc((size_t)to.b, sizeof *d->filling.in),
                                      malloc(k * sizeof *d->filling.touched)},
                          .room = malloc((3 * k + 2 + (size_t)k_b) * sizeof *d->room)};
    if (!d->filling.in || !d->filling.touched || !d->room)
        return false;
    d->up_to = d->room + 2 * k + 2;
    for (unsigned c = 0; c < 2; c++) {
        const uint64_t size = n / to.b + (c == 0), count = c == 0 ? larger : to.b - larger;
        d->passing[c] =
            (struct passing){size, c == 0 ? 0 : to.b - 1, (double)count * (double)size / (double)n,
                             d->room + c * (k + 1)};
        set_passing(&d->passing[c], weights, k_b, d->up_to + k);
    }
    return true;
}

static void drawing_end(struct drawing *d)
{
    free(d->filling.in);
    free(d->filling.touched);
    free(d->room);
}

static double unit(struct drawing *d)
{
    return random_unit(random_next(&d->stream));
}

/* The first index at which this increasing function is above `level`, from 0 to last. */
static uint64_t first_above(const double *f, uint64_t last, double level)
{
    uint64_t low = 0, high = last;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (f[middle] > level)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Draws what is lost by the next row: the index of its rank, its bucket, and h - 1. Returns what
 * the row loses on average; 0: nothing, and nothing was drawn. */
static double draw_lost(struct drawing *d, const double *share, uint64_t *lost, uint64_t *bucket,
                        uint64_t *h)
{
    const struct passing *const p = d->passing;
    double sum = 0.0;
    for (uint64_t j = 0; j < d->weights->k; j++)
        d->up_to[j] = sum += share[j] * (p[0].share * p[0].before[j] + p[1].share * p[1].before[j]);
    if (!(sum > 0.0))
        return 0.0;
    const uint64_t j = *lost = first_above(d->up_to, d->weights->k - 1, unit(d) * sum);
    const double in[] = {p[0].share * p[0].before[j], p[1].share * p[1].before[j]};
    const unsigned c = unit(d) * (in[0] + in[1]) >= in[0];
    *bucket = p[c].bucket;
    *h = first_above(p[c].before, j, unit(d) * p[c].before[j]) - 1;
    return sum;
}

/* What a row loses in all, given one that it loses, and how much on average. 0: nothing. */
static double next_given_loss(struct drawing *d, double *mean)
{
    const double *const share = next_row(d);
    uint32_t *const in = d->filling.in;
    uint64_t lost, whose, h, wanted = d->to.k_b - 1;
    double sum = 0.0;
    *mean = draw_lost(d, share, &lost, &whose, &h);
    if (!(*mean > 0.0))
        return 0.0;
    in[whose] = 1; /* the place of the lost one */
    for (uint64_t j = 0; j < d->weights->k; j++) {
        uint64_t bucket = whose;
        if (j < h && random_below(&d->stream, h - j) >= wanted)
            do /* of those before h all but k_b - 1 lie elsewhere */
                bucket = free_bucket(d);
            while (bucket == whose);
        else if (j < h)
            wanted--;
        else if (j > h && j != lost)
            bucket = free_bucket(d);
        d->filling.touched[j] = bucket;
        in[bucket] += j != lost;
        if (j == lost || in[bucket] > d->to.k_b + (bucket == whose && j < lost))
            sum += share[j];
    }
    in[whose] = 0;
    empty(d);
    return sum;
}

/* ---- over draws */

static size_t draws_of(uint64_t k)
{
    const uint64_t places = RANK_PLACES / k;
    return places > RANK_DRAWS         ? RANK_DRAWS
           : places < RANK_DRAWS_LEAST ? RANK_DRAWS_LEAST
                                       : (size_t)places;
}

/* Draws all that lose something, and their mean and the variance over all rows. Returns the
 * standard error of the variance. */
static double draw_losing(struct drawing *d, struct rank_loss *loss, double *variance)
{
    const double draws = (double)loss->length;
    double square = 0.0, spread = 0.0;
    for (size_t i = 0; i < loss->length; i++) {
        double mean;
        const double lost = next_given_loss(d, &mean);
        loss->each[i] = (struct rank_draw){lost, lost > 0.0 ? mean / lost / draws : 0.0};
        loss->mean += mean / draws;
        square += mean * lost / draws;
        spread += mean * lost * mean * lost / draws;
    }
    *variance = square - loss->mean * loss->mean;
    return sqrt(fmax(spread - square * square, 0.0) / draws);
}

/* By rows as they come: where rows hardly differ, that is a difference of nearly equal numbers. */
static double usual_variance(struct drawing *d, size_t draws, double mean)
{
    double square = 0.0;
    for (size_t i = 0; i < draws; i++)
        square += pow(next_loss(d) - mean, 2.0);
    return square / (double)draws;
}

static int by_loss(const void *a, const void *b)
{
    const double x = ((const struct rank_draw *)a)->lost, y = ((const struct rank_draw *)b)->lost;
    return (x > y) - (x < y);
}

#define VARIANCE_ERROR 0.02

int rank_loss(const struct rank_weights *weights, struct rank_placement to, struct rank_loss *loss)
{
    struct drawing d;
    *loss = (struct rank_loss){.length = draws_of(weights->k)};
    loss->each = malloc(loss->length * sizeof *loss->each);
    const bool could = drawing_begin(&d, weights, to) && loss->each;
    if (could) {
        double variance;
        if (draw_losing(&d, loss, &variance) > VARIANCE_ERROR * variance)
            variance = usual_variance(&d, loss->length, loss->mean);
        loss->sd = sqrt(variance);
        qsort(loss->each, loss->length, sizeof *loss->each, by_loss);
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
    const double draws = (double)draws_of(weights->k);
    struct rank_share more = {NAN, NAN};
    struct drawing d;
    if (drawing_begin(&d, weights, to)) {
        double sum = 0.0, square = 0.0, means = 0.0;
        while ((double)d.drawn < draws && sum <= enough * draws) {
            double mean;
            const double lost = next_given_loss(&d, &mean), term = lost > share ? mean / lost : 0.0;
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
