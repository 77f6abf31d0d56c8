/* targets.h - which distributions over buckets the query models are trained to give.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TARGETS_H
#define TARGETS_H

#include <attention/context.h>
#include <attention/partition/partition.h>
#include "query_gradient.h"

/* The queries of one head that are trained on, and the target of each (Mazare et al. 2025, sections
 * 4.2 and 5.1).
 * Queries   those of the last n_q positions; `at_most` of them, evenly spaced, if there are more
 *           (0: all). Left out is a query without an open key (context.h), and one whose best key
 *           is nearer than half the window: 2 (position - best) < window, best being the key of
 *           the largest logit of all keys 0 .. position, the sink included.
 * Targets   the softmax over the open keys of the query alone, summed in each bucket. The window
 *           is read by every query anyway. So is the sink, which the paper's text does not exclude;
 *           it is excluded here.
 * `bucket` [n] are the buckets of the keys of this head's key head. Logits are those after RoPE in
 * either case; the vectors of the batch are those before RoPE if `unroped`, where they are known.
 * The same bits for any number of threads. The caller frees the batch. If the watch (NULL: none)
 * stops it, the batch has no rows. */
struct query_batch query_targets(const struct context *context, uint32_t head,
                                 const uint32_t *bucket, uint32_t clusters, struct dense_part dense,
                                 bool unroped, uint32_t at_most, const struct watch *watch);
void query_batch_free(struct query_batch *batch);

/* The rows of several batches, one after the other; frees these. */
struct query_batch query_batch_join(struct query_batch *batches, uint32_t count, uint32_t d,
                                    uint32_t clusters);

/* The mean over the rows of the entropy of the targets, in nats: what a cross-entropy cannot fall
 * below. */
double query_batch_entropy(const struct query_batch *batch, uint32_t clusters);

#endif
