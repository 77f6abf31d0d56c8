/* method.h - the methods that choose which keys a query reads: one row of the registry for each.
 *
 * A method builds an index of the keys of one key head, and then visits keys for a query. Its knob
 * is one whole number; a larger knob visits a superset in number, never fewer keys. The dense part
 * (sink and window, context.h) is read by every query and is never among the visited keys.
 *
 * Each file of attention/methods/ defines one method, or a few that share their index. It sees
 * pointers to floats and this header; it knows nothing of files, options or printing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef METHOD_H
#define METHOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <base/message.h>
#include <sim/selection/assignment.h>

#include "context.h"

struct method;
struct partition;   /* partition.h: centroids of keys, and the keys of each bucket */
struct watch;       /* base/watch.h */
struct query_model; /* query_model.h: from a query to a distribution over buckets */

/* OPTION(kind, member, option, usual, least, most, meaning): what the methods are told. Each reads
 * what it needs. A REAL is above its least; a FLAG has no usual value, it is off. Sink and window,
 * the seed and the assignment of buckets stand beside them. */
#define METHOD_OPTIONS(OPTION) \
    OPTION(WHOLE, clusters, "--clusters", 128, 1, 0x1p20, "buckets of kmeans and saap") \
    OPTION(WHOLE, iterations, "--iterations", 25, 1, 0x1p30, "at most N iterations of kmeans") \
    OPTION(FLAG, spherical, "--spherical", 0, 0, 1, \
           "spherical k-means: centroids of norm 1, the nearest one by inner product") \
    OPTION(REAL, inside, "--inside", 0.5, 0, 1, \
           "kmeans-topk keeps this share of the keys of its buckets") \
    OPTION(WHOLE, components, "--components", 16, 1, 0x1p30, \
           "components of a query that sparq uses, at most d") \
    OPTION(WHOLE, k_b, "--kb", 1, 1, 0x1p30, "keys that bucketed keeps per bucket") \
    OPTION(WHOLE, ratio, "--ratio", 1, 1, 0x1p30, \
           "candidates of bucketed for each key wanted, b k_b / K") \
    OPTION(WHOLE, page, "--page", 16, 1, 0x1p30, "keys in a page of quest") \
    OPTION(WHOLE, block, "--block", 8, 1, 0x1p30, "keys in a block of blocks and hisa") \
    OPTION(REAL, block_factor, "--block-factor", 0.25, 0, 1e6, \
           "blocks and hisa open F blocks for each key that is wanted") \
    OPTION(WHOLE, lag, "--lag", 1, 1, 0x1p30, "previous-query takes the query N positions before") \
    OPTION(WHOLE, bits, "--bits", 10, 1, 32, "bits of a hash, for the lsh methods") \
    OPTION(WHOLE, tables, "--tables", 150, 1, 0x1p30, \
           "hash tables of lsh-magicpig and lsh-argmax") \
    OPTION(WHOLE, chunk, "--chunk", 64, 1, 0x1p30, \
           "keys in a bin of lsh-gray and in a chunk of lsh-argmax") \
    OPTION(FLAG, mean_value, "--mean-value", 0, 0, 1, \
           "sparq gives the weight of keys that are not read to the mean of the values") \
    OPTION(WHOLE, element_bytes, "--element-bytes", 2, 1, 16, \
           "bytes of a stored element, to count the bytes that are read") \
    OPTION( \
        FLAG, int8_keys, "--int8-keys", 0, 0, 1, \
        "methods read keys of 8 bits with a scale each; compare with the keys as they are given") \
    OPTION(WHOLE, batch, "--batch", 1, 1, 0x1p30, \
           "sequences that decode together and share the reads of what was trained")

#define METHOD_OPTION_TYPE_WHOLE uint32_t
#define METHOD_OPTION_TYPE_REAL double
#define METHOD_OPTION_TYPE_FLAG bool

