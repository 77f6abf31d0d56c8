/* team.h - the processes that share a simulation: one (team/single.c), or the ranks of MPI
 * (team/mpi.c).
 *
 * A function whose contract begins with "All" is collective: every rank calls it, in the same
 * order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TEAM_H
#define TEAM_H

#include <stddef.h>
#include <stdint.h>

#include <base/message.h>

/* The first and the last call of the program. */
void team_start(int *count, char ***arguments);
void team_end(void);

/* Ends all ranks at once with status 1, because one of them cannot continue. A team of one returns.
 */
void team_abort(void);

unsigned team_rank(void); /* 0 prints */
unsigned team_size(void);

/* If stdout looks like a terminal, is it one? MPI's launcher may have made a terminal of its
 * own. */
int team_has_terminal(void);

/* All: the largest of the values of all ranks. */
uint64_t team_max(uint64_t value);

/* All: rank 0 receives the bytes of each other rank, in the order of the ranks, and calls `take`
 * for each. `take` returns 0, or -1 if it fails. Returns 0; on rank 0 -1 if any call of `take`
 * failed. */
int team_gather(const char *bytes, size_t length,
                int (*take)(void *context, const char *bytes, size_t length), void *context);

/* All: the bytes of rank 0 become those of every rank. */
void team_broadcast(void *bytes, size_t length);

/* All: `error` becomes, on every rank, that of the lowest rank whose error is not empty, with "rank
 * R: " before it if this is not rank 0. It stays empty if no rank has an error. */
void team_share_error(struct message error);

#endif
