/* properties.h - what the keys and queries of a head look like: where the attention mass lies, how
 * large, clustered and turned away from each other they are, and which RoPE pairs take part.
 *
 * Logits are those after RoPE, over the keys 0 .. position of each query. docs/sparse.md has the
 * formulas.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PROPERTIES_H
#define PROPERTIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attention/context.h>
#include <attention/rope.h>

/* PROPERTY(name, meaning) */
#define PROPERTIES(PROPERTY) \
    PROPERTY(sink_mass, "share of mass of the first --sink keys") \
    PROPERTY(window_mass, "share of mass of the last --window keys") \
    PROPERTY(top_64, "share of mass of the 64 largest") \
    PROPERTY(top_256, "share of mass of the 256 largest") \
    PROPERTY(top_1024, "share of mass of the 1024 largest") \
    PROPERTY(logit_sd, "standard deviation of the logits between sink and window") \
    PROPERTY(tail_index, \
             "tail of the weights there: P(weight > x) ~ x^-index, from the largest 1 %") \
    PROPERTY(key_norm, "mean norm of a key") \
    PROPERTY(key_norm_cv, "standard deviation of that norm over its mean") \
    PROPERTY(query_norm, "mean norm of a query") \
    PROPERTY(sink_norm, "norm of key 0 over the mean norm") \
    PROPERTY(sink_value, "norm of value 0 over the mean norm of a value") \
    PROPERTY(key_offset, "norm of the mean key over the root mean square distance from it") \
    PROPERTY(key_offset_unroped, "the same before RoPE") \
    PROPERTY(query_offset, "norm of the mean query over the root mean square distance from it") \
    PROPERTY(query_offset_unroped, "the same before RoPE") \
    PROPERTY(angle, "degrees between the mean key and the mean query") \
    PROPERTY(angle_unroped, "the same before RoPE") \
    PROPERTY(neighbour, "correlation of keys j and j + 1, about the mean key") \
    PROPERTY(neighbour_unroped, "the same before RoPE") \
    PROPERTY(clustered, "share of the variance of keys that 128 centroids explain") \
    PROPERTY(clustered_unroped, "the same before RoPE") \
    PROPERTY(pairs_effective, "RoPE pairs that take part: 1 / sum of squared shares of |q||k|") \
    PROPERTY(pairs_slow, "share of |q||k| in the slower half of the pairs")

enum property {
#define PROPERTY_CODE(name, meaning) PROPERTY_##name,
    PROPERTIES(PROPERTY_CODE)
#undef PROPERTY_CODE
        PROPERTY_COUNT
};

struct property_text {
    const char *name, *meaning;
};
extern const struct property_text property_texts[PROPERTY_COUNT];

/* The fewest keys of which the tail index is computed: the largest max(1 %, this many) of those
 * between sink and window; NaN where they are not so many. */
#define TAIL_KEYS_LEAST 16

/* `clustered`: 1 - sum |k - c|^2 / sum |k - mean|^2 over at most PROPERTY_SAMPLE keys at equal
 * distances, for PROPERTY_CENTROIDS centroids of k-means++ and PROPERTY_ITERATIONS of Lloyd on the
 * same keys. NaN for fewer keys than centroids. */
enum { PROPERTY_SAMPLE = 8192, PROPERTY_CENTROIDS = 128, PROPERTY_ITERATIONS = 10 };

struct property_mean {
    double mean, error; /* NaN: it is not known */
};

/* The properties of one head of keys and its query heads: context->key_heads is 1. The sink is not
 * among the keys of norms, means and correlations. What needs something that is not there (values,
 * tensors before RoPE, a second query) is NaN, and so is what is not defined. Those of queries are
 * means over the query heads.
 * Domain    finite tensors, n >= 2.
 * Accuracy  logits in float, sums in double, in a fixed order: the same bits for any threads. */
void properties_of_head(const struct context *context, struct dense_part dense,
                        enum rope_pairing pairing, double of_head[PROPERTY_COUNT]);

/* Means over `heads` key heads, [heads][PROPERTY_COUNT], with standard errors that take each key
 * head for one group: the standard deviation of the values of heads over sqrt(heads); NaN for one
 * head. Where a head has no value, the mean is over the others. */
void properties_mean(const double *of_heads, size_t heads,
                     struct property_mean means[PROPERTY_COUNT]);

#endif
