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

/* The whole processors that the files cpu.max allow in the group that the file `groups` names
 * ("0::/a/b") and in those around it, below `root`; UINT_MAX: no limit. */
unsigned topk_quota(const char *groups, const char *root);

#endif
