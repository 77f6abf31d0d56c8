/* mass_law.h - what rows lose of the mass with one shape: mean, standard deviation and quantiles.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MASS_LAW_H
#define MASS_LAW_H

#include "query.h"

/* The standard deviation is NAN where it is not known. */
struct mass_law {
    struct rcm_topk p;
    double score_sd, mean, sd;
    bool known, drawn;
    struct rank_loss draws;
};

/* The rows of --weights, and those of a nucleus, are placed at random some thousand times, which
 * takes a tenth of a second; of normal scores the law is known. */
struct mass_law mass_law(const struct query_weights *weights, struct rcm_topk p);
void mass_law_free(struct mass_law *law);

/* What all rows but this share lose at most. NAN where it is not known, and below
 * MASS_LEAST_SHARE. */
#define MASS_LEAST_SHARE 1e-3
double mass_law_quantile(const struct mass_law *law, double share);

/* Rows with more than DRAWN_MOST elements in their top k are not drawn, nor padded ones in runs. */
#define DRAWN_MOST 65536
bool mass_law_is_known(const struct query_weights *weights, struct rcm_topk p);

/* Lets the weights of drawn rows answer for a confidence (rcm_weights.loses_more). */
void mass_law_for_confidence(struct query_weights *weights);

#endif
