/* query_model.h - the query model of SAAP (Mazare et al. 2025, section 4.2): from a query to a
 * distribution over the buckets of a partition.
 *
 *   a = W1 q                      width x d, no bias: the normalisation would take it away
 *   y = gamma (a - mean) / sqrt(variance + 1e-5) + beta     for each component of a
 *   h = max(y, 0)
 *   z = W2 h + b                  clusters x width
 *   z = z + S q                   the residual variant: S is clusters x d
 *   p = softmax(z)
 *
 * In training, mean and variance are those of the batch; afterwards those kept in the model. The
 * paper's width is 1024. It names a residual variant; S, which begins as scale * centroids, so that
 * training begins from the ranking of k-means, is how it is read here.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef QUERY_MODEL_H
#define QUERY_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUERY_MODEL_EPSILON 1e-5f /* of the normalisation */

struct query_model {
    uint32_t d, width, clusters;
    bool residual;
    size_t length;     /* of all parameters */
    float *parameters; /* those below, one after the other */
    float *w1;         /* [width][d] */
    float *gamma;      /* [width] */
    float *beta;       /* [width] */
    float *w2;         /* [clusters][width] */
    float *b;          /* [clusters] */
    float *s;          /* [clusters][d], or NULL */
    float *mean;       /* [width], of a; not trained by gradients */
    float *variance;   /* [width] */
};

/* The number of parameters of a model of these shapes, without mean and variance. */
size_t query_model_length(uint32_t d, uint32_t width, uint32_t clusters, bool residual);

/* A model with gamma and variance 1, and zeros otherwise. The caller frees it. d, width, clusters
 * >= 1. Calls the handler of base/memory.h where memory runs out. */
struct query_model *query_model_new(uint32_t d, uint32_t width, uint32_t clusters, bool residual);
void query_model_free(struct query_model *model);

/* z, [clusters], for a query [d]. Float32. */
void query_model_scores(const struct query_model *model, const float *q, float *z);

#endif
