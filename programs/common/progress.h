/* progress.h - long work: a bar on a terminal, and a stop on Ctrl-C or SIGTERM that loses nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *unit; /* "rows" */
    bool shown;       /* on a terminal */
    double start, drawn;
    uint64_t first; /* done when it started; UINT64_MAX: not known yet */
};

/* Begins, and from now on SIGINT and SIGTERM ask for a stop; a second one, half a second or more
 * later, ends the program. A signal that is ignored, as under nohup or in the background of a
 * script, stays ignored. */
void progress_start(struct progress *progress, const char *unit);

/* Also shows on a terminal the elapsed time, if nothing was drawn for a second: for single steps
 * that may take long. Uses SIGALRM, until progress_end(). */
void progress_watch(struct progress *progress);

/* Draws at most ten times a second, on stderr, if that is a terminal. Returns true if a stop was
 * asked for. With a total of 0 it draws nothing, and `progress` is not used. Is a watch_stop. */
bool progress_tick(void *progress, uint64_t done, uint64_t total);

/* So far there is nothing to lose: until the next tick Ctrl-C and SIGTERM end the program at once.
 */
void progress_holds_nothing(void);

/* Removes the bar. Later ticks may draw it again. */
void progress_end(struct progress *progress);

#endif
