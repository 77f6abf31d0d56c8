/* rules.c - what others send from each part of a row: see recallmodel/parts.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/recallmodel/parts.h>

static uint64_t at_most_all(double send, uint64_t k, uint64_t size)
{
    const uint64_t all = size < k ? size : k;
    return send < (double)all ? (uint64_t)send : all;
}

static uint64_t full(uint64_t n, uint64_t k, uint64_t size, uint64_t parts)
{
    (void)n;
    (void)parts;
    return at_most_all(INFINITY, k, size);
}

/* k p and so many binomial standard deviations, cut to a whole number, at least 1. */
static uint64_t mean_and_sds(uint64_t n, uint64_t k, uint64_t size, double sds)
{
    const double p = (double)size / (double)n, mean = (double)k * p;
    return at_most_all(fmax(1.0, mean + sds * sqrt(mean * (1.0 - p))), k, size);
}

static uint64_t lucene(uint64_t n, uint64_t k, uint64_t size, uint64_t parts)
{
    (void)parts;
    return mean_and_sds(n, k, size, 16.0);
}

static uint64_t lucene_comment(uint64_t n, uint64_t k, uint64_t size, uint64_t parts)
{
    (void)parts;
    return mean_and_sds(n, k, size, 3.0);
}

static uint64_t milvus(uint64_t n, uint64_t k, uint64_t size, uint64_t parts)
{
    (void)n;
    return at_most_all(k > 100 ? ceil((double)k / sqrt((double)parts)) : INFINITY, k, size);
}

static uint64_t terms(uint64_t n, uint64_t k, uint64_t size, uint64_t parts)
{
    (void)n;
    (void)parts;
    return at_most_all(1.5 * (double)k + 10.0, k, size);
}

static const struct rcm_parts_rule rules[] = {
    {"full", "k", "most: faiss IndexShards, vLLM's splits, Lucene before #14226", full},
    {"lucene", "k p + 16 sqrt(k p (1-p)), then a second round",
     "apache/lucene AbstractKnnVectorQuery.perLeafTopKCalculation (#14226), and with shards "
     "SharedFloorKnnCollectorManager.perShardGate (#16357)",
     lucene},
    {"lucene_comment", "k p + 3 sqrt(k p (1-p))",
     "what the comment of perLeafTopKCalculation says: three standard deviations", lucene_comment},
    {"milvus", "k / sqrt(parts), above k = 100", "proposed in milvus-io/milvus #23370", milvus},
    {"terms",
     "1.5 k + 10 terms with their counts. The recall is that of elements with a score; counts, "
     "which the merge adds up over parts, may lose more",
     "elastic/elasticsearch BucketUtils.suggestShardSideQueueSize", terms},
};

const struct rcm_parts_rule *rcm_parts_rule(size_t index)
{
    return index < sizeof rules / sizeof *rules ? &rules[index] : NULL;
}
