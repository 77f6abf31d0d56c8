/* lost_mass_sd.c - mean and standard deviation of the lost mass of a row of normal scores.
 * Derivation: docs/models.md 23.
 *
 * Of X top elements in a bucket the k_b largest are kept. Tilted, they are X independent ones, and
 * one that has the share p of the distribution above it is lost if k_b of the other X - 1 lie
 * there. If it is, so are all below it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <model/distribution/distribution.h>
#include <model/recallmodel/lost_mass.h>
#include <model/shape/shape.h>

#include "scores.h"
#include "tops.h"

#define U_ERROR 1e-9
#define U_STEP 0.15

/* What a bucket loses, of each number of top elements that it may have: the mean, and the mean of
 * the square. */
struct bucket_loss {
    double mean[TOPS_MOST], square[TOPS_MOST];
};

struct moments {
    const struct row_tops *tops;
    double node_weight;
    double mean, square; /* sums over all nodes */
    struct bucket_loss loss[RCM_MAX_CLASSES];
    /* of each node: its weight times its probability, and that times the weight and times twice the
     * mean weight below it; the probabilities that k_b of X - 1, and of X - 2, others lie above
     * it, and that k_b - 1 of X - 1 do */
    double *once, *squared, *with_below, *lost, *lost_fewer, *nearly;
};

/* The nodes of a tilt. `room` is used for the mean weight below each. */
static void weigh_nodes(struct moments *m, const struct scores *s, const struct tilt *tilt,
                        double *room)
{
    double *const above = m->lost, *const value = m->nearly;
    for (size_t i = 0; i < s->length; i++)
        value[i] = s->weight[i] * tilt->density[i] / s->density[i];
    scores_above(s, value, above, room);
    for (size_t i = 0; i < s->length; i++) {
        m->once[i] = s->width * s->rule->weight[i % PANEL] * tilt->density[i] * s->weight[i];
        m->squared[i] = m->once[i] * s->weight[i];
        m->with_below[i] = m->once[i] * 2.0 * room[i];
    }
}

/* P(at least k_b of so many lie above the share p), and P(k_b - 1 do). */
static double some_above(uint64_t others, double p, uint64_t k_b, double *nearly)
{
    const struct distribution dist = distribution_of_draws(others, p);
    *nearly = 0.0;
    if (others < k_b || dist.s == 0)
        return 0.0;
    if (dist.s == dist.n)
        return 1.0;
    *nearly = distribution_point(dist, (int64_t)k_b - 1);
    return distribution_tail(dist, (int64_t)k_b - 1).probability;
}

static void class_loss(struct moments *m, const struct tilt *tilt, size_t length,
                       const struct tops *t, struct bucket_loss *loss)
{
    const double k_b = (double)m->tops->k_b;
    double unused;
    for (size_t i = 0; i < length; i++) {
        m->lost_fewer[i] = some_above(t->first - 2, tilt->above[i], m->tops->k_b, &unused);
        m->lost[i] = some_above(t->first - 1, tilt->above[i], m->tops->k_b, &m->nearly[i]);
    }
    for (size_t j = 0; j < t->length; j++) {
        const double x = (double)(t->first + j), growth = x / (x - k_b + 1.0);
        double once = 0.0, squared = 0.0, pairs = 0.0;
        for (size_t i = 0; i < length; i++) {
            const double lost = m->lost[i];
            once += lost * m->once[i];
            squared += lost * m->squared[i];
            pairs += m->lost_fewer[i] * m->with_below[i];
            m->lost_fewer[i] = lost;
            m->lost[i] = fmin(lost + tilt->above[i] * m->nearly[i], 1.0);
            m->nearly[i] *= tilt->below[i] * growth;
        }
        loss->mean[j] = x * once;
        loss->square[j] = x * squared + x * (x - 1.0) * pairs;
    }
}

/* Adds what all buckets lose, and its square. */
static void add_tilt(void *context, const struct scores *s, const struct tilt *tilt)
{
    struct moments *m = context;
    const struct row_tops *tops = m->tops;
    double mean = 0.0, square = 0.0;
    weigh_nodes(m, s, tilt, m->lost_fewer);
    for (unsigned c = 0; c < tops->classes; c++) {
        const struct tops *t = &tops->of[c];
        class_loss(m, tilt, s->length, t, &m->loss[c]);
        for (size_t j = 0; j < t->length; j++) {
            mean += (double)t->count * t->probability[j] * m->loss[c].mean[j];
            square += (double)t->count * t->probability[j] * m->loss[c].square[j];
        }
    }
    for (unsigned c = 0; c < tops->classes; c++)
        for (unsigned d = c; d < tops->classes; d++) {
            const double one = (double)tops->of[c].count, other = (double)tops->of[d].count;
            const double pairs = c == d ? one * (one - 1.0) : 2.0 * one * other;
            const double *joint = tops->joint[c][d];
            for (size_t x = 0; joint && x < tops->of[c].length; x++) {
                double sum = 0.0;
                for (size_t y = 0; y < tops->of[d].length; y++)
                    sum += joint[x * tops->of[d].length + y] * m->loss[d].mean[y];
                square += pairs * sum * m->loss[c].mean[x];
            }
        }
    m->mean += m->node_weight * tilt->factor * mean;
    m->square += m->node_weight * tilt->factor * tilt->u * square;
}

static int add_scores(void *context, const struct scores *s, double weight)
{
    struct moments *m = context;
    double *work = malloc(10 * s->length * sizeof *work);
    if (!work)
        return -1;
    m->node_weight = weight;
    m->once = work + 4 * s->length;
    m->squared = m->once + s->length;
    m->with_below = m->squared + s->length;
    m->lost = m->with_below + s->length;
    m->lost_fewer = m->lost + s->length;
    m->nearly = m->lost_fewer + s->length;
    tilt_each(s, (double)m->tops->k, U_STEP, work, add_tilt, m);
    free(work);
    return 0;
}

struct rcm_mass rcm_lost_mass_normal(struct rcm_topk p, double score_sd)
{
    struct rcm_mass mass = {NAN, NAN};
    struct row_tops tops;
    struct moments *m = calloc(1, sizeof *m);
    const struct top_scores top = {(double)shape_valid(p), (double)p.k, score_sd, (double)p.k_b,
                                   U_ERROR};
    if (row_tops(p, &tops) == 0 && m && score_sd >= 0.0 && score_sd <= RCM_SCORE_SD_MOST) {
        m->tops = &tops;
        if (tops.classes == 0)
            mass = (struct rcm_mass){0.0, 0.0};
        else if (scores_each(top, add_scores, m) == 0)
            mass = (struct rcm_mass){m->mean, sqrt(fmax(m->square - m->mean * m->mean, 0.0))};
    }
    row_tops_free(&tops);
    free(m);
    return mass;
}
