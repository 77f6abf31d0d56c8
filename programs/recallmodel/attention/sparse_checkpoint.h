/* sparse_checkpoint.h - sparse --checkpoint: the file from which a run goes on that was stopped or
 * killed.
 *
 * It begins with a title and a line for each thing that must be the same: options, and the files
 * with their sizes and times. Then come what was trained, as --save would write it, the state of
 * the evaluation (attention/evaluation/evaluate.h), and a checksum. A kill at any moment leaves the
 * old file or the new one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SPARSE_CHECKPOINT_H
#define SPARSE_CHECKPOINT_H

#include <attention/evaluation/evaluate.h>
#include <attention/training/trained.h>

#include "sparse.h"

struct sparse_checkpoint {
    const char *path; /* NULL: no --checkpoint, and nothing is kept */
    char *parameters; /* the lines */
    char *file;       /* of an earlier run; NULL: there was none */
    size_t length;
    const char *trained, *state; /* in `file`; NULL: none */
    size_t trained_length, state_length;
    const struct trained *keeps; /* what was trained so far; NULL: nothing */
    double next;                 /* clock_seconds() from which on it is written again */
    struct evaluation_keeper keeper;
};

/* Reads the file of an earlier run, if there is one. Returns a status, after a line on stderr:
 * STATUS_USAGE if it is damaged, is not of this run, or cannot be read; it is then left alone.
 * sparse_checkpoint_close() in any case. */
int sparse_checkpoint_open(struct sparse_checkpoint *checkpoint,
                           const struct sparse_settings *settings,
                           const struct evaluation_spec *spec);
void sparse_checkpoint_close(struct sparse_checkpoint *checkpoint);

/* Puts what an earlier run has trained into `trained`, and keeps that from now on. The first write,
 * so that what cannot be written is known at once. A status, STATUS_FAILED after a line on stderr.
 */
int sparse_checkpoint_start(struct sparse_checkpoint *checkpoint, struct trained *trained);

/* Is it time to write again? */
bool sparse_checkpoint_due(const struct sparse_checkpoint *checkpoint);

/* Writes it with the state of the earlier run, as long as nothing is evaluated in this one. A
 * status, as above. */
int sparse_checkpoint_write(struct sparse_checkpoint *checkpoint);

/* The keeper of the evaluation; NULL without --checkpoint. */
const struct evaluation_keeper *sparse_checkpoint_keeper(struct sparse_checkpoint *checkpoint);

#endif
