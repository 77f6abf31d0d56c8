/* simulation_input.c - see simulation_input.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "simulation_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <base/memory.h>
#include <sim/rows/row_counts.h>

#include <sim/team.h>

/* Prints the first error of the team, if there is one: then returns `status`. All ranks call it. */
int team_status(struct message error, int status)
{
    team_share_error(error);
    if (*error.text == '\0')
        return STATUS_OK;
    usage_error("%s", error.text);
    return status;
}

/* The same for files of the same kind, and hardly ever for others: what ranks must agree on. */
static uint64_t identity_of(const struct simulation_input *input)
{
    const struct row_file *file = &input->file;
    const uint64_t parts[] = {file->size, file->offset,          file->rows,
                              file->row,  (uint64_t)file->dtype, input->groups.identity};
    uint64_t identity = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        identity = (identity ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15) + (identity >> 29);
    for (size_t i = 0; i < input->lengths.rows; i++)
        identity =
            (identity ^ input->lengths.of_row[i]) * UINT64_C(0x9e3779b97f4a7c15) + (identity >> 29);
    return identity;
}

/* Cuts the file by --offsets. Returns 0, or -1 with a line in `error`. */
static int cut_rows(struct simulation_input *input, const char *offsets, struct message error)
{
    char reason[400];
    size_t length;
    if (row_counts_read(offsets, &input->begins, &length, MESSAGE(reason)) != 0 ||
        row_file_cut(&input->file, input->begins, length - 1, MESSAGE(reason)) != 0)
        return message_set(error, "--offsets %.150s %s", offsets, reason);
    return 0;
}

/* Finds the lengths of the rows that are taken. Returns 0, or -1 with a line in `error`. */
static int find_lengths(struct simulation_input *input, const struct simulate_settings *own,
                        struct message error)
{
    const struct lengths_question *asked = &own->question.lengths;
    const uint64_t rows = input->file.rows, *begins = input->begins;
    const uint64_t taken = own->repetitions && own->repetitions < rows ? own->repetitions : rows;
    if (asked->of_row && asked->rows != rows)
        return message_set(error,
                           "--lengths has %zu length%s, but --file has %" PRIu64
                           " row%s; give one for each row",
                           asked->rows, asked->rows == 1 ? "" : "s", rows, rows == 1 ? "" : "s");
    if (!asked->of_row && !begins)
        return 0;
    uint64_t *of_row = require_memory(malloc((size_t)taken * sizeof *of_row));
    for (uint64_t i = 0; i < taken; i++)
        of_row[i] = begins ? begins[i + 1] - begins[i] : asked->of_row[i];
    return lengths_take(&input->lengths, "--file", of_row, (size_t)taken) == STATUS_OK
               ? 0
               : message_set(error, "--file has too many rows for the available memory");
}

/* Opens the file and finds its groups. Returns 0, or -1 with a line in `error`. */
static int open_rows(struct simulation_input *input, const struct simulate_settings *own,
                     struct message error)
{
    char reason[500];
    if (row_file_open(&input->file, own->file, own->file_dtype, own->row, MESSAGE(reason)) != 0)
        return message_set(error, "--file %.150s %s", own->file, reason);
    if (own->as.mask.given)
        input->file.mask_below = own->as.mask.value;
    if (own->offsets && cut_rows(input, own->offsets, error) != 0)
        return -1;
    return find_lengths(input, own, error) == 0
               ? find_groups(&input->file, own->file, own->groups, own->group_axes, &input->groups,
                             &input->grouped, error)
               : -1;
}

int simulation_input_open(struct simulation_input *input, struct simulate_settings *own)
{
    char error[700] = "";
    struct row_file *file = &input->file;
    *input = (struct simulation_input){.file = {.descriptor = -1}};
    int failed = open_rows(input, own, MESSAGE(error));
    uint64_t identity = failed ? 0 : identity_of(input), largest = team_max(identity),
             least = ~team_max(~identity);
    if (failed || least == 0) /* 0: elsewhere it could not be opened */
        ;
    else if (largest != identity || least != identity)
        message_set(
            MESSAGE(error),
            "--file %.150s%s is not the same on all ranks; copy one file to all of them, or "
            "share it",
            own->file, own->groups ? " or its --groups" : "");
    else if (own->question.n.length && own->question.n.items[0] != file->row)
        message_set(MESSAGE(error),
                    "--n %" PRIu64 " is not the length of a row of --file, %" PRIu64
                    "; leave --n out",
                    own->question.n.items[0], file->row);
    else if (own->repetitions > file->rows)
        message_set(MESSAGE(error),
                    "--repetitions %" PRIu64 " is more than the %" PRIu64
                    " rows of --file; give at most that",
                    own->repetitions, file->rows);
    own->question.n = (struct count_list){1, &file->row};
    own->repetitions = own->repetitions ? own->repetitions : file->rows;
    own->question.lengths = input->lengths;
    own->input.kind = SIM_FILE;
    return team_status(MESSAGE(error), STATUS_USAGE);
}

void simulation_input_close(struct simulation_input *input)
{
    row_file_close(&input->file);
    row_groups_free(&input->groups);
    lengths_free(&input->lengths);
    free(input->begins);
}
