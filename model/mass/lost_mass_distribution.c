/* lost_mass_distribution.c - the distribution of the lost mass of a row of normal scores.
 * Derivation: docs/models.md 23.
 *
 * A row loses more than x where the sum over its top elements of their weight, times 1 - x where
 * the element is lost and -x where it is not, is positive. Given U it is a sum over buckets, which
 * are independent but for their total of k top elements. So its characteristic function at theta
 * is a sum over turns phi, and the probability an integral over theta (Gil-Pelaez).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include <model/lost/fourier.h>
#include <model/recallmodel/lost_mass.h>
#include <model/shape/classes.h>
#include <model/shape/shape.h>

#include "scores.h"

#define U_ERROR 1e-5
#define THETA_LOW (-5.0) /* log theta, where typical sums of the k weights are 1 */
#define THETA_HIGH 13.0
#define THETA_STEP 0.05
#define THETA_STEP_FEW 0.02 /* of fewer than 64 weights */
#define VANISHED 1e-5       /* of the probability of a loss */
#define PHI_STEP 1.1        /* over the standard deviation of the number of top elements */
#define PHI_SIDE 5
#define IN_TURN 20.0 /* standard deviations; fewer: all turns */
#define K_B_LARGEST 512

/* Turns phi = step j, j from `first` on: an integral over all turns. */
struct turns {
    double step;
    int first, length;
};

static struct turns turns_of(double k, double n)
{
    const double sd = sqrt(k * (1.0 - k / n));
    if (full_turn * sd > IN_TURN)
        return (struct turns){PHI_STEP / sd, -PHI_SIDE, 2 * PHI_SIDE + 1};
    const int length = (int)(k + 8.0 * sqrt(k) + 21.0); /* no other multiple is as likely */
    return (struct turns){full_turn / length, 0, length};
}

/* At one theta, a function of each node, in two parts. */
struct two_parts {
    double *re, *im;
};

struct row_distribution {
    struct rcm_buckets buckets;
    double n, k, k_b, mass;
    struct turns turns;
    double above;                /* the sum over nodes of U */
    struct two_parts kept;       /* the factor of an element that is kept */
    struct two_parts lost;       /* that of one that is lost */
    struct two_parts kept_above; /* its integral above the node */
    struct two_parts lost_below; /* that of the other below */
    struct complex_number kept_all;
    double *room;
};

static struct complex_number turned(double angle)
{
    return (struct complex_number){cos(angle), sin(angle)};
}

static struct complex_number scaled(struct complex_number z, double by)
{
    return (struct complex_number){z.re * by, z.im * by};
}

static struct complex_number at(struct two_parts f, size_t i)
{
    return (struct complex_number){f.re[i], f.im[i]};
}

static void set_theta(struct row_distribution *dist, const struct scores *s, double theta)
{
    for (size_t i = 0; i < s->length; i++) {
        const double angle = theta * s->weight[i] / s->typical;
        dist->kept.re[i] = cos(dist->mass * angle);
        dist->kept.im[i] = -sin(dist->mass * angle);
        dist->lost.re[i] = cos((1.0 - dist->mass) * angle);
        dist->lost.im[i] = sin((1.0 - dist->mass) * angle);
    }
    dist->kept_all.re = scores_above(s, dist->kept.re, dist->kept_above.re, NULL);
    dist->kept_all.im = scores_above(s, dist->kept.im, dist->kept_above.im, NULL);
    scores_above(s, dist->lost.re, dist->room, dist->lost_below.re);
    scores_above(s, dist->lost.im, dist->room, dist->lost_below.im);
}

/* ---- one bucket, of whose places each has a top element with probability top = k/n */

/* Up to `most` top elements, all kept: the sum of C(size, x) (1-top)^(size-x) (top z)^x. */
static struct complex_number few_tops(double size, double most, double top, struct complex_number z)
{
    struct complex_number sum = {0.0, 0.0}, term = {exp(size * log1p(-top)), 0.0};
    for (double x = 0.0; x <= most; x += 1.0) {
        sum.re += term.re;
        sum.im += term.im;
        term = scaled(complex_times(term, z), (size - x) / (x + 1.0) * top / (1.0 - top));
    }
    return sum;
}

