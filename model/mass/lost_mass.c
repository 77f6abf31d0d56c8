/* lost_mass.c - the mean lost mass, by ranks. Derivation: docs/models.md 23.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/distribution/distribution.h>
#include <model/recallmodel/lost_mass.h>
#include <model/shape/classes.h>

#define FRESH 2048   /* ranks after which the steps begin anew */
#define LEAST 1e-290 /* smaller probabilities have lost digits */

/* An element is lost if k_b of the larger ones, of which there are dist.k, lie in its bucket. */
struct walk {
    struct distribution dist;
    int64_t k_b;
    double lost;
    double nearly; /* P(k_b - 1 of them do) */
};

static void begin_at(struct walk *w, uint64_t rank)
{
    w->dist.k = (int64_t)rank - 1;
    w->lost = w->dist.k < w->k_b ? 0.0 : distribution_sf(w->dist, w->k_b - 1);
    w->nearly = w->dist.k < w->k_b - 1 ? 0.0 : distribution_probability(w->dist, w->k_b - 1);
}

/* To the next rank: the element of this one makes k_b of k_b - 1. */
static void step(struct walk *w)
{
    const double n = (double)w->dist.n, s = (double)w->dist.s, larger = (double)w->dist.k,
                 near = (double)(w->k_b - 1);
    w->lost += w->nearly * ((s - near) / (n - larger));
    w->nearly *= (n - s - larger + near) / (larger + 1.0 - near) * ((larger + 1.0) / (n - larger));
    w->dist.k++;
}

/* The first rank of `from`, .., `to` at which steps may begin; to + 1: none. */
static uint64_t first_rank(struct walk *w, uint64_t from, uint64_t to)
{
    uint64_t misses = from - 1, begins = to + 1;
    for (uint64_t rank = from; begins - misses > 1; rank = misses + (begins - misses) / 2) {
        begin_at(w, rank);
        if (w->lost + w->nearly > LEAST)
            begins = rank;
        else
            misses = rank;
    }
    return begins;
}

/* The sum over the ranks of their share times the probability that they are lost, in a bucket of
 * this size. */
static double of_class(uint64_t n, uint64_t size, uint64_t k_b, const struct rcm_weights *weights)
{
    struct walk w = {.dist = {(int64_t)n - 1, 0, (int64_t)size - 1, false}, .k_b = (int64_t)k_b};
    double sum = 0.0;
    for (uint64_t first = k_b; first <= weights->k; first += FRESH) {
        const uint64_t last = first + FRESH - 1 < weights->k ? first + FRESH - 1 : weights->k;
        uint64_t rank = first_rank(&w, first, last);
        if (rank > last)
            continue;
        begin_at(&w, rank);
        double part = 0.0;
        for (; rank <= last; rank++, step(&w))
            part += weights->share[rank - 1] * fmin(w.lost, 1.0);
        sum += part;
    }
    return sum;
}

double rcm_lost_mass(struct rcm_topk p, const struct rcm_weights *weights)
{
    const struct rcm_buckets buckets = rcm_buckets_of(p);
    if (buckets.classes == 0 || !weights || weights->k != p.k)
        return NAN;
    const uint64_t n = classes_elements(&buckets);
    double sum = 0.0;
    for (unsigned c = 0; c < buckets.classes; c++)
        if (buckets.of[c].size > p.k_b && p.k > p.k_b)
            sum += (double)buckets.of[c].size * (double)buckets.of[c].count / (double)n *
                   of_class(n, buckets.of[c].size, p.k_b, weights);
    return sum;
}

double rcm_attention_error(struct rcm_topk p, const struct rcm_weights *weights)
{
    const double mass = rcm_lost_mass(p, weights);
    if (isnan(mass) || !weights->square)
        return NAN;
    struct rcm_weights squares = *weights;
    double all = 0.0;
    squares.share = weights->square;
    for (uint64_t r = 0; r < weights->k; r++)
        all += weights->square[r];
    return hypot(mass, sqrt(rcm_lost_mass(p, &squares) / all));
}
