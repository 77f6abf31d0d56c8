/* kmeans.c - the keys of a head in C buckets by k-means; a query visits the buckets whose centroids
 * have the largest inner products with it, all keys of them or the best of these.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <attention/method.h>
#include <attention/methods/all.h>
#include <attention/methods/partitioned.h>
#include <attention/products.h>
#include <attention/top_keys.h>
#include <base/memory.h>

/* Several queries rank the buckets by the sum of their softmax over the centroids. */
static void visit_kmeans(const struct method *self, const struct method_options *options,
                         const struct key_head *head, const void *index,
                         const struct attention_query *queries, uint32_t count, uint32_t knob,
                         struct visit *visit)
{
    const struct partitioned *partitioned = index;
    const struct partition *p = partitioned->partition;
    const double elements = (double)p->clusters * head->d;
    float *inner = require_memory(malloc(p->clusters * sizeof *inner));
    double *scores = require_memory(calloc(p->clusters, sizeof *scores));
    for (uint32_t i = 0; i < count; i++) {
        products_vector(inner, p->centroids, p->clusters, head->d,
                        partitioned_query(self, &queries[i]), 1.0f);
        partitioned_score(scores, inner, p->clusters, (double)queries[i].scale, count);
    }
    /* Centroids of this document's own keys belong to one sequence. */
    partitioned_visit(partitioned, scores, knob,
                      partitioned->shared ? partitioned_shared_bytes(options, elements)
                                          : elements * options->element_bytes,
                      queries->range, visit);
    free(scores);
    free(inner);
}

/* ---- the best of the visited */

static void visit_inside(const struct method *self, const struct method_options *options,
                         const struct key_head *head, const void *index,
                         const struct attention_query *queries, uint32_t count, uint32_t knob,
                         struct visit *visit)
{
    visit_kmeans(self, options, head, index, queries, count, knob, visit);
    const size_t n = visit->length;
    const size_t kept = (size_t)(options->inside * (double)n + 0.5);
    /* The others are read for their scores alone. */
    visit->index_bytes += (double)(n - kept) * stored_key_bytes(options, head->d);
    visit_keep_best(visit, head, queries, kept);
}

const struct method method_kmeans = {
    .name = "kmeans",
    .summary = "the buckets of k-means whose centroids are nearest to the query",
    .together = true,
    .visit = visit_kmeans,
    PARTITIONED,
};

const struct method method_kmeans_unroped = {
    .name = "kmeans-unroped",
    .summary = "the same, with keys and queries before RoPE",
    .unroped = true,
    .together = true,
    .visit = visit_kmeans,
    PARTITIONED,
};

const struct method method_kmeans_topk = {
    .name = "kmeans-topk",
    .summary = "the keys with the largest scores inside the buckets of kmeans",
    .visit = visit_inside,
    PARTITIONED,
};
