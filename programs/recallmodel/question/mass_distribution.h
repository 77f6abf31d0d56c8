/* mass_distribution.h - what rows lose of the mass with one shape: mean, standard deviation and
 * quantiles; and how that changes the token of a sampler.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef MASS_DISTRIBUTION_H
#define MASS_DISTRIBUTION_H

#include <programs/common/table.h>

#include "query.h"

/* The standard deviation is NAN where it is not known. */
struct mass_distribution {
    struct rcm_topk p;
    double score_sd, mean, sd;
    bool known, drawn;
    struct rank_loss draws;
};

/* The rows of --weights, and those of a nucleus, are placed at random some thousand times, which
 * takes a tenth of a second; of normal scores the distribution is known. */
struct mass_distribution mass_distribution(const struct query_weights *weights, struct rcm_topk p);
void mass_distribution_free(struct mass_distribution *dist);

/* What all rows but this share lose at most. NAN where it is not known, and below MASS_LEAST_SHARE
 * where no rows are drawn. */
#define MASS_LEAST_SHARE 1e-3
double mass_distribution_quantile(const struct mass_distribution *dist, double share);

/* Rows with more than DRAWN_MOST elements in their top k are not drawn, nor padded ones in runs. */
#define DRAWN_MOST 65536
bool mass_distribution_is_known(const struct query_weights *weights, struct rcm_topk p);

/* Lets rows that can be drawn answer for a confidence (rcm_weights.loses_more). */
void mass_distribution_for_confidence(struct query_weights *weights, struct rcm_topk p);

/* Means over rows, by drawn rows; `error` is the standard error of the first. All NAN where no
 * chain was asked for, or rows cannot be drawn. */
struct token_change {
    const char *chain;
    double total_variation, error, quantile, quantile_rest;
    double differs, by_rank, by_position; /* P(another token): rcm_token_change, rank_changed */
    double kl, kl_infinite;  /* of the rows where it is finite; the share of the others */
    double reverse_infinite; /* the share of rows where that of log(p/q) is infinite */
};

/* quantile: what all but this share of the rows do not exceed. As many shapes are asked for as
 * `shapes`: more than CHANGE_SHAPES share the rows of so many, so that a list takes no longer. */
#define CHANGE_SHAPES 16
#define TOKEN_CHANGE_REST 0.05 /* where no other is asked for */
struct token_change token_change(const struct query_weights *weights, struct rcm_topk p,
                                 double rest, size_t shapes);

extern const struct columns token_change_columns;

/* Is it known of shapes of this n and k? */
bool token_change_is_known(const struct query_weights *weights, struct rcm_topk p);

/* A line, and token_change of a shape's JSON. Nothing where it is not known. */
unsigned token_change_print(const struct token_change *change);
void token_change_json(json_t *object, const struct token_change *change);

#endif
