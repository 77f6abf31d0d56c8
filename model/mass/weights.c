/* weights.c - mean weights by rank of normal scores. Derivation: docs/models.md 23.
 *
 * The mean of weight/M of the element of rank r is the sum over nodes of U and of u of the factor
 * times E[weight at P], where P, the share of the tilted distribution above that element, is
 * Beta(r, k+1-r) in all of them. So the weight at P is averaged first, as a function of the log
 * odds of P, and then over each Beta distribution. The mean of (weight/M)^2 likewise, with u in the
 * factor.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <model/recallmodel/lost_mass.h>

#include "scores.h"

#define TABLE_STEP 0.1    /* in log odds */
#define TABLE_MARGIN 20.0 /* of the largest of k, e^-20 lie beyond the table */
#define U_ERROR 1e-9
#define U_STEP 0.15
#define RANK_ERROR 1e-12
#define RANK_STEP 0.1
#define RANKS_EACH 256
#define WORST_SUM 2e-4 /* the shares add up to 1, but for the errors of all steps */

/* A function of x at low + step i. */
struct table_of_x {
    double low, step;
    size_t length;
    double *value;
};

/* Lagrange through six neighbours; beyond an end the value there. */
static double table_at(const struct table_of_x *t, double x)
{
    const double last = (double)(t->length - 1);
    const double place = fmin(fmax((x - t->low) / t->step, 0.0), last);
    const size_t first = (size_t)fmin(fmax(place - 2.0, 0.0), last - 5.0);
    const double at = place - (double)first;
    double sum = 0.0;
    for (unsigned i = 0; i < 6; i++) {
        double part = t->value[first + i];
        for (unsigned j = 0; j < 6; j++)
            if (j != i)
                part *= (at - j) / ((double)i - (double)j);
        sum += part;
    }
    return sum;
}

/* ---- the mean weight at a share of the tilted distribution */

struct averaging {
    double k;
    bool square;        /* the means of squares */
    double node_weight; /* of the node of U */
    struct table_of_x table;
};

/* What is known at a node: the log odds x of the share above it, and z and its two derivatives by
 * x. */
struct knot {
    double x, z, slope, bend;
};

/* dx/dz = -density/(p q); the logarithm of its size has the derivative
 * -z - sd u weight + density (q - p)/(p q). */
static struct knot knot_at(const struct scores *s, const struct tilt *tilt, size_t i)
{
    const double p = tilt->above[i], q = tilt->below[i], density = tilt->density[i];
    const double slope = -p * q / density;
    const double relative = -s->z[i] - s->sd * tilt->u * s->weight[i] + density * (q - p) / (p * q);
    return (struct knot){log(p / q), s->z[i], slope, -relative * slope * slope};
}

/* The quintic through two knots; far up, where shares have few digits, at least between them. */
static double between(const struct knot *a, const struct knot *b, double x)
{
    const double h = b->x - a->x, t = (x - a->x) / h, r = 1.0 - t;
    const double from_a = a->z + t * (3.0 * a->z + h * a->slope) +
                          t * t * (6.0 * a->z + 3.0 * h * a->slope + 0.5 * h * h * a->bend);
    const double from_b = b->z + r * (3.0 * b->z - h * b->slope) +
                          r * r * (6.0 * b->z - 3.0 * h * b->slope + 0.5 * h * h * b->bend);
    return fmin(fmax(r * r * r * from_a + t * t * t * from_b, b->z), a->z);
}

/* Below the lowest knot: z - low is nearly proportional to the share that lies below. */
static double beneath(const struct knot *lowest, double low, double x)
{
    return low + (lowest->z - low) * exp(-x) / (1.0 + exp(-x)) * (1.0 + exp(lowest->x));
}

/* Adds factor times the weight at each x of the table, which ascends as the score falls. */
static void add_tilt(void *context, const struct scores *s, const struct tilt *tilt)
{
    struct averaging *a = context;
    struct table_of_x *table = &a->table;
    const double factor = a->node_weight * tilt->factor * (a->square ? tilt->u : 1.0);
    const double power = a->square ? 2.0 : 1.0;
    const double least = exp(table->low); /* what lies further up has no digits beside 1 */
    size_t i = s->length;
    while (i > 1 && !(tilt->above[i - 1] > least))
        i--;
    struct knot knot = knot_at(s, tilt, --i), before = knot;
    for (size_t j = 0; j < table->length; j++) {
        const double x = table->low + table->step * (double)j;
        while (i > 0 && knot.x < x && tilt->below[i - 1] > 1e-250) {
            before = knot;
            knot = knot_at(s, tilt, --i);
        }
        const double z = knot.x < x          ? beneath(&knot, s->low, x)
                         : knot.x > before.x ? between(&before, &knot, x)
                                             : knot.z;
        table->value[j] += factor * exp(power * s->sd * (z - s->reference));
    }
}

static int add_scores(void *context, const struct scores *s, double weight)
{
    struct averaging *a = context;
    double *work = malloc(4 * s->length * sizeof *work);
    if (!work)
        return -1;
    a->node_weight = weight;
    tilt_each(s, a->k, U_STEP, work, add_tilt, a);
    free(work);
    return 0;
}

/* ---- the mean weight of a rank */

static double beta_mean(const struct table_of_x *table, double a, double b)
{
    const struct beta_nodes nodes = beta_nodes(a, b, RANK_ERROR);
    double sum = 0.0;
    for (size_t i = 0; i < nodes.length; i++)
        sum += nodes.weight[i] * table_at(table, nodes.log_odds[i]);
    return sum;
}

