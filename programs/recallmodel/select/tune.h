/* tune.h - internal to select: what can find the top k here, timed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TUNE_H
#define TUNE_H

#include <limits.h>
#include <string.h>

#include "selection.h"

struct tune_settings {
    struct select_settings select;
    const char *wisdom, *file, *peers; /* NULL: not given */
    unsigned on;                       /* TUNE_AUTO: what is here */
    uint64_t threads;                  /* 0: as topk.h takes them */
    double seconds;                    /* of a question */
};

/* Are kernels of others timed, too? */
static inline bool tune_has_peers(const struct tune_settings *settings)
{
    return !settings->peers || strcmp(settings->peers, "none") != 0;
}

/* Is the benchmark run by Python, which has them? */
bool tune_is_hosted(const struct tune_settings *settings);

enum { TUNE_AUTO, TUNE_CPU, TUNE_GPU };

/* Times are taken so often, one contender after the other each time. */
#define TUNE_ROUNDS 9

/* The files of a measurement, in a folder of its own. */
struct tune_files {
    char folder[PATH_MAX - 40], cells[PATH_MAX - 20], results[PATH_MAX - 20];
};

/* Makes the folder, and removes it with all that is in it. Making returns a status. */
int tune_files_make(struct tune_files *files);
void tune_files_remove(const struct tune_files *files);

/* Writes what is to be timed: exact top-k by everybody, and the best buckets of each k_b. Returns
 * how many lines it wrote, or 0 after a line on stderr. */
size_t tune_write_cells(const struct tune_files *files, const struct tune_settings *settings,
                        const struct selection_answer *answer);

/* Runs the benchmark on them: with the peers that Python has, if RECALLMODEL_PYTHON names it, or in
 * this process. Returns a status. STATUS_INTERRUPTED: there may be results all the same. */
int tune_run(const struct tune_files *files, const struct tune_settings *settings, bool gpu,
             size_t cells);

/* Reads what it measured, and how often what was measured least. *rows is the caller's. Returns how
 * many rows there are. */
size_t tune_read(const struct tune_files *files, bool gpu, struct rcm_measured **rows,
                 size_t *rounds);

#endif
