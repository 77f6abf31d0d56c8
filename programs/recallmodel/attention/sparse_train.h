/* sparse_train.h - sparse: what is trained before the methods are measured, or read from a file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SPARSE_TRAIN_H
#define SPARSE_TRAIN_H

#include <attention/evaluation/evaluate.h>
#include <attention/tensors/tensors.h>
#include <attention/training/trained.h>

#include "sparse.h"
#include "sparse_checkpoint.h"

/* What was trained, and where each head finds it. */
struct sparse_trained {
    struct trained trained;
    const struct partition **partitions[2]; /* after RoPE, before RoPE; NULL: none */
    const struct query_model *const **models[2];
    bool models_only;
};

/* Trains or reads what the methods of the spec need, and puts it into spec->trained. Without
 * --index and --train-keys, methods that train queries are trained on the first half of the queries
 * of `tensors`, which is then opened anew with the second half; a line on stderr says so. Opens the
 * checkpoint, which keeps what was trained, and closes nothing. A status;
 * where it is not STATUS_OK, a line is on stderr. sparse_trained_free() in any case. */
int sparse_train(const struct sparse_settings *settings, struct tensors_spec *tensors_spec,
                 struct tensors *tensors, struct evaluation_spec *spec,
                 struct sparse_checkpoint *checkpoint, struct sparse_trained *trained);
void sparse_trained_free(struct sparse_trained *trained);

#endif
