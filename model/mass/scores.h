/* scores.h - internal to model/: the normal scores of the top k of a row as a quadrature.
 *
 * Of n independent scores, U is the share of the normal distribution that lies above the (k+1)-th
 * largest, Beta(k+1, n-k). Given U, the top k are independent scores above that point. Tilted by
 * exp(-u weight), as the integral of exp(-u M) for 1/M asks for, they still are. Derivation:
 * docs/models.md 23.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SCORES_H
#define SCORES_H

#include <stdbool.h>
#include <stddef.h>

#include <model/distribution/gauss_legendre.h>

/* The score above which the share 1/(1 + exp(-log_odds)) of the normal distribution lies. */
double normal_score(double log_odds);

/* ---- a Beta distribution as a sum: nodes with the weights of Beta(a, b), which add up to 1 */

enum { BETA_NODES_MOST = 256 };
struct beta_nodes {
    size_t length;
    double log_odds[BETA_NODES_MOST], weight[BETA_NODES_MOST];
};

/* The trapezoidal rule in log odds, for smooth functions: relative error about `error`, 1e-14 to
 * 1e-3; a, b >= 0.5. */
struct beta_nodes beta_nodes(double a, double b, double error);

/* ---- the scores above one point */

enum { PANEL = 2 * GAUSS_LEGENDRE_PAIRS };

/* One panel of the Gauss-Legendre rule on [0, 1], and the integrals from each node to 1 of the
 * polynomial through the values at the nodes. */
struct panel_rule {
    double x[PANEL], weight[PANEL], above[PANEL][PANEL];
};
void panel_rule(struct panel_rule *rule);

/* Panels in the score z from the lowest up. */
struct scores {
    const struct panel_rule *rule;
    size_t length;        /* a multiple of PANEL */
    double width;         /* of a panel */
    double low;           /* where the first begins: the point itself */
    double sd, reference; /* weight = exp(sd (z - reference)): the largest of k are about 1 */
    double *z;
    double *density; /* of the normal distribution above the point: it integrates to 1 */
    double *weight;
    double typical; /* the sum of k weights where none is exceptional */
};

/* The integral over z of density times f. */
double scores_integral(const struct scores *scores, const double *f);

/* above[i] = the integral of density times f from z[i] up; below[i] = that up to z[i], without
 * cancellation (NULL: not wanted). Returns the integral over all z. */
double scores_above(const struct scores *scores, const double *f, double *above, double *below);

/* The top k of n scores of this standard deviation. */
struct top_scores {
    double n, k, sd;
    double k_b;   /* what is integrated bends as the smallest of so many is distributed; or 1 */
    double error; /* of the sum over the nodes of U, about */
};

/* Calls visit() for the scores above each node of U, with the weights of the nodes.
 * Returns   0; or -1 if memory runs out or visit() returned another number than 0. */
typedef int scores_visit(void *context, const struct scores *scores, double weight);
int scores_each(struct top_scores top, scores_visit *visit, void *context);

/* ---- tilted */

/* The scores tilted by exp(-u weight): above[i] and below[i] are the shares of the tilted
 * distribution on either side of z[i], density[i] its density over z. The factor is du E[exp(-u
 * M)], M the sum of the k weights. */
struct tilt {
    double u, factor;
    const double *above, *below, *density;
};

/* Calls visit() for nodes u of an integral from 0 to infinity. `work` has room for 4 length. */
typedef void tilt_visit(void *context, const struct scores *scores, const struct tilt *tilt);
void tilt_each(const struct scores *scores, double k, double step, double *work, tilt_visit *visit,
               void *context);

#endif
