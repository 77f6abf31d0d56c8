/* repetition.h - one repetition of a simulation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef REPETITION_H
#define REPETITION_H

#include "simulation_state.h"

/* Draws or reads the rows of a repetition and counts them into the worker's tallies. Sets
 * worker->failed on failure. */
void count_repetition(const struct simulation *simulation, struct worker *worker,
                      uint64_t repetition);

#endif
