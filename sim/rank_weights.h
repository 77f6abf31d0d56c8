/* rank_weights.h - the softmax mass of rows by rank: what share of it has each of the top k?
 *
 * As simulate.h, it uses nothing of model/. NaN and -inf weigh nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RANK_WEIGHTS_H
#define RANK_WEIGHTS_H

#include <stdint.h>

#include <base/message.h>
#include <sim/rows/row_file.h>

/* Rows of scores, and what an element weighs: exp(x/temperature). Elements of +inf share all. With
 * top_p < 1 the mass of a row is that of its nucleus alone, the fewest largest of the top k that
 * have at least this share of their mass; the others weigh nothing. */
struct rank_scores {
    const struct row_file *file; /* NULL: independent normal scores, drawn */
    uint64_t n;                  /* elements of a row: file->row, or below 2^53 */
    double score_sd;             /* of normal ones */
    double temperature, top_p;   /* > 0; 0 < top_p <= 1 */
};

/* Rows of normal scores: as many as this, but not more elements than that of the top k in all. */
#define RANK_ROWS 4096
#define RANK_ELEMENTS (1 << 21)

/* Means over the rows. */
struct rank_weights {
    uint64_t rows; /* those with any weight */
    double
        topk_mass; /* the share of a row's mass that its exact top k has; NAN for normal scores */
};

/* share[r - 1] is the mean share of the mass of a row's exact top k that its r-th largest element
 * has, square[r - 1] the mean of its square, r <= k <= n.
 * Returns   0; or -1 with one line in `error`, which goes on after the name of the file. */
int rank_weights(const struct rank_scores *scores, uint64_t k, double *share, double *square,
                 struct rank_weights *means, struct message error);

/* What the rows lose of that mass, each placed at random in so many draws: its elements are dealt
 * out to b buckets in turn, and a bucket keeps its k_b largest. */
struct rank_placement {
    uint64_t b, k_b, seed;
};
struct rank_loss {
    double mean, sd; /* over all rows and draws */
    double quantile; /* the least loss that all but the share `rest` of them do not exceed */
};

/* About so many draws in all; their errors are those of so many samples, or of RANK_ROWS.
 * Domain    that of rank_weights, 1 <= b <= n, 1 <= k_b, 0 <= rest < 1.
 * Returns   0; or -1 with one line in `error`. */
#define RANK_DRAWS 20000
int rank_loss(const struct rank_scores *scores, uint64_t k, struct rank_placement placement,
              double rest, struct rank_loss *loss, struct message error);

#endif