/* k_b top elements or more: the integral over the score of the k_b-th, with k_b - 1 above it. */
static struct complex_number many_tops(const struct row_distribution *dist, const struct scores *s,
                                       double size, struct complex_number turn)
{
    const double top = dist->k / dist->n, odds = top / (1.0 - top), k_b = dist->k_b;
    const uint64_t above = (uint64_t)k_b - 1, below = (uint64_t)(size - k_b);
    const double scale = exp(lgamma(size + 1.0) - lgamma(k_b) - lgamma(size - k_b + 1.0) +
                             k_b * log(top) + (size - k_b) * log1p(-top));
    const struct complex_number power = complex_power(turn, above + 1);
    struct complex_number sum = {0.0, 0.0};
    for (size_t i = 0; i < s->length; i++) {
        const struct complex_number lost = complex_times(turn, at(dist->lost_below, i));
        const struct complex_number base = {1.0 + odds * lost.re, odds * lost.im};
        const struct complex_number others = complex_times(
            complex_power(at(dist->kept_above, i), above), complex_power(base, below));
        const struct complex_number term = complex_times(others, at(dist->kept, i));
        const double weight = s->width * s->rule->weight[i % PANEL] * s->density[i];
        sum.re += weight * term.re;
        sum.im += weight * term.im;
    }
    return scaled(complex_times(sum, power), scale);
}

/* ---- one row */

/* A product over the buckets, as a logarithm. */
struct product {
    double modulus, angle;
};

static void multiply(struct product *product, double count, struct complex_number g)
{
    product->modulus += count * complex_log_modulus(g.re - 1.0, g.im);
    product->angle += count * atan2(g.im, g.re);
}

/* The characteristic function, but for a constant, where something is lost: the sum over the turns
 * of the product over the buckets, less that where no bucket loses. *none: the latter. */
static struct complex_number characteristic(const struct row_distribution *dist,
                                            const struct scores *s, struct complex_number *none)
{
    const double top = dist->k / dist->n;
    struct complex_number sum = {0.0, 0.0};
    *none = sum;
    for (int j = 0; j < dist->turns.length; j++) {
        const double phi = dist->turns.step * (dist->turns.first + j);
        const struct complex_number turn = turned(phi), z = complex_times(turn, dist->kept_all);
        struct product all = {0.0, -dist->k * phi}, kept = all;
        for (unsigned c = 0; c < dist->buckets.classes; c++) {
            const double count = (double)dist->buckets.of[c].count,
                         size = (double)dist->buckets.of[c].size;
            const struct complex_number few = few_tops(size, fmin(size, dist->k_b), top, z);
            multiply(&kept, count, few);
            struct complex_number g = few;
            if (size > dist->k_b) {
                const struct complex_number fewer = few_tops(size, dist->k_b - 1.0, top, z),
                                            many = many_tops(dist, s, size, turn);
                g = (struct complex_number){fewer.re + many.re, fewer.im + many.im};
            }
            multiply(&all, count, g);
        }
        none->re += exp(kept.modulus) * cos(kept.angle);
        none->im += exp(kept.modulus) * sin(kept.angle);
        sum.re += exp(all.modulus) * cos(all.angle) - exp(kept.modulus) * cos(kept.angle);
        sum.im += exp(all.modulus) * sin(all.angle) - exp(kept.modulus) * sin(kept.angle);
    }
    return sum;
}

/* P(H > 0): half the probability of a loss, and (1/pi) times the integral over log theta of the
 * imaginary part. Below THETA_LOW that is proportional to theta. Where nothing is lost H is below
 * 0. */
static double above_at(struct row_distribution *dist, const struct scores *s)
{
    struct complex_number none;
    set_theta(dist, s, 0.0);
    const double losing = characteristic(dist, s, &none).re, all = losing + none.re;
    const double step = dist->k < 64.0 ? THETA_STEP_FEW : THETA_STEP;
    double integral = 0.0;
    unsigned vanished = 0;
    for (double t = THETA_LOW; t < THETA_HIGH && vanished < 4; t += step) {
        set_theta(dist, s, exp(t));
        const struct complex_number f = characteristic(dist, s, &none);
        integral += (t > THETA_LOW ? step : 1.0 + 0.5 * step) * f.im;
        vanished = hypot(f.re, f.im) < VANISHED * losing ? vanished + 1 : 0;
    }
    return (0.5 * losing + integral * 2.0 / full_turn) / all;
}

static int add_scores(void *context, const struct scores *s, double weight)
{
    struct row_distribution *dist = context;
    const size_t length = s->length;
    double *work = malloc(9 * length * sizeof *work);
    if (!work)
        return -1;
    struct two_parts *const parts[] = {&dist->kept, &dist->lost, &dist->kept_above,
                                       &dist->lost_below};
    for (unsigned i = 0; i < 4; i++)
        *parts[i] = (struct two_parts){work + 2 * i * length, work + (2 * i + 1) * length};
    dist->room = work + 8 * length;
    dist->above += weight * above_at(dist, s);
    free(work);
    return 0;
}

