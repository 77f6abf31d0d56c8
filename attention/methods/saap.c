/* saap.c - the buckets of kmeans, ranked by a model of the queries.
 *
 * The partition and the models come from the head: they were trained together (train.h), because a
 * model knows nothing of another partition. Its weights count as read by every query, or once by
 * those of a batch: no cache keeps them until the next step, which reads all other layers first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <attention/method.h>
#include <attention/methods/all.h>
#include <attention/methods/partitioned.h>
#include <attention/products.h>
#include <attention/training/query_model.h>
#include <base/memory.h>

/* The elements of the models of these queries; a model that several of them share counts once.
 * Without a model the centroids are read. */
static double model_elements(const struct key_head *head, const struct attention_query *queries,
                             uint32_t count)
{
    double elements = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        const struct query_model *model = head->models[queries[i].head];
        bool counted = false;
        for (uint32_t before = 0; before < i; before++)
            counted |= head->models[queries[before].head] == model;
        if (!counted)
            elements += model ? (double)model->length + 2.0 * model->width
                              : (double)head->partition->clusters * head->d;
    }
    return elements;
}

/* Several queries rank the buckets by the sum of their distributions (Eq. 2 of the paper). */
static void visit_saap(const struct method *self, const struct method_options *options,
                       const struct key_head *head, const void *index,
                       const struct attention_query *queries, uint32_t count, uint32_t knob,
                       struct visit *visit)
{
    const struct partitioned *partitioned = index;
    const uint32_t clusters = partitioned->partition->clusters;
    float *z = require_memory(malloc(clusters * sizeof *z));
    double *scores = require_memory(calloc(clusters, sizeof *scores));
    for (uint32_t i = 0; i < count; i++) {
        const struct query_model *model = head->models[queries[i].head];
        const float *q = partitioned_query(self, &queries[i]);
        if (model)
            query_model_scores(model, q, z);
        else /* as kmeans ranks */
            products_vector(z, partitioned->partition->centroids, clusters, head->d, q, 1.0f);
        partitioned_score(scores, z, clusters, model ? 1.0 : (double)queries[i].scale, count);
    }
    partitioned_visit(partitioned, scores, knob,
                      partitioned_shared_bytes(options, model_elements(head, queries, count)),
                      queries->range, visit);
    free(scores);
    free(z);
}

const struct method method_saap = {
    .name = "saap",
    .summary = "buckets of keys before RoPE, ranked by a trained model of the queries",
    .source = "Mazare et al. 2025",
    .unroped = true,
    .trains_queries = true,
    .together = true,
    .visit = visit_saap,
    PARTITIONED,
};

const struct method method_saap_roped = {
    .name = "saap-roped",
    .summary = "the same, with keys and queries after RoPE",
    .source = "Mazare et al. 2025",
    .trains_queries = true,
    .together = true,
    .visit = visit_saap,
    PARTITIONED,
};
