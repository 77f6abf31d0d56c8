/* runs_add.h - a user's CSV becomes a file of the folder of measured runs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNS_ADD_H
#define RUNS_ADD_H

#include <programs/recallmodel/question/timings.h>

struct runs_add {
    const char *file;                              /* of --add */
    const char *name;                              /* of --as: FOLDER/FILE */
    const char *device, *source, *licence;         /* NULL: asked for on a terminal */
    const char *dtype;                             /* likewise, where no column has it */
    const char *statistic, *cache, *launch, *what; /* NULL: not stated; what: by the columns */
};

/* Reads the file (question/timings.h), checks it (runs_check.h), and writes its rows, a section of
 * SOURCE and a line of the index: all of them or none, while no other process adds. With enough
 * runs it fits a profile beside the file. Returns a status. */
int runs_add(const struct runs_add *add, const struct question *question);

#endif
