/* scores.c - see scores.h. Derivation: docs/models.md 23.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scores.h"

#include <math.h>
#include <stdlib.h>

#define ROOT_HALF 0.70710678118654752440
#define ROOT_2_PI 2.5066282746310005024

/* log(1 + exp(x)). */
static double log_1_exp(double x)
{
    return x > 0.0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

double normal_score(double log_odds)
{
    if (log_odds > 0.0)
        return -normal_score(-log_odds);
    /* the share is at most a half: Newton on its logarithm, which is concave, from above */
    const double log_share = -log_1_exp(-log_odds);
    double z = sqrt(-2.0 * (log_share + log(2.0)));
    for (unsigned step = 0; step < 60; step++) {
        const double above = 0.5 * erfc(z * ROOT_HALF);
        const double density = exp(-0.5 * z * z) / ROOT_2_PI;
        const double change = (log(above) - log_share) * above / density;
        z += change;
        if (fabs(change) <= 1e-15 * (1.0 + z))
            break;
    }
    return z;
}

/* ---- a Beta distribution as a sum */

/* The logarithm of the density in log odds x, but for a constant. */
static double beta_exponent(double a, double b, double x)
{
    return -a * log_1_exp(-x) - b * log_1_exp(x);
}

/* The x on one side of the mode at which the density has fallen by exp(-fall). */
static double beta_end(double a, double b, double mode, double fall, double side)
{
    const double top = beta_exponent(a, b, mode);
    double inside = 0.0, outside = 1.0;
    while (top - beta_exponent(a, b, mode + side * outside) < fall)
        outside *= 2.0;
    for (unsigned step = 0; step < 40; step++) {
        const double middle = 0.5 * (inside + outside);
        if (top - beta_exponent(a, b, mode + side * middle) < fall)
            inside = middle;
        else
            outside = middle;
    }
    return mode + side * outside;
}

/* The error of the trapezoidal rule is the Fourier transform of the density at 2 pi/step: that of
 * a normal distribution of this width, or exp(-pi^2/step) where the density is that of an
 * exponential. */
struct beta_nodes beta_nodes(double a, double b, double error)
{
    struct beta_nodes nodes = {.length = 0};
    /* Of a narrow distribution three nodes, exact for polynomials up to the fifth but for its
     * skewness, the root of the variance: an error of the third power of the width each. */
    const double variance = 1.0 / (a - 0.5) + 1.0 / (b - 0.5);
    if (a > 1.0 && b > 1.0 && variance * variance * variance < error) {
        const double mean = log(a - 0.5) - log(b - 0.5), aside = sqrt(3.0 * variance);
        return (struct beta_nodes){
            3, {mean - aside, mean, mean + aside}, {1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0}};
    }
    const double digits = -log(error), mode = log(a) - log(b);
    const double width = sqrt((a + b) / (a * b));
    double step = fmin(width * sqrt(19.7 / digits), 9.0 / digits);
    const double low = beta_end(a, b, mode, digits + 2.0, -1.0),
                 high = beta_end(a, b, mode, digits + 2.0, 1.0);
    step = fmax(step, (high - low) / (BETA_NODES_MOST - 1));
    const double top = beta_exponent(a, b, mode);
    double total = 0.0;
    for (double x = low; nodes.length < BETA_NODES_MOST && x < high + step; x += step) {
        nodes.log_odds[nodes.length] = x;
        nodes.weight[nodes.length] = exp(beta_exponent(a, b, x) - top);
        total += nodes.weight[nodes.length++];
    }
    for (size_t i = 0; i < nodes.length; i++)
        nodes.weight[i] /= total;
    return nodes;
}

/* ---- panels */

/* The polynomial through the values is the sum over m of (2m+1) P_m(t) times the sum over j of
 * weight_j P_m(t_j) value_j, t = 2x - 1; and the integral of (2m+1) P_m from t up is
 * P_{m-1}(t) - P_{m+1}(t), 1 - t for m = 0. */
void panel_rule(struct panel_rule *rule)
{
    double p[PANEL][PANEL + 1]; /* P_m at the nodes */
    for (unsigned i = 0; i < GAUSS_LEGENDRE_PAIRS; i++) {
        rule->x[i] = gauss_legendre[i].x;
        rule->x[PANEL - 1 - i] = 1.0 - gauss_legendre[i].x;
        rule->weight[i] = rule->weight[PANEL - 1 - i] = gauss_legendre[i].weight;
    }
    for (unsigned i = 0; i < PANEL; i++) {
        const double t = 2.0 * rule->x[i] - 1.0;
        p[i][0] = 1.0;
        p[i][1] = t;
        for (unsigned m = 1; m < PANEL; m++)
            p[i][m + 1] = ((2 * m + 1) * t * p[i][m] - m * p[i][m - 1]) / (m + 1);
    }
    for (unsigned i = 0; i < PANEL; i++)
        for (unsigned j = 0; j < PANEL; j++) {
            double sum = 1.0 - p[i][1];
            for (unsigned m = 1; m < PANEL; m++)
                sum += p[j][m] * (p[i][m - 1] - p[i][m + 1]);
            rule->above[i][j] = 0.5 * rule->weight[j] * sum;
        }
}

double scores_integral(const struct scores *s, const double *f)
{
    double sum = 0.0;
    for (size_t i = 0; i < s->length; i++)
        sum += s->rule->weight[i % PANEL] * s->density[i] * f[i];
    return sum * s->width;
}

/* The same in one panel, whose integral it returns. */
static double panel_above(const struct scores *s, size_t first, const double *f, double *above)
{
    double value[PANEL], panel = 0.0;
    for (unsigned j = 0; j < PANEL; j++) {
        value[j] = s->width * s->density[first + j] * f[first + j];
        panel += s->rule->weight[j] * value[j];
    }
    for (unsigned i = 0; i < PANEL; i++) {
        double sum = 0.0;
        for (unsigned j = 0; j < PANEL; j++)
            sum += s->rule->above[i][j] * value[j];
        above[first + i] = sum;
    }
    return panel;
}

double scores_above(const struct scores *s, const double *f, double *above, double *below)
{
    double under = 0.0, over = 0.0;
    for (size_t first = 0; first < s->length; first += PANEL) {
        const double panel = panel_above(s, first, f, above);
        for (size_t i = first; below && i < first + PANEL; i++)
            below[i] = under + (panel - above[i]);
        under += panel;
    }
    for (size_t first = s->length; first > 0;) {
        first -= PANEL;
        double panel = 0.0;
        for (size_t i = first; i < first + PANEL; i++) {
            panel += s->width * s->rule->weight[i - first] * s->density[i] * f[i];
            above[i] += over;
        }
        over += panel;
    }
    return over;
}

/* ---- the scores above one point */

#define LOWEST (-9.0) /* below it lies 1e-19 of the distribution */
/* One of the top k lies above the panels as rarely as the error to this power, and e^-4. */
#define NEVER_POWER 2.2
#define WIDEST_PANEL 3.0 /* in z; and in the logarithm of the weights: */
#define STEEPEST_PANEL 4.5
#define BENDING_PANEL 48.0 /* in z, times the root of k_b */

/* The typical sum of k weights: those above the score that one of k exceeds count as that. */
static double typical_sum(const struct scores *s, double k)
{
    double above = 0.0, cap = 0.0, sum = 0.0;
    for (size_t i = s->length; i-- > 0 && k * above < 0.7;) {
        above += s->width * s->rule->weight[i % PANEL] * s->density[i];
        cap = s->weight[i];
    }
    for (size_t i = 0; i < s->length; i++)
        sum += s->width * s->rule->weight[i % PANEL] * s->density[i] * fmin(s->weight[i], cap);
    return k * sum;
}

/* log_odds: of the share above the point; INFINITY: all. */
static int scores_begin(struct scores *s, const struct panel_rule *rule, double log_odds,
                        struct top_scores top)
{
    const double k = top.k, sd = top.sd;
    const double log_share = isinf(log_odds) ? 0.0 : -log_1_exp(-log_odds);
    const double from = isinf(log_odds) ? LOWEST : fmax(normal_score(log_odds), LOWEST);
    const double rarest = log_share - log(k) + NEVER_POWER * log(top.error) -
                          4.0; /* a share this small: log odds as good */
    const double to = fmax(normal_score(rarest), from + 1.0);
    const double reference = normal_score(log_share - log(k) - 0.7);
    const double narrow = fmax(sd / STEEPEST_PANEL, sqrt(top.k_b) / BENDING_PANEL);
    const double panels = ceil((to - from) * fmax(1.0 / WIDEST_PANEL, narrow));
    *s = (struct scores){.rule = rule,
                         .length = PANEL * (size_t)panels,
                         .low = from,
                         .sd = sd,
                         .reference = reference};
    s->width = (to - from) / panels;
    s->z = malloc(3 * s->length * sizeof *s->z);
    if (!s->z)
        return -1;
    s->density = s->z + s->length;
    s->weight = s->density + s->length;
    for (size_t i = 0; i < s->length; i++) {
        s->z[i] = from + s->width * ((double)(i / PANEL) + rule->x[i % PANEL]);
        s->density[i] = exp(-0.5 * s->z[i] * s->z[i] - log_share) / ROOT_2_PI;
        s->weight[i] = exp(sd * (s->z[i] - reference));
    }
    s->typical = typical_sum(s, k);
    return 0;
}

int scores_each(struct top_scores top, scores_visit *visit, void *context)
{
    struct panel_rule rule;
    struct beta_nodes nodes = {.length = 1, .log_odds = {INFINITY}, .weight = {1.0}};
    panel_rule(&rule);
    if (top.k < top.n)
        nodes = beta_nodes(top.k + 1.0, top.n - top.k, top.error);
    int status = 0;
    for (size_t i = 0; i < nodes.length && status == 0; i++) {
        struct scores scores;
        if (scores_begin(&scores, &rule, nodes.log_odds[i], top) != 0)
            return -1;
        status = visit(context, &scores, nodes.weight[i]) == 0 ? 0 : -1;
        free(scores.z);
    }
    return status;
}

/* ---- tilted */

#define T_LOW (-3.7) /* exp(t - exp(-t)): 1e-19 */
#define T_HIGH 150.0 /* E[exp(-u M)] vanishes before */
#define LOG_VANISHED (-50.0)

/* u = exp(t - exp(-t))/typical, the trapezoidal rule in t: the integrand falls doubly exponentially
 * on both sides. */
void tilt_each(const struct scores *s, double k, double step, double *work, tilt_visit *visit,
               void *context)
{
    double *const above = work, *const below = above + s->length,
                  *const density = below + s->length, *const e = density + s->length;
    for (double t = T_LOW; t < T_HIGH; t += step) {
        struct tilt tilt = {exp(t - exp(-t)) / s->typical, 0.0, above, below, density};
        double less = 0.0; /* 1 - E[exp(-u weight)], without cancellation */
        for (size_t i = 0; i < s->length; i++) {
            const double x = tilt.u * s->weight[i];
            const double fall = x < 0.5 ? expm1(-x) : exp(-x) - 1.0;
            e[i] = x < 0.5 ? 1.0 + fall : exp(-x);
            less -= s->width * s->rule->weight[i % PANEL] * s->density[i] * fall;
        }
        const double log_factor = k * log1p(-fmin(less, 1.0));
        if (!(log_factor > LOG_VANISHED))
            break;
        const double total = scores_above(s, e, above, below);
        for (size_t i = 0; i < s->length; i++) {
            above[i] /= total;
            below[i] /= total;
            density[i] = s->density[i] * e[i] / total;
        }
        tilt.factor = exp(log_factor) * step * tilt.u * (1.0 + exp(-t));
        visit(context, s, &tilt);
    }
}
