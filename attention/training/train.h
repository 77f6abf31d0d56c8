/* train.h - from the keys and queries of training documents to partitions and query models.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TRAIN_H
#define TRAIN_H

#include <attention/context.h>
#include "query_training.h"
#include "trained.h"

struct train_spec {
    const struct head_shape *heads; /* of all documents; dense ones are left out */
    size_t length;
    head_reader *read;
    void *from;
    bool unroped;      /* cluster keys before RoPE, where they are known */
    bool models;       /* train query models too */
    bool per_key_head; /* one model for the query heads that share keys, otherwise one for each */
    struct dense_part dense;
    uint32_t clusters, iterations; /* of k-means */
    bool spherical;
    struct training_options training;
    uint32_t queries_at_most; /* of a query head in a document; 0: all */
    uint32_t held_back;       /* the last positions of each document that are not trained on */
};

/* What was trained for one head of keys, for the watcher. */
struct train_progress {
    const struct trained_head *head;
    struct partition_report partition;
    uint32_t models;                 /* that were trained */
    double entropy;                  /* of the targets, in nats; the mean over models */
    uint64_t queries;                /* of all models */
    struct training_report training; /* steps of a model; seconds of all; means of the losses */
};

struct train_watch {
    struct watch steps; /* all steps of all models; without models, the heads of keys */
    void (*head_done)(void *context, const struct train_progress *progress);
    void *context;
};

/* Trains a partition, and the models, for each head of keys of each layer, on all documents that
 * have it, and adds them to `trained`; what is there already is not trained again. A query head
 * without a query to train on has no model (trained.h). The keys are those from the end of the sink
 * on. Random numbers depend on the seed and the number of the head, so that heads are trained alike
 * whatever else is trained. The same bits for any number of threads.
 *
 * Returns   0; 1 if the watch stopped it, then the heads before that are in `trained`; or -1 with
 *           one line in `error`: a head cannot be read, or none has a query to train on. */
int train_heads(const struct train_spec *spec, const struct train_watch *watch,
                struct trained *trained, struct message error);

#endif
