/* heads.h - the key heads whose attention is evaluated, and how the numbers of each are read.
 *
 * A head here is one head of keys in one layer for one document, with the query heads that read it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef HEADS_H
#define HEADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <base/message.h>

#define LAYER_UNKNOWN UINT32_MAX

struct head_shape {
    uint32_t document;                /* from 0 */
    uint32_t layer;                   /* its number in the model, or LAYER_UNKNOWN */
    uint32_t key_head;                /* its number in the layer */
    uint32_t query_head, query_heads; /* the first that reads these keys, and how many do */
    uint32_t n, n_q;                  /* keys; queries of each query head, the last positions */
    uint32_t d, d_v;                  /* components of keys; of values, 0: there are none */
    bool unroped;                     /* keys and queries are known before RoPE, too */
    bool dense;                       /* of a layer that is read in full */
};

/* Where the numbers go. Each has room for its shape; NULL where the shape says that there are
 * none. */
struct head_floats {
    float *queries, *queries_unroped; /* [query_heads][n_q][d] */
    float *keys, *keys_unroped;       /* [n][d] */
    float *values;                    /* [n][d_v] */
};

/* The arrays of a head, from an arena (base/arena.h). */
struct arena;
struct head_floats head_floats_in(struct arena *arena, const struct head_shape *shape);

/* Memory for a head, which the caller frees, and where its arrays lie there. NULL if it runs out.
 */
void *head_floats_new(const struct head_shape *shape, struct head_floats *floats);

/* Reads the numbers of head `index`, all of them finite. Returns 0, or -1 with one line in
 * `error`. */
typedef int head_reader(void *from, size_t index, const struct head_floats *to,
                        struct message error);

#endif
