/* part_sums.c - see part_sums.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "part_sums.h"

#include <math.h>
#include <string.h>

#include <model/distribution/sum_rule.h>

typedef struct complex_number number;

/* ---- the upper tail of one binomial distribution, as terms */

struct distribution part_distribution(const struct over *over, uint64_t size)
{
    return (struct distribution){
        .n = (int64_t)over->n, .k = (int64_t)size, .s = (int64_t)over->k, .binomial = true};
}

static const double least_term = 1e-15; /* relative to the largest */

/* Every term up to `last`. */
static void narrow_terms(struct terms *terms, struct distribution dist, double last)
{
    double p = distribution_point(dist, terms->first), most = p;
    const double free = (double)(dist.n - dist.s), hit = (double)dist.s, draws = (double)dist.k;
    for (double x = (double)terms->first; terms->length < TERMS_MOST; x += 1.0) {
        terms->at[terms->length] = (double)terms->length;
        terms->p[terms->length++] = p;
        if (x >= last || (p <= least_term * most && (x + 1.0) * free > (draws - x) * hit))
            return;
        p *= (draws - x) * hit / ((x + 1.0) * free);
        most = p > most ? p : most;
    }
}

/* Sums over runs of half a standard deviation, each by a rule. */
static void wide_terms(struct terms *terms, struct distribution dist, double sd)
{
    const struct sum_rule rule = sum_rule((uint64_t)(0.5 * sd));
    const int64_t step = (int64_t)(0.5 * sd), high = distribution_high(dist);
    double most = 0.0;
    for (int64_t x = terms->first; x <= high; x += step) {
        const double begin = distribution_point(dist, x);
        if (terms->length + SUM_ALL > TERMS_MOST || begin <= least_term * most)
            return;
        most = fmax(most, begin);
        for (unsigned i = 0; i < rule.nodes; i++) {
            const int64_t at = x + (int64_t)rule.at[i];
            terms->at[terms->length] = (double)(at - terms->first);
            terms->p[terms->length++] = rule.weight[i] * distribution_point(dist, at);
        }
    }
}

double part_wide_sd(const struct over *over, size_t i)
{
    struct distribution dist = {
        .n = (int64_t)over->n, .k = (int64_t)over->of[i].size, .s = (int64_t)over->k};
    if (sqrt(distribution_variance(dist)) < DISTRIBUTION_STIRLING_MIN_SD)
        return 0.0;
    dist.binomial = true;
    return sqrt(distribution_variance(dist));
}

/* Terms farther from the mean than X may be, given that the sum is k, do not count. These are few
 * where the part has nearly the whole row. */
static void tail_terms(struct terms *terms, const struct over *over, size_t i)
{
    const struct distribution dist = part_distribution(over, over->of[i].size),
                              given = {.n = dist.n, .k = dist.k, .s = dist.s};
    const double wide = part_wide_sd(over, i),
                 far = 12.0 * sqrt(distribution_variance(given)) + 20.0,
                 mean = distribution_mean(dist);
    terms->first = over_limit(over, i) + 1;
    terms->length = 0;
    if (mean - far > (double)terms->first)
        terms->first = (int64_t)(mean - far);
    if (wide > 0.0)
        wide_terms(terms, dist, wide);
    else
        narrow_terms(terms, dist, fmin((double)dist.k, mean + far));
}

/* ---- nodes */

/* sin(x) - x and atan(x) - x without cancellation. */
static double sin_less(double x)
{
    if (fabs(x) > 0.5)
        return sin(x) - x;
    const double w = -x * x;
    double term = x, sum = 0.0;
    for (double j = 2.0; j < 18.0; j += 2.0)
        sum += term *= w / (j * (j + 1.0));
    return sum;
}

static double atan_less(double x)
{
    if (fabs(x) > 0.1)
        return atan(x) - x;
    const double w = -x * x;
    double sum = 0.0;
    for (int j = 8; j >= 1; j--)
        sum = (sum + 1.0 / (2 * j + 1)) * w;
    return x * sum;
}

/* log E exp(i t (X - p)) of one draw: of 1 - p + p exp(i t), whose square modulus is
 * 1 - 4 p q sin^2(t/2), less i p t. With q in place of p, t changes its sign. */
static number log_draw(double p, double q, double t)
{
    const double s = sin(0.5 * t), sign = p <= q ? 1.0 : -1.0, least = fmin(p, q);
    const double x = 1.0 - 2.0 * least * s * s; /* >= 0 */
    number log = {0.5 * log1p(-4.0 * p * q * s * s), 0.0};
    if (x > 0.1)
        log.im =
            atan_less(least * sin(t) / x) + least * (sin_less(t) + 2.0 * least * s * s * t) / x;
    else
        log.im = atan2(least * sin(t), x) - least * t;
    log.im *= sign;
    return log;
}

number draws(const struct nodes *nodes, double size, size_t j)
{
    const double scale = exp(size * nodes->draw.re[j]), angle = size * nodes->draw.im[j];
    return (number){scale * cos(angle), scale * sin(angle)};
}

