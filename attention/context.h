/* context.h - the keys, queries and values of one document in one layer of a model, as attention
 * sees them.
 *
 * Query head h reads key head h / (query_heads / key_heads). The queries are those of the last n_q
 * positions, so query i has the position n - n_q + i, and it may attend to the keys 0 .. position.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CONTEXT_H
#define CONTEXT_H

#include <stddef.h>
#include <stdint.h>

struct context {
    uint32_t query_heads, key_heads; /* the first is a multiple of the second */
    uint32_t n, n_q;                 /* keys; queries, at most n */
    uint32_t d, d_v;                 /* components of keys and queries; of values */
    float scale;                     /* logits are scale * (q . k); 1 / sqrt(d) */
    const float *queries;            /* [query_heads][n_q][d], after RoPE */
    const float *keys;               /* [key_heads][n][d], after RoPE */
    const float *values;             /* [key_heads][n][d_v], or NULL */
    const float *queries_unroped;    /* before RoPE, or NULL */
    const float *keys_unroped;       /* before RoPE, or NULL */
};

/* The keys that every query reads, whatever the method: the first `sink` and the last `window` up
 * to its own position, which counts. */
struct dense_part {
    uint32_t sink, window;
};

/* The keys that a method may choose from for a query at `position`: first <= j < last. They are
 * none if first == last. */
struct key_range {
    uint32_t first, last;
};

static inline struct key_range open_keys(struct dense_part dense, uint32_t position)
{
    const uint32_t seen = position + 1;
    const uint32_t first = dense.sink < seen ? dense.sink : seen;
    const uint32_t last = dense.window < seen - first ? seen - dense.window : first;
    return (struct key_range){first, last};
}

#endif
