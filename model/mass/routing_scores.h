/* routing_scores.h - internal to model/: scores of experts as functions of a normal logit x, and
 * quadrature over x.
 *
 * A score is kept as its deficit, which falls with x and keeps its digits where the score is near
 * its largest. Infinite x are beyond every expert.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROUTING_SCORES_H
#define ROUTING_SCORES_H

#include <model/recallmodel/routing.h>

#define SCORES_END 8.3 /* P(a logit is beyond) is 1e-16 */

/* The normal distribution: its density, F(x), and the x with log F(x) = log_below. */
double normal_density(double x);
double normal_below(double x);
double normal_level_below(double log_below);

enum { ROUTING_NODES = 24, ROUTING_PANELS = 20, ROUTING_ROOM = ROUTING_PANELS * ROUTING_NODES };
struct expert_scores {
    enum { EVEN_NORMAL, EVEN_SIGMOID, EVEN_EXP, EVEN_UNIFORM } kind; /* NORMAL: sd = 0 */
    double sd;
    double panel; /* their width: the k-th best of a row is less uncertain for large k */
    double end;   /* the x that one of 1e12 rows exceeds */
    double x[ROUTING_NODES], weight[ROUTING_NODES]; /* Gauss-Legendre on [0, 1] */
};
struct expert_scores expert_scores_of(struct rcm_routing routing);

/* What an expert weighs, in units that all share. */
double score_weight(const struct expert_scores *scores, double x);

/* The weight of an expert that is beyond the end, times P(it is): what panels leave out. */
double score_weight_beyond(const struct expert_scores *scores);

/* The middle of two: twice its score is the sum of theirs. The partner of x: the other one of a
 * pair with the middle m. Infinite if there is none. */
double score_middle(const struct expert_scores *scores, double x, double y);
double score_partner(const struct expert_scores *scores, double m, double x);

/* The derivative of the score. */
double score_slope(const struct expert_scores *scores, double x);

/* Nodes of an integral over x, in panels; none if it is empty. The ends are cut to those of scores
 * that rows have. What is integrated bends at two points, which may lie outside. */
struct nodes {
    unsigned length;
    double x[ROUTING_ROOM], weight[ROUTING_ROOM];
};
struct nodes nodes_between(const struct expert_scores *scores, double from, double to, double bend,
                           double other_bend);

#endif
