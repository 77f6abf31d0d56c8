/* team.h - the processes that share a simulation: one (team/single.c), or the ranks of MPI
 * (team/mpi.c).
 *
 * The functions with "all" in their contract are collective: every rank calls them, in the same
 * order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEAM_H
#define TEAM_H

#include <stddef.h>
#include <stdint.h>

/* First and last call of the program. */
void team_start(int *count, char ***arguments);
void team_end(void);

/* Ends all ranks at once with status 1: one of them cannot go on. */
void team_abort(void) __attribute__((noreturn));

unsigned team_rank(void); /* 0 prints */
unsigned team_size(void);

/* Is a stdout that looks like a terminal one? MPI's launcher may have made one of its own. */
int team_has_terminal(void);

/* All: the largest of the values of all ranks. */
uint64_t team_max(uint64_t value);

/* All: rank 0 hears each other rank's bytes, in the order of the ranks. `take` returns 0, or -1 to
 * fail; so does this, on rank 0. */
int team_gather(const char *bytes, size_t length,
                int (*take)(void *context, const char *bytes, size_t length), void *context);

/* All: the text of the lowest rank whose text is not empty, on every rank; with "rank R: " before
 * it where that is not 0. Empty if none has one. */
void team_share_error(char *error, size_t size);

#endif