struct method_options {
    uint64_t seed;
    struct dense_part dense;
    enum sim_assignment assignment; /* bucketed, sparq-bucketed: which keys share a bucket */
#define METHOD_OPTION_FIELD(kind, member, option, usual, least, most, meaning) \
    METHOD_OPTION_TYPE_##kind member;
    METHOD_OPTIONS(METHOD_OPTION_FIELD)
#undef METHOD_OPTION_FIELD
};

#define METHOD_OPTION_USUAL(kind, member, option, usual, least, most, meaning) .member = (usual),
#define METHOD_OPTIONS_DEFAULT \
    (struct method_options) \
    { \
        .seed = 1, .dense = {1, 128}, METHOD_OPTIONS(METHOD_OPTION_USUAL) \
    }

/* The rows of METHOD_OPTIONS, which end with name == NULL. */
enum method_option_kind { METHOD_OPTION_WHOLE, METHOD_OPTION_REAL, METHOD_OPTION_FLAG };

struct method_option {
    const char *name, *option; /* of the member; for people who type it */
    enum method_option_kind kind;
    size_t at; /* of the member in struct method_options */
    double least, most;
};
extern const struct method_option method_option_rows[];

double method_option_value(const struct method_options *options, const struct method_option *row);

/* Is each option in its range, and does the method take them for keys of d components? Returns 0,
 * or -1 with the line of the first that is not. */
int method_options_check(const struct method_options *options, const struct method *method,
                         uint32_t d, struct message error);

/* One key head, as a method sees it. */
struct key_head {
    const float *keys;         /* [n][d], after RoPE */
    const float *keys_unroped; /* the same before RoPE, or NULL */
    const float *values;       /* [n][d_v], or NULL */
    uint32_t n, d, d_v;
    /* Centroids and the like are found from the keys first .. built - 1, which come before the
     * first query; later keys are only added to what was found. first < built <= n. */
    uint32_t first, built;
    uint32_t group;                    /* the number of this head among all contexts: for seeds */
    const struct partition *partition; /* trained on other documents; NULL: train on this one */
    bool partition_own;                /* it is of these keys: an earlier build() found it */
    /* One for each query head of the group, NULL where it had nothing to train on; or NULL. */
    const struct query_model *const *models;
    /* The queries after RoPE of the heads that share these keys, at all positions:
     * [query_heads][n][d]. NULL where only the last ones are known. */
    const float *queries;
    uint32_t query_heads;
    const struct watch *watch; /* of build() and imbalance(); NULL: nobody watches */
};

/* One query. */
struct attention_query {
    const float *q, *q_unroped; /* [d]; the second is NULL where there is none */
    const float *previous;      /* [d], after RoPE: of the position `lag` before; NULL: not known */
    /* After RoPE, [d] and [n][d]: the query of the same head and position in the layer before, and
     * the keys there. NULL: not known. */
    const float *layer_q, *layer_keys;
    const float *logits; /* [n], already computed; NULL: a method that needs them computes them */
    float scale;
    uint32_t position, head; /* head: which of the query heads that share the keys, from 0 */
    struct key_range range;  /* the keys that may be visited */
};

/* What a method visited: filled by visit(), reused from query to query. */
struct visit {
    uint32_t *keys; /* rising, each once, within the range of the query */
    size_t length, capacity;
    float *weights; /* the reciprocal of the probability that a key is visited, where a method
                     * estimates by sampling (weighted); otherwise not used */
    size_t weights_capacity;
    bool weighted;
    /* Where correction_weight > 0, the output is (1 - correction_weight) o + correction_weight
     * correction: o is the output of the dense and visited keys as for any other method (softmax
     * over these keys alone), and correction is a vector [d_v] that is added after they are merged.
     * visit_reserve() sets correction_weight = 0, so that only a method that corrects need know. */
    float *correction;
    size_t correction_capacity;
    double correction_weight;
    double index_bytes;      /* read besides the keys and values that are attended */
    uint32_t largest_bucket; /* visited, in keys; 0: the method has no buckets */
};

/* Room for `length` keys (and weights, if `weighted`). Calls the handler of base/memory.h if memory
 * runs out. */
