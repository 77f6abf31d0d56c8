/* team.h - internal to topk: a call's threads, none of which is ever waited for while it does not
 * run, but for the piece that it has in hand.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPK_TEAM_H
#define TOPK_TEAM_H

#include <stdint.h>

/* `member`: 0 is the caller; of two that work at once each has its own. */
typedef void topk_work(void *context, uint64_t piece, unsigned member);

/* Does all pieces, each once, by at most `threads` threads; returns when all are done. Helpers take
 * the next piece when they come, the caller does what they leave. Waits neither for a helper that
 * has not begun, nor by spinning. Without memory for a thread, or in a child of fork(), whose
 * helpers stay with its parent until new ones start, the caller does it all or more of it. */
void topk_team(unsigned threads, uint64_t pieces, topk_work *work, void *context);

/* The threads that pay where a call does not say how many: the processors that this thread may use
 * and that the time quota of its control groups allows, or OMP_NUM_THREADS if that is less. At
 * least 1. */
unsigned topk_processors(void);

/* Lets this thread run where the first thread of the process may, not only where the one may that
 * started it. */
void topk_affinity_of_process(void);

/* The whole processors that the groups allow which the file `groups` names, and those around them:
 * "0::/a/b" by cpu.max below `root`, "4:cpu,cpuacct:/a/b" (version 1) by cpu.cfs_quota_us and
 * cpu.cfs_period_us below `root`/cpu; UINT_MAX: no limit. */
unsigned topk_quota(const char *groups, const char *root);

#endif
