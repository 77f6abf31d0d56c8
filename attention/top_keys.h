/* top_keys.h - the largest scores of a range of keys.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOP_KEYS_H
#define TOP_KEYS_H

#include "method.h"

/* Visits the `wanted` keys of the range with the largest scores, or all if there are not so many.
 * scores[j] is that of key j; of equal scores the smaller j comes first. Scores are not NaN. */
void visit_top(struct visit *visit, const float *scores, struct key_range range, size_t wanted);

/* Of the visited keys leaves the `kept` with the largest logits for the query; of equal ones the
 * smaller. kept <= visit->length. */
void visit_keep_best(struct visit *visit, const struct key_head *head,
                     const struct attention_query *query, size_t kept);

/* Sorts numbers of keys, so that they rise. */
void sort_keys(uint32_t *keys, size_t length);

/* The logits scale * (q . k) of the keys of the range: those of the query, if it has them;
 * otherwise computed into `own`, which has room for head->n, from the keys after RoPE. Entry j is
 * that of key j. */
const float *query_logits(const struct key_head *head, const struct attention_query *query,
                          float *own);

#endif
