/* full.h - attention of a batch of queries over all keys, in float32.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FULL_H
#define FULL_H

#include <stdint.h>

/* out[i] = sum over j of softmax_j(scale q_i . k_j) v_j, for queries [count][d], keys [n][d],
 * values [n][d_v] and out [count][d_v]. The queries are those of the last n_q positions, of one or
 * more heads: query i sees the keys 0 .. n - n_q + i mod n_q. With n_q = 1 every query sees all.
 * Keys are taken in blocks that stay in the cache; the softmax of what was seen is rescaled where a
 * larger logit comes. Long rows of keys are cut into parts of fixed length, which threads share and
 * which are merged in order: the same bits for any number of threads.
 * Domain    count, d, d_v >= 1; 1 <= n_q <= n; finite logits.
 * Accuracy  absolute error <= FULL_MAX_ERROR (1 + largest |logit|) times the largest |v|.
 * Where memory runs out, the handler of base/memory.h is called. */
#define FULL_MAX_ERROR 4e-6
void full_attention(float *out, const float *queries, uint32_t count, uint32_t n_q,
                    const float *keys, const float *values, uint32_t n, uint32_t d, uint32_t d_v,
                    float scale);

#endif
