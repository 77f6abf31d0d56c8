/* rank_weights.h - the softmax mass of rows by rank: what share of it has each of the top k?
 *
 * As simulate.h, it uses nothing of model/. NaN and -inf weigh nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RANK_WEIGHTS_H
#define RANK_WEIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#include <base/message.h>
#include <sim/sampler/chain.h>
#include <sim/rows/row_file.h>

/* Rows of scores, and what an element weighs after a sampler's chain: exp(x/temperature), or of
 * probabilities x^(1/temperature). Elements of +inf share all. The mass of a row is that of the
 * elements of its exact top k that the chain keeps; the others weigh nothing. */
struct rank_scores {
    const struct row_file *file; /* NULL: independent normal scores, drawn */
    uint64_t n;                  /* elements of a row: file->row, or below 2^53 */
    double score_sd;             /* of normal ones */
    struct chain chain;
    bool change;        /* keeps what rank_change() needs */
    bool probabilities; /* the elements of a file are: enum sim_weights */
};

/* Rows of normal scores: as many as this, but not more elements than that of the top k in all. */
#define RANK_ROWS 4096
#define RANK_ELEMENTS (1 << 21)

/* What the top k of rows weigh. */
struct rank_weights {
    uint64_t n, k;
    uint64_t rows;    /* those with any weight */
    double topk_mass; /* the mean share of a row's mass that its exact top k has; NAN for
                         normal scores */
    double *share;    /* k: the mean share of the mass of the top k that each rank has */
    double *square;   /* k: the mean of its square */
    double *kept;     /* the shares of some rows, k for each: evenly spread over all, */
    size_t kept_rows; /* RANK_ELEMENTS in all at most, or of one row */
    uint64_t shown;   /* with `change`, what so many elements of the same rows weigh, at most .. */
    double *shown_weights; /* .. RANK_SHOWN(k), in falling order: chain_row, weight[0], weight[1],
                              rest */
    bool drawn;            /* the rows are */
};
#define RANK_SHOWN(k) (2 * (k) + 64)

/* Domain    1 <= k <= n.
 * Returns   0; or -1 with one line in `error`, which goes on after the name of the file.
 *           rank_weights_free() after either. */
int rank_weights(struct rank_weights *weights, const struct rank_scores *scores, uint64_t k,
                 struct message error);
void rank_weights_free(struct rank_weights *weights);

/* What these rows lose of that mass, each placed at random several times: its elements are dealt
 * out to b buckets in turn, and a bucket keeps its k_b largest. */
struct rank_placement {
    uint64_t b, k_b, seed;
};
struct rank_draw {
    double lost,
        share; /* of a row that loses something; the share of the rows that it stands for */
};
struct rank_loss {
    double mean, sd;        /* over rows */
    struct rank_draw *each; /* the least loss first; the other rows lose nothing */
    size_t length;
};

/* RANK_DRAWS in all, or as many as place RANK_PLACES elements, but RANK_DRAWS_LEAST. They are rows
 * that lose something, drawn by what they lose, so that the errors are those of so many samples
 * however few rows do.
 * Domain    1 <= b <= n, 1 <= k_b.
 * Returns   0, and the caller frees loss->each; or -1 if memory runs out. */
#define RANK_DRAWS 20000
#define RANK_DRAWS_LEAST 500
#define RANK_PLACES (1 << 22)
int rank_loss(const struct rank_weights *weights, struct rank_placement placement,
              struct rank_loss *loss);

/* Puts the least loss first: rank_loss() has done it. */
void rank_loss_sort(struct rank_loss *loss);

/* The least loss that all but the share `rest` of the rows do not exceed, 0 <= rest < 1. */
double rank_loss_quantile(const struct rank_loss *loss, double rest);

/* The share of rows that lose more than this, 0 <= share. */
double rank_loss_above(const struct rank_loss *loss, double share);

/* The same without the others. `error` is a standard error, which also allows for rows that none
 * of the draws show. Ends once it is above `enough`, so that it is less than that of all draws.
 * NAN if memory runs out. */
struct rank_share {
    double above, error;
};
struct rank_share rank_loses_more(const struct rank_weights *weights,
                                  struct rank_placement placement, double share, double enough);

/* ---- how the distribution of a token changes */

/* One draw of rank_change(): what the tokens weigh that the chain keeps behind the exact top k,
 * those behind the buckets, and those in both; and how likely another token is drawn with the same
 * random number, where it is looked up in sums of the probabilities by rank, or by position. */
struct rank_changed {
    double exact, approximate, common;
    double by_rank, by_position;
    double share; /* of the rows that it stands for */
};

/* Rows of which buckets lose a token of the exact top k, drawn as for rank_loss(), at most `most`
 * of them, in `each`; in the others nothing changes. Lost places are filled by the next tokens that
 * buckets hand on, of the first weights->shown. Draw i is of row i % weights->kept_rows.
 * Domain    as rank_loss(), and weights of rank_scores with `change`.
 * Returns   how many; or 0 if memory runs out. */
size_t rank_change(const struct rank_weights *weights, const struct chain *chain,
                   struct rank_placement placement, size_t most, struct rank_changed *each);

/* The mean over all rows of a number that draw i has `stride` behind that of draw i - 1, and its
 * standard error, which allows for the drawn rows being few. */
double rank_change_mean(const struct rank_weights *weights, const struct rank_changed *each,
                        size_t length, const double *value, size_t stride, double *error);

#endif
