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

/* Means over the rows of a file. */
struct rank_weights {
    uint64_t rows;    /* those with any weight */
    double topk_mass; /* the share of a row's mass that its exact top k has */
};

/* share[r - 1] is the mean share of the mass of a row's exact top k that its r-th largest element
 * has, square[r - 1] the mean of its square, r <= k <= file->row. Weights are exp(x/temperature);
 * elements of +inf share all. With top_p < 1 the mass is that of the nucleus alone: of the fewest
 * largest of the top k that have at least this share of it; the others weigh nothing.
 * Returns   0; or -1 with one line in `error`. */
int rank_weights(const struct row_file *file, uint64_t k, double temperature, double top_p,
                 double *share, double *square, struct rank_weights *means, struct message error);

/* What the rows lose of that mass, each placed at random in so many draws: its elements are dealt
 * out to b buckets in turn, and a bucket keeps its k_b largest. */
struct rank_placement {
    uint64_t b, k_b, seed;
};
struct rank_loss {
    double mean, sd; /* over all rows and draws */
    double quantile; /* the least loss that all but the share `rest` of them do not exceed */
};

/* About so many draws in all; their errors are those of so many samples.
 * Domain    that of rank_weights, 1 <= b <= file->row, 1 <= k_b, 0 <= rest < 1.
 * Returns   0; or -1 with one line in `error`. */
#define RANK_DRAWS 20000
int rank_loss(const struct row_file *file, uint64_t k, double temperature, double top_p,
              struct rank_placement placement, double rest, struct rank_loss *loss,
              struct message error);

#endif
