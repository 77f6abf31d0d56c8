/* trained.h - partitions and query models of the heads of a model, and the file that keeps them.
 *
 * The file, in the byte order of the machine (little-endian), numbers of 32 bits unless said:
 *   "RCMINDEX", version, number of heads, pairing and scaling of RoPE; as 64-bit floats its theta
 * (0: not known), factor, low, high, original and attention factor; each head: layer, key head,
 * first query head, query heads, 1 if for methods that work before RoPE, d, clusters, 1 if
 * spherical, number of models (0, 1 for all query heads, or one for each), width (0: no model was
 * trained), 1 if residual, 1 if its keys were those before RoPE, iterations of k-means at most; the
 * centroids; for each model 1 if it was trained, and then its parameters, mean and variance; FNV-1a
 * of all that comes before (state_file_checksum()), 64 bits
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TRAINED_H
#define TRAINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attention/heads.h>
#include <attention/partition/partition.h>
#include "query_model.h"
#include <attention/rope.h>

#define TRAINED_VERSION 3

/* What was trained for one head of keys. */
struct trained_head {
    uint32_t layer, key_head;
    uint32_t query_head, query_heads; /* the first that reads these keys, and how many do */
    bool unroped;                     /* for methods that work on keys before RoPE */
    bool before;                      /* and these were known: it was trained on them */
    struct partition *partition;
    uint32_t iterations;         /* of k-means, at most */
    uint32_t models_length;      /* 0, 1 or query_heads */
    struct query_model **models; /* [query_heads], all equal if there is one; NULL: none. A NULL in
                                  * it is a query head that had nothing to train on: its buckets are
                                  * ranked as by k-means */
};

struct trained {
    struct trained_head *heads;
    size_t length, capacity;
    struct rope rope; /* by which keys before RoPE were found; theta 0: not known */
};

/* What is wanted of what was trained. */
struct trained_need {
    bool unroped;            /* for methods that work on keys before RoPE */
    uint32_t clusters;       /* 0: any */
    uint32_t iterations;     /* of k-means, at most; 0: any */
    bool spherical;          /* false: either */
    const struct rope *rope; /* of the tensors; NULL: not known */
};

/* Room for one more head, of zeros. Calls the handler of base/memory.h where memory runs out. */
struct trained_head *trained_add(struct trained *trained);
void trained_drop_last(struct trained *trained);
void trained_free(struct trained *trained);

/* What was trained for a head; NULL: nothing. */
const struct trained_head *trained_find(const struct trained *trained, uint32_t layer,
                                        uint32_t key_head, bool unroped);

/* The partition and the models for each of the heads, as evaluate.h wants them. Either array may
 * be NULL. Returns 0; or -1 with one line in `error` where a head has nothing, or its d or its
 * query heads are others, or it was trained on the other keys (before or after RoPE)
 * or by another RoPE, or has another number of clusters or of iterations, or is not spherical, or
 * models are missing though `models` is given. */
int trained_select(const struct trained *trained, const struct head_shape *heads, size_t length,
                   const struct trained_need *need, const struct partition **partitions,
                   const struct query_model *const **models, struct message error);

/* Writes the file whole or not at all. Returns 0, or -1 with one line in `error`. */
int trained_save(const struct trained *trained, const char *path, struct message error);

/* Reads it. Returns 0; or -1 with one line in `error` that says what does not fit, and then there
 * is nothing in `trained`. */
int trained_load(struct trained *trained, const char *path, struct message error);

/* The bytes of the file, which the caller frees. */
char *trained_bytes(const struct trained *trained, size_t *length);

/* The same from bytes; the error is a phrase that continues "FILE ..". */
int trained_parse(struct trained *trained, const void *bytes, size_t length, struct message error);

#endif
