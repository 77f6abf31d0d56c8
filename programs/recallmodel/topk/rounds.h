/* rounds.h - exact top-k over the ranks of a team: a gather, a merge, and a second round for the
 * rows that are not proved.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ROUNDS_H
#define ROUNDS_H

#include "shard.h"

#define RANKS_MOST 1024

/* What the rounds found and took; on rank 0 only, but for the sends. */
struct rounds {
    uint64_t *send;     /* of each rank, in the first round */
    char *values;       /* m x k, the best first */
    int64_t *positions; /* m x k */
    uint64_t unproved_rows, bytes_first, bytes_second;
    double top_k_us, gather_us, merge_us, second_us;
};

/* All ranks call it. Returns 0, or -1 with one line in `error`, on all ranks alike. */
int run_rounds(struct rounds *rounds, const struct shard *shard, uint64_t k, const uint64_t *sizes,
               struct message error);
void rounds_free(struct rounds *rounds);

#endif
