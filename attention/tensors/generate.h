/* generate.h - keys, queries and values that behave as those of a model, at sizes no small model
 * reaches.
 *
 * One key head at a time, before RoPE (docs/sparse.md has the formulas):
 *   key    j:  offset + recency direction + g_j (cluster of j + own noise)
 *   query  i:  the opposite offset + recency direction + (one cluster + own noise)
 * with a heavy-tailed factor g_j. RoPE is applied to both, and then a sink (key 0) and needles are
 * put in. Every draw is a function of (seed, head, position) through sim/rows/random.h, so all
 * tensors have the same bits for any number of threads; a query or key at a position does not
 * depend on how many others there are, except for the sink and the needles, which are fitted to the
 * others.
 *
 * The defaults were set so that the properties (properties.h) come near those of a real model,
 * never so that a method does well or badly; docs/sparse.md says by how much they miss.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef GENERATE_H
#define GENERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attention/context.h>
#include <base/message.h>
#include <base/watch.h>

/* KNOB(name, option, default, least, most, whole, meaning): whole: only whole numbers. */
#define GENERATOR_KNOBS(KNOB) \
    KNOB(key_spread, "--key-spread", 7, 1e-3, 1e6, false, \
         "root mean square distance of keys from their mean: key_norm") \
    KNOB(key_offset, "--key-offset", 1.5, 0, 1e3, false, \
         "norm of the keys' offset over --key-spread: key_offset") \
    KNOB(query_offset, "--query-offset", 1, 0, 1e3, false, \
         "norm of the queries' offset over that of their own part: query_offset") \
    KNOB(offset_angle, "--offset-angle", 180, 0, 180, false, \
         "degrees between the two offsets, 180 for opposite ones: angle_unroped") \
    KNOB(contrast, "--contrast", 0.7, 0, 100, false, \
         "standard deviation of the logits of a query by its own part: logit_sd") \
    KNOB(heavy, "--heavy", 0, 0, 1, false, \
         "weight of an exponential in the variance of a key; 0: normal logits, 1: Laplace: " \
         "tail_index, key_norm_cv") \
    KNOB(clusters, "--clusters", 64, 1, 1e6, true, "clusters of keys: clustered") \
    KNOB(cluster_share, "--cluster-share", 0.5, 0, 1, false, \
         "share of the variance of keys that is between clusters: clustered") \
    KNOB(cluster_skew, "--cluster-skew", 0.5, 0, 4, false, \
         "cluster z has a share ~ z^-SKEW of the keys: imbalance of partitions") \
    KNOB(run, "--run", 6, 1, 1e6, true, "neighbouring keys that share a cluster: neighbour") \
    KNOB(query_share, "--query-share", 0.25, 0, 1, false, \
         "share of a query's own part that points at one cluster: top_64 to top_1024") \
    KNOB(slow, "--slow", 12, -40, 40, false, \
         "log of the energy of the slowest RoPE pair over the fastest: pairs_slow") \
    KNOB(recency, "--recency", 13, 0, 100, false, \
         "nats by which the last key exceeds a far one: window_mass") \
    KNOB(reach, "--reach", 4, 1, 1e9, false, \
         "keys over which recency lasts: it uses the RoPE pairs that turn by less than 1/REACH " \
         "a position: window_mass") \
    KNOB(sink, "--sink-mass", 0.26, 0, 0.99, false, "mean share of mass of key 0: sink_mass") \
    KNOB(sink_value, "--sink-value", 0.3, 0, 1e3, false, \
         "norm of the sink's value over that of others: sink_value") \
    KNOB(needles, "--needles", 0, 0, 1e6, true, \
         "keys that are placed for one query each: needles.csv") \
    KNOB(needle_mass, "--needle-mass", 0.5, 0, 0.99, false, \
         "share of mass of a needle for its query: needles.csv")

struct generator {
    uint64_t seed;
    uint32_t n, n_q, d;              /* d is even; values have d components, too */
    uint32_t key_heads, query_heads; /* the second is a multiple of the first */
    double theta;                    /* of RoPE; its pairs are (i, i + d/2); > 1 */
#define GENERATOR_FIELD(name, option, value, least, most, whole, meaning) double name;
    GENERATOR_KNOBS(GENERATOR_FIELD)
#undef GENERATOR_FIELD
};

#define GENERATOR_KNOB_VALUE(name, option, value, least, most, whole, meaning) .name = (value),
#define GENERATOR_DEFAULT \
    (struct generator) \
    { \
        .seed = 1, .n = 100000, .n_q = 64, .d = 128, .key_heads = 1, .query_heads = 1, \
        .theta = 5e5, GENERATOR_KNOBS(GENERATOR_KNOB_VALUE) \
    }

/* A key that was put in for one query. */
struct needle {
    uint32_t key, query_head, query; /* query_head: from 0, among all; query: from 0, of n_q */
    double mass;                     /* its share of mass for that query, measured */
};

/* The tensors of one key head. The caller allocates them by generated_head_new(). */
struct generated_head {
    float *keys, *keys_unroped, *values; /* [n][d] */
    float *queries, *queries_unroped;    /* [query_heads / key_heads][n_q][d] */
    struct needle *needles;
    size_t needle_count;
};

/* The bytes that generated_head_new() and generate_head() take, but for small change. */
double generated_head_bytes(const struct generator *generator);
struct generated_head *generated_head_new(const struct generator *generator);
void generated_head_free(struct generated_head *head);

/* The knobs: their options and limits, and what they stand for. Ends with option == NULL. */
struct generator_knob {
    const char *option, *meaning;
    size_t at; /* of the double in struct generator */
    double value, least, most;
    bool whole;
};
extern const struct generator_knob generator_knobs[];

/* The fault of the numbers, as one line that names the option, in `error`: 0, or -1. */
int generator_check(const struct generator *generator, struct message error);

/* Fills the tensors of key head `head`. The steps are its keys.
 * Returns   0; 1 if it was stopped. */
int generate_head(const struct generator *generator, uint32_t head, struct generated_head *to,
                  const struct watch *watch);

/* The tensors as a context of one key head. */
struct context generated_context(const struct generator *generator,
                                 const struct generated_head *head);

#endif
