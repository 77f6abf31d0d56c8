/* runs_add.h - a user's CSV becomes a file of the folder of measured runs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNS_ADD_H
#define RUNS_ADD_H

struct runs_add {
    const char *file;                              /* of --add */
    const char *name;                              /* of --as: FOLDER/FILE */
    const char *device, *source, *licence;         /* NULL: asked for on a terminal */
    const char *dtype;                             /* likewise, where no column has it */
    const char *statistic, *cache, *launch, *what; /* NULL: not stated; what: by the columns */
};

/* Checks the file (runs_check.h), copies it, writes SOURCE if the folder is new, and adds its line
 * to the index. With enough runs it fits a profile beside the file. Returns a status. */
int runs_add(const struct runs_add *add);

#endif
