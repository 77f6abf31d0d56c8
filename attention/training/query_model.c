/* query_model.c - see query_model.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "query_model.h"

#include <math.h>
#include <stdlib.h>

#include <base/memory.h>

#include <attention/products.h>

size_t query_model_length(uint32_t d, uint32_t width, uint32_t clusters, bool residual)
{
    const size_t hidden = (size_t)width * ((size_t)d + 2);
    return hidden + (size_t)clusters * ((size_t)width + 1 + (residual ? d : 0));
}

struct query_model *query_model_new(uint32_t d, uint32_t width, uint32_t clusters, bool residual)
{
    struct query_model *model = require_memory(calloc(1, sizeof *model));
    *model = (struct query_model){.d = d, .width = width, .clusters = clusters};
    model->residual = residual;
    model->length = query_model_length(d, width, clusters, residual);
    model->parameters = require_memory(calloc(model->length, sizeof(float)));
    model->w1 = model->parameters;
    model->gamma = model->w1 + (size_t)width * d;
    model->beta = model->gamma + width;
    model->w2 = model->beta + width;
    model->b = model->w2 + (size_t)clusters * width;
    model->s = residual ? model->b + clusters : NULL;
    model->mean = require_memory(calloc(width, sizeof(float)));
    model->variance = require_memory(calloc(width, sizeof(float)));
    for (uint32_t i = 0; i < width; i++)
        model->gamma[i] = model->variance[i] = 1.0f;
    return model;
}

void query_model_free(struct query_model *model)
{
    if (!model)
        return;
    free(model->parameters);
    free(model->mean);
    free(model->variance);
    free(model);
}

void query_model_scores(const struct query_model *model, const float *q, float *z)
{
    float *h = require_memory(malloc(model->width * sizeof *h));
    products_vector(h, model->w1, model->width, model->d, q, 1.0f);
    for (uint32_t i = 0; i < model->width; i++) {
        const float y = model->gamma[i] * (h[i] - model->mean[i]) /
                            sqrtf(model->variance[i] + QUERY_MODEL_EPSILON) +
                        model->beta[i];
        h[i] = y > 0.0f ? y : 0.0f;
    }
    products_vector(z, model->w2, model->clusters, model->width, h, 1.0f);
    for (uint32_t c = 0; c < model->clusters; c++)
        z[c] += model->b[c];
    if (model->residual) {
        float *direct = require_memory(malloc(model->clusters * sizeof *direct));
        products_vector(direct, model->s, model->clusters, model->d, q, 1.0f);
        for (uint32_t c = 0; c < model->clusters; c++)
            z[c] += direct[c];
        free(direct);
    }
    free(h);
}
