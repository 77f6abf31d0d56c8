/* step.h - one step of attention as a decoder would run it, in float32 on one thread, for timing.
 *
 * Keys are read in the order of their positions. A run of neighbouring keys, RUN_LEAST or more,
 * goes to OpenBLAS (sgemv) where it lies. Keys of shorter runs are first copied side by side,
 * GATHERED at a time, and then go to the same function. Attention over all keys is one run, so both
 * use the same code.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STEP_H
#define STEP_H

#include <attention/method.h>

#define RUN_LEAST 16
#define GATHERED 64

/* Room for one step, reused from query to query. */
struct step {
    struct visit visit;
    uint32_t *keys;  /* [n]: those that are attended */
    float *weights;  /* [n]: their logits, then their softmax weights */
    float *gathered; /* [GATHERED][the larger of d and d_v] */
    float *out;      /* [d_v] */
};

void step_start(struct step *step, const struct key_head *head);
void step_free(struct step *step);

/* step->out: attention over the keys 0 .. position. `head` has values. */
void step_full(struct step *step, const struct key_head *head, const struct attention_query *query);

/* step->out: attention over the dense part and the keys of step->visit, which lie in the range of
 * the query. Returns the number of keys that were attended. */
size_t step_sparse(struct step *step, const struct key_head *head,
                   const struct attention_query *query);

#endif
