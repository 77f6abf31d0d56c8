/* partitioned.h - internal to attention/: the index that kmeans.c and saap.c share: the keys of a
 * head in the buckets of a partition.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef METHODS_PARTITIONED_H
#define METHODS_PARTITIONED_H

#include <attention/partition/bucket_lists.h>
#include <attention/method.h>
#include <attention/partition/partition.h>

struct partitioned {
    const struct partition *partition; /* that of the head, or `own` */
    struct partition *own;             /* trained on the keys first .. built - 1; or NULL */
    bool shared;                       /* it is not of these keys: sequences can share it */
    struct bucket_lists lists;         /* of all keys of the head */
};

/* For struct method: an index of the keys after RoPE, or of those before it if the method is
 * `unroped` and they are known. */
void *partitioned_build(const struct method *self, const struct method_options *options,
                        const struct key_head *head);
void partitioned_free(void *index);
const struct partition *partitioned_own(const void *index);
double partitioned_imbalance(const struct key_head *head, const void *index);
uint32_t partitioned_knob_max(const struct method_options *options, const struct key_head *head);

/* What the rows of these methods have alike. */
#define PARTITIONED \
    .knob = "buckets", .partitioned = true, .knob_max = partitioned_knob_max, \
    .build = partitioned_build, .free_index = partitioned_free, .own_partition = partitioned_own, \
    .imbalance = partitioned_imbalance

/* The bytes that each query reads of `elements` that the sequences of a batch share. */
double partitioned_shared_bytes(const struct method_options *options, double elements);

/* The vector of a query that belongs to the keys of the index. */
const float *partitioned_query(const struct method *self, const struct attention_query *query);

/* Scores the buckets for one of `count` queries that choose together: adds the softmax of
 * scale * inner, [clusters]. A query alone ranks by `inner` itself, where nothing underflows. */
void partitioned_score(double *scores, const float *inner, uint32_t clusters, double scale,
                       uint32_t count);

/* Visits the `knob` buckets with the largest scores [clusters]. The index is 4 bytes for each key
 * visited, and `scoring_bytes`, which were read for the scores, unless the knob is 0. */
void partitioned_visit(const struct partitioned *index, const double *scores, uint32_t knob,
                       double scoring_bytes, struct key_range range, struct visit *visit);

#endif
