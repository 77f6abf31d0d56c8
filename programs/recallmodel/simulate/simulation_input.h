/* simulation_input.h - simulate: the rows of --file and their groups.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMULATION_INPUT_H
#define SIMULATION_INPUT_H

#include "simulation_report.h"

/* Of --file, and of --groups or --group-axes. */
struct simulation_input {
    struct row_file file;
    struct row_groups groups;
    bool grouped;
    uint64_t *begins;                /* of --offsets */
    struct lengths_question lengths; /* of the rows that are taken, with --offsets or --lengths */
};

/* Opens --file, whose `row` becomes the n of the question, and finds the groups of its rows and
 * their lengths, which become those of the question. All ranks call it. Returns a status, after one
 * line on stderr. simulation_input_close() in any case. */
int simulation_input_open(struct simulation_input *input, struct simulate_settings *own);
void simulation_input_close(struct simulation_input *input);

/* Prints the first error of the team, if there is one: then returns `status`. All ranks call it. */
int team_status(struct message error, int status);

#endif