/* Of elements, in place of their mass. */
static double of_equal_weights(struct rcm_topk p, double mass)
{
    struct rcm_lost dist;
    if (rcm_lost(p, &dist) != 0)
        return NAN;
    const double at_most = rcm_lost_at_most(&dist, mass * (double)p.k * (1.0 + 1e-15));
    rcm_lost_free(&dist);
    return 1.0 - at_most;
}

static double quantile_of_equal_weights(struct rcm_topk p, double rest)
{
    struct rcm_lost dist;
    if (rcm_lost(p, &dist) != 0)
        return NAN;
    const uint64_t lost = rcm_lost_quantile(&dist, 1.0 - rest - RCM_LOST_MAX_ERROR);
    rcm_lost_free(&dist);
    return (double)lost / (double)p.k;
}

bool rcm_lost_mass_distribution_known(uint64_t k, double score_sd)
{
    return score_sd == 0.0 ||
           (k >= RCM_LOST_MASS_DISTRIBUTION_K && score_sd >= RCM_LOST_MASS_DISTRIBUTION_SD &&
            score_sd <= RCM_LOST_MASS_DISTRIBUTION_SD_MOST);
}

double rcm_lost_mass_above(struct rcm_topk p, double score_sd, double mass)
{
    struct row_distribution dist = {
        .buckets = rcm_buckets_of(p), .k = (double)p.k, .k_b = (double)p.k_b};
    if (dist.buckets.classes == 0 || !(score_sd >= 0.0 && score_sd <= RCM_SCORE_SD_MOST) ||
        !(mass >= 0.0))
        return NAN;
    if (p.k_b >= p.k || p.k_b >= dist.buckets.of[0].size || mass >= 1.0)
        return 0.0;
    if (mass <= 0.0)
        return 1.0 - rcm_probability_exact(p);
    if (score_sd == 0.0)
        return of_equal_weights(p, mass);
    dist.n = (double)shape_valid(p);
    dist.mass = mass;
    dist.turns = turns_of(dist.k, dist.n);
    const struct top_scores top = {dist.n, dist.k, score_sd, dist.k_b, U_ERROR};
    if (!rcm_lost_mass_distribution_known(p.k, score_sd) || p.k == shape_valid(p) ||
        p.k_b > K_B_LARGEST || scores_each(top, add_scores, &dist) != 0)
        return NAN;
    return fmin(fmax(dist.above, 0.0), 1.0 - rcm_probability_exact(p));
}

/* ---- quantiles */

#define QUANTILE_ERROR 1e-3
#define STEPS_MOST 30

/* The normal score of a probability, within those that the error leaves. */
static double score_of(double probability)
{
    const double inside = fmin(fmax(probability, 1e-6), 1.0 - 1e-6);
    return normal_score(log(inside) - log1p(-inside));
}

/* Between a mass that more than `rest` of the rows exceed and one that they do not; the score of
 * the probability is nearly a straight line in the logarithm of the mass. */
double rcm_lost_mass_quantile(struct rcm_topk p, double score_sd, double rest)
{
    if (!(rest >= 1e-3 && rest < 1.0))
        return NAN;
    if (rcm_lost_mass_above(p, score_sd, 0.0) <= rest)
        return 0.0;
    if (score_sd == 0.0)
        return quantile_of_equal_weights(p, rest);
    const struct rcm_mass moments = rcm_lost_mass_normal(p, score_sd);
    double low = 0.0, high = 1.0, low_score = 0.0, high_score = 0.0;
    double x = fmin(moments.mean + moments.sd * fmax(score_of(rest), -0.5), 0.9);
    for (unsigned step = 0; step < STEPS_MOST && x > 0.0 && high - low > QUANTILE_ERROR * high;
         step++) {
        const double above = rcm_lost_mass_above(p, score_sd, x);
        if (isnan(above))
            return NAN;
        const double score = score_of(above) - score_of(rest); /* above 0: fewer rows */
        if (above > rest) {
            low = x;
            low_score = score;
        } else {
            high = x;
            high_score = score;
        }
        if (low == 0.0)
            x *= 0.7;
        else if (high == 1.0)
            x = fmin(1.4 * x, 0.5 * (1.0 + x));
        else
            x = exp(log(low) + (log(high) - log(low)) *
                                   fmin(fmax(low_score / (low_score - high_score), 0.02), 0.98));
    }
    return isnan(x) ? NAN : high;
}
