/* routing_scores.c - see routing_scores.h; and which groups are in the domain.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "routing_scores.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <model/recallmodel/lost_mass.h>

#include "scores.h"

#define ROOT_HALF 0.70710678118654752440

double normal_density(double x)
{
    return 0.39894228040143267794 * exp(-0.5 * x * x);
}

double normal_below(double x)
{
    return 0.5 * erfc(-x * ROOT_HALF);
}

double normal_level_below(double log_below)
{
    return -normal_score(log_below - log(-expm1(log_below)));
}

/* ---- scores */

static double deficit(const struct expert_scores *s, double x)
{
    switch (s->kind) {
    case EVEN_SIGMOID:
        return 1.0 / (1.0 + exp(s->sd * x));
    case EVEN_EXP:
        return -exp(s->sd * x);
    case EVEN_UNIFORM:
        return normal_below(-x);
    default:
        return -x;
    }
}

static double with_deficit(const struct expert_scores *s, double d)
{
    switch (s->kind) {
    case EVEN_SIGMOID:
        return d <= 0.0 ? INFINITY : d >= 1.0 ? -INFINITY : (log1p(-d) - log(d)) / s->sd;
    case EVEN_EXP:
        return d >= 0.0 ? -INFINITY : log(-d) / s->sd;
    case EVEN_UNIFORM:
        return d <= 0.0 ? INFINITY : d >= 1.0 ? -INFINITY : normal_score(log(d) - log1p(-d));
    default:
        return -d;
    }
}

double score_middle(const struct expert_scores *s, double x, double y)
{
    return with_deficit(s, 0.5 * (deficit(s, x) + deficit(s, y)));
}

double score_partner(const struct expert_scores *s, double m, double x)
{
    return with_deficit(s, 2.0 * deficit(s, m) - deficit(s, x));
}

double score_slope(const struct expert_scores *s, double x)
{
    const double d = deficit(s, x);
    switch (s->kind) {
    case EVEN_SIGMOID:
        return s->sd * d * (1.0 - d);
    case EVEN_EXP:
        return -s->sd * d;
    case EVEN_UNIFORM:
        return normal_density(x);
    default:
        return 1.0;
    }
}

double score_weight(const struct expert_scores *s, double x)
{
    switch (s->kind) {
    case EVEN_SIGMOID:
        return 1.0 / (1.0 + exp(-s->sd * x));
    case EVEN_EXP:
        return exp(s->sd * x);
    case EVEN_UNIFORM:
        return normal_below(x);
    default:
        return 1.0;
    }
}

double score_weight_beyond(const struct expert_scores *s)
{
    if (s->kind != EVEN_EXP) /* a weight of some units */
        return 0.0;
    return exp(0.5 * s->sd * s->sd) * normal_below(s->sd - s->end);
}

/* ---- quadrature */

/* The zeros of the Legendre polynomial, by Newton's iteration. */
static void set_nodes(struct expert_scores *s)
{
    for (unsigned i = 0; i < ROUTING_NODES; i++) {
        double t = cos(3.14159265358979323846 * (i + 0.75) / (ROUTING_NODES + 0.5)), slope = 1.0;
        for (unsigned step = 0; step < 8; step++) {
            double before = 1.0, p = t;
            for (unsigned m = 1; m < ROUTING_NODES; m++) {
                const double next = ((2 * m + 1) * t * p - m * before) / (m + 1);
                before = p;
                p = next;
            }
            slope = ROUTING_NODES * (before - t * p) / (1.0 - t * t);
            t -= p / slope;
        }
        s->x[i] = 0.5 * (1.0 + t);
        s->weight[i] = 1.0 / ((1.0 - t * t) * slope * slope);
    }
}

static void add_panels(const struct expert_scores *s, struct nodes *nodes, double from, double to)
{
    const unsigned panels = (unsigned)ceil((to - from) / s->panel);
    const double width = (to - from) / panels;
    for (unsigned panel = 0; panel < panels; panel++)
        for (unsigned i = 0; i < ROUTING_NODES; i++) {
            nodes->x[nodes->length] = from + width * (panel + s->x[i]);
            nodes->weight[nodes->length++] = width * s->weight[i];
        }
}

struct nodes nodes_between(const struct expert_scores *s, double from, double to, double bend,
                           double other_bend)
{
    struct nodes nodes = {.length = 0};
    from = fmax(from, -SCORES_END);
    to = fmin(to, s->end);
    if (!(from < to))
        return nodes;
    const double first = fmin(fmax(fmin(bend, other_bend), from), to);
    const double second = fmin(fmax(fmax(bend, other_bend), from), to);
    add_panels(s, &nodes, from, first);
    add_panels(s, &nodes, first, second);
    add_panels(s, &nodes, second, to);
    return nodes;
}

struct expert_scores expert_scores_of(struct rcm_routing q)
{
    struct expert_scores s = {.kind = EVEN_UNIFORM,
                              .sd = q.logit_sd,
                              .panel = 2.0 * fmin(1.0, sqrt(8.0 / (double)q.groups.k)),
                              .end = -normal_level_below(log(1e-12 / (double)q.groups.n))};
    if (q.scores != RCM_SCORES_UNIFORM)
        s.kind = !(q.logit_sd > 0.0)              ? EVEN_NORMAL
                 : q.scores == RCM_SCORES_SOFTMAX ? EVEN_EXP
                                                  : EVEN_SIGMOID;
    set_nodes(&s);
    return s;
}

/* ---- the domain */

static int wrong_text(struct rcm_routing q, char *buffer, size_t size)
{
    const struct rcm_blocks g = q.groups;
    const enum rcm_status status = rcm_blocks_check(g);
    if (status != RCM_OK)
        return (int)rcm_blocks_status_text(status, g, buffer, size);
    if (g.n > RCM_ROUTING_N_MOST)
        return snprintf(buffer, size, "n %" PRIu64 " is more than %" PRIu64 "; give at most that",
                        g.n, RCM_ROUTING_N_MOST);
    if (g.k > RCM_ROUTING_K_MOST)
        return snprintf(buffer, size, "k %" PRIu64 " is more than %d; give at most that", g.k,
                        RCM_ROUTING_K_MOST);
    if (g.n % g.size)
        return snprintf(buffer, size,
                        "block %" PRIu64 " does not divide n = %" PRIu64
                        "; give a divisor, as groups by scores have one size",
                        g.size, g.n);
    if (g.n / g.size > RCM_ROUTING_GROUPS_MOST)
        return snprintf(buffer, size,
                        "block %" PRIu64 " makes %" PRIu64 " groups; give at least %" PRIu64
                        " for at most %u groups",
                        g.size, g.n / g.size, (g.n - 1) / RCM_ROUTING_GROUPS_MOST + 1,
                        RCM_ROUTING_GROUPS_MOST);
    if (g.size < 2 && q.by == RCM_GROUP_TWO_BEST)
        return snprintf(buffer, size, "block 1 has no two best; give at least 2");
    if (q.scores != RCM_SCORES_UNIFORM && !(q.logit_sd >= 0.0 && q.logit_sd <= RCM_SCORE_SD_MOST))
        return snprintf(buffer, size, "score-sd is %g; give 0 to %g", q.logit_sd,
                        RCM_SCORE_SD_MOST);
    return 0;
}

size_t rcm_routing_wrong(struct rcm_routing q, char *buffer, size_t size)
{
    return (size_t)wrong_text(q, buffer, size);
}
