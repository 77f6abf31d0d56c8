/* timings.h - a table of measured times: the options that say what is in it, and the reader.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef QUESTION_TIMINGS_H
#define QUESTION_TIMINGS_H

#include "question.h"

#define OPTION_COLUMNS \
    "--columns", "LIST", BY(read_text), IN_QUESTION(timings.columns), \
        "what the columns of a table of times hold, where their names do not say it: m=bs,n=M; " \
        "k=64 if all rows have it; ignore=X for one that does not matter"
#define OPTION_TIME_UNIT \
    "--time-unit", "U", BY(read_text), IN_QUESTION(timings.time_unit), \
        "the unit of the times, if the table does not say it: us, ms, ns or s"

/* Reads a file, or measured runs by their name, under the names of calibrate/runs/runs.h. What was
 * guessed stands in `notes`, for print_notes() once the rows are taken. Returns a status; after
 * STATUS_OK csv_free(). */
int read_timings(const char *given, const struct question *question, struct csv *csv,
                 char notes[TIMINGS_NOTES]);

/* One line on stderr, if anything was guessed. */
void print_notes(const char *given, const char *notes);

#endif
