/* evaluate.h - what sparse attention loses and reads: every method, at every budget, on every query
 * of every head.
 *
 * A budget is a share of the n keys: round(budget n) keys that a query may visit beside the dense
 * part. A method that counts keys visits just so many. For any other method the knob is the largest
 * one with which the mean of the visited keys, over what a row covers, does not exceed that; 0 if
 * even the knob 1 exceeds it, and then nothing is visited. docs/sparse.md defines what is measured.
 *
 * The same spec gives the same bits for any number of threads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef EVALUATE_H
#define EVALUATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <attention/heads.h>
#include <attention/method.h>
#include <base/watch.h>

/* A key that one query should read. */
struct head_needle {
    size_t head;         /* among the heads of the spec */
    uint32_t query_head; /* among those of the head, from 0 */
    uint32_t query, key; /* query: 0 .. n_q - 1 */
};

/* Keeps what is done while it runs, so that a later run of the same spec goes on from there, and
 * ends with the same bits. The state is bytes that only evaluation_run() reads. */
struct evaluation_keeper {
    const void *state; /* of an earlier run of the same spec; NULL: there was none */
    size_t length;
    bool (*due)(void *context); /* is it time to keep the state? asked between heads */
    /* Keeps it. Returns 0, or -1 with one line in `error`: the run then stops. */
    int (*keep)(void *context, const void *state, size_t length, struct message error);
    void *context;
};

struct evaluation_spec {
    const struct head_shape *heads;
    size_t length;
    head_reader *read;
    void *from;
    const struct method *const *methods;
    size_t methods_length;
    const double *budgets; /* in (0, 1] */
    size_t budgets_length;
    const uint32_t *k; /* the recall of the top-k is measured for these; rising, from 1 on */
    size_t k_length;
    struct method_options options;
    bool per_head; /* a row for each layer and query head, otherwise one for all of them */
    const struct head_needle *needles; /* in any order; needles_length may be 0 */
    size_t needles_length;
    bool share;       /* query heads of one position that share keys choose together, if the method
                       * can */
    unsigned threads; /* 0: all */
    double memory_bytes; /* the heads stay in memory if they need no more; 0: half of the memory */
    const struct evaluation_keeper *keeper; /* NULL: the state is not kept */
    /* For each head, room for the sparse attention itself, [query_heads][n_q][d_v]; or NULL. With
     * it there is one method and one budget, and the sums over all keys are left out, which take
     * most of the time: mass and error are then NaN, and k_length is 0. */
    float *const *outputs;
    /* What was trained, after RoPE and before it: trained[method->unroped]. */
    struct trained_heads {
        const struct partition *const *partitions; /* one for each head; NULL: none */
        const struct query_model *const *const *models;
        bool models_only; /* methods that train no queries make partitions of their own */
    } trained[2];
};

#define HEAD_ALL UINT32_MAX
#define KNOB_NONE UINT32_MAX /* the method has none, or documents of other lengths have others */

/* A mean over the queries that a row covers, and its standard error over groups: the queries of one
 * query head in one layer for one document are one group. NaN: not known; an error needs two
 * groups. */
struct measured {
    double mean, se;
};

struct evaluation_row {
    size_t method, budget; /* their places in the spec */
    uint32_t layer;        /* LAYER_UNKNOWN also for several */
    uint32_t head;         /* query head, or HEAD_ALL */
    uint32_t knob;
    uint64_t queries, groups;
    double visited;     /* keys visited, the dense part not counted, over n */
    double selectivity; /* the same with the dense part */
    double bytes_read, index_bytes;
    double imbalance;      /* C sum p_i^2, the mean over heads; NaN: no buckets */
    double largest_bucket; /* that any query visited, in keys; NaN: no buckets */
    double needle_found;  /* the share of the needles that their query reads; NaN: there are none */
    double time_us;       /* NaN: not measured */
    struct measured mass; /* of softmax */
    struct measured error;   /* sum |o - o'|^2 / sum |o|^2; NaN without values */
    struct measured *recall; /* for each k */
};

struct evaluation {
    struct evaluation_row *rows; /* of methods that are done: by method, budget, layer, head */
    size_t length;
    double full_bytes;    /* that attention to all keys reads for a query, on average; with share,
                           * divided among the query heads that share keys */
    double keys_bytes;    /* those of the keys alone, as they are stored (int8_keys) */
    uint64_t queries;     /* that the methods were applied to */
    size_t dense_heads;   /* of the heads, those of layers that are read in full */
    struct measured *all; /* the recall of all rows, one after the other */
};

/* A head as a method of the spec sees it, without its numbers. */
struct key_head evaluation_head(const struct evaluation_spec *spec, const struct method *method,
                                size_t index);

/* The head of the same document and key head in the layer before, of those of the spec; SIZE_MAX:
 * there is none. */
size_t evaluation_head_before(const struct evaluation_spec *spec, size_t index);

/* The steps of a head whose index is built, or that is measured, with one method. */
#define EVALUATION_STEPS 100

/* The watch is always told the steps; to stop takes well below a second.
 * Returns 0; 1 if it was stopped, then the methods that were finished have rows; EVALUATION_UNKEPT,
 * which is the same, but the keeper stopped it, with its line in `error`; or -1 with one line in
 * `error`. evaluation_free() in any case. */
#define EVALUATION_UNKEPT 2
int evaluation_run(const struct evaluation_spec *spec, const struct watch *watch,
                   struct evaluation *evaluation, struct message error);
void evaluation_free(struct evaluation *evaluation);

#endif
