/* wisdom.h - the file of measurements of this machine, which `tune` writes and `--device this`
 * reads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef WISDOM_H
#define WISDOM_H

#include <stdbool.h>
#include <stddef.h>

#include <model/recallmodel/measured.h>

/* What was measured on this machine by this version: on its GPU or, if nothing was there, on its
 * CPU. */
struct wisdom {
    struct rcm_measured *rows; /* NULL: none */
    size_t count;
    bool gpu;
};

/* The file: the path that was given, or wisdom.csv in the folder of this_machine.h. NULL, after one
 * line on stderr: no folder is known. The text stays valid until the next call. */
const char *wisdom_path(const char *given);

/* Reads it. A file that does not exist has no rows. Says in one line each on stderr which rows are
 * of another machine, driver or version, and which line is none. Returns a status; the caller frees
 * rows. */
int wisdom_read(const char *path, struct wisdom *wisdom);

/* Is one of the rows of the same call? */
bool wisdom_replaces(const struct rcm_measured *rows, size_t count, const struct rcm_measured *old);

/* Puts rows into the file, whole or not at all; those of the same calls give way. A file of other
 * things stays as it is. Another process
 * waits meanwhile. Returns a status, after one line on stderr if it is not STATUS_OK. */
int wisdom_add(const char *path, const struct rcm_measured *rows, size_t count);

#endif