void visit_reserve(struct visit *visit, size_t length, bool weighted);

/* Room for a correction of `d_v` components. To be called after visit_reserve(). */
void visit_reserve_correction(struct visit *visit, size_t d_v);
void visit_free(struct visit *visit);

struct method {
    const char *name;
    const char *knob;    /* what the knob counts: "keys", "buckets", "pages", "tables" .. */
    const char *summary; /* one line, which begins with a small letter */
    const char *source;  /* the paper, as in docs/models.md; NULL: no paper */
    bool counts_keys;    /* the knob is a number of keys, and just so many are visited */
    bool unroped;        /* works on keys before RoPE, where they are known */
    bool partitioned;    /* uses key_head.partition, or makes one */
    bool trains_queries; /* needs key_head.partition and key_head.models */
    bool hashes_queries; /* needs key_head.queries, and visits nothing without */
    bool reads_layers;   /* needs attention_query.layer_q, and visits nothing without */
    bool oracle;         /* ranks by the scores of all keys what a model would have to guess: a
                          * bound to compare with, not one of the default methods */
    bool corrects;       /* with mean_value it corrects the output, also at the knob 0 */
    bool together;       /* visit() takes several queries that share the keys and chooses once */
    bool samples;        /* lsh-magicpig: weights the keys that it visits */
    bool two_stages;     /* sparq: chooses as bucketed does */

    /* What method_options_check() says of options that are each in their range, or NULL. May be
     * NULL. */
    const char *(*fault)(const struct method_options *options, uint32_t d);

    /* As method_knob_max(), where the knob is no number of keys; NULL: the method has no knob. */
    uint32_t (*knob_max)(const struct method_options *options, const struct key_head *head);

    /* The index of a key head; NULL as a function: the method needs none. `threads` may be used. If
     * head->watch stops it, the index is good for free_index() alone. */
    void *(*build)(const struct method *self, const struct method_options *options,
                   const struct key_head *head);
    void (*free_index)(void *index);

    /* The partition that build() found, for key_head.partition of a later build() of the same
     * index. NULL: none, also as a function. */
    const struct partition *(*own_partition)(const void *index);

    /* Fills `visit` for `count` queries of one position that share the keys (1 unless
     * `together`). Same result for the same arguments, from any thread. */
    void (*visit)(const struct method *self, const struct method_options *options,
                  const struct key_head *head, const void *index,
                  const struct attention_query *queries, uint32_t count, uint32_t knob,
                  struct visit *visit);

    /* How even the buckets are: C sum p_i^2 over the keys [first, n) of the head. NULL: no
     * buckets. */
    double (*imbalance)(const struct key_head *head, const void *index);
};

/* The bytes of `components` of a stored key. With 8 bits each, its scale has 4 more. */
static inline double stored_key_bytes(const struct method_options *options, double components)
{
    return options->int8_keys ? components + 4 : components * options->element_bytes;
}

/* Those of a key of d components and its value of d_v. */
static inline double stored_pair_bytes(const struct method_options *options, double d, double d_v)
{
    return stored_key_bytes(options, d) + d_v * options->element_bytes;
}

/* The largest knob that makes a difference; 0: the method has no knob. */
static inline uint32_t method_knob_max(const struct method *method,
                                       const struct method_options *options,
                                       const struct key_head *head)
{
    if (method->counts_keys)
        return head->n - head->first;
    return method->knob_max ? method->knob_max(options, head) : 0;
}

/* Is visit() to be called? The knob 0 of a method that has a knob, `most` > 0, visits nothing. */
static inline bool method_is_asked(const struct method *method,
                                   const struct method_options *options, uint32_t most,
                                   uint32_t knob)
{
    return most == 0 || knob > 0 || (method->corrects && options->mean_value);
}

/* All methods, in the order in which they are listed; ends with NULL. */
extern const struct method *const methods[];

const struct method *method_by_name(const char *name); /* NULL: there is none */

#endif
