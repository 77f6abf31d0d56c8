/* partial.h - the softmax over a part of the keys, and how the parts are put together.
 *
 * Of a set S of keys it keeps m = max over S of the logit l_j, s = sum w_j exp(l_j - m) and
 * o = sum w_j exp(l_j - m) v_j, where w_j = 1 unless keys were sampled. Two sets without a common
 * key are merged by their log-sum-exp: with m = max(m_a, m_b), both sums are scaled by
 * exp(m_a - m) and exp(m_b - m) and added. o / s is then the attention over both, exactly that of
 * one pass. All sums are in double.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PARTIAL_H
#define PARTIAL_H

#include <stddef.h>
#include <stdint.h>

struct partial {
    double max;     /* m; -infinity: no keys */
    double sum;     /* s */
    double plain;   /* s with all w_j = 1 */
    double *values; /* o, d_v of them; NULL if d_v is 0 */
};

/* The empty set. `values` has room for d_v doubles. */
void partial_clear(struct partial *partial, double *values, size_t d_v);

/* Adds the keys first .. last - 1. values is [n][d_v]. Finite logits. */
void partial_add_range(struct partial *partial, const float *logits, const float *values,
                       size_t d_v, uint32_t first, uint32_t last);

/* Adds the keys of a list, each with its weight, or with the weight 1 if `weights` is NULL. */
void partial_add_keys(struct partial *partial, const float *logits, const float *values, size_t d_v,
                      const uint32_t *keys, const float *weights, size_t length);

/* Adds the keys of the other set. */
void partial_merge(struct partial *into, const struct partial *other, size_t d_v);

#endif
