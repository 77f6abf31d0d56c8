/* timings.c - see timings.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "timings.h"

#include <stdio.h>

#include <programs/common/runs_folder.h>

int read_timings(const char *given, const struct question *question, struct csv *csv,
                 char notes[TIMINGS_NOTES])
{
    char error[CSV_ERROR], path[RUNS_PATH];
    struct timings_options options = question->timings;
    options.has_dtype = question->dtype.given;
    options.dtype = question->dtype.type;
    if (runs_file(given, path, MESSAGE(error)) != 0 || csv_read(path, csv, MESSAGE(error)) != 0)
        return usage_error("%s", error);
    if (timings_rename(csv, &options, (struct message){notes, TIMINGS_NOTES}, MESSAGE(error)) !=
        0) {
        csv_free(csv);
        return usage_error("%s", error);
    }
    return STATUS_OK;
}

void print_notes(const char *given, const char *notes)
{
    if (*notes)
        fprintf(stderr, "recallmodel: %s: %s\n", given, notes);
}
