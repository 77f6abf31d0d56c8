/* query_training.h - trains a query model.
 *
 * The paper gives the shape of the model, the Kullback-Leibler divergence, AdamW and batches of one
 * document. What it does not give is taken so:
 * - Direction: sum t log(t / p), the target first. It is finite although most buckets have almost
 * no attention, its gradient by z is p - t, and it asks for every bucket that has attention. The
 *   other direction has log t, which is -infinity for an empty bucket, and it may leave out such
 *   buckets.
 * - Rate: 1e-3, falling in a straight line to 0 over the steps; the usual one of AdamW, and with a
 *   rate that ends at 0 the last batch has no larger share than the others.
 * - Weight decay: 0.01, of w1, w2 and s; not of gamma, beta and b, whose size means nothing to it.
 * - Steps: 300. A step is one batch; the batches come in a new random order each time round.
 * - Statistics of the normalisation: not a running mean, of which a few documents would be too
 * small a part, but mean and variance over all training queries, taken with the final weights. So
 * there is no momentum.
 * - Start: w1 and w2 normal, of variance 2 / d and 1 / width; b = 0. Of a residual model w2 = 0 and
 *   s = scale * centroids, so that it begins with the ranking of k-means.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef QUERY_TRAINING_H
#define QUERY_TRAINING_H

#include <attention/partition/partition.h>
#include "query_gradient.h"
#include <base/watch.h>

struct training_options {
    uint32_t width, steps;
    double rate, weight_decay;
    bool residual;
    uint64_t seed, salt; /* of the random numbers (RANDOM_TRAINING) */
};

#define TRAINING_OPTIONS_DEFAULT \
    (struct training_options) \
    { \
        .width = 1024, .steps = 300, .rate = 1e-3, .weight_decay = 0.01, .seed = 1 \
    }

struct training_report {
    uint32_t steps;
    double first_loss;      /* divergence in nats, mean of the first time round, before its steps */
    double last_loss;       /* with the final weights, by the statistics of each batch */
    double seconds;         /* of all steps */
    double product_seconds; /* of them in matrix products, added up over threads */
};

/* A model for the buckets of the partition, trained on `count` >= 1 batches, at least one of which
 * has rows; empty ones are left out. `scale` is that of the logits. The same bits for any number of
 * threads. If the watch stops it, the model is as trained so far. `watch` and `report` may be NULL.
 * The caller frees the model. */
struct query_model *query_model_train(const struct query_batch *batches, uint32_t count,
                                      const struct partition *partition, float scale,
                                      const struct training_options *options,
                                      const struct watch *watch, struct training_report *report);

#endif