void make_nodes(struct nodes *nodes, const struct over *over, double first, double count)
{
    const double n = (double)over->n, p = (double)over->k / n, q = (double)(over->n - over->k) / n;
    for (size_t j = 0; j < BLOCK; j++) {
        const double t = full_turn * ((first + (double)j) / count);
        nodes->t[j] = t;
        set_lane(&nodes->draw, j, log_draw(p, q, t));
        set_lane(&nodes->row, j, draws(nodes, n, j));
        set_lane(&nodes->turn[0], j, (number){1.0, 0.0});
        set_lane(&nodes->turn[1], j, (number){cos(t), sin(t)});
    }
    nodes->turns = 2;
}

/* Tabulates the multiples below `turns`. Each one adds a rounding error of about 1e-16. */
static void make_turns(struct nodes *nodes, size_t turns)
{
    for (size_t i = nodes->turns; i < turns && i < TURNS; nodes->turns = ++i)
        nodes->turn[i] = lanes_times(nodes->turn[i - 1], nodes->turn[1]);
}

/* The sums over the terms of p (x - limit)^power exp(i t (x - first)) for power < `powers`. */
static void sum_terms(struct nodes *nodes, const struct terms *terms, int64_t limit,
                      unsigned powers, struct lanes *sum)
{
    const double begin = (double)(terms->first - limit);
    struct lanes total[3] = {0}, computed;
    make_turns(nodes, (size_t)terms->at[terms->length - 1] + 1);
    for (size_t i = 0; i < terms->length; i++) {
        const struct lanes *turn = &computed;
        double p = terms->p[i];
        if (terms->at[i] < TURNS)
            turn = &nodes->turn[(size_t)terms->at[i]];
        else
            for (size_t j = 0; j < BLOCK; j++)
                set_lane(
                    &computed, j,
                    (number){cos(nodes->t[j] * terms->at[i]), sin(nodes->t[j] * terms->at[i])});
        for (unsigned power = 0; power < powers; power++, p *= begin + terms->at[i])
            for (size_t j = 0; j < BLOCK; j++) {
                total[power].re[j] += p * turn->re[j];
                total[power].im[j] += p * turn->im[j];
            }
    }
    memcpy(sum, total, powers * sizeof *sum);
}

/* exp(x) for |re|, |im| <= 2^-6, all nodes at once: the next terms of the series are below 2^-60.
 */
static struct lanes exp_small(const struct lanes *x)
{
    struct lanes result;
    for (size_t j = 0; j < BLOCK; j++) {
        const double re = x->re[j], im = x->im[j], w = im * im;
        double size = 1.0 + re * (1.0 / 7.0);
        size = 1.0 + re * (1.0 / 6.0) * size;
        size = 1.0 + re * (1.0 / 5.0) * size;
        size = 1.0 + re * (1.0 / 4.0) * size;
        size = 1.0 + re * (1.0 / 3.0) * size;
        size = 1.0 + re * (1.0 / 2.0) * size;
        size = 1.0 + re * size;
        result.re[j] = size * (1.0 - 0.5 * w * (1.0 - w * (1.0 / 12.0) * (1.0 - w * (1.0 / 30.0))));
        result.im[j] =
            size * im *
            (1.0 - w * (1.0 / 6.0) * (1.0 - w * (1.0 / 20.0) * (1.0 - w * (1.0 / 42.0))));
    }
    return result;
}

/* exp(-size times the log of one draw). */
static struct lanes undo_draws(const struct nodes *nodes, double size)
{
    struct lanes x, factor;
    double most = 0.0;
    for (size_t j = 0; j < BLOCK; j++) {
        x.re[j] = -size * nodes->draw.re[j];
        x.im[j] = -size * nodes->draw.im[j];
        const double sum = fabs(x.re[j]) + fabs(x.im[j]);
        most = sum > most ? sum : most;
    }
    if (most <= 0x1p-6)
        return exp_small(&x);
    for (size_t j = 0; j < BLOCK; j++) {
        const double scale = exp(x.re[j]);
        set_lane(&factor, j, (number){scale * cos(x.im[j]), scale * sin(x.im[j])});
    }
    return factor;
}

void far_part(const struct over *over, size_t i, struct nodes *nodes, struct terms *terms,
              unsigned powers, struct lanes *sum)
{
    tail_terms(terms, over, i);
    const double offset =
        distribution_offset(part_distribution(over, over->of[i].size), terms->first);
    const double first = nodes->t[0] * offset, step = (nodes->t[1] - nodes->t[0]) * offset;
    const number next = {cos(step), sin(step)};
    number turn = {cos(first), sin(first)};
    struct lanes turns;
    sum_terms(nodes, terms, over_limit(over, i), powers, sum);
    for (size_t j = 0; j < BLOCK; j++, turn = complex_times(turn, next))
        set_lane(&turns, j, turn);
    for (unsigned power = 0; power < powers; power++)
        sum[power] = lanes_times(sum[power], turns);
}

void near_part(const struct over *over, size_t i, struct nodes *nodes, struct terms *terms,
               unsigned powers, struct lanes *sum)
{
    const struct lanes factor = undo_draws(nodes, (double)over->of[i].size);
    far_part(over, i, nodes, terms, powers, sum);
    for (unsigned power = 0; power < powers; power++)
        sum[power] = lanes_times(sum[power], factor);
}