/* Of every rank from a few, in the log odds of the rank: real ranks have a Beta distribution,
 * too. */
static int between_ranks(const struct table_of_x *table, uint64_t k, double *share)
{
    const double edge = log((double)k + 0.5) - log(0.5);
    struct table_of_x ranks = {-edge, RANK_STEP, (size_t)ceil(2.0 * edge / RANK_STEP) + 1, NULL};
    ranks.value = malloc(ranks.length * sizeof *ranks.value);
    if (!ranks.value)
        return -1;
    for (size_t i = 0; i < ranks.length; i++) {
        const double all = (double)k + 1.0, x = ranks.low + ranks.step * (double)i;
        const double rank = fmin(all / (1.0 + exp(-x)), all - 0.5);
        ranks.value[i] = log(beta_mean(table, rank, all - rank));
    }
    for (uint64_t r = 1; r <= k; r++)
        share[r - 1] = exp(table_at(&ranks, log((double)r) - log((double)(k + 1 - r))));
    free(ranks.value);
    return 0;
}

static int each_rank(const struct table_of_x *table, uint64_t k, double *share)
{
    if (k > RANKS_EACH)
        return between_ranks(table, k, share);
    for (uint64_t r = 1; r <= k; r++)
        share[r - 1] = beta_mean(table, (double)r, (double)(k + 1 - r));
    return 0;
}

static double sum_of(const double *share, uint64_t k)
{
    double sum = 0.0;
    for (uint64_t r = 0; r < k; r++)
        sum += share[r];
    return sum;
}

/* ---- the two kinds of means */

/* Averages over the scores of the top k of n. Returns 0; or -1 without memory. */
static int average(struct averaging *a, uint64_t n, uint64_t k, double score_sd)
{
    const struct top_scores top = {(double)n, (double)k, score_sd, 1.0, U_ERROR};
    const double edge = log((double)k) + TABLE_MARGIN;
    a->k = (double)k;
    a->table = (struct table_of_x){-edge, TABLE_STEP, (size_t)(2.0 * edge / TABLE_STEP) + 2, NULL};
    a->table.value = calloc(a->table.length, sizeof *a->table.value);
    return a->table.value ? scores_each(top, add_scores, a) : -1;
}

static bool legal(uint64_t n, uint64_t k, double score_sd)
{
    return k >= 1 && k <= n && n <= RCM_N_MAX && score_sd >= 0.0 && score_sd <= RCM_SCORE_SD_MOST;
}

static int means(uint64_t n, uint64_t k, double score_sd, bool square, double *mean)
{
    struct averaging a = {.square = square};
    if (k == 1) {
        *mean = 1.0;
        return 0;
    }
    int status = average(&a, n, k, score_sd);
    if (status == 0)
        status = each_rank(&a.table, k, mean);
    free(a.table.value);
    return status;
}

int rcm_weights_normal(uint64_t n, uint64_t k, double score_sd, double *share, double *square)
{
    int status = -1;
    if (k > RCM_WEIGHTS_MOST)
        return -1;
    if (legal(n, k, score_sd))
        status = means(n, k, score_sd, false, share);
    if (status == 0 && square)
        status = means(n, k, score_sd, true, square);
    const double sum = status == 0 ? sum_of(share, k) : NAN;
    status = fabs(sum - 1.0) < WORST_SUM ? 0 : -1;
    for (uint64_t r = 0; r < k; r++) {
        share[r] = status == 0 ? share[r] / sum : NAN;
        if (square)
            square[r] = status == 0 ? square[r] : NAN;
    }
    return status;
}

/* Replaces a function that vanishes at both ends by its integral from the low end, through six
 * neighbours. */
static int accumulate(struct table_of_x *t)
{
    static const double part[6] = {11.0, -93.0, 802.0, 802.0, -93.0, 11.0}; /* over 1440 */
    double *const sum = malloc(t->length * sizeof *sum);
    if (!sum)
        return -1;
    sum[0] = 0.0;
    for (size_t i = 1; i < t->length; i++) {
        double piece = 0.0;
        for (size_t j = 0; j < 6; j++)
            if (i + j >= 3 && i + j - 3 < t->length)
                piece += part[j] * t->value[i + j - 3];
        sum[i] = sum[i - 1] + t->step * piece / 1440.0;
    }
    free(t->value);
    t->value = sum;
    return 0;
}

/* With all n scores as the top: an element of share p is one of the k largest if fewer than k of
 * the n - 1 others lie above it, which is P(Beta(k, n-k) > p). So the mass is the mean over that
 * distribution of what lies above p. */
double rcm_topk_mass_normal(uint64_t n, uint64_t k, double score_sd)
{
    struct averaging a = {.square = false};
    double mass = NAN;
    if (!legal(n, k, score_sd))
        return NAN;
    if (k == n)
        return 1.0;
    if (average(&a, n, n, score_sd) == 0) {
        for (size_t i = 0; i < a.table.length; i++) { /* n weight dp/dx */
            const double x = a.table.low + a.table.step * (double)i;
            a.table.value[i] *= (double)n / ((1.0 + exp(-x)) * (1.0 + exp(x)));
        }
        if (accumulate(&a.table) == 0)
            mass = beta_mean(&a.table, (double)k, (double)(n - k));
    }
    free(a.table.value);
    return mass;
}
