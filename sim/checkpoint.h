/* checkpoint.h - the state of a simulation as a text file.
 *
 * A kill at any moment leaves the old file or the new one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include <base/message.h>
#include "simulation_state.h"

/* Reads simulation->done and the totals from the file of the spec. A file that does not exist is no
 * error: nothing has been done yet. Returns 0; otherwise one line is in `error`: -1 if memory runs
 * out, SIM_REFUSED if the file is damaged, belongs to another simulation or cannot be read. */
int checkpoint_load(struct simulation *simulation, struct message error);

/* Writes it. Returns 0, or -1 with one line in `error`. */
int checkpoint_save(const struct simulation *simulation, struct message error);

#endif
