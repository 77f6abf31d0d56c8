/* rank_draw.c - see rank_draw.h.
 *
 * A row loses v of a rank r with probability P(r is lost). A rank is drawn with a probability that
 * is proportional to v P(r is lost), and the places given that it is lost. Where the row then loses
 * V in all, it stands for W/V rows, where W is what it loses on average, the sum of v P(r is lost).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "rank_draw.h"

#include <math.h>
#include <stdlib.h>

size_t rank_draws(uint64_t k)
{
    const uint64_t places = RANK_PLACES / k;
    return places > RANK_DRAWS         ? RANK_DRAWS
           : places < RANK_DRAWS_LEAST ? RANK_DRAWS_LEAST
                                       : (size_t)places;
}

/* The bucket of a random place that is free: in a bucket, those from `in` on. */
static uint64_t free_bucket(struct drawing *d)
{
    for (;;) {
        const uint64_t place = random_below(&d->stream, d->n), before = place / d->to.b,
                       bucket = place - before * d->to.b;
        if (before >= d->filling.in[bucket])
            return bucket;
    }
}

static void empty(struct drawing *d)
{
    for (uint64_t j = 0; j < d->placed; j++)
        d->filling.in[d->filling.touched[j]] = 0;
}

/* The next rank goes into this bucket. */
static void put(struct drawing *d, uint64_t rank, uint64_t bucket)
{
    d->filling.touched[rank] = bucket;
    d->lost[rank] = ++d->filling.in[bucket] > d->to.k_b;
}

void drawing_next(struct drawing *d)
{
    d->stream = random_stream(d->key, d->drawn++);
    for (d->placed = 0; d->placed < d->k; d->placed++)
        put(d, d->placed, free_bucket(d));
    empty(d);
}

/* ---- by importance */

/* The probabilities of h, in a bucket that has size - 1 of the n - 1 other places. at[x]: P(x of
 * the ranks up to here lie in it), x < k_b; `hit` is that of the next one. */
static void set_passing(struct passing *p, uint64_t n, uint64_t k, uint64_t k_b, double *at)
{
    for (uint64_t x = 0; x < k_b; x++)
        at[x] = x == 0;
    p->before[0] = 0.0;
    for (uint64_t h = 1; h <= k; h++) {
        const double left = (double)(n - h), others = (double)p->size - 1.0;
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

bool drawing_begin(struct drawing *d, uint64_t n, uint64_t k, uint64_t shown,
                   struct rank_placement to)
{
    const size_t ranks = (size_t)k;
    const uint64_t larger = n % to.b, k_b = to.k_b < k ? to.k_b : k;
    *d = (struct drawing){.n = n,
                          .k = k,
                          .shown = shown,
                          .lost = malloc((size_t)shown * sizeof *d->lost),
                          .to = to,
                          .key = random_key(to.seed, RANDOM_PLACEMENT, to.b),
                          .filling = {calloc((size_t)to.b, sizeof *d->filling.in),
                                      malloc((size_t)shown * sizeof *d->filling.touched)},
                          .room = malloc((3 * ranks + 2 + (size_t)k_b) * sizeof *d->room)};
    if (!d->lost || !d->filling.in || !d->filling.touched || !d->room)
        return false;
    d->up_to = d->room + 2 * ranks + 2;
    for (unsigned c = 0; c < 2; c++) {
        const uint64_t size = n / to.b + (c == 0), count = c == 0 ? larger : to.b - larger;
        d->passing[c] =
            (struct passing){size, c == 0 ? 0 : to.b - 1, (double)count * (double)size / (double)n,
                             d->room + c * (ranks + 1)};
        set_passing(&d->passing[c], n, k, k_b, d->up_to + ranks);
    }
    return true;
}

void drawing_end(struct drawing *d)
{
    free(d->lost);
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
static double draw_lost(struct drawing *d, const double *v, uint64_t *lost, uint64_t *bucket,
                        uint64_t *h)
{
    const struct passing *const p = d->passing;
    double sum = 0.0;
    for (uint64_t j = 0; j < d->k; j++)
        d->up_to[j] = sum += v[j] * (p[0].share * p[0].before[j] + p[1].share * p[1].before[j]);
    if (!(sum > 0.0))
        return 0.0;
    const uint64_t j = *lost = first_above(d->up_to, d->k - 1, unit(d) * sum);
    const double in[] = {p[0].share * p[0].before[j], p[1].share * p[1].before[j]};
    const unsigned c = unit(d) * (in[0] + in[1]) >= in[0];
    *bucket = p[c].bucket;
    *h = first_above(p[c].before, j, unit(d) * p[c].before[j]) - 1;
    return sum;
}

double drawing_next_losing(struct drawing *d, const double *v)
{
    uint32_t *const in = d->filling.in;
    uint64_t lost, whose, h, wanted = d->to.k_b - 1, j, left = 0;
    d->stream = random_stream(d->key, d->drawn++);
    const double mean = draw_lost(d, v, &lost, &whose, &h);
    if (!(mean > 0.0))
        return 0.0;
    in[whose] = 1; /* the place of the lost one */
    for (j = 0; j < d->k || (j < d->shown && left < d->k); j++) {
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
        d->lost[j] = j == lost || in[bucket] > d->to.k_b + (bucket == whose && j < lost);
        left += !d->lost[j];
    }
    for (d->placed = j; j < d->shown; j++)
        d->lost[j] = true;
    in[whose] = 0;
    empty(d);
    return mean;
}
